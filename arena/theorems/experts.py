"""Theorems on two learners that record their experts' predictions as evidence: Hedge, and following the leader."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, delayed
from arena.game.game import Game
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import left_as_evidence

TIED = 1e-9  # share of the least cumulative loss by which others may exceed it through rounding


def hedge_rate(game: Game, experts: int) -> float:
    """Return the default rate of Hedge, (8 log max(N, 2) / T)^(1/2) / M, for N experts.

    M is the largest difference between the losses of two predictions in [-B, B], and T the horizon. The usual formula
    has log N, which gives the rate 0 for a single expert.

    >>> round(hedge_rate(Game(rounds=8), 2), 9) == round((math.log(2) / 16) ** 0.5, 9)  # M = 4
    True
    """
    widest = game.loss.largest_difference(game.label_bound, game.label_bound)
    return math.sqrt(8.0 * math.log(max(experts, 2)) / game.rounds) / widest


def experts_recorded(run: Transcript) -> Assumption:
    """Assumption: the learner left the predictions of its experts as evidence."""
    advice = run.evidence.get("expert_predictions")
    recorded = advice is not None and advice.ndim == 2 and len(advice) >= run.rounds
    return left_as_evidence(run, "its experts' predictions", recorded)


def expert_losses(run: Transcript) -> Array:
    """Return the experts' losses: one row for each round, one column for each expert."""
    advice = run.evidence["expert_predictions"][: run.rounds]
    return np.asarray(run.game.loss.value(advice, run.labels[:, np.newaxis]))


def followed(run: Transcript) -> NDArray[np.intp]:
    """Return for every round the leader whose prediction is nearest to the learner's; in round 1 the first expert.

    A leader of a round has the least cumulative loss of the earlier rounds. Sums that differ only by rounding count as
    equal, so there may be several leaders.
    """
    before = delayed(np.cumsum(expert_losses(run), axis=0))
    least = before.min(axis=1, keepdims=True)
    leading = before - least <= TIED * least
    leading[0] = np.arange(before.shape[1]) == 0
    advice = run.evidence["expert_predictions"][: run.rounds]
    return np.asarray(np.where(leading, np.abs(advice - run.predictions[:, np.newaxis]), np.inf).argmin(axis=1))


@dataclass(frozen=True)
class _OfExperts(Theorem, abc.ABC):
    """Base class of bounds on the learner's loss minus the loss of the best expert."""

    quantity: ClassVar[str] = "loss beyond the best expert's"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (experts_recorded(run),)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(run.cumulative_losses - np.cumsum(expert_losses(run), axis=0).min(axis=1))

    def scale(self, run: Transcript) -> Array:
        return np.asarray(run.cumulative_losses + np.cumsum(expert_losses(run).max(axis=1)))


@dataclass(frozen=True)
class HedgeBound(_OfExperts):
    """Regret bound of Hedge for a convex loss, from the range of the experts' losses in each round."""

    name: ClassVar[str] = "hedge"
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, Theorem 2.2, with the range of each round"
    statement: ClassVar[str] = "R <= log N / eta + (eta / 8) sum_t (max_i l_{t,i} - min_i l_{t,i})^2, N experts"
    formula: ClassVar[str] = (
        r"$R \le \frac{\log N}{\eta} + \frac{\eta}{8} \sum_t \left( \max_i \ell_{t,i} - \min_i \ell_{t,i} "
        r"\right)^2$, $N$ experts"
    )

    rate: float | None = parameter(None, "eta (none: hedge's own)", above=0)

    def allowed(self, run: Transcript) -> Array:
        losses = expert_losses(run)
        eta = self._eta(run)
        ranges = losses.max(axis=1) - losses.min(axis=1)
        return np.asarray(math.log(losses.shape[1]) / eta + eta / 8.0 * np.cumsum(np.square(ranges)))

    def _eta(self, run: Transcript) -> float:
        experts = run.evidence["expert_predictions"].shape[1]
        return hedge_rate(run.game, experts) if self.rate is None else self.rate


@dataclass(frozen=True)
class FirstOrderHedge(HedgeBound):
    """Bound on the loss of Hedge with N experts: a multiple of the best expert's loss plus a multiple of log N."""

    name: ClassVar[str] = "hedge-first-order"
    paper: ClassVar[str] = "Freund and Schapire 1997, Theorem 2, with beta = exp(-eta M) and losses in [0, M]"
    statement: ClassVar[str] = "L <= (eta M min_i L_i + M log N) / (1 - exp(-eta M)), M the largest loss of an expert"
    formula: ClassVar[str] = (
        r"$L \le \frac{\eta M \min_i L_i + M \log N}{1 - \exp(-\eta M)}$, $M$ the largest loss of an expert"
    )
    quantity: ClassVar[str] = "loss"

    def measured(self, run: Transcript) -> Array:
        return np.asarray(run.cumulative_losses)

    def allowed(self, run: Transcript) -> Array:
        losses = expert_losses(run)
        best = np.cumsum(losses, axis=0).min(axis=1)
        eta, largest = self._eta(run), float(losses.max())
        if not largest:
            return np.asarray(best)
        share = -math.expm1(-eta * largest)
        return np.asarray((eta * largest * best + largest * math.log(losses.shape[1])) / share)


@dataclass(frozen=True)
class LeaderChanges(_OfExperts):
    """Regret bound of following the leader: it grows only in rounds after which the leader changes.

    The leader i_t of round t has the least cumulative loss before round t. In round t the bound grows by the loss of
    i_t in this round minus the loss of i_{t+1} in this round. If several experts are tied, up to the rounding of their
    sums, i_t is the one whose prediction the learner gave.
    """

    name: ClassVar[str] = "leader-changes"
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, Lemma 3.1; Kalai and Vempala 2005, Lemma 1"
    statement: ClassVar[str] = (
        "R <= sum_t l_{t,i_t} - l_{t,i_{t+1}}, i_t the expert with the least loss before round t that is followed"
    )
    formula: ClassVar[str] = (
        r"$R \le \sum_t \left( \ell_{t,i_t} - \ell_{t,i_{t+1}} \right)$, $i_t$ the expert with the least loss before "
        "round $t$ that is followed"
    )

    version: ClassVar[int] = 2

    def allowed(self, run: Transcript) -> Array:
        losses, leaders, rounds = expert_losses(run), followed(run), np.arange(run.rounds)
        totals = np.cumsum(losses, axis=0)
        after = np.append(leaders[1:], totals[-1].argmin())
        rounded = totals[rounds, after] - totals.min(axis=1)  # by which leaders exceed the least sum, for ties
        return np.asarray(np.cumsum(losses[rounds, leaders] - losses[rounds, after] + rounded))

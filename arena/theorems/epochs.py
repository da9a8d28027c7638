"""Theorems on Newton steps in the span of a KORS dictionary, epoch by epoch (theory E13).

Two learners take such steps:

- PROS-N-KONS restarts from time to time. An epoch ends with the round after which the learner restarts.
- CON-KONS never restarts: all rounds are one epoch.

A point that KORS accepts in round t adds at most one feature. The value of this feature counts as zero in the rounds up
to t. The regret of an epoch is to the best linear function of the epoch's features. The theorems bound the sum of these
regrets. They assume nothing about the accuracy of KORS.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.hindsight.comparator import Optimum
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem, labels_within, predictions_within
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import (
    Within,
    comparator_bounded,
    features_comparator_known,
    left_as_evidence,
    search_within,
    until_one_fails,
)
from arena.theorems.kons import NewtonPath, alpha_stands_out, scaled_gradients
from arena.theorems.kors import accepted_rounds, dictionary, kors_evidence, unexplained_norm
from arena.theorems.recomputed.points import ridge_on_features

PROOF = "Calandriello, Lazaric and Valko 2017 (NIPS), the first part of Theorem 1's proof"


@dataclass(frozen=True, eq=False)
class Epochs:
    """Flags of each round: `grew` if the dictionary grew after it, `resets` if the learner restarted after it."""

    grew: NDArray[np.bool_]
    resets: NDArray[np.bool_]

    def upto(self, rounds: int | None = None) -> Iterator[slice]:
        """Yield the rounds of each epoch, as a slice.

        If `rounds` is given, rounds later than the first `rounds` are left out.
        """
        rounds = len(self.resets) if rounds is None else rounds
        ends = [*(np.flatnonzero(self.resets[: rounds - 1]) + 1).tolist(), rounds]
        yield from (slice(start, stop) for start, stop in zip([0, *ends], ends, strict=False))

    def settled(self, rounds: int | None = None) -> Iterator[slice]:
        """Yield the rounds of each epoch, as a slice, without the round after which the learner restarted.

        If `rounds` is given, rounds later than the first `rounds` are left out.
        """
        for epoch in self.upto(rounds):
            yield slice(epoch.start, epoch.stop - int(self.resets[epoch.stop - 1]))


def epoch_evidence(run: Transcript) -> Assumption:
    """Assumption: the evidence has the dictionary's points and the rounds after which the learner restarted."""
    there = accepted_rounds(run) is not None and kors_evidence(run).holds and "restarts" in run.evidence
    return left_as_evidence(run, "its dictionary's points and its restarts", there)


@once_per_match
def epochs(run: Transcript) -> Epochs:
    """Return the `Epochs` of a match from its evidence: when the dictionary grew, and when the learner restarted."""
    grew, resets = np.zeros(run.rounds, dtype=bool), np.zeros(run.rounds, dtype=bool)
    grew[dictionary(run).since - 1] = True
    numbers = run.evidence["restarts"]
    resets[numbers[numbers <= run.rounds].astype(int) - 1] = True
    return Epochs(grew, resets)


@once_per_match
def epoch_path(run: Transcript, alpha: float, step: float | None) -> NewtonPath:
    """Return the sizes, energies and other quantities of the learner's Newton steps, as a `NewtonPath`.

    The matrix of the steps is alpha I at the start of each epoch. If `step` is None, the sizes are half the curvature
    of the loss, or 1 / (2 L C sqrt(t)) if the curvature is zero.
    """
    steps, scales, drift = scaled_gradients(run, step, share=0.5)
    surprise = np.zeros(run.rounds)
    for epoch in epochs(run).upto():
        F = dictionary(run).features(epoch) * scales[epoch, np.newaxis]
        if F.any():
            surprise[epoch] = ridge_on_features(F, np.zeros(len(F)), alpha)[1]
    return NewtonPath(steps, surprise, drift, np.ones(run.rounds, dtype=bool))


@once_per_match
def epoch_optima(run: Transcript, regularisation: float) -> Array:
    """Return, for each round, the amount by which the round raises the least regularised squared loss of its epoch.

    The least loss is that of the epoch's rounds so far, over the linear functions of the features that the learner has
    in the epoch.
    """
    increments = np.square(run.labels)
    for epoch in epochs(run).upto():
        F, y = dictionary(run).features(epoch), run.labels[epoch]
        if F.any():
            mean, surprise = ridge_on_features(F, y, regularisation)
            increments[epoch] = np.square(y - mean) / (1.0 + surprise)
    return increments


@once_per_match
def best_in_epoch(run: Transcript, start: int, stop: int, regularisation: float) -> Optimum:
    """Return the least regularised loss of rounds `start` to `stop` - 1, counted from 0, of one epoch.

    The least loss is over the linear functions of the features that the learner has in these rounds.
    """
    rounds = slice(start, stop)
    F, y = dictionary(run).features(rounds), run.labels[rounds]
    if not run.comparator.closed_form:
        return run.comparator.optimum_of_features(F, rounds, regularisation)
    weights = np.linalg.solve(F.T @ F + regularisation * np.eye(F.shape[1]), F.T @ y)
    values, norm = F @ weights, float(weights @ weights)

    def objective(scale: float) -> float:
        return float(np.square(scale * values - y).sum()) + regularisation * scale**2 * norm

    return Optimum.exact(objective, float(np.abs(values).max(initial=0.0)), run.game.clip)


@once_per_match
def epochs_unexplained(run: Transcript) -> float:
    """Return the largest eigenvalue of K - P K P over all epochs.

    K is the kernel matrix of an epoch's rounds, without the one after which the learner restarted. P K P is the matrix
    of the inner products of the points' projections onto the dictionary's span in the epoch.
    """
    span = dictionary(run)
    counts = [(each, int(np.searchsorted(span.since, each.start, side="right"))) for each in epochs(run).settled()]
    return max((unexplained_norm(run, each, span.coordinates[:, :count]) for each, count in counts), default=0.0)


@dataclass(frozen=True)
class EpochTheorem(Theorem):
    """Base class of bounds on the sum of the epochs' regrets.

    The regret of an epoch is to the best linear function of the features that the learner has in it, with lambda =
    alpha / 2.
    """

    monotone: ClassVar[bool] = True
    quantity: ClassVar[str] = "regret at alpha/2 to the best functions of the epochs' features"
    own_comparator: ClassVar[bool] = True

    alpha: float = parameter(1.0, "weight of |w|^2: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: sigma / 2, the loss's curvature on [-C, C]; if that is zero, 1/(2 L C sqrt(t)))", above=0
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: (
                *features_comparator_known(run),
                labels_within(run, run.game.label_bound),
                predictions_within(run, run.game.clip),
                epoch_evidence(run),
                alpha_stands_out(run, self.alpha, self.step, share=0.5),
            ),
            lambda: (comparator_bounded(run, self._within(run)),),
        )

    def refutation(self, run: Transcript) -> tuple[int, float] | None:
        return self._within(run).refutation

    def _within(self, run: Transcript) -> Within:
        return search_within(run, self, lambda rounds: self._best(run, rounds))

    def measured(self, run: Transcript) -> Array:
        if run.comparator.closed_form:
            return run.loss_beyond(epoch_optima(run, self.alpha / 2))
        return run.comparator.regret_at_checkpoints(run.losses, lambda t: self._best(run, t))

    def _best(self, run: Transcript, rounds: int) -> list[Optimum]:
        return [best_in_epoch(run, each.start, each.stop, self.alpha / 2) for each in epochs(run).upto(rounds)]


@dataclass(frozen=True)
class EpochGradients(EpochTheorem):
    """Half the sum of the gradients' energies bounds the sum of the epochs' regrets.

    The regret of an epoch is to the best linear function of its features, with lambda = alpha / 2. The energy of round
    t is g_t^2 f_t' A_t^-1 f_t, for the features f_t of x_t and the matrix A_t of the Newton steps. A step eta_t above
    the curvature sigma adds half of (eta_t - sigma) g_t^2 (|prediction| + C)^2 to the bound.
    """

    name: ClassVar[str] = "epoch-gradients"
    paper: ClassVar[str] = f"{PROOF}, with the factor 1/2 that it gives"
    statement: ClassVar[str] = (
        "sum_j R_{alpha/2}(epoch j) <= 1/2 sum_t g_t^2 f_t' A_t^-1 f_t (and R_D / 2 where eta_t > sigma), "
        "f_t the features in the dictionary's span"
    )
    formula: ClassVar[str] = (
        r"$\sum_j R_{\alpha/2}(\text{epoch } j) \le \frac{1}{2} \sum_t g_t^2 f_t^\top A_t^{-1} f_t$ (and "
        r"$\frac{R_D}{2}$ where $\eta_t > \sigma$), $f_t$ the features in the dictionary's span"
    )

    def allowed(self, run: Transcript) -> Array:
        path = epoch_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.energies + path.drift))


@dataclass(frozen=True)
class EpochLogdet(EpochTheorem):
    """The log determinants of the matrix A at the ends of the epochs bound the sum of the epochs' regrets.

    The regret of an epoch is to the best linear function of its features, with lambda = alpha / 2. The matrix A of the
    Newton steps is alpha I at the start of each epoch. If each step is half the curvature sigma, the bound is the sum
    of log det(A / alpha) / sigma over the epochs.
    """

    name: ClassVar[str] = "epoch-logdet"
    paper: ClassVar[str] = PROOF
    statement: ClassVar[str] = (
        "sum_j R_{alpha/2}(epoch j) <= sum_j log det(I + (sigma/2) D K~_j D / alpha) / sigma for eta = sigma/2; "
        "in general 1/2 sum_t log(1 + q_t) / eta_t + R_D / 2, q_t = eta_t g_t^2 f_t' A_{t-1}^-1 f_t"
    )
    formula: ClassVar[str] = (
        r"$\sum_j R_{\alpha/2}(\text{epoch } j) \le \frac{1}{\sigma} \sum_j \log\det\left( I + \frac{\sigma}{2 "
        r"\alpha} D \tilde K_j D \right)$ for $\eta = \frac{\sigma}{2}$; in general $\frac{1}{2} \sum_t "
        r"\frac{\log(1 + q_t)}{\eta_t} + \frac{R_D}{2}$, $q_t = \eta_t g_t^2 f_t^\top A_{t-1}^{-1} f_t$"
    )

    def allowed(self, run: Transcript) -> Array:
        path = epoch_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.growth + path.drift))

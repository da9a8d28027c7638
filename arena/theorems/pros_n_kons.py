"""PROS-N-KONS against functions of the whole RKHS (Calandriello, Lazaric and Valko 2017, NIPS; theory E13, E14).

Every epoch j pays for its estimation (`epoch-logdet`), for its comparator's norm, for the round that ends it, and for
what its dictionary leaves out, which KORS keeps below mu = gamma epsilon / (1 - epsilon). So the regret is bounded at J
alpha for J epochs. The published proof compares with the best regularised function of each epoch, and needs that its
predictions lie within [-C, C].

All that is assumed is measured on the path, and the bounds are then deterministic. They are judged at checkpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Assumption, labels_within, predictions_within
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.any_loss import features_comparator_known
from arena.theorems.bounded_comparator import BoundedComparator
from arena.theorems.kons import slope_and_curvature
from arena.theorems.recomputed.checkpoints import checkpoints, held
from arena.theorems.recomputed.epochs import (
    epoch_best,
    epoch_evidence,
    epoch_fit,
    epoch_path,
    epochs,
    epochs_unexplained,
)
from arena.theorems.recomputed.grouped import Grouped
from arena.theorems.recomputed.kors import MOST_POINTS
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.optima import best_so_far

PAPER = "Calandriello, Lazaric and Valko 2017 (NIPS)"


@once_per_match
def grouped(run: Transcript, start: int, stop: int) -> Grouped:
    """The rounds from `start` to `stop`, equal points as one."""
    return Grouped.of(run.game.kernel, run.points[start:stop], run.labels[start:stop])


@dataclass(frozen=True)
class ProsTheorem(BoundedComparator):
    """What the bounds have in common: the parameters, the assumptions, and the regret at a multiple of alpha."""

    quantity: ClassVar[str] = "regret at J alpha"

    alpha: float = parameter(1.0, "weight of |w|^2: A_0 = alpha I at the start of an epoch", above=0)
    gamma: float = parameter(1.0, "ridge of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)
    step: float | None = parameter(
        None, "eta (none: sigma / 2, the loss's curvature on [-C, C]; if that is zero, 1/(2 L C sqrt(t)))", above=0
    )

    def needs_an_interval(self, run: Transcript) -> bool:
        """Not for the squared loss, for which the comparator is computed here."""
        return run.game.loss.name != "squared"

    @property
    def unexplained(self) -> float:
        """Mu = gamma epsilon / (1 - epsilon)."""
        return self.gamma * self.epsilon / (1.0 - self.epsilon)

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        """A known comparator, everything bounded, restarts, and what KORS promises, measured."""
        first = (
            *self.loss_premises(run),
            labels_within(run, run.game.label_bound),
            predictions_within(run, run.game.clip),
            epoch_evidence(run),
        )
        if not all(each.holds for each in first):
            return first
        points = len(np.unique(run.points + 0.0, axis=0))
        few = Assumption(f"at most {MOST_POINTS} different points", points <= MOST_POINTS, f"{points}")
        later = (few, self._restarts(run), *self.parameters(run))
        if not all(each.holds for each in later):
            return (*first, *later)
        return (*first, *later, self._dictionary_suffices(run), self._optima_bounded(run))

    def loss_premises(self, run: Transcript) -> tuple[Assumption, ...]:
        """What the loss must be."""
        return features_comparator_known(run)

    def parameters(self, run: Transcript) -> tuple[Assumption, ...]:
        """What the parameters must obey."""
        return (Assumption("gamma <= alpha", self.gamma <= self.alpha, f"{self.gamma:g}, {self.alpha:g}"),)

    def measured(self, run: Transcript) -> Array:
        """The regret at every checkpoint."""
        rounds = checkpoints(run.rounds)
        if run.game.loss.name != "squared":
            found = [best_so_far(run, self.penalty(run, t), t) for t in rounds]
            optima = [best.upper if run.side == "favourable" else best.lower for best in found]
            return held(run.rounds, rounds, run.cumulative_losses[np.array(rounds) - 1] - np.array(optima))
        losses = run.cumulative_losses
        return held(
            run.rounds,
            rounds,
            [float(losses[t - 1]) - grouped(run, 0, t).optimum(self.penalty(run, t)) for t in rounds],
        )

    def allowed(self, run: Transcript) -> Array:
        """The bound at every checkpoint."""
        rounds = checkpoints(run.rounds)
        return held(run.rounds, rounds, [self.bound(run, t) for t in rounds])

    def regret_within(self, run: Transcript, rounds: int) -> tuple[float, float]:
        """At the last checkpoint so far."""
        at = max(t for t in checkpoints(run.rounds) if t <= rounds)
        if run.game.loss.name != "squared":
            best = best_so_far(run, self.penalty(run, at), at)
            return best.reached, float(run.cumulative_losses[at - 1]) - best.within
        largest, objective = grouped(run, 0, at).within(self.penalty(run, at), run.game.clip)
        return largest, float(run.cumulative_losses[at - 1]) - objective

    def penalty(self, run: Transcript, rounds: int) -> float:
        """J alpha, J counting the epochs that have begun."""
        return self.alpha * len(list(epochs(run).upto(rounds)))

    def bound(self, run: Transcript, rounds: int) -> float:
        """The bound after so many rounds."""
        raise TypeError(f"{type(self).__name__} must define bound(run, rounds)")

    def estimation(self, run: Transcript, rounds: int) -> float:
        """What Newton steps cost, and the rounds that end epochs."""
        path, resets = epoch_path(run, self.alpha, self.step), epochs(run).resets[:rounds]
        spent = 0.5 * float((path.growth + path.drift)[:rounds][~resets].sum())
        return spent + float(resets.sum()) * largest_difference(run)

    def _restarts(self, run: Transcript) -> Assumption:
        met = epochs(run)
        odd = np.flatnonzero(met.grew & ~met.resets)
        where = f"not after round {odd[0] + 1}" if len(odd) else ""
        return Assumption("the learner starts afresh whenever its span grows", not len(odd), where)

    def _dictionary_suffices(self, run: Transcript) -> Assumption:
        worst = epochs_unexplained(run)
        statement = "in every epoch |K_j - P K_j P| <= gamma epsilon / (1 - epsilon)"
        return Assumption(
            statement, worst <= self.unexplained * (1 + 1e-9) + 1e-12, f"{worst:g} of {self.unexplained:g}"
        )

    def _optima_bounded(self, run: Transcript) -> Assumption:
        largest = largest_epoch_value(run, self.alpha)
        statement = f"the best functions of the epochs predict within [-{run.game.clip:g}, {run.game.clip:g}]"
        return Assumption(statement, largest <= run.game.clip * (1 + 1e-9), f"up to {largest:g}")


@dataclass(frozen=True)
class ProsNKonsRegret(ProsTheorem):
    """Any loss: what the dictionary leaves out costs a share of every round."""

    name: ClassVar[str] = "pros-n-kons-regret"
    paper: ClassVar[str] = f"{PAPER}, Theorem 1, corrected"
    statement: ClassVar[str] = (
        "R_{J alpha} <= sum_j log det(I + (sigma/2) D K~_j D / alpha) / sigma + L^2 T mu / (4 alpha) + 2 J L C "
        "(squared loss: J (B + C)^2), mu = gamma epsilon / (1 - epsilon)"
    )

    def bound(self, run: Transcript, rounds: int) -> float:
        """Estimation, approximation, restarts."""
        slope, _ = slope_and_curvature(run)
        settled = rounds - int(epochs(run).resets[:rounds].sum())
        return self.estimation(run, rounds) + slope**2 * settled * self.unexplained / (4.0 * self.alpha)


@dataclass(frozen=True)
class ProsNKonsSquaredRegret(ProsTheorem):
    """The squared loss: what the dictionary leaves out costs a share of the best loss of every epoch."""

    name: ClassVar[str] = "pros-n-kons-squared"
    paper: ClassVar[str] = f"{PAPER}, Theorem 2, corrected"
    statement: ClassVar[str] = (
        "R_{J alpha} <= sum_j (log det(I + (sigma/2) D K~_j D / alpha) / sigma + eps' L*_j) + J (B + C)^2, "
        "eps' = alpha / (alpha - gamma epsilon / (1 - epsilon)) - 1, L*_j the best loss + alpha |f|^2 in epoch j"
    )

    @property
    def share(self) -> float:
        """Eps'."""
        return self.unexplained / (self.alpha - self.unexplained)

    def loss_premises(self, run: Transcript) -> tuple[Assumption, ...]:
        """The squared loss alone."""
        name = run.game.loss.name
        return (Assumption("the loss is squared", name == "squared", f"it is {name}"),)

    def parameters(self, run: Transcript) -> tuple[Assumption, ...]:
        """Also an alpha that KORS' error does not use up."""
        return (
            *super().parameters(run),
            Assumption("alpha > gamma epsilon / (1 - epsilon)", self.alpha > self.unexplained, f"{self.unexplained:g}"),
        )

    def bound(self, run: Transcript, rounds: int) -> float:
        """Estimation, a share of the best losses, restarts."""
        best = sum(grouped(run, *ends).optimum(self.alpha) for ends in settled_epochs(run, rounds))
        return self.estimation(run, rounds) + self.share * best


def largest_difference(run: Transcript) -> float:
    """Of the losses of two predictions within [-C, C]."""
    game = run.game
    if game.loss.name == "squared":
        return (game.label_bound + game.clip) ** 2
    return 2.0 * slope_and_curvature(run)[0] * game.clip


def settled_epochs(run: Transcript, rounds: int) -> list[tuple[int, int]]:
    """First and last round of each epoch, without those that end one, of epochs that have any."""
    return [(each.start, each.stop) for each in epochs(run).settled(rounds) if each.stop > each.start]


@once_per_match
def largest_epoch_value(run: Transcript, alpha: float) -> float:
    """Of the best regularised functions of the epochs' features, at every checkpoint."""
    ends = {ends for rounds in checkpoints(run.rounds) for ends in settled_epochs(run, rounds)}
    if run.game.loss.name != "squared":
        return max((epoch_best(run, *each, alpha).surely for each in ends), default=0.0)
    values = (np.abs(epoch_fit(run, slice(*each), alpha)[0]).max(initial=0.0) for each in ends)
    return float(max(values, default=0.0))

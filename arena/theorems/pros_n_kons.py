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
from arena.hindsight.checkpoints import checkpoints, held, last_checkpoint
from arena.hindsight.comparator import Optimum
from arena.record.theorem import Assumption, labels_within, loss_is_squared, predictions_within
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.any_loss import features_comparator_known
from arena.theorems.assumptions import few_points, slope_and_curvature, until_one_fails
from arena.theorems.bounded_comparator import BoundedComparator
from arena.theorems.epochs import best_in_epoch
from arena.theorems.recomputed.epochs import epoch_evidence, epoch_path, epochs, epochs_unexplained
from arena.theorems.recomputed.grouped import Grouped
from arena.theorems.recomputed.once import once_per_match

PAPER = "Calandriello, Lazaric and Valko 2017 (NIPS)"


@dataclass(frozen=True)
class ProsTheorem(BoundedComparator):
    """Parameters, premises and the regret at a multiple of alpha; each theorem defines `bound`, at a checkpoint."""

    quantity: ClassVar[str] = "regret at J alpha"
    own_comparator: ClassVar[bool] = True

    alpha: float = parameter(1.0, "weight of |w|^2: A_0 = alpha I at the start of an epoch", above=0)
    gamma: float = parameter(1.0, "ridge of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)
    step: float | None = parameter(
        None, "eta (none: sigma / 2, the loss's curvature on [-C, C]; if that is zero, 1/(2 L C sqrt(t)))", above=0
    )

    @property
    def mu(self) -> float:
        """Mu = gamma epsilon / (1 - epsilon): what KORS may leave unexplained."""
        return self.gamma * self.epsilon / (1.0 - self.epsilon)

    def bound(self, run: Transcript, rounds: int) -> float:
        """The bound after so many rounds."""
        raise TypeError(f"{type(self).__name__} must define bound(run, rounds)")

    def penalty(self, run: Transcript, rounds: int) -> float:
        """The comparator's lambda after so many rounds: J alpha, J counting the epochs that have begun."""
        return self.alpha * epochs_begun(run, rounds)

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return self.premises_with(run, *features_comparator_known(run))

    def premises_with(
        self, run: Transcript, *of_loss: Assumption, of_parameters: Sequence[Assumption] = ()
    ) -> tuple[Assumption, ...]:
        """These, everything bounded, restarts, and what KORS promises, measured."""
        gamma = Assumption("gamma <= alpha", self.gamma <= self.alpha, f"{self.gamma:g}, {self.alpha:g}")
        bounded = (labels_within(run, run.game.label_bound), predictions_within(run, run.game.clip))
        return until_one_fails(
            lambda: (*of_loss, *bounded, epoch_evidence(run)),
            lambda: (few_points(run), starts_afresh(run), gamma, *of_parameters),
            lambda: (dictionary_suffices(run, self.mu), optima_bounded(run, self.alpha)),
        )

    def measured(self, run: Transcript) -> Array:
        return run.comparator.regret_at_checkpoints(
            run.losses, lambda t: [best_of_prefix(run, t, self.penalty(run, t))]
        )

    def allowed(self, run: Transcript) -> Array:
        rounds = checkpoints(run.rounds)
        return held(run.rounds, rounds, [self.bound(run, t) for t in rounds])

    def regret_within(self, run: Transcript, rounds: int) -> tuple[float, float]:
        """At the last checkpoint so far."""
        at = last_checkpoint(run.rounds, rounds)
        best = best_of_prefix(run, at, self.penalty(run, at))
        return best.reached, float(run.cumulative_losses[at - 1]) - best.within


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
        slope, _ = slope_and_curvature(run)
        settled = rounds - int(epochs(run).resets[:rounds].sum())
        approximation = slope**2 * settled * self.mu / (4.0 * self.alpha)
        return estimation_and_restarts(run, rounds, self.alpha, self.step) + approximation


@dataclass(frozen=True)
class ProsNKonsSquaredRegret(ProsTheorem):
    """The squared loss: what the dictionary leaves out costs a share of the best loss of every epoch."""

    name: ClassVar[str] = "pros-n-kons-squared"
    paper: ClassVar[str] = f"{PAPER}, Theorem 2, corrected"
    statement: ClassVar[str] = (
        "R_{J alpha} <= sum_j (log det(I + (sigma/2) D K~_j D / alpha) / sigma + eps' L*_j) + J (B + C)^2, "
        "eps' = alpha / (alpha - gamma epsilon / (1 - epsilon)) - 1, L*_j the best loss + alpha |f|^2 in epoch j"
    )

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return self.premises_with(run, loss_is_squared(run), of_parameters=[alpha_exceeds(self.mu, self.alpha)])

    def bound(self, run: Transcript, rounds: int) -> float:
        share = self.mu / (self.alpha - self.mu)  # eps'
        best = sum(grouped(run, *ends).optimum(self.alpha) for ends in settled_epochs(run, rounds))
        return estimation_and_restarts(run, rounds, self.alpha, self.step) + share * best


def alpha_exceeds(mu: float, alpha: float) -> Assumption:
    """The error of KORS does not use up alpha."""
    return Assumption("alpha > gamma epsilon / (1 - epsilon)", alpha > mu, f"{mu:g}")


def starts_afresh(run: Transcript) -> Assumption:
    """An epoch ends wherever the span grows."""
    met = epochs(run)
    odd = np.flatnonzero(met.grew & ~met.resets)
    where = f"not after round {odd[0] + 1}" if len(odd) else ""
    return Assumption("the learner starts afresh whenever its span grows", not len(odd), where)


def dictionary_suffices(run: Transcript, mu: float) -> Assumption:
    """In no epoch the dictionary leaves out more than mu."""
    worst = epochs_unexplained(run)
    statement = "in every epoch |K_j - P K_j P| <= gamma epsilon / (1 - epsilon)"
    return Assumption(statement, worst <= mu * (1 + 1e-9) + 1e-12, f"{worst:g} of {mu:g}")


def optima_bounded(run: Transcript, alpha: float) -> Assumption:
    """The comparators of the epochs, which the proof uses, predict within [-C, C]."""
    largest = largest_epoch_value(run, alpha)
    statement = f"the best functions of the epochs predict within [-{run.game.clip:g}, {run.game.clip:g}]"
    return Assumption(statement, largest <= run.game.clip * (1 + 1e-9), f"up to {largest:g}")


def estimation_and_restarts(run: Transcript, rounds: int, alpha: float, step: float | None) -> float:
    """What Newton steps cost, and the rounds that end epochs: each at most the largest difference of two losses."""
    path, resets = epoch_path(run, alpha, step), epochs(run).resets[:rounds]
    estimation = 0.5 * float((path.growth + path.drift)[:rounds][~resets].sum())
    return estimation + float(resets.sum()) * largest_difference(run)


def largest_difference(run: Transcript) -> float:
    """How far the losses of two predictions within [-C, C] can be apart."""
    game = run.game
    return game.loss.largest_difference(game.clip, game.label_bound)


def epochs_begun(run: Transcript, rounds: int) -> int:
    """J, after so many rounds."""
    return len(list(epochs(run).upto(rounds)))


def settled_epochs(run: Transcript, rounds: int) -> list[tuple[int, int]]:
    """First and last round of each epoch, without those that end one, of epochs that have any."""
    return [(each.start, each.stop) for each in epochs(run).settled(rounds) if each.stop > each.start]


@once_per_match
def best_of_prefix(run: Transcript, rounds: int, regularisation: float) -> Optimum:
    """The best function of the RKHS: in closed form for the squared loss, else in a certified interval."""
    if not run.comparator.closed_form:
        return run.comparator.optimum(regularisation, rounds)
    group = grouped(run, 0, rounds)
    best = group.optimum(regularisation)
    reached, within = group.within(regularisation, run.game.clip)
    return Optimum(lower=best, upper=best, reached=reached, within=within, surely=reached)


@once_per_match
def grouped(run: Transcript, start: int, stop: int) -> Grouped:
    """The rounds from `start` to `stop`, equal points as one."""
    return Grouped.of(run.game.kernel, run.points[start:stop], run.labels[start:stop])


@once_per_match
def largest_epoch_value(run: Transcript, alpha: float) -> float:
    """The largest value of the best regularised functions of the epochs' features, at every checkpoint."""
    ends = {ends for rounds in checkpoints(run.rounds) for ends in settled_epochs(run, rounds)}
    return max((best_in_epoch(run, slice(*each), alpha).surely for each in ends), default=0.0)

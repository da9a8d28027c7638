"""Regret bounds of PROS-N-KONS in the whole RKHS (Calandriello, Lazaric and Valko 2017, NIPS; theory E13, E14).

The learner restarts whenever its dictionary grows; the rounds between two restarts are an epoch. In an epoch, the
learner's loss exceeds the loss of a comparator f by at most the sum of four terms:

- the estimation, which `epoch-logdet` bounds;
- alpha |f|^2;
- the largest possible difference between the losses of two predictions, for the round that ends the epoch;
- a term for the part of the points that the dictionary leaves unexplained. KORS keeps the largest eigenvalue of this
  part below mu = gamma epsilon / (1 - epsilon).

J epochs have J terms alpha |f|^2, so the comparator of the regret has lambda = J alpha. The bounds are computed for the
first 1, 2, 4, ... and all rounds. All assumptions are measured on the match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.checkpoints import checkpoints, step_curve
from arena.hindsight.comparator import Optimum
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem, labels_within, loss_is_squared, predictions_within
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import (
    Within,
    comparator_bounded,
    features_comparator_known,
    few_different_points,
    search_within,
    slope_and_curvature,
    until_one_fails,
)
from arena.theorems.epochs import best_in_epoch, epoch_evidence, epoch_path, epochs, epochs_unexplained
from arena.theorems.kons import alpha_stands_out
from arena.theorems.recomputed.points import Grouped

PAPER = "Calandriello, Lazaric and Valko 2017 (NIPS)"


@dataclass(frozen=True)
class ProsTheorem(Theorem):
    """Base class of bounds on the regret at lambda = J alpha for J epochs; subclasses define `bound`."""

    monotone: ClassVar[bool] = True
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
        """The number mu = gamma epsilon / (1 - epsilon), the largest eigenvalue that KORS may leave unexplained."""
        return self.gamma * self.epsilon / (1.0 - self.epsilon)

    def bound(self, run: Transcript, rounds: int) -> float:
        """Return the bound on the regret of the first `rounds` rounds."""
        raise TypeError(f"{type(self).__name__} must define bound(run, rounds)")

    def penalty(self, run: Transcript, rounds: int) -> float:
        """Return the comparator's lambda for the first `rounds` rounds: alpha times the number of epochs so far."""
        return self.alpha * epochs_begun(run, rounds)

    def about_loss(self, run: Transcript) -> Sequence[Assumption]:
        return features_comparator_known(run)

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        """Return further assumptions on parameters and points; without an override there are none."""
        return ()

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        gamma = Assumption("gamma <= alpha", self.gamma <= self.alpha, f"{self.gamma:g}, {self.alpha:g}")
        bounded = (
            labels_within(run, run.game.label_bound),
            predictions_within(run, run.game.clip),
            alpha_stands_out(run, self.alpha, self.step, share=0.5),
        )
        return until_one_fails(
            lambda: (*self.about_loss(run), *bounded, epoch_evidence(run)),
            lambda: (few_different_points(run), starts_afresh(run), gamma, *self.about_parameters(run)),
            lambda: (dictionary_suffices(run, self.mu), optima_bounded(run, self.alpha)),
            lambda: (comparator_bounded(run, self._within(run)),),
        )

    def refutation(self, run: Transcript) -> tuple[int, float] | None:
        return self._within(run).refutation

    def _within(self, run: Transcript) -> Within:
        return search_within(run, self, lambda rounds: self._best(run, rounds), at_checkpoints=True)

    def measured(self, run: Transcript) -> Array:
        return run.comparator.regret_at_checkpoints(run.losses, lambda rounds: self._best(run, rounds))

    def allowed(self, run: Transcript) -> Array:
        rounds = checkpoints(run.rounds)
        return step_curve(run.rounds, rounds, [self.bound(run, t) for t in rounds])

    def _best(self, run: Transcript, rounds: int) -> list[Optimum]:
        return [best_of_prefix(run, rounds, self.penalty(run, rounds))]


@dataclass(frozen=True)
class ProsNKonsRegret(ProsTheorem):
    """Regret bound of PROS-N-KONS for any loss; the unexplained part of the points adds a term proportional to T."""

    name: ClassVar[str] = "pros-n-kons-regret"
    paper: ClassVar[str] = f"{PAPER}, Theorem 1, corrected"
    statement: ClassVar[str] = (
        "R_{J alpha} <= sum_j log det(I + (sigma/2) D K~_j D / alpha) / sigma + L^2 T mu / (4 alpha) + 2 J L C "
        "(squared loss: J (B + C)^2), mu = gamma epsilon / (1 - epsilon)"
    )
    formula: ClassVar[str] = (
        r"$R_{J \alpha} \le \frac{1}{\sigma} \sum_j \log\det\left( I + \frac{\sigma}{2 \alpha} D \tilde K_j D "
        r"\right) + \frac{L^2 T \mu}{4 \alpha} + 2 J L C$ (squared loss: $J (B + C)^2$), $\mu = \frac{\gamma "
        r"\epsilon}{1 - \epsilon}$"
    )

    def bound(self, run: Transcript, rounds: int) -> float:
        slope, _ = slope_and_curvature(run)
        settled = rounds - int(epochs(run).resets[:rounds].sum())
        approximation = slope**2 * settled * self.mu / (4.0 * self.alpha)
        return estimation_and_restarts(run, rounds, self.alpha, self.step) + approximation


@dataclass(frozen=True)
class ProsNKonsSquaredRegret(ProsTheorem):
    """Regret bound of PROS-N-KONS for the squared loss.

    The part of the points that the dictionary leaves unexplained adds a multiple of each epoch's least regularised
    loss.
    """

    name: ClassVar[str] = "pros-n-kons-squared"
    paper: ClassVar[str] = f"{PAPER}, Theorem 2, corrected"
    statement: ClassVar[str] = (
        "R_{J alpha} <= sum_j (log det(I + (sigma/2) D K~_j D / alpha) / sigma + eps' L*_j) + J (B + C)^2, "
        "eps' = alpha / (alpha - gamma epsilon / (1 - epsilon)) - 1, L*_j the best loss + alpha |f|^2 in epoch j"
    )
    formula: ClassVar[str] = (
        r"$R_{J \alpha} \le \sum_j \left( \frac{1}{\sigma} \log\det\left( I + \frac{\sigma}{2 \alpha} D \tilde K_j "
        r"D \right) + \epsilon' L^\ast_j \right) + J (B + C)^2$, $\epsilon' = \frac{\alpha}{\alpha - \gamma "
        r"\epsilon / (1 - \epsilon)} - 1$, $L^\ast_j$ the best loss $+\, \alpha \lVert f \rVert^2$ in epoch $j$"
    )

    def about_loss(self, run: Transcript) -> Sequence[Assumption]:
        return (loss_is_squared(run),)

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        return (alpha_exceeds_mu(self.alpha, self.mu),)

    def bound(self, run: Transcript, rounds: int) -> float:
        share = self.mu / (self.alpha - self.mu)  # eps'
        best = sum(grouped(run, *ends).optimum(self.alpha) for ends in settled_epochs(run, rounds))
        return estimation_and_restarts(run, rounds, self.alpha, self.step) + share * best


def alpha_exceeds_mu(alpha: float, mu: float) -> Assumption:
    """Assumption: alpha exceeds mu, the largest eigenvalue that KORS may leave unexplained."""
    return Assumption("alpha > gamma epsilon / (1 - epsilon)", alpha > mu, f"{mu:g}")


def starts_afresh(run: Transcript) -> Assumption:
    """Assumption: a round in which the span of the dictionary grows ends its epoch."""
    found = epochs(run)
    missed = np.flatnonzero(found.grew & ~found.resets)
    where = f"not after round {missed[0] + 1}" if len(missed) else ""
    return Assumption("the learner starts afresh whenever its span grows", not len(missed), where)


def dictionary_suffices(run: Transcript, mu: float) -> Assumption:
    """Assumption: in every epoch, the largest eigenvalue of K - K~ is at most mu.

    K is the kernel matrix of the epoch's points, and K~ that of their projections onto the span of the dictionary. The
    round after which the learner restarted is left out.
    """
    worst = epochs_unexplained(run)
    statement = "in every epoch |K_j - P K_j P| <= gamma epsilon / (1 - epsilon)"
    return Assumption(statement, worst <= mu * (1 + 1e-9) + 1e-12, f"{worst:g} of {mu:g}")


def optima_bounded(run: Transcript, alpha: float) -> Assumption:
    """Assumption: the best regularised function of each epoch predicts within [-C, C], as the proof needs."""
    largest = largest_epoch_value(run, alpha)
    statement = f"the best functions of the epochs predict within [-{run.game.clip:g}, {run.game.clip:g}]"
    return Assumption(statement, largest <= run.game.clip * (1 + 1e-9), f"up to {largest:g}")


def estimation_and_restarts(run: Transcript, rounds: int, alpha: float, step: float | None) -> float:
    """Return the sum of two parts of the bound on the regret of the first `rounds` rounds: estimation and restarts.

    - Restarts: each round that ends an epoch adds the largest possible difference between the losses of two
      predictions.
    - Estimation: each other round adds its term of the bound `epoch-logdet`.

    The learner's matrix starts at `alpha` I in each epoch; `step` is eta, by default the learner's own.
    """
    path, resets = epoch_path(run, alpha, step), epochs(run).resets[:rounds]
    estimation = 0.5 * float((path.growth + path.drift)[:rounds][~resets].sum())
    return estimation + float(resets.sum()) * run.game.loss.largest_difference(run.game.clip, run.game.label_bound)


def epochs_begun(run: Transcript, rounds: int) -> int:
    """Return the number of epochs that begin in the first `rounds` rounds."""
    return len(list(epochs(run).upto(rounds)))


def settled_epochs(run: Transcript, rounds: int) -> list[tuple[int, int]]:
    """Return the epochs of the first `rounds` rounds, each without its last round if the learner restarted after it.

    A pair (start, stop) stands for the rounds `start` to `stop` - 1, counted from 0. An epoch without a remaining round
    is left out.
    """
    return [(each.start, each.stop) for each in epochs(run).settled(rounds) if each.stop > each.start]


@once_per_match
def best_of_prefix(run: Transcript, rounds: int, regularisation: float) -> Optimum:
    """Return the least regularised loss of the first `rounds` rounds, at lambda = `regularisation`.

    It is exact for the squared loss, and an interval for any other loss.
    """
    if not run.comparator.closed_form:
        return run.comparator.optimum(regularisation, rounds)
    return grouped(run, 0, rounds).best(regularisation, run.game.clip)


@once_per_match
def grouped(run: Transcript, start: int, stop: int) -> Grouped:
    """Return the points and labels of the rounds `start` to `stop` - 1, counted from 0, grouped by equal points."""
    return Grouped.of(run.game.kernel, run.points[start:stop], run.labels[start:stop])


@once_per_match
def largest_epoch_value(run: Transcript, alpha: float) -> float:
    """Return an upper bound on the largest |prediction| of the best regularised functions of all epochs.

    An epoch has several best functions: one for the whole epoch, and one for its rounds up to each checkpoint.
    """
    ends = {ends for rounds in checkpoints(run.rounds) for ends in settled_epochs(run, rounds)}
    return max((best_in_epoch(run, *each, alpha).surely for each in ends), default=0.0)

"""What is known of Newton steps in the span of a KORS dictionary, epoch by epoch (theory E13).

Within an epoch PROS-N-KONS is KONS in the span of its dictionary, with half the curvature for its steps. That needs
nothing of KORS: it bounds the regret to the best functions of the learner's own features, one for each epoch. For
CON-KONS, which never starts afresh, all rounds are one epoch, with features that are zero where a point came later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.checkpoints import last_checkpoint
from arena.hindsight.comparator import Optimum
from arena.record.theorem import Assumption, labels_within, predictions_within
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.any_loss import features_comparator_known
from arena.theorems.bounded_comparator import BoundedComparator
from arena.theorems.recomputed.epochs import epoch_best, epoch_evidence, epoch_fit, epoch_optima, epoch_path, epochs
from arena.theorems.recomputed.optima import exact_optimum, regret_in_features

PROOF = "Calandriello, Lazaric and Valko 2017 (NIPS), the first part of Theorem 1's proof"


@dataclass(frozen=True)
class EpochTheorem(BoundedComparator):
    """Parameters, premises and the best functions of the epochs; each bound defines `allowed`."""

    quantity: ClassVar[str] = "regret at alpha/2 to the best functions of the epochs' features"
    own_comparator: ClassVar[bool] = True

    alpha: float = parameter(1.0, "weight of |w|^2: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: sigma / 2, the loss's curvature on [-C, C]; if that is zero, 1/(2 L C sqrt(t)))", above=0
    )

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return (
            *features_comparator_known(run),
            labels_within(run, run.game.label_bound),
            predictions_within(run, run.game.clip),
            epoch_evidence(run),
        )

    def measured(self, run: Transcript) -> Array:
        """The loss beyond that of the best function of each epoch, at checkpoints unless the loss is squared."""
        return regret_in_features(run, lambda: epoch_optima(run, self.alpha / 2), lambda t: self._best(run, t))

    def regret_within(self, run: Transcript, rounds: int) -> tuple[float, float]:
        at = rounds if run.comparator.closed_form else last_checkpoint(run.rounds, rounds)
        found = self._best(run, at)
        within = sum(each.within for each in found)
        return max(each.reached for each in found), float(run.cumulative_losses[at - 1]) - within

    def _best(self, run: Transcript, rounds: int) -> list[Optimum]:
        return [best_in_epoch(run, each, self.alpha / 2) for each in epochs(run).upto(rounds)]


@dataclass(frozen=True)
class EpochGradients(EpochTheorem):
    """The gradients' energies pay for the regret of every epoch."""

    name: ClassVar[str] = "epoch-gradients"
    paper: ClassVar[str] = f"{PROOF}, with the factor 1/2 that it gives"
    statement: ClassVar[str] = (
        "sum_j R_{alpha/2}(epoch j) <= 1/2 sum_t g_t^2 f_t' A_t^-1 f_t (and R_D / 2 where eta_t > sigma), "
        "f_t the features in the dictionary's span"
    )

    def allowed(self, run: Transcript) -> Array:
        path = epoch_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.energies + path.drift))


@dataclass(frozen=True)
class EpochLogdet(EpochTheorem):
    """The log determinants of the epochs pay for their regret."""

    name: ClassVar[str] = "epoch-logdet"
    paper: ClassVar[str] = PROOF
    statement: ClassVar[str] = (
        "sum_j R_{alpha/2}(epoch j) <= sum_j log det(I + (sigma/2) D K~_j D / alpha) / sigma for eta = sigma/2; "
        "in general 1/2 sum_t log(1 + q_t) / eta_t + R_D / 2, q_t = eta_t g_t^2 f_t' A_{t-1}^-1 f_t"
    )

    def allowed(self, run: Transcript) -> Array:
        path = epoch_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.growth + path.drift))


def best_in_epoch(run: Transcript, epoch: slice, regularisation: float) -> Optimum:
    """The best function of an epoch's features: in closed form for the squared loss, else in a certified interval."""
    if not run.comparator.closed_form:
        return epoch_best(run, epoch.start, epoch.stop, regularisation)
    values, norm = epoch_fit(run, epoch, regularisation)
    reached = float(np.abs(values).max(initial=0.0))

    def objective(scale: float) -> float:
        return float(np.square(scale * values - run.labels[epoch]).sum()) + regularisation * scale**2 * norm

    return exact_optimum(objective, reached, run.game.clip)

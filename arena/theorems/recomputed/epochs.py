"""The epochs of a learner that plays in the span of a growing dictionary, rebuilt from what it left as evidence.

A point that KORS accepts counts from the round after its own. In triangular coordinates it appends one to the features
of all later rounds, and an epoch ends with the round after which the learner starts afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.hindsight.comparator import Optimum
from arena.record.theorem import Assumption
from arena.record.transcript import Transcript
from arena.theorems.recomputed.embedding import ridge_on_features
from arena.theorems.recomputed.kors import accepted_rounds, dictionary, kors_evidence, unexplained_norm
from arena.theorems.recomputed.newton import NewtonPath, scaled_gradients
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.optima import best_of_features


@dataclass(frozen=True, eq=False)
class Epochs:
    """After which rounds the span grew, and after which the learner started afresh."""

    grew: NDArray[np.bool_]
    resets: NDArray[np.bool_]

    def upto(self, rounds: int | None = None) -> Iterator[slice]:
        """The rounds of each epoch, of the first so many rounds alone."""
        rounds = len(self.resets) if rounds is None else rounds
        ends = [*(np.flatnonzero(self.resets[: rounds - 1]) + 1).tolist(), rounds]
        yield from (slice(start, stop) for start, stop in zip([0, *ends], ends, strict=False))

    def settled(self, rounds: int | None = None) -> Iterator[slice]:
        """The same without the rounds that ended an epoch."""
        for epoch in self.upto(rounds):
            yield slice(epoch.start, epoch.stop - int(self.resets[epoch.stop - 1]))


def epoch_evidence(run: Transcript) -> Assumption:
    """The learner says which points its dictionary has, and when it started afresh."""
    there = accepted_rounds(run) is not None and kors_evidence(run).holds and "restarts" in run.evidence
    return Assumption("the learner left its dictionary's points and its restarts as evidence", there)


@once_per_match
def epochs(run: Transcript) -> Epochs:
    """The epochs of a match."""
    grew, resets = np.zeros(run.rounds, dtype=bool), np.zeros(run.rounds, dtype=bool)
    grew[dictionary(run).since - 1] = True
    numbers = run.evidence["restarts"]
    resets[numbers[numbers <= run.rounds].astype(int) - 1] = True
    return Epochs(grew, resets)


@once_per_match
def epoch_path(run: Transcript, alpha: float, step: float | None) -> NewtonPath:
    """What Newton steps of half the curvature met in the epochs, A = alpha I at the start of each."""
    steps, scales, drift = scaled_gradients(run, step, share=0.5)
    surprise = np.zeros(run.rounds)
    for epoch in epochs(run).upto():
        F = dictionary(run).features(epoch) * scales[epoch, np.newaxis]
        if F.any():
            surprise[epoch] = ridge_on_features(F, np.zeros(len(F)), alpha)[1]
    return NewtonPath(steps, surprise, drift, np.ones(run.rounds, dtype=bool))


@once_per_match
def epoch_optima(run: Transcript, regularisation: float) -> Array:
    """By how much each round raises the regularised optimum of its epoch, over functions of the epoch's features."""
    increments = np.square(run.labels)
    for epoch in epochs(run).upto():
        F, y = dictionary(run).features(epoch), run.labels[epoch]
        if F.any():
            mean, surprise = ridge_on_features(F, y, regularisation)
            increments[epoch] = np.square(y - mean) / (1.0 + surprise)
    return increments


def epoch_fit(run: Transcript, epoch: slice, regularisation: float) -> tuple[Array, float]:
    """The best function of an epoch's features: its values in the epoch's rounds, and its squared norm."""
    F = dictionary(run).features(epoch)
    weights = np.linalg.solve(F.T @ F + regularisation * np.eye(F.shape[1]), F.T @ run.labels[epoch])
    return F @ weights, float(weights @ weights)


@once_per_match
def epoch_best(run: Transcript, start: int, stop: int, regularisation: float) -> Optimum:
    """The best function of the features of the epoch that these rounds belong to, for the game's own loss."""
    rows = slice(start, stop)
    return best_of_features(run, dictionary(run).features(rows), rows, regularisation)


@once_per_match
def epochs_unexplained(run: Transcript) -> float:
    """The largest eigenvalue, in any epoch but for the round that ends it, of K minus its projection."""
    span = dictionary(run)
    counts = [(each, int(np.searchsorted(span.since, each.start, side="right"))) for each in epochs(run).settled()]
    return max((unexplained_norm(run, each, span.coordinates[:, :count]) for each, count in counts), default=0.0)

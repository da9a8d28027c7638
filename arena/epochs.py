"""The epochs of a learner that plays in the span of a growing dictionary, rebuilt from what it left as evidence.

A point that KORS accepts counts from the round after its own. In triangular coordinates it appends one to the features
of all later rounds, which are zero in the rounds before (theory B0); an epoch ends with the round after which the
learner starts afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.joining import join_span
from arena.kors_path import accepted_rounds
from arena.linear import LinearRidge
from arena.newton_path import NewtonPath, scaled_gradients
from arena.once import once_per_match
from arena.span import Span
from arena.theorem import Assumption
from arena.transcript import Transcript

BLOCK = 512  # rounds whose features are computed together


@dataclass(frozen=True, eq=False)
class Epochs:
    """The features of every round, after which rounds the span grew, and after which the learner started afresh."""

    features: Array
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
    there = accepted_rounds(run) is not None and "restarts" in run.evidence
    return Assumption("the learner left its dictionary's points and its restarts as evidence", there)


@once_per_match
def epochs(run: Transcript) -> Epochs:
    """The epochs of a match."""
    numbers = accepted_rounds(run)
    assert numbers is not None
    joins, grew = _marked(run, numbers), np.zeros(run.rounds, dtype=bool)
    span, blocks = Span(run.game.kernel, run.points.shape[1]), []
    for start in range(0, run.rounds, BLOCK):
        rows = slice(start, start + BLOCK)
        found, grew[rows] = join_span(span, run.points[rows], joins[rows])
        blocks.append(found)
    features = np.zeros((run.rounds, len(span)))
    for start, found in zip(range(0, run.rounds, BLOCK), blocks, strict=True):
        features[start : start + len(found), : found.shape[1]] = found
    return Epochs(features, grew, _marked(run, run.evidence["restarts"]))


@once_per_match
def epoch_path(run: Transcript, alpha: float, step: float | None) -> NewtonPath:
    """What Newton steps of half the curvature met in the epochs, A = alpha I at the start of each."""
    steps, scales, drift = scaled_gradients(run, step, share=0.5)
    surprise = np.zeros(run.rounds)
    for epoch in epochs(run).upto():
        F = features_of(run, epoch)
        if F.shape[1]:
            scaled = F * scales[epoch, np.newaxis]
            surprise[epoch] = LinearRidge(F.shape[1], alpha).extend(scaled, np.zeros(len(F)))[1]
    return NewtonPath(steps, surprise, drift, np.ones(run.rounds, dtype=bool))


@once_per_match
def epoch_optima(run: Transcript, regularisation: float) -> Array:
    """By how much each round raises the regularised optimum of its epoch, over functions of the epoch's features."""
    increments = np.empty(run.rounds)
    for epoch in epochs(run).upto():
        F, y = features_of(run, epoch), run.labels[epoch]
        if F.shape[1]:
            mean, surprise = LinearRidge(F.shape[1], regularisation).extend(F, y)
            increments[epoch] = np.square(y - mean) / (1.0 + surprise)
        else:
            increments[epoch] = np.square(y)
    return increments


def features_of(run: Transcript, epoch: slice) -> Array:
    """The features of an epoch's rounds, without the coordinates that come later."""
    F = epochs(run).features[epoch]
    used = np.flatnonzero(F.any(axis=0))
    return F[:, : used[-1] + 1] if len(used) else F[:, :0]


def epoch_fit(run: Transcript, epoch: slice, regularisation: float) -> tuple[Array, float]:
    """The best function of an epoch's features: its values in the epoch's rounds, and its squared norm."""
    F = features_of(run, epoch)
    weights = np.linalg.solve(F.T @ F + regularisation * np.eye(F.shape[1]), F.T @ run.labels[epoch])
    return F @ weights, float(weights @ weights)


def _marked(run: Transcript, numbers: Array) -> NDArray[np.bool_]:
    marked = np.zeros(run.rounds, dtype=bool)
    marked[numbers[numbers <= run.rounds].astype(int) - 1] = True
    return marked


@once_per_match
def epochs_unexplained(run: Transcript) -> float:
    """The largest eigenvalue, in any epoch but for the round that ends it, of K minus its projection."""
    worst = 0.0
    for epoch in epochs(run).settled():
        points, first, counts = np.unique(run.points[epoch] + 0.0, axis=0, return_index=True, return_counts=True)
        if not len(points):
            continue
        F, roots = features_of(run, epoch)[first], np.sqrt(counts)
        gram = run.game.kernel.gram(points, points)
        gram.flat[:: len(points) + 1] = run.game.kernel.diagonal(points)
        rest = (gram - F @ F.T) * roots * roots[:, np.newaxis]
        worst = max(worst, float(np.linalg.eigvalsh(rest)[-1]))
    return worst

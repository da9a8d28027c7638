"""A few functions of the RKHS, and the linear functions of a learner's features that stand in for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.theorems.recomputed.descent import minimiser
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.subspaces import subspaces_of
from arena.theorems.recomputed.surprises import coordinates

LONGEST = 2000  # rounds whose kernel matrix is in memory
STRENGTHS = (1e-2, 1e-1, 1.0, 1e1, 1e2)  # of the penalty lambda |f|^2 that the functions nearly minimise the loss with


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class StandIns:
    """Functions f = sum_i a_i k(x_i, .), one column for each, and f~ with k~ in the place of k.

    `losses` are those of f in every round, `slopes` those of the loss at f~, `masses` are sum_i |a_i|. `kernel_error`
    is max |k - k~| between points of the match, and `residuals` are (k - k~)^1/2 of each point with itself.
    """

    squared_norms: Array
    masses: Array
    losses: Array
    slopes: Array
    kernel_error: float
    residuals: Array


@once_per_match
def stand_ins(run: Transcript) -> StandIns:
    """Zero, and near minimisers of the regularised loss of the first half and of all rounds.

    At a minimum of sum loss + lambda |f|^2 the coefficients are -loss' / (2 lambda); with the slopes of a function near
    it they make one that is as good to compare with, whose coefficients are not large.
    """
    K = run.game.kernel.gram(run.points, run.points)
    subspaces = subspaces_of(run)
    assert subspaces is not None
    error = subspaces.coordinates @ subspaces.coordinates.T - K
    A = np.array(_coefficients(run)).T
    values = K @ A
    loss, labels = run.game.loss, run.labels[:, np.newaxis]
    return StandIns(
        np.maximum(np.einsum("ij,ij->j", A, values), 0.0),
        np.abs(A).sum(axis=0),
        np.asarray(loss.value(values, labels)),
        np.asarray(loss.derivative(values + error @ A, labels)),
        float(np.abs(error).max()),
        np.sqrt(np.maximum(-error.diagonal(), 0.0)),
    )


def _coefficients(run: Transcript) -> list[Array]:
    points, which = np.unique(run.points + 0.0, axis=0, return_inverse=True)
    F = coordinates(run.game.kernel, points)[which.reshape(-1)]
    found = [np.zeros(run.rounds)]
    for rounds in sorted({max(run.rounds // 2, 1), run.rounds}):
        for strength in STRENGTHS:
            w = minimiser(run.game.loss, F[:rounds], run.labels[:rounds], 2.0 * strength)
            slopes = np.asarray(run.game.loss.derivative(F @ w, run.labels))
            found.append(np.where(np.arange(run.rounds) < rounds, -slopes / (2.0 * strength), 0.0))
    return found

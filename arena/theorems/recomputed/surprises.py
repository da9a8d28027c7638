"""How new each point of a sequence is, given those kept before it: phi' A^-1 phi in every round, by one factorisation.

With points scaled by s_t and A_t = ridge I + sum over the kept rounds i <= t of s_i^2 phi_i phi_i', the surprise of
round t is q_t = s_t^2 phi_t' A_{t-1}^-1 phi_t. Everything that online Newton steps and online dimensions need follows
from it:

    s_t^2 phi_t' A_t^-1 phi_t = q_t / (1 + q_t),    log det A_t - log det A_{t-1} = log(1 + q_t)    if t is kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray
from arena.game.kernels import Kernel
from arena.linalg.cholesky import GrowingCholesky
from arena.theorems.recomputed.embedding import ridge_on_features

BLOCK = 256  # rounds whose matrix work is shared
LONG, SHARE = 2000, 16  # a sequence this long, with fewer different points than this share of it, is played on features
SMALL = 1e-8  # times the largest: an eigenvalue whose function has large coefficients
NEGLIGIBLE = 1e-13  # times the largest: an eigenvalue that is rounding


def surprises(
    kernel: Kernel, X: Array, ridge: float, *, scales: Array | None = None, kept: NDArray[np.bool_] | None = None
) -> Array:
    """q_t of every round; by default all scales are one and every round is kept.

    >>> from arena.game.kernels import Linear
    >>> surprises(Linear(), np.ones((3, 1)), 2.0)  # 1/2, 1/3, 1/4
    array([0.5       , 0.33333333, 0.25      ])
    """
    rounds = len(X)
    scales = np.ones(rounds) if scales is None else scales
    if kept is None and rounds >= LONG and repeats(X):
        return _of_features(kernel, X, ridge, scales)
    kept = np.ones(rounds, dtype=bool) if kept is None else kept
    past, roots = GrowingArray((X.shape[1],)), GrowingArray()
    factor, found = GrowingCholesky(floor=ridge), np.empty(rounds)
    for start in range(0, rounds, BLOCK):
        rows = slice(start, start + BLOCK)
        block, scale, keep = X[rows], scales[rows], np.flatnonzero(kept[rows])
        cross = kernel.gram(past.view(), block) * roots.view()[:, np.newaxis] * scale if len(past) else np.empty((0, 0))
        corner = kernel.gram(block, block)
        corner.flat[:: len(block) + 1] = kernel.diagonal(block)
        corner *= scale[:, np.newaxis] * scale
        solved = factor.solve(cross) if len(past) else np.empty((0, len(block)))
        found[rows] = _within_block(corner - solved.T @ solved, keep, ridge)
        own = np.ix_(keep, keep)
        columns = cross[:, keep] if len(past) else np.empty((0, len(keep)))
        factor.extend(columns, corner[own] + ridge * np.eye(len(keep)))
        past.extend(block[keep])
        roots.extend(scale[keep])
    return np.maximum(found, 0.0) / ridge


def repeats(X: Array) -> bool:
    """Whether there are so few different points that a long sequence is no more work than a short one."""
    return len(np.unique(X + 0.0, axis=0)) * SHARE <= len(X)


def coordinates(kernel: Kernel, points: Array) -> Array:
    """Coordinates of different points in their span, one row each."""
    values, vectors = np.linalg.eigh(kernel.gram(points, points))
    some = values > NEGLIGIBLE * values[-1]
    return np.asarray(vectors[:, some] * np.sqrt(values[some]))


def orthonormal_combinations(kernel: Kernel, points: Array) -> Array:
    """Coefficients of orthonormal functions that nearly span those of these points, one column for each function.

    Directions whose functions would need large coefficients are left out, so that rounding does not spoil them.
    """
    values, vectors = np.linalg.eigh(kernel.gram(points, points))
    some = values > SMALL * values[-1]
    return np.asarray(vectors[:, some] / np.sqrt(values[some]))


def _of_features(kernel: Kernel, X: Array, ridge: float, scales: Array) -> Array:
    """The same from coordinates of the different points."""
    points, which = np.unique(X + 0.0, axis=0, return_inverse=True)
    F = coordinates(kernel, points)[which.reshape(-1)] * scales[:, np.newaxis]
    return ridge_on_features(F, np.zeros(len(F)), ridge)[1]


def _within_block(covariance: Array, keep: NDArray[np.intp], ridge: float) -> Array:
    """What is left of each diagonal entry once the kept rows before it are known, too."""
    local = GrowingCholesky(floor=ridge)
    local.extend(np.empty((0, len(keep))), covariance[np.ix_(keep, keep)] + ridge * np.eye(len(keep)))
    explained = np.square(local.solve(covariance[keep]))
    explained[keep[:, np.newaxis] >= np.arange(len(covariance))] = 0.0
    return np.asarray(covariance.diagonal() - explained.sum(axis=0))

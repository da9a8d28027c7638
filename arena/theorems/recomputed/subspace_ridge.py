"""Ridge regression in the subspaces of a learner, fixed or growing, played again round by round (theory E6)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.arrays import Array
from arena.linalg.cholesky import factor_above, triangular_solve
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.subspaces import subspaces_of

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

BLOCK = 256  # rounds that are played together in a subspace that does not change


@dataclass(frozen=True, eq=False)
class SubspaceRidge:
    """Ridge regression in subspaces that grow, round by round (theory E6).

    `stretch` is s_t = 1 + f_t' A_t^-1 f_t in the subspace of the round, A_t without the round itself; `increments` is
    by how much the round raises the regularised optimum of its prefix, `drops` by how much a newcomer lowered that of
    the rounds before, and `revealed` is the largest eigenvalue of their covariance in the directions that are new.
    """

    stretch: Array
    increments: Array
    drops: Array
    revealed: Array

    @property
    def leverage(self) -> Array:
        """1 - 1 / s_t: the leverage of each point once it is there."""
        return np.asarray(1.0 - 1.0 / self.stretch)

    @property
    def optimum(self) -> Array:
        """The regularised optimum of every prefix, in the subspace of its last round."""
        return np.asarray(np.cumsum(self.increments - self.drops))


@once_per_match
def ridge_in_subspaces(run: Transcript, regularisation: float) -> SubspaceRidge:
    """Ridge regression in the subspaces of this match."""
    subspaces = subspaces_of(run)
    assert subspaces is not None
    F, sizes, y = subspaces.coordinates, subspaces.sizes, run.labels
    rounds = len(y)
    stretch, increments, drops, revealed = np.ones(rounds), np.zeros(rounds), np.zeros(rounds), np.zeros(rounds)
    changes = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), rounds]
    matrix, products, known = np.empty((0, 0)), np.empty(0), 0
    for first, last in itertools.pairwise(changes):
        size = int(sizes[first])
        past = F[:first, :size]
        new = past[:, known:]
        cross = past[:, :known].T @ new
        corner = regularisation * np.eye(size - known) + new.T @ new
        matrix = np.block([[matrix, cross], [cross.T, corner]])
        products = np.concatenate([products, new.T @ y[:first]])
        lower = _factor(matrix, regularisation)
        drops[first] = np.sum(np.square(_solve(lower, products)[known:]))
        revealed[first] = np.linalg.norm(new, 2) ** 2 if new.size else 0.0
        known = size
        for start in range(first, last, BLOCK):
            rows = slice(start, min(start + BLOCK, last))
            block = F[rows, :size]
            whitened = _solve(lower, np.ascontiguousarray(block.T))
            corner = factor_above(np.eye(len(block)) + whitened.T @ whitened, 1.0)
            residuals = triangular_solve(corner, y[rows] - _solve(lower, products) @ whitened)
            stretch[rows], increments[rows] = np.maximum(np.square(corner.diagonal()), 1.0), np.square(residuals)
            matrix = matrix + block.T @ block
            products = products + block.T @ y[rows]
            if rows.stop < last:
                lower = _factor(matrix, regularisation)
    return SubspaceRidge(stretch, increments, drops, revealed)


def _factor(matrix: Array, floor: float) -> Array:
    return factor_above(matrix, floor) if len(matrix) else matrix


def _solve(lower: Array, B: Array) -> Array:
    return triangular_solve(lower, B) if len(lower) else B

"""Triangular coordinates in the span of a growing dictionary, and ridge regression on features; both written plainly.

Learners have their own; theorems that judge them must not share it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.game.kernels import Kernel

INDEPENDENT = 1e-10  # a point whose residual is below this times k(x, x) lies in the span
REACH = 1e7  # what rounding of a coordinate may be multiplied by
BLOCK = 128  # rounds whose matrix work is shared
LEAST = 16  # rounds of a block, however few the features


@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of the different points; `since` is the round, from 1, after which each coordinate counts.

    A point that joins the dictionary appends one coordinate, unless it lies in the span already (theory B0).
    """

    points: Array
    which: NDArray[np.intp]
    coordinates: Array
    since: NDArray[np.intp]
    diagonal: Array

    def features(self, rounds: slice) -> Array:
        """Of these rounds, each with the coordinates that count in it."""
        numbers = np.arange(1, len(self.which) + 1)[rounds]
        count = int(np.searchsorted(self.since, numbers[-1])) if len(numbers) else 0
        found = self.coordinates[self.which[rounds], :count]
        return np.where(self.since[:count] < numbers[:, np.newaxis], found, 0.0)


def embed(kernel: Kernel, X: Array, joined: NDArray[np.intp]) -> Embedding:
    """The span of the points of these rounds, counted from 1, as they joined.

    >>> from arena.game.kernels import Linear
    >>> two = embed(Linear(), np.array([[3.0, 4.0], [0.0, 5.0]]), np.array([1, 2]))
    >>> two.features(slice(0, 2)).tolist()
    [[0.0], [4.0]]
    """
    points, which = np.unique(X + 0.0, axis=0, return_inverse=True)
    which, diagonal = which.reshape(-1), kernel.diagonal(points)
    found, spanned = np.zeros((len(points), 16)), np.zeros(len(points), dtype=bool)
    since: list[int] = []
    atoms: list[int] = []
    for number in joined.tolist():
        i, r = which[number - 1], len(since)
        left = diagonal[i] - found[i, :r] @ found[i, :r]
        if spanned[i] or left <= INDEPENDENT * diagonal[i] or not steady(found, atoms, i, diagonal):
            continue
        if r == found.shape[1]:
            found = np.concatenate([found, np.zeros_like(found)], axis=1)
        column = kernel.gram(points[i : i + 1], points)[0] - found[:, :r] @ found[i, :r]
        found[:, r] = column / np.sqrt(left)
        since.append(number)
        atoms.append(i)
        spanned[i] = True
    return Embedding(points, which, found[:, : len(since)], np.array(since, dtype=np.intp), diagonal)


def steady(found: Array, atoms: list[int], i: int, diagonal: Array) -> bool:
    """Whether rounding would not spoil the coordinate of the i-th point: what it is combined of is not too large."""
    own = found[i, : len(atoms)]
    combination = scipy.linalg.solve_triangular(found[atoms, : len(atoms)], own, lower=True, trans=1) if atoms else own
    mass = diagonal[i] ** 0.5 + np.abs(combination) @ np.sqrt(diagonal[atoms])
    return bool(mass <= REACH * (diagonal[i] - own @ own) ** 0.5)


def ridge_on_features(F: Array, y: Array, ridge: float) -> tuple[Array, Array]:
    """For each row f of F: f' A^-1 b and f' A^-1 f, A = ridge I + sum f f' and b = sum y f over the rows before it.

    >>> ridge_on_features(np.ones((2, 1)), np.ones(2), 1.0)
    (array([0. , 0.5]), array([1. , 0.5]))
    """
    A, b = ridge * np.eye(F.shape[1]), np.zeros(F.shape[1])
    means, surprises = np.empty(len(F)), np.empty(len(F))
    block = min(max(F.shape[1], LEAST), BLOCK)  # factors of A and of the block's own corner should cost the same
    for start in range(0, len(F), block):
        rows = slice(start, start + block)
        factor = np.linalg.cholesky(A)
        whitened = scipy.linalg.solve_triangular(factor, F[rows].T, lower=True)
        before = scipy.linalg.solve_triangular(factor, b, lower=True) @ whitened
        corner = np.linalg.cholesky(np.eye(whitened.shape[1]) + whitened.T @ whitened)
        residuals = scipy.linalg.solve_triangular(corner, y[rows] - before, lower=True)
        means[rows] = before + np.tril(corner, -1) @ residuals
        surprises[rows] = np.maximum(np.square(corner.diagonal()) - 1.0, 0.0)
        A, b = A + F[rows].T @ F[rows], b + y[rows] @ F[rows]
    return means, surprises

"""Surprises of points, coordinates in the span of points, and ridge regression on repeated points.

Let phi_t = k(x_t, .), and let c_t be a factor for each round. The learner keeps some or all rounds. A_t is ridge I plus
the sum of c_i^2 phi_i phi_i' over the kept rounds i <= t. The surprise of round t is q_t = c_t^2 phi_t' A_{t-1}^-1
phi_t; it measures how new the point is. If round t is kept, the quantities of online Newton steps and online dimensions
follow from q_t:

    c_t^2 phi_t' A_t^-1 phi_t = q_t / (1 + q_t),    log det A_t - log det A_{t-1} = log(1 + q_t).

No code is shared with the learners: an error in their code appears as a violation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray
from arena.game.kernels import Kernel
from arena.hindsight.comparator import Optimum
from arena.linalg.cholesky import GrowingCholesky

BLOCK = 256  # rounds that `surprises` computes at once
LONG, SHARE = 2000, 16  # with rounds >= LONG and at most rounds / SHARE different points, features are used
SMALL = 1e-8  # share of the largest eigenvalue: smaller ones give no orthonormal functions
INDEPENDENT = 1e-10  # a point whose residual is below this times k(x, x) lies in the span
REACH = 1e7  # the largest factor by which a coordinate may amplify rounding
FEATURE_BLOCK = 128  # most rounds that `ridge_on_features` computes at once
SMALLEST_BLOCK = 16  # fewest rounds that `ridge_on_features` computes at once, however few the features


def surprises(
    kernel: Kernel, X: Array, ridge: float, *, scales: Array | None = None, kept: NDArray[np.bool_] | None = None
) -> Array:
    """Return q_t = c_t^2 phi_t' A^-1 phi_t for every round t: the surprise of its point, if all c_t are 1.

    A is `ridge` I plus the sum of c_s^2 phi_s phi_s' over the rounds s < t that are `kept` (by default all). `scales`
    has the factors c_t (by default 1).

    >>> from arena.game.kernels import Linear
    >>> surprises(Linear(), np.ones((3, 1)), 2.0)  # 1/2, 1/3, 1/4
    array([0.5       , 0.33333333, 0.25      ])
    """
    rounds = len(X)
    scales = np.ones(rounds) if scales is None else scales
    if kept is None and rounds >= LONG and repeats(X):
        points, which = np.unique(X + 0.0, axis=0, return_inverse=True)
        F = coordinates(kernel, points)[which.reshape(-1)] * scales[:, np.newaxis]
        return ridge_on_features(F, np.zeros(rounds), ridge)[1]
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
    """Return whether `X` has at least `SHARE` times as many rows as different rows."""
    return len(np.unique(X + 0.0, axis=0)) * SHARE <= len(X)


def coordinates(kernel: Kernel, points: Array) -> Array:
    """Return coordinates of different points in their span: rows whose inner products are the kernel values.

    The rounding error of an inner product is proportional to (k(x, x) k(z, z))^(1/2), however different the points'
    sizes are.
    """
    roots = np.sqrt(kernel.diagonal(points))
    divisors = np.where(roots > 0.0, roots, 1.0)
    matrix = kernel.gram(points, points) / divisors / divisors[:, np.newaxis]
    matrix.flat[:: len(roots) + 1] = roots > 0.0
    # the pivots are the squared distances of points to the span of those before; smaller ones are rounding errors
    tolerance = len(roots) * np.finfo(float).eps
    factor, order, rank, _ = scipy.linalg.lapack.dpstrf(np.asarray_chkfinite(matrix), tol=tolerance, lower=1)
    found = np.zeros((len(roots), rank))
    found[order - 1] = np.tril(factor)[:, :rank]
    return np.asarray(found * roots[:, np.newaxis])


def orthonormal_functions(kernel: Kernel, X: Array, most: int) -> Array:
    """Return the values of orthonormal functions at the points `X`: one row for each point, one column per function.

    The functions nearly span the functions k(x, .) of all different points x. If there are more than `most` points,
    only some of them are used.
    """
    points = np.unique(X, axis=0)
    points = points[:: -(-len(points) // most)]
    values, vectors = np.linalg.eigh(kernel.gram(points, points))
    # functions of smaller eigenvalues have large coefficients, which amplify rounding errors
    some = values > SMALL * values[-1]
    return np.asarray(kernel.gram(X, points) @ (vectors[:, some] / np.sqrt(values[some])))


def _within_block(covariance: Array, keep: NDArray[np.intp], ridge: float) -> Array:
    """Return the variance of ridge regression at each point of a block of rounds, given all kept points before it.

    `covariance` is the covariance matrix of the block's points, given only the kept points of earlier blocks. `keep`
    has the positions of the kept points in the block, and `ridge` is the regularisation.
    """
    local = GrowingCholesky(floor=ridge)
    local.extend(np.empty((0, len(keep))), covariance[np.ix_(keep, keep)] + ridge * np.eye(len(keep)))
    explained = np.square(local.solve(covariance[keep]))
    explained[keep[:, np.newaxis] >= np.arange(len(covariance))] = 0.0
    return np.asarray(covariance.diagonal() - explained.sum(axis=0))


@dataclass(frozen=True, eq=False)
class DictionaryCoordinates:
    """Coordinates of the different points of a match in the span of a dictionary.

    A point that joins the dictionary adds one coordinate, or none if it nearly lies in the span of the earlier ones
    (theory B0). Coordinate j is used in the rounds after round `since[j]`, counted from 1. For each round, `which` has
    the position of its point in `points`. For each of the `points`, `diagonal` has k(x, x).
    """

    points: Array
    which: NDArray[np.intp]
    coordinates: Array
    since: NDArray[np.intp]
    diagonal: Array

    def features(self, rounds: slice) -> Array:
        """Return one row of coordinates for each of the `rounds`, with zeros for coordinates that are not used yet."""
        numbers = np.arange(1, len(self.which) + 1)[rounds]
        count = int(np.searchsorted(self.since, numbers[-1])) if len(numbers) else 0
        found = self.coordinates[self.which[rounds], :count]
        return np.where(self.since[:count] < numbers[:, np.newaxis], found, 0.0)


def embed(kernel: Kernel, X: Array, joined: NDArray[np.intp]) -> DictionaryCoordinates:
    """Return the `DictionaryCoordinates` in the span of the points of the rounds `joined`, counted from 1.

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
        if spanned[i] or left <= INDEPENDENT * diagonal[i] or not _is_steady(found, atoms, i, diagonal):
            continue
        if r == found.shape[1]:
            found = np.concatenate([found, np.zeros_like(found)], axis=1)
        column = kernel.gram(points[i : i + 1], points)[0] - found[:, :r] @ found[i, :r]
        found[:, r] = column / np.sqrt(left)
        since.append(number)
        atoms.append(i)
        spanned[i] = True
    return DictionaryCoordinates(points, which, found[:, : len(since)], np.array(since, dtype=np.intp), diagonal)


def _is_steady(found: Array, atoms: list[int], i: int, diagonal: Array) -> bool:
    """Return whether point number i can join the `atoms` without large rounding errors.

    An atom that joins adds one coordinate to every point. The rounding error of this coordinate grows with the
    coefficients of the atom's projection onto the earlier atoms, divided by the norm of the residual. For each point,
    `found` has the coordinates so far, and `diagonal` has k(x, x).
    """
    own = found[i, : len(atoms)]
    combination = scipy.linalg.solve_triangular(found[atoms, : len(atoms)], own, lower=True, trans=1) if atoms else own
    mass = diagonal[i] ** 0.5 + np.abs(combination) @ np.sqrt(diagonal[atoms])
    return bool(mass <= REACH * (diagonal[i] - own @ own) ** 0.5)


def ridge_on_features(F: Array, y: Array, ridge: float) -> tuple[Array, Array]:
    """Return the prediction f' A^-1 b of ridge regression and the surprise f' A^-1 f, for each row f of F.

    Here A is ridge I plus the sum of g g', and b the sum of y_g g, over the rows g of F before f; y_g is the label of
    g.

    >>> ridge_on_features(np.ones((2, 1)), np.ones(2), 1.0)
    (array([0. , 0.5]), array([1. , 0.5]))
    """
    A, b = ridge * np.eye(F.shape[1]), np.zeros(F.shape[1])
    means, surprises = np.empty(len(F)), np.empty(len(F))
    # With as many rounds as features, factorising A costs as much as factorising the block's own matrix.
    block = min(max(F.shape[1], SMALLEST_BLOCK), FEATURE_BLOCK)
    for start in range(0, len(F), block):
        rows = slice(start, start + block)
        factor = np.linalg.cholesky(A)
        whitened = scipy.linalg.solve_triangular(factor, F[rows].T, lower=True)
        before = scipy.linalg.solve_triangular(factor, b, lower=True) @ whitened
        corner = np.linalg.cholesky(np.eye(whitened.shape[1]) + whitened.T @ whitened)
        residuals = scipy.linalg.solve_triangular(corner, y[rows] - before, lower=True)
        means[rows] = before + np.tril(corner, -1) @ residuals
        # not corner_tt^2 - 1, which has no digits where the surprise is small
        explained = np.square(np.tril(corner, -1)).sum(axis=1)
        surprises[rows] = np.maximum(np.square(whitened).sum(axis=0) - explained, 0.0)
        A, b = A + F[rows].T @ F[rows], b + y[rows] @ F[rows]
    return means, surprises


@dataclass(frozen=True, eq=False)
class Fit:
    """A function, described by its values at the different points, its loss on all rounds, and its squared norm."""

    values: Array
    loss: float
    squared_norm: float


@dataclass(frozen=True, eq=False)
class Grouped:
    """A sequence of rounds, grouped by its m different points; the computations cost O(m^3).

    `gram` is the kernel matrix of the different points. `counts` are the numbers of rounds at each point, `sums` the
    sums of their labels, and `squares` is the sum of all squared labels. Ridge regression on the whole sequence equals
    ridge regression on the different points, where a point's label is the mean of its labels, and its weight is its
    count.

    >>> from arena.game.kernels import Linear
    >>> both = Grouped.of(Linear(), np.array([[1.0], [1.0]]), np.array([1.0, 0.0]))
    >>> round(both.effective_dimension(2.0), 12)
    0.5
    >>> round(both.optimum(2.0), 12)  # min over w of (w - 1)^2 + w^2 + 2 w^2
    0.75
    """

    gram: Array
    counts: Array
    sums: Array
    squares: float

    @classmethod
    def of(cls, kernel: Kernel, X: Array, y: Array) -> Grouped:
        points, group = np.unique(X + 0.0, axis=0, return_inverse=True)
        group = group.reshape(-1)
        gram = kernel.gram(points, points)
        gram.flat[:: len(points) + 1] = kernel.diagonal(points)
        counts = np.bincount(group, minlength=len(points)).astype(float)
        sums = np.bincount(group, weights=y, minlength=len(points)).astype(float)
        return cls(gram, counts, sums, float(y @ y))

    @cached_property
    def spectrum(self) -> Array:
        """The largest eigenvalues of the sequence's kernel matrix, ascending, one for each different point.

        All others are zero.
        """
        # N^(1/2) K N^(1/2), with the matrix K of the different points and N = diag(counts), has the same eigenvalues
        roots = np.sqrt(self.counts)
        return np.asarray(np.maximum(np.linalg.eigvalsh(self.gram * roots * roots[:, np.newaxis]), 0.0))

    def effective_dimension(self, ridge: float) -> float:
        """Return the trace of K (K + ridge I)^-1 for the kernel matrix K of the sequence."""
        return float((self.spectrum / (self.spectrum + ridge)).sum())

    def fit(self, regularisation: float) -> Fit:
        """Return the `Fit` of the minimiser f of sum (f(x_t) - y_t)^2 + lambda |f|^2; lambda is `regularisation`."""
        roots = np.sqrt(self.counts)
        matrix = self.gram * roots * roots[:, np.newaxis]
        matrix.flat[:: len(roots) + 1] += regularisation
        weights = roots * np.linalg.solve(matrix, self.sums / roots)
        values = self.gram @ weights
        return Fit(values, self._loss(values), float(weights @ values))

    def optimum(self, regularisation: float) -> float:
        """Return min_f sum (f(x_t) - y_t)^2 + lambda |f|^2; lambda is `regularisation`."""
        best = self.fit(regularisation)
        return best.loss + regularisation * best.squared_norm

    def best(self, regularisation: float, bound: float) -> Optimum:
        """Return the least of sum (f(x_t) - y_t)^2 + lambda |f|^2 over f, as an `Optimum`.

        lambda is `regularisation`, and `bound` is C, the limit of the predictions.
        """
        best = self.fit(regularisation)

        def objective(scale: float) -> float:
            return self._loss(scale * best.values) + regularisation * scale**2 * best.squared_norm

        return Optimum.exact(objective, float(np.abs(best.values).max(initial=0.0)), bound)

    def _loss(self, values: Array) -> float:
        """Return the squared loss on the whole sequence of a function with the given values at the different points."""
        means = self.sums / self.counts
        spread = self.squares - float(self.sums @ means)
        return max(spread, 0.0) + float(self.counts @ np.square(values - means))

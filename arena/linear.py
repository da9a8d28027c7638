"""Ridge regression on features in R^r: any number of rounds in memory O(r^2), round by round or in blocks.

With A = lambda I + sum f f' and b = sum y f over the past, the regression at features f has

    mean = f' A^-1 b        and        surprise = f' A^-1 f,

and the forecaster of Azoury, Warmuth and Vovk predicts mean / (1 + surprise).

A and b are sums of settled rounds, with one Cholesky factor A = U U'. The latest rounds are pending: with their
whitened features W = F U^-T and the factor I + W W' = L L' they correct mean and surprise (theory D1) until there are
enough of them to settle the lot. So nothing is ever downdated, a round costs O(r^2), and a whole block of rounds is the
same computation with matrices for vectors.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from arena.arrays import Array
from arena.cholesky import GrowingCholesky, triangular_solve

FEWEST, MOST = 64, 512  # how many rounds are pending at most: between these, half the number of features


class LinearRidge:
    """Ridge regression on features, for a past that grows and features that may be joined by others.

    >>> past = LinearRidge(dimension=1, regularisation=1.0)
    >>> past.append(np.array([1.0]), 1.0)
    >>> past.at(np.array([[1.0], [2.0]]))
    (array([0.5, 1. ]), array([0.5, 2. ]))
    """

    def __init__(self, dimension: int, regularisation: float):
        self.regularisation = regularisation
        self._settled = regularisation * np.eye(dimension)  # A
        self._products = np.zeros(dimension)  # b
        self._factor = regularisation**0.5 * np.eye(dimension)  # U
        self._start = np.zeros(dimension)  # U^-1 b
        self._forget_pending()

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self._products)

    def at(self, F: Array) -> tuple[Array, Array]:
        """Mean and surprise at each row of features."""
        whitened = triangular_solve(self._factor, F.T) if self.dimension else F.T
        mean = self._start @ whitened
        surprise = np.einsum("ij,ij->j", whitened, whitened)
        if self._count:
            solved = triangular_solve(self._lower(), self._whitened[: self._count] @ whitened)
            mean += self._residuals[: self._count] @ solved
            surprise -= np.einsum("ij,ij->j", solved, solved)
        return mean, np.maximum(surprise, 0.0)

    def append(self, f: Array, y: float) -> None:
        """Add one round."""
        self.extend(f[np.newaxis], np.array([y]))

    def extend(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add these rounds; the mean and surprise at each round's features before its label was known."""
        means, surprises = np.empty(len(F)), np.empty(len(F))
        start = 0
        while start < len(F):
            stop = min(len(F), start + len(self._labels) - self._count)
            means[start:stop], surprises[start:stop] = self._pend(F[start:stop], y[start:stop])
            if self._count == len(self._labels):
                self._settle()
            start = stop
        return means, surprises

    def widen(self, F: Array, y: Array, column: Array) -> None:
        """Add one feature, `column` its values in all rounds so far, whose other features and labels are F and y."""
        settled = len(F) - self._count
        cross = F[:settled].T @ column[:settled]
        corner = self.regularisation + column[:settled] @ column[:settled]
        product = column[:settled] @ y[:settled]
        row = triangular_solve(self._factor, cross) if self.dimension else cross
        pivot = max(corner - row @ row, self.regularisation) ** 0.5
        pending = self._whitened[: self._count]
        new = (column[settled:] - pending @ row) / pivot
        self._start = np.append(self._start, (product - row @ self._start) / pivot)
        self._settled = _bordered(self._settled, cross, corner, cross)
        self._products = np.append(self._products, product)
        self._factor = _bordered(self._factor, row, pivot, np.zeros(self.dimension - 1))
        labels = self._labels[: self._count].copy()
        self._restart_pending(np.column_stack([F[settled:], column[settled:]]), np.column_stack([pending, new]), labels)

    def _pend(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add rounds to those that are pending."""
        whitened = triangular_solve(self._factor, F.T).T if self.dimension else F
        return self._pend_whitened(F, whitened, y)

    def _pend_whitened(self, F: Array, whitened: Array, y: Array) -> tuple[Array, Array]:
        start, stop = self._count, self._count + len(F)
        gram = whitened @ whitened.T
        gram.flat[:: len(F) + 1] += 1.0
        before = whitened @ self._start
        if start:
            solved = triangular_solve(self._lower(), self._whitened[:start] @ whitened.T)
            before += self._residuals[:start] @ solved
            gram -= solved.T @ solved
            self._triangle[start:stop, :start] = solved.T
        corner = factor_above(gram, 1.0)
        residuals = triangular_solve(corner, y - before)
        self._triangle[start:stop, start:stop] = corner
        self._features[start:stop], self._whitened[start:stop] = F, whitened
        self._labels[start:stop], self._residuals[start:stop] = y, residuals
        self._count = stop
        # the strictly lower part alone: no cancellation, and a round's mean visibly does not depend on its label
        mean = before + np.tril(corner, -1) @ residuals
        return mean, np.maximum(np.square(corner.diagonal()) - 1.0, 0.0)

    def _settle(self) -> None:
        """Take the pending rounds into A, b and their factor."""
        F, y = self._features[: self._count], self._labels[: self._count]
        self._settled += F.T @ F
        self._products += F.T @ y
        self._factor = factor_above(self._settled, self.regularisation)
        self._start = triangular_solve(self._factor, self._products) if self.dimension else self._products.copy()
        self._forget_pending()

    def _forget_pending(self) -> None:
        most = min(max(self.dimension // 2, FEWEST), MOST)
        self._count = 0
        self._features = np.empty((most, self.dimension))
        self._whitened = np.empty((most, self.dimension))
        self._labels, self._residuals = np.empty(most), np.empty(most)
        self._triangle = np.zeros((most, most))  # L

    def _restart_pending(self, F: Array, whitened: Array, y: Array) -> None:
        self._forget_pending()
        if len(F):
            self._pend_whitened(F, whitened, y)

    def _lower(self) -> Array:
        return np.ascontiguousarray(self._triangle[: self._count, : self._count])


def factor_above(matrix: Array, floor: float) -> Array:
    """The lower Cholesky factor of a symmetric matrix whose squared pivots are at least `floor` but for rounding."""
    if not len(matrix):
        return matrix.copy()
    upper, failed = lapack.dpotrf(matrix.T, lower=0, clean=1)  # in LAPACK's order its transpose is our lower factor
    if not failed and np.square(upper.diagonal()).min() >= 0.5 * floor:
        return np.asarray(upper.T)
    careful = GrowingCholesky(floor=floor)
    careful.extend(np.empty((0, len(matrix))), matrix)
    return careful.dense()


def _bordered(matrix: Array, row: Array, corner: float, column: Array) -> Array:
    size = len(matrix)
    larger = np.empty((size + 1, size + 1))
    larger[:size, :size], larger[size, :size], larger[:size, size], larger[size, size] = matrix, row, column, corner
    return larger

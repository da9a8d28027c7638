"""Ridge regression on a growing past: its mean and variance anywhere, and the optimum of every prefix.

Notation (theory of Gaussian processes, with the kernel K of the past and lambda as the noise variance):

    mean(x)     = k(x)' (K + lambda I)^-1 y
    variance(x) = k(x, x) - k(x)' (K + lambda I)^-1 k(x)

With K + lambda I = L L' and e = L^-1 y, the regularised optimum of the first t rounds is lambda (e_1^2 + ... + e_t^2):
one growing factor gives all prefixes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.cholesky import PANEL, GrowingCholesky, triangular_solve
from arena.kernels import Kernel


class GramFactor:
    """The points seen so far and the factor of K + lambda I; it knows no labels."""

    def __init__(self, kernel: Kernel, regularisation: float, dimension: int):
        self.kernel = kernel
        self.regularisation = regularisation
        self.points = GrowingArray((dimension,))
        self.cholesky = GrowingCholesky(floor=regularisation)
        self._asked: tuple[Array, int, Array] | None = None

    def __len__(self) -> int:
        return len(self.points)

    def solve_cross(self, X: Array, size: int) -> Array:
        """L^-1 k(past, X) for the first `size` points of the past; the last question is remembered."""
        if self._asked is not None:
            rows, at, answer = self._asked
            if at == size and rows.shape == X.shape and np.array_equal(rows, X):
                return answer
        cross = self.kernel.gram(self.points.view()[:size], X)
        answer = self.cholesky.solve(cross, size=size)
        answer.flags.writeable = False
        self._asked = (np.array(X), size, answer)
        return answer

    def append(self, x: Array) -> None:
        """Add one point, in time quadratic in the number of points."""
        X = x[np.newaxis]
        corner = float(self.kernel.diagonal(X)[0]) + self.regularisation
        self.cholesky.append(self.solve_cross(X, len(self))[:, 0], corner)
        self.points.append(x)

    def extend(self, X: Array) -> None:
        """Add these points in blocks of matrix-matrix work."""
        for start in range(0, len(X), PANEL):
            block = X[start : start + PANEL]
            corner = self.kernel.gram(block, block)
            corner.flat[:: len(block) + 1] = self.kernel.diagonal(block) + self.regularisation
            self.cholesky.extend(self.kernel.gram(self.points.view(), block), corner)
            self.points.extend(block)

    def truncated(self, size: int) -> GramFactor:
        """An independent copy of the factor of the first `size` points."""
        copy = GramFactor(self.kernel, self.regularisation, self.points.view().shape[1])
        copy.points = self.points.truncated(size)
        copy.cholesky = self.cholesky.truncated(size)
        return copy

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_asked": None}


_pool: ContextVar[dict[tuple[Kernel, float, int], GramFactor] | None] = ContextVar("pool", default=None)


@contextlib.contextmanager
def shared_factors() -> Iterator[None]:
    """Inside, posteriors with the same kernel and lambda that see the same points share their factor.

    In a match the learner, the adversary and the comparator often need the very same factor. It depends on the points
    alone, its rows are never changed, and whoever sees other points gets a copy of its own: nobody can be misled.
    """
    token = _pool.set({})
    try:
        yield
    finally:
        _pool.reset(token)


class RidgePosterior:
    """Ridge regression on a growing past.

    >>> from arena.kernels import Linear
    >>> past = RidgePosterior(Linear(), regularisation=1.0)
    >>> past.append(np.array([1.0]), 1.0)
    >>> mean, variance = past.at(np.array([[1.0], [2.0]]))
    >>> mean, variance
    (array([0.5, 1. ]), array([0.5, 2. ]))
    >>> round(past.optimum, 12)  # min over w of (w - 1)^2 + w^2
    0.5
    """

    def __init__(self, kernel: Kernel, regularisation: float):
        self.kernel = kernel
        self.regularisation = regularisation
        self.optimum = 0.0
        self._factor: GramFactor | None = None
        self._whitened = GrowingArray()  # e = L^-1 y

    def __len__(self) -> int:
        return len(self._whitened)

    def at(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance at each row."""
        prior = self.kernel.diagonal(X)
        if not len(self) or self._factor is None:
            return np.zeros(len(X)), prior
        solved = self._factor.solve_cross(X, len(self))
        mean = self._whitened.view() @ solved
        return mean, np.maximum(prior - np.einsum("ij,ij->j", solved, solved), 0.0)

    def append(self, x: Array, y: float) -> None:
        """Add one round, in time quadratic in their number."""
        factor = self._factor_with(x[np.newaxis])
        if len(factor) == len(self):
            factor.append(x)
        self._label(np.array([y]))

    def extend(self, X: Array, y: Array) -> tuple[Array, Array]:
        """Add these rounds in blocks; the mean and variance at each round's point before its label was known."""
        means, variances = [np.empty(0)], [np.empty(0)]
        for start in range(0, len(X), PANEL):
            block = X[start : start + PANEL]
            factor = self._factor_with(block)
            factor.extend(block[len(factor) - len(self) :])
            mean, variance = self._label(y[start : start + PANEL])
            means.append(mean)
            variances.append(variance)
        return np.concatenate(means), np.concatenate(variances)

    def dual_weights(self) -> Array:
        """(K + lambda I)^-1 y: the optimum is the function sum_s a_s k(x_s, .), and lambda a its residuals."""
        if self._factor is None:
            return np.empty(0)
        return self._factor.cholesky.solve_transposed(self._whitened.view(), size=len(self))

    def effective_dimensions(self) -> Array:
        """Tr K_t (K_t + lambda I)^-1 for every prefix t, for the price of one factorisation."""
        if self._factor is None:
            return np.empty(0)
        norms = self._factor.cholesky.inverse_row_norms(size=len(self))
        return np.asarray(np.cumsum(1.0 - self.regularisation * norms))

    def _label(self, y: Array) -> tuple[Array, Array]:
        """Take the labels of rows that the factor already has; each round's mean and variance before its label."""
        assert self._factor is not None
        start, stop = len(self), len(self) + len(y)
        rows = self._factor.cholesky.rows(start, stop)
        corner = rows[:, start:]
        before = rows[:, :start] @ self._whitened.view()
        whitened = triangular_solve(corner, y - before)
        # mean_t = (strictly lower part of L) e: no cancellation, and it visibly does not depend on y_t
        mean = before + np.tril(corner, -1) @ whitened
        self._whitened.extend(whitened)
        self.optimum += self.regularisation * float(whitened @ whitened)
        return mean, np.maximum(np.square(corner.diagonal()) - self.regularisation, 0.0)

    def _factor_with(self, X: Array) -> GramFactor:
        """A factor that holds our own past, and after it nothing that contradicts the rows X."""
        if self._factor is None:
            self._factor = self._pooled(X.shape[1])
        known = self._factor.points.view()[len(self) : len(self) + len(X)]
        if not np.array_equal(known, X[: len(known)]):
            self._factor = self._factor.truncated(len(self))
        return self._factor

    def _pooled(self, dimension: int) -> GramFactor:
        pool = _pool.get()
        key = (self.kernel, self.regularisation, dimension)
        if pool is None:
            return GramFactor(*key)
        return pool.setdefault(key, GramFactor(*key))

    def __getstate__(self) -> dict[str, object]:
        factor = None if self._factor is None else self._factor.truncated(len(self))
        return {**self.__dict__, "_factor": factor}

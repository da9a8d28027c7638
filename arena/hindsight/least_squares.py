"""Ordinary least squares of every prefix, without a penalty, from one growing triangular factor.

Write the rows so far as X = Q R V'. The columns of V are an orthonormal basis of the rows' span, Q has orthonormal
columns, and R is triangular. There are two kinds of new rows:

- A row outside the span can be fitted exactly. It adds a column to V, and nothing to the sum of squares.
- Rows inside the span are added in blocks. For a block with rows X_1 and labels y_1, let Z = X_1 V R^-1, and factorise
  I + Z Z' = L L'. The squared entries of L^-1 (y_1 - Z Q'y) are the amounts by which the rows raise the sum of squares,
  as in ridge regression (theory D1) with R'R in place of A. Here V, R and Q'y belong to the rows before the block.
"""

from __future__ import annotations

import numpy as np
import scipy

from arena.arrays import Array

BLOCK = 128  # rows that are added together at most; more if there are more columns
SPANNED = 1e-10  # the part of a row, relative to its norm, that counts as rounding


def least_squares_increments(X: Array, y: Array) -> Array:
    """Return the amount by which each round raises min_w sum (w'x - y)^2, a sum over the rounds so far.

    >>> X, y = np.array([[1.0], [1.0], [2.0]]), np.array([1.0, 2.0, 3.0])
    >>> np.cumsum(least_squares_increments(X, y)).round(9)  # the best w are 1, 3/2 and 3/2
    array([0. , 0.5, 0.5])
    """
    largest = np.abs(X).max(axis=0, initial=0.0)
    X = X / np.where(largest > 0.0, largest, 1.0)
    increments, done = np.zeros(len(y)), 0
    state = _Factor(X.shape[1])
    while done < len(y):
        rows = slice(done, done + max(BLOCK, X.shape[1]))
        inside = state.leading_rows_in_span(X[rows])
        if inside:
            rows = slice(done, done + inside)
            increments[rows] = state.add(X[rows], y[rows])
        else:
            inside = 1
            state.grow(X[done], float(y[done]))
        done += inside
    return increments


class _Factor:
    """The matrix X = Q R V' of the points so far, with labels y: `span` is V, `triangle` is R, `whitened` is Q'y."""

    def __init__(self, dimension: int):
        self.span = np.empty((dimension, 0))
        self.triangle = np.empty((0, 0))
        self.whitened = np.empty(0)

    def leading_rows_in_span(self, X: Array) -> int:
        """Return the number of rows of `X` before the first row that lies outside the span of the rows added so far."""
        if self.span.shape[1] == len(self.span):
            return len(X)
        outside = np.linalg.norm(self._outside(X), axis=1) > SPANNED * np.linalg.norm(X, axis=1)
        return int(outside.argmax()) if outside.any() else len(X)

    def add(self, X: Array, y: Array) -> Array:
        """Add rows that lie in the span of the rows so far.

        The result is the amount by which each row raises the least sum of squares.
        """
        if not len(self.whitened):
            return np.square(y)
        C = X @ self.span
        Z = scipy.linalg.solve_triangular(self.triangle, C.T, trans="T").T
        corner = Z @ Z.T
        corner.flat[:: len(Z) + 1] += 1.0
        factor = np.linalg.cholesky(corner)
        innovations = scipy.linalg.solve_triangular(factor, y - Z @ self.whitened, lower=True)
        self._stack(C, y)
        return np.asarray(np.square(innovations))

    def grow(self, x: Array, y: float) -> None:
        """Add a row `x` outside the span of the rows so far, with the label `y`."""
        beyond = self._outside(x[np.newaxis])[0]
        self.span = np.column_stack([self.span, beyond / np.linalg.norm(beyond)])
        self.triangle = np.pad(self.triangle, ((0, 0), (0, 1)))
        self._stack(x[np.newaxis] @ self.span, np.array([y]))

    def _outside(self, X: Array) -> Array:
        """Return the rows minus their projections onto the span of the rows that were added so far.

        Each row is projected twice, to reduce rounding.
        """
        beyond = X - (X @ self.span) @ self.span.T
        return np.asarray(beyond - (beyond @ self.span) @ self.span.T)

    def _stack(self, C: Array, y: Array) -> None:
        """Append rows with the labels `y`, and make the factor R triangular again.

        `C` has the coordinates of the new rows in the basis of the span of all rows so far, the new ones included.
        """
        Q, self.triangle = np.linalg.qr(np.vstack([self.triangle, C]))
        self.whitened = Q.T @ np.concatenate([self.whitened, y])

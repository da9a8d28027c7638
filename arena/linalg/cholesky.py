"""A growing Cholesky factor: new rows are appended, and existing rows are never computed again.

When the positive definite matrix A = L L' grows by a row and a column, its factor grows by a row:

    A_new = [[A, b], [b', c]]   =>   L_new = [[L, 0], [a', sqrt(c - a'a)]]   with   L a = b.

The rows are stored in panels of equal height, each as wide as its last row. So the factor takes half the memory of a
square matrix, growing copies nothing, and appending a block of rows is a product of matrices (blocked Cholesky).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import scipy

from arena.arrays import Array

PANEL = 128  # rows of a panel; any number from 64 to 256 comes within 15 % of LAPACK's speed


@dataclass(eq=False)  # == of arrays has no single truth value
class GrowingCholesky:
    """The lower Cholesky factor L of a positive definite matrix that grows by rows and columns.

    The pivots are the entries on the diagonal of L. `floor` is a known lower bound on the squared pivots, such as
    lambda for K + lambda I. A squared pivot that rounding makes smaller is set to `floor`, so that repeated points do
    not make the factorisation fail. `floor` must exceed the rounding errors of the matrix: 1e-12 times its diagonal is
    large enough, 1e-16 times its diagonal is not.

    >>> factor = GrowingCholesky(floor=0.0)
    >>> factor.append(np.array([]), 4.0)
    2.0
    >>> factor.append(factor.solve(np.array([2.0])), 10.0)
    3.0
    >>> factor.dense()
    array([[2., 0.],
           [1., 3.]])
    """

    floor: float
    size: int = field(default=0, init=False)
    _panels: list[Array] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(cls, lower: Array, *, floor: float) -> GrowingCholesky:
        """Return a growing factor whose first rows are the rows of the lower triangular matrix `lower`."""
        factor = cls(floor)
        for first in range(0, len(lower), PANEL):
            panel = lower[first : first + PANEL]
            factor._open_panel()[: len(panel), : first + len(panel)] = panel[:, : first + len(panel)]
            factor.size += len(panel)
        return factor

    def append(self, solved: Array, corner: float) -> float:
        """Append a row to L, for one new row and column of A; return the row's diagonal entry.

        A becomes [[A, b], [b', corner]], and `solved` is L^-1 b.
        """
        panel = self._open_panel()
        row = self.size % PANEL
        left = corner - float(solved @ solved)
        if not left >= 0.0:
            solved = _cut(solved, corner, self.floor)
        panel[row, : self.size] = solved
        panel[row, self.size] = pivot = math.sqrt(max(left, self.floor))
        self.size += 1
        return pivot

    def extend(self, columns: Array, corner: Array) -> None:
        """Append rows to L, for several new rows and columns of A.

        A becomes [[A, columns], [columns', corner]].
        """
        start, block = 0, len(corner)
        columns = np.concatenate([columns, corner])
        while start < block:
            row = self.size % PANEL
            stop = min(block, start + PANEL - row)
            solved = self.solve(columns[: self.size, start:stop])
            left = corner[start:stop, start:stop] - solved.T @ solved
            if not left.diagonal().min() >= 0.0:
                for number in np.flatnonzero(~(left.diagonal() >= 0.0)):
                    solved[:, number] = _cut(solved[:, number], corner[start + number, start + number], self.floor)
                left = corner[start:stop, start:stop] - solved.T @ solved
            pivots = factor_above(left, self.floor)
            rows = self._open_panel()[row : row + stop - start]
            rows[:, : self.size], rows[:, self.size : self.size + stop - start] = solved.T, pivots
            self.size += stop - start
            start = stop

    def solve(self, B: Array, *, size: int | None = None, start: int = 0) -> Array:
        """Return L^-1 B by forward substitution; with `size`, L is the factor of the first `size` rows.

        If the first `start` rows of B are 0, the first `start` rows of L^-1 B are 0, too. With `start`, a multiple of
        `PANEL`, these rows are left out of the argument `B` and of the result.
        """
        solution = np.array(B, dtype=float, order="F")
        for first, panel in self._panels_upto(self.size if size is None else size)[start // PANEL :]:
            rows = slice(first - start, first - start + len(panel))
            if first > start:
                solution[rows] -= panel[:, start:first] @ solution[: first - start]
            solution[rows] = triangular_solve(panel[:, first : first + len(panel)], solution[rows])
        return solution

    def solve_transposed(self, B: Array, *, size: int | None = None) -> Array:
        """Return L'^-1 B by backward substitution; with `size`, L is the factor of the first `size` rows."""
        size = self.size if size is None else size
        solution = np.array(B, dtype=float, order="F")
        for first, panel in reversed(self._panels_upto(size)):
            rows = slice(first, first + len(panel))
            solution[rows] = triangular_solve(panel[:, first : first + len(panel)], solution[rows], transposed=True)
            if first:
                solution[:first] -= panel[:, :first].T @ solution[rows]
        return solution

    def rows(self, start: int, stop: int) -> Array:
        """Return the rows from `start` to `stop` - 1 as a dense matrix with `stop` columns, zero above the diagonal."""
        dense = np.zeros((stop - start, stop))
        for first, panel in self._panels_upto(stop)[start // PANEL :]:
            top = max(first, start)
            dense[top - start : first + len(panel) - start, : panel.shape[1]] = panel[top - first :]
        return dense

    def dense(self) -> Array:
        return self.rows(0, self.size)

    def truncated(self, size: int) -> GrowingCholesky:
        """Return an independent copy of the factor of the first `size` rows."""
        copy = GrowingCholesky(self.floor)
        for _, panel in self._panels_upto(size):
            copy._open_panel()[: len(panel), : panel.shape[1]] = panel
            copy.size += len(panel)
        return copy

    def off_diagonal_norms(self, size: int) -> tuple[Array, Array]:
        """Return the squared norms of the first `size` rows of L, and of L^-1, each row without its diagonal entry.

        The norms of L^-1 cost as much as one factorisation.
        """
        norms, inverse_norms = np.empty(size), np.zeros(size)
        for first, panel in self._panels_upto(size):
            width = len(panel)
            norms[first : first + width] = np.square(np.tril(panel, first - 1)).sum(axis=1)
            identity = np.zeros((size - first, width), order="F")
            identity[:width] = np.eye(width)
            columns = self.solve(identity, size=size, start=first)
            np.fill_diagonal(columns, 0.0)
            inverse_norms[first:] += np.einsum("ij,ij->i", columns, columns)
        return norms, inverse_norms

    def _open_panel(self) -> Array:
        if self.size == PANEL * len(self._panels):
            self._panels.append(np.zeros((PANEL, self.size + PANEL)))
        return self._panels[-1]

    def _panels_upto(self, size: int) -> list[tuple[int, Array]]:
        """Return the panels (blocks of rows) of the first `size` rows, each in a pair with its first row's number.

        The panels are cut to the first `size` rows and columns of the factor.
        """
        found = []
        for number in range(-(-size // PANEL)):
            first = number * PANEL
            found.append((first, self._panels[number][: size - first, : min(first + PANEL, size)]))
        return found


def triangular_solve(lower: Array, B: Array, *, transposed: bool = False) -> Array:
    """Return lower^-1 B, or lower'^-1 B if `transposed`; entries of `lower` above the diagonal are ignored."""
    if B.ndim == 1:
        return np.asarray(scipy.linalg.blas.dtrsv(lower.T, B, lower=0, trans=0 if transposed else 1))
    return np.asarray(scipy.linalg.blas.dtrsm(1.0, lower.T, B, lower=0, trans_a=0 if transposed else 1))


def factor_above(matrix: Array, floor: float, *, tolerance: float = 0.0) -> Array:
    """Return the lower Cholesky factor of a symmetric matrix whose squared pivots are known to be at least `floor`.

    If rounding makes a squared pivot smaller than (1 - `tolerance`) `floor`, the factor is computed again column by
    column, which is slow. Every squared pivot is then at least `floor`.
    """
    # LAPACK stores columns: the upper factor of the transposed matrix is our lower factor, and nothing is copied.
    upper, failed = scipy.linalg.lapack.dpotrf(matrix.T, lower=0, clean=1)
    if not failed and upper.diagonal().min() ** 2 >= (1.0 - tolerance) * floor:
        return np.asarray(upper.T)
    factor = np.zeros_like(matrix)
    left = np.maximum(matrix.diagonal(), floor)  # what the columns so far leave of the diagonal
    for t in range(len(matrix)):
        factor[t, t] = pivot = math.sqrt(left[t])
        column = (matrix[t + 1 :, t] - factor[t + 1 :, :t] @ factor[t, :t]) / pivot
        # An entry whose square exceeds what is left is a rounding error. The next columns would divide it by small
        # pivots again and again, until it overflows.
        most = np.sqrt(left[t + 1 :])
        factor[t + 1 :, t] = column = np.clip(column, -most, most)
        left[t + 1 :] = np.maximum(left[t + 1 :] - np.square(column), floor)
    return factor


def _cut(row: Array, diagonal: float, floor: float) -> Array:
    """Return a row of a factor, without the entries on its diagonal, whose squares sum to more than A's `diagonal`.

    That is impossible but for rounding errors, which later rows would divide by small pivots until they overflow. The
    square of each entry is limited to what the entries before it leave of `diagonal`, or to `floor` if they leave less.
    """
    squares = np.square(row)
    most = np.sqrt(np.maximum(diagonal - (np.cumsum(squares) - squares), floor))
    return np.asarray(np.clip(row, -most, most))

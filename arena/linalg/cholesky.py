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
        panel[row, : self.size] = solved
        panel[row, self.size] = pivot = math.sqrt(max(corner - float(solved @ solved), self.floor))
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
            pivots = factor_above(corner[start:stop, start:stop] - solved.T @ solved, self.floor)
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

    If rounding makes a squared pivot smaller than (1 - `tolerance`) `floor`, the factor is computed again row by row,
    which is slow. Every squared pivot is then raised to at least `floor`. Where `floor` is so far below the rounding
    errors of the matrix that the rows overflow, these errors are added to the diagonal instead.
    """
    # LAPACK stores columns: the upper factor of the transposed matrix is our lower factor, and nothing is copied.
    upper, failed = scipy.linalg.lapack.dpotrf(matrix.T, lower=0, clean=1)
    if not failed and upper.diagonal().min() ** 2 >= (1.0 - tolerance) * floor:
        return np.asarray(upper.T)
    factor = np.zeros_like(matrix)
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(len(matrix)):
            row = scipy.linalg.blas.dtrsv(factor[:t, :t].T, matrix[t, :t], lower=0, trans=1) if t else np.empty(0)
            factor[t, :t] = row
            factor[t, t] = math.sqrt(max(matrix[t, t] - float(row @ row), floor))
    if np.isfinite(factor).all() or not np.isfinite(matrix).all():
        return factor
    errors = max(floor, len(matrix) * np.finfo(float).eps * float(np.trace(matrix)))
    return np.asarray(np.linalg.cholesky(matrix + errors * np.eye(len(matrix))), dtype=float)

"""Ridge regression on features in R^r: any number of rounds in memory O(r^2), round by round or in blocks.

With A = lambda I + sum f f' and b = sum y f over the past, the regression at features f has

    mean = f' A^-1 b        and        surprise = f' A^-1 f,

and the forecaster of Azoury, Warmuth and Vovk predicts mean / (1 + surprise).

A and b are sums over settled rounds, with one Cholesky factor A = U U'. The latest rounds are pending: with their
whitened features W = F U^-T and the factor I + W W' = L L' they correct mean and surprise (theory D1). When enough
rounds are pending, all of them are settled. At first that happens after one, two, four rounds, so that with a tiny
lambda the first surprises are soon part of A. Nothing is downdated, a round costs O(r^2), and a block of rounds is
the same computation with matrices in place of vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.linalg.cholesky import GrowingCholesky, factor_above, triangular_solve

FEWEST, MOST = 64, 256  # rounds are pending up to an eighth of the number of features, but within these limits
CHUNK = 512  # rounds whose features are computed together


class LinearRidge:
    """Ridge regression on features; rounds can be added, and features too.

    With A = lambda I + sum f f' and b = sum y f over the past, the mean at features f is f' A^-1 b, and the surprise
    f' A^-1 f.

    >>> past = LinearRidge(dimension=1, regularisation=1.0)
    >>> past.append(np.array([1.0]), 1.0)
    >>> past.at(np.array([[1.0], [2.0]]))
    (array([0.5, 1. ]), array([0.5, 2. ]))
    """

    _start: Array
    _whitened: GrowingTable

    def __init__(self, dimension: int, regularisation: float):
        self.regularisation = regularisation
        self._settled = 0  # rounds
        self._matrix = GrowingTable(regularisation * np.eye(dimension))  # A
        self._products = np.zeros(dimension)  # b
        self._refactor()

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self._products)

    def at(self, F: Array) -> tuple[Array, Array]:
        """Return the mean f' A^-1 b and the surprise f' A^-1 f (symbols: class docstring) at each row f of `F`."""
        whitened = self._factor.solve(F.T)
        mean = self._start @ whitened
        surprise = np.einsum("ij,ij->j", whitened, whitened)
        if self._count:
            solved = triangular_solve(self._lower(), self._whitened.view() @ whitened)
            mean += self._residuals.view() @ solved
            surprise -= np.einsum("ij,ij->j", solved, solved)
        return mean, np.maximum(surprise, 0.0)

    def append(self, f: Array, y: float) -> None:
        """Add one round with the features `f` and the label `y`."""
        self.extend(f[np.newaxis], np.array([y]))

    def extend(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add rounds; return the mean and the surprise (see `at`) of each round before its label was known."""
        means, surprises = np.empty(len(F)), np.empty(len(F))
        start = 0
        while start < len(F):
            stop = min(len(F), start + len(self._gram) - self._count)
            means[start:stop], surprises[start:stop] = self._pend(F[start:stop], y[start:stop])
            if self._count == len(self._gram):
                self._settle()
            start = stop
        return means, surprises

    def replay(self, X: Array, y: Array, embed: Callable[[Array], Array]) -> tuple[Array, Array]:
        """Call `extend` with the features that `embed` computes from `X`, a chunk at a time; return its results."""
        means, surprises = np.empty(len(X)), np.empty(len(X))
        for start in range(0, len(X), CHUNK):
            rounds = slice(start, start + CHUNK)
            means[rounds], surprises[rounds] = self.extend(embed(X[rounds]), y[rounds])
        return means, surprises

    def widen(self, F: Array, y: Array, column: Array) -> None:
        """Add one feature, whose values in all rounds so far are `column`.

        `F` and `y` are the other features and the labels of these rounds.
        """
        settled, pending = column[: self._settled], column[self._settled :]
        cross = F[: self._settled].T @ settled
        product = settled @ y[: self._settled]
        corner = self.regularisation + float(settled @ settled)
        row = self._factor.solve(cross)
        self._factor.append(row, corner)
        pivot = self._factor.diagonal(self.dimension)[0]
        self._matrix.append_column(cross)
        self._matrix.extend_rows(np.append(cross, corner)[np.newaxis])
        self._products = np.append(self._products, product)
        self._start = np.append(self._start, (product - row @ self._start) / pivot)
        self._widen_pending(pending, (pending - self._whitened.view() @ row) / pivot)

    @property
    def _count(self) -> int:
        return len(self._labels)

    def _pend(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add rounds to the pending ones, which are not yet part of A and b; return their means and surprises.

        There must be room for the rounds.
        """
        start, stop = self._count, self._count + len(F)
        whitened = self._factor.solve(F.T)
        cross = self._whitened.view() @ whitened
        gram = whitened.T @ whitened
        self._gram[:start, start:stop], self._gram[start:stop, :start] = cross, cross.T
        self._gram[start:stop, start:stop] = gram
        solved = triangular_solve(self._lower(), cross) if start else cross
        before = self._start @ whitened + self._residuals.view() @ solved
        corner = factor_above(np.eye(len(F)) + gram - solved.T @ solved, 1.0, tolerance=0.5)
        residuals = triangular_solve(corner, y - before)
        self._triangle[start:stop, :start], self._triangle[start:stop, start:stop] = solved.T, corner
        self._features.extend_rows(F)
        self._whitened.extend_rows(whitened.T)
        self._labels.extend(y)
        self._residuals.extend(residuals)
        # the strictly lower part alone: nothing cancels, and no round's mean depends on its own label
        mean = before + np.tril(corner, -1) @ residuals
        return mean, np.maximum(np.square(corner.diagonal()) - 1.0, 0.0)

    def _settle(self) -> None:
        """Add the pending rounds to A and b (symbols: class docstring), and factor A again."""
        F = self._features.view()
        self._settled += len(F)
        self._matrix.add(F.T @ F)
        self._products += F.T @ self._labels.view()
        self._refactor()

    def _refactor(self) -> None:
        """Factor A (symbols: class docstring), and empty the tables of pending rounds, which must be in A already."""
        # half of lambda, so that rounding of a pivot does not trigger the factor's slower, careful path
        self._factor = GrowingCholesky(floor=0.5 * self.regularisation)
        self._factor.extend(np.empty((0, self.dimension)), self._matrix.view())
        self._start = self._factor.solve(self._products)
        most = max(1, min(self._settled, max(FEWEST, min(self.dimension // 8, MOST))))
        nothing = np.empty((0, self.dimension))
        self._features, self._whitened = GrowingTable(nothing, most), GrowingTable(nothing, most)  # F, W
        self._labels, self._residuals = GrowingArray((), most), GrowingArray((), most)  # y, L^-1 (y - W U^-1 b)
        self._gram, self._triangle = np.zeros((most, most)), np.zeros((most, most))  # W W', L

    def _widen_pending(self, feature: Array, whitened: Array) -> None:
        """Add a feature to the pending rounds, whose Gram matrix changes by a matrix of rank one."""
        count = self._count
        self._features.append_column(feature)
        self._whitened.append_column(whitened)
        if count:
            self._gram[:count, :count] += np.outer(whitened, whitened)
            gram = np.eye(count) + self._gram[:count, :count]
            self._triangle[:count, :count] = factor_above(gram, 1.0, tolerance=0.5)
            before = self._whitened.view() @ self._start
            self._residuals = GrowingArray((), len(self._gram))
            self._residuals.extend(triangular_solve(self._lower(), self._labels.view() - before))

    def _lower(self) -> Array:
        return np.ascontiguousarray(self._triangle[: self._count, : self._count])


class GrowingTable:
    """A matrix to which rows and columns are appended; `height` is the number of rows to reserve at first.

    >>> table = GrowingTable(np.empty((2, 0)))
    >>> table.append_column(np.array([1.0, 2.0]))
    >>> table.view()
    array([[1.],
           [2.]])
    """

    def __init__(self, matrix: Array, height: int = 0):
        self._rows, self._columns = matrix.shape
        self._room = np.empty((max(self._rows, height), self._columns))
        self._room[: self._rows] = matrix

    def view(self) -> Array:
        """Return the matrix as a read-only view."""
        matrix = self._room[: self._rows, : self._columns]
        matrix.flags.writeable = False
        return matrix

    def extend_rows(self, rows: Array) -> None:
        """Append `rows`, which are as wide as the matrix."""
        self._reserve(self._rows + len(rows), self._columns)
        self._room[self._rows : self._rows + len(rows), : self._columns] = rows
        self._rows += len(rows)

    def append_column(self, column: Array) -> None:
        """Append `column`, which is as high as the matrix."""
        self._reserve(self._rows, self._columns + 1)
        self._room[: self._rows, self._columns] = column
        self._columns += 1

    def add(self, matrix: Array) -> None:
        """Add `matrix`, which has the same shape, entry by entry."""
        self._room[: self._rows, : self._columns] += matrix

    def _reserve(self, rows: int, columns: int) -> None:
        height, width = self._room.shape
        if rows > height or columns > width:
            height = max(rows, 2 * height) if rows > height else height
            width = max(columns, 2 * width) if columns > width else width
            room = np.empty((height, width))
            room[: self._rows, : self._columns] = self.view()
            self._room = room

"""Ridge regression on features in R^r: any number of rounds in memory O(r^2), round by round or in blocks.

Let A = lambda I + sum f f' and b = sum y f, summed over the past rounds with features f and label y. The regression at
features f has

    mean = f' A^-1 b        and        surprise = f' A^-1 f,

and the forecaster of Azoury, Warmuth and Vovk predicts mean / (1 + surprise).

The latest rounds stay pending: they are not yet added to A and b. Mean and surprise are corrected for them (theory D1).
When enough rounds are pending, they are settled: they are added to A and b, and the Cholesky factor A = U U' is
computed again.

A round costs O(r^2). A block of n rounds takes r^2 (2 n + r / 3) + r n^2 + n^3 / 3 multiplications; for each round this
is least at about n = r / 2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from arena.arrays import Array, GrowingArray
from arena.linalg.cholesky import GrowingCholesky, factor_above, triangular_solve

FEWEST, MOST = 96, 512  # limits of the largest number of pending rounds, which is half the number of features otherwise
CHUNK = 1024  # rounds whose features are computed together, rounded to whole blocks


class LinearRidge:
    """Ridge regression on features, to which rounds and features can be added.

    Let A = lambda I + sum f f' and b = sum y f, summed over the features f and labels y of the rounds added so far. The
    mean (the prediction) at features f is f' A^-1 b, and the surprise is f' A^-1 f.

    >>> past = LinearRidge(dimension=1, regularisation=1.0)
    >>> past.append(np.array([1.0]), 1.0)
    >>> past.at(np.array([[1.0], [2.0]]))
    (array([0.5, 1. ]), array([0.5, 2. ]))
    """

    _dense: Array | None  # U, or None if features were added since it was computed
    _panels: GrowingCholesky  # U after features were added
    _start: Array  # U^-1 b
    _most: int  # the largest number of pending rounds
    _pending: PendingRounds | None

    def __init__(self, dimension: int, regularisation: float):
        self.regularisation = regularisation
        self._settled = 0  # number of settled rounds
        self._matrix = GrowingTable(regularisation * np.eye(dimension))  # A, of which the lower triangle counts
        self._products = np.zeros(dimension)  # b
        self._refactor()

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self._products)

    def at(self, F: Array) -> tuple[Array, Array]:
        """Return the mean f' A^-1 b (the prediction) and the surprise f' A^-1 f at each row f of `F`.

        Here A = lambda I + sum f f' and b = sum y f, summed over the features f and labels y of the past rounds.
        """
        whitened = self._solve(F.T)
        mean = self._start @ whitened
        surprise = np.einsum("ij,ij->j", whitened, whitened)
        if self._pending is not None:
            solved = triangular_solve(self._pending.lower(), self._pending.whitened.view() @ whitened)
            mean += self._pending.residuals.view() @ solved
            surprise -= np.einsum("ij,ij->j", solved, solved)
        return mean, np.maximum(surprise, 0.0)

    def append(self, f: Array, y: float) -> None:
        """Add one round with the features `f` and the label `y`."""
        self.extend(f[np.newaxis], np.array([y]))

    def extend(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add rounds with the features `F` and the labels `y`; return their means (the predictions) and surprises.

        The mean and the surprise of a round are computed from the rounds before it.
        """
        means, pivots = np.empty(len(F)), np.empty(len(F))
        start = 0
        while start < len(F):
            stop = min(len(F), start + self._free)
            play = self._play_block if stop - start == self._most and self._dense is not None else self._pend
            means[start:stop], pivots[start:stop] = play(F[start:stop], y[start:stop])
            if self._pending is not None and not self._free:
                self._settle(self._pending.features.view(), self._pending.labels.view())
            start = stop
        return means, np.maximum(np.square(pivots) - 1.0, 0.0)

    def replay(self, X: Array, y: Array, embed: Callable[[Array], Array]) -> tuple[Array, Array]:
        """Add rounds with the features embed(X) and the labels `y`; return their means (predictions) and surprises.

        The mean and the surprise of a round are computed from the rounds before it. `embed` is called with
        blocks of rows of `X`.
        """
        means, surprises = np.empty(len(X)), np.empty(len(X))
        start = 0
        while start < len(X):
            chunk = self._free if self._pending is not None else self._most * max(1, CHUNK // self._most)
            rounds = slice(start, start + chunk)
            means[rounds], surprises[rounds] = self.extend(embed(X[rounds]), y[rounds])
            start += chunk
        return means, surprises

    def widen(self, F: Array, y: Array, column: Array) -> None:
        """Add one feature; `column` has the feature's values in all past rounds.

        `F` has the other features of these rounds, and `y` the labels.
        """
        settled, later = column[: self._settled], column[self._settled :]
        cross = F[: self._settled].T @ settled
        product = settled @ y[: self._settled]
        corner = self.regularisation + float(settled @ settled)
        row = self._solve(cross)
        if self._dense is not None:  # a row can be added to panels in place, to a dense factor only by a copy
            self._panels, self._dense = GrowingCholesky.of(self._dense, floor=self._floor), None
        pivot = self._panels.append(row, corner)
        self._matrix.append_column(cross)
        self._matrix.extend_rows(np.append(cross, corner)[np.newaxis])
        self._products = np.append(self._products, product)
        self._start = np.append(self._start, (product - row @ self._start) / pivot)
        if self._pending is not None:
            self._pending.widen(later, (later - self._pending.whitened.view() @ row) / pivot, self._start)

    @property
    def _free(self) -> int:
        """The number of rounds that can be added before the Cholesky factor must be computed again."""
        return self._most - (0 if self._pending is None else len(self._pending.labels))

    @property
    def _floor(self) -> float:
        # half of lambda, so that a rounded pivot does not send the factor into its slower path
        return 0.5 * self.regularisation

    def _solve(self, B: Array) -> Array:
        """Return U^-1 B for the lower Cholesky factor U of lambda I + sum f f', summed over the rounds not pending."""
        return self._panels.solve(B) if self._dense is None else triangular_solve(self._dense, B)

    def _pend(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add at most `_free` rounds to the pending ones, which are not yet part of the factored matrix.

        Return each round's mean (the prediction of ridge regression before the round) and sqrt(1 + surprise).
        """
        if self._pending is None:
            self._pending = PendingRounds(self.dimension, self._most)
        whitened = self._solve(F.T)
        return self._pending.extend(F, y, whitened, self._start @ whitened)

    def _play_block(self, F: Array, y: Array) -> tuple[Array, Array]:
        """Add a block of rounds at once to A = lambda I + sum f f' and b = sum y f, for features f and labels y.

        Return each round's mean (the prediction of ridge regression before the round) and sqrt(1 + surprise). All
        earlier rounds must be part of A and b.
        """
        assert self._dense is not None
        if not F.flags.c_contiguous:
            F = np.asfortranarray(F)  # rows of a table stored by columns are not contiguous
        by_columns = not F.flags.c_contiguous
        upper = self._dense.T
        if by_columns:  # W = F U^-T, solved from the right, so that no array is transposed
            whitened = scipy.linalg.blas.dtrsm(1.0, upper, F, side=1, lower=0)
            before = whitened @ self._start
        else:
            whitened = scipy.linalg.blas.dtrsm(1.0, upper, F.T, lower=0, trans_a=1)
            before = self._start @ whitened
        gram = scipy.linalg.blas.dsyrk(1.0, whitened, trans=0 if by_columns else 1, lower=0)
        gram.flat[:: len(F) + 1] += 1.0
        corner = factor_above(gram.T, 1.0, tolerance=0.5)
        residuals = triangular_solve(corner, y - before)
        pivots = corner.diagonal().copy()
        corner.flat[:: len(F) + 1] = 0.0
        self._settle(F, y)
        # the strictly lower part alone: no digits cancel, and no round's mean depends on its own label
        return before + corner @ residuals, pivots

    def _settle(self, F: Array, y: Array) -> None:
        """Add rounds, with features `F` and labels `y`, to A = lambda I + sum f f' and b = sum y f; factor A again."""
        self._settled += len(F)
        self._matrix.add_gram(F)
        self._products += y @ F
        self._refactor()

    def _refactor(self) -> None:
        """Compute the Cholesky factor of A = lambda I + sum f f' again; afterwards no round is pending."""
        self._dense = factor_above(self._matrix.view(), self._floor) if self.dimension else None
        self._panels = GrowingCholesky(floor=self._floor)
        self._start = self._solve(self._products)
        # few at first: with a tiny lambda the first surprises are huge, and should soon become part of A
        self._most = max(1, min(self._settled, max(FEWEST, min(self.dimension // 2, MOST))))
        self._pending = None


class PendingRounds:
    """The latest rounds of a ridge regression, which are not yet added to its matrix A and its vector b.

    Here A = lambda I + sum f f' and b = sum y f, summed over all earlier rounds, with features f and labels y. At
    most `most` rounds can be pending.

    - F has the features of the pending rounds as its rows.
    - U is the lower Cholesky factor of A, so that A = U U', and W = F U^-T.
    - L is the lower Cholesky factor of I + W W'.
    """

    def __init__(self, dimension: int, most: int):
        nothing = np.empty((0, dimension))
        self.features, self.whitened = GrowingTable(nothing, most), GrowingTable(nothing, most)  # F, W
        self.labels, self.residuals = GrowingArray((), most), GrowingArray((), most)  # y, L^-1 (y - W U^-1 b)
        self._gram, self._triangle = np.zeros((most, most)), np.zeros((most, most))  # W W', L

    def lower(self) -> Array:
        """Return the lower Cholesky factor of I + F A^-1 F'; the rows of F are the features of the pending rounds.

        Here A = lambda I + sum f f', summed over the features f of all rounds that are not pending.
        """
        count = len(self.labels)
        return np.ascontiguousarray(self._triangle[:count, :count])

    def extend(self, F: Array, y: Array, whitened: Array, start: Array) -> tuple[Array, Array]:
        """Add rounds with the features `F` and the labels `y`; return their means (predictions) and sqrt(1 + surprise).

        `whitened` is U^-1 F', and `start` is F A^-1 b. A, its Cholesky factor U, and b do not contain pending rounds.
        """
        first, stop = len(self.labels), len(self.labels) + len(F)
        cross = self.whitened.view() @ whitened
        gram = whitened.T @ whitened
        self._gram[:first, first:stop], self._gram[first:stop, :first] = cross, cross.T
        self._gram[first:stop, first:stop] = gram
        solved = triangular_solve(self.lower(), cross) if first else cross
        before = start + self.residuals.view() @ solved
        corner = factor_above(np.eye(len(F)) + gram - solved.T @ solved, 1.0, tolerance=0.5)
        residuals = triangular_solve(corner, y - before)
        self._triangle[first:stop, :first], self._triangle[first:stop, first:stop] = solved.T, corner
        self.features.extend_rows(F)
        self.whitened.extend_rows(whitened.T)
        self.labels.extend(y)
        self.residuals.extend(residuals)
        # the strictly lower part alone, as in `LinearRidge._play_block`
        return before + np.tril(corner, -1) @ residuals, corner.diagonal()

    def widen(self, feature: Array, whitened: Array, start: Array) -> None:
        """Add one feature, whose values in the pending rounds are `feature`.

        A, its Cholesky factor U, and b have the new feature already, but do not contain pending rounds. `whitened` is
        the last column of F U^-T, where F has the features of the pending rounds. `start` is U^-1 b.
        """
        count = len(self.labels)
        self.features.append_column(feature)
        self.whitened.append_column(whitened)
        self._gram[:count, :count] += np.outer(whitened, whitened)
        gram = np.eye(count) + self._gram[:count, :count]
        self._triangle[:count, :count] = factor_above(gram, 1.0, tolerance=0.5)
        before = self.whitened.view() @ start
        self.residuals = GrowingArray((), len(self._gram))
        self.residuals.extend(triangular_solve(self.lower(), self.labels.view() - before))


class GrowingTable:
    """A matrix to which rows and columns are appended; memory for `height` rows is reserved at first.

    >>> table = GrowingTable(np.empty((2, 0)))
    >>> table.append_column(np.array([1.0, 2.0]))
    >>> table.view()
    array([[1.],
           [2.]])
    """

    def __init__(self, matrix: Array, height: int = 0):
        self._rows, self._columns = matrix.shape
        self._buffer = np.empty((max(self._rows, height), self._columns))
        self._buffer[: self._rows] = matrix

    def view(self) -> Array:
        """Return the matrix as a read-only view."""
        matrix = self._buffer[: self._rows, : self._columns]
        matrix.flags.writeable = False
        return matrix

    def extend_rows(self, rows: Array) -> None:
        """Append `rows`, which have as many columns as the matrix."""
        self._reserve(self._rows + len(rows), self._columns)
        self._buffer[self._rows : self._rows + len(rows), : self._columns] = rows
        self._rows += len(rows)

    def append_column(self, column: Array) -> None:
        """Append `column`, which has as many entries as the matrix has rows."""
        self._reserve(self._rows, self._columns + 1)
        self._buffer[: self._rows, self._columns] = column
        self._columns += 1

    def add_gram(self, F: Array) -> None:
        """Add F'F to the matrix; afterwards only its lower triangle is valid."""
        if self._buffer.shape != (self._rows, self._columns) or not self._columns:
            self._buffer[: self._rows, : self._columns] += F.T @ F
            return
        by_columns = not F.flags.c_contiguous
        given = F if by_columns else F.T
        # in place: BLAS stores by columns, so it sees the transposed matrix, whose upper triangle this is
        scipy.linalg.blas.dsyrk(
            1.0, given, beta=1.0, c=self._buffer.T, trans=1 if by_columns else 0, lower=0, overwrite_c=1
        )

    def _reserve(self, rows: int, columns: int) -> None:
        height, width = self._buffer.shape
        if rows > height or columns > width:
            height = max(rows, 2 * height) if rows > height else height
            width = max(columns, 2 * width) if columns > width else width
            room = np.empty((height, width))
            room[: self._rows, : self._columns] = self.view()
            self._buffer = room

"""The growing factor of K + lambda I, in which a point that comes again and again soon takes no more room.

Up to a rotation, n rounds at one point are one round whose feature and label sum are divided by sqrt n,

    n |phi><phi| = |sqrt n phi><sqrt n phi|,    sum y phi = (sum y / sqrt n) (sqrt n phi),

and n - 1 rounds without a feature. A factor is therefore `full` once its superfluous rows are worth it, and followed by
its `successor`, whose first rows are the different points, each multiplied by the root of its number of rounds.
"""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Iterator
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray, point_key
from arena.game.kernels import Kernel
from arena.linalg.cholesky import PANEL, GrowingCholesky

SPARE_ROWS = PANEL  # superfluous rows that are not worth a new factor
NO_ROUNDS: NDArray[np.intp] = np.empty(0, dtype=np.intp)


class GramFactor:
    """The points seen so far and the factor of K + lambda I; it knows no labels.

    Rows are appended and never changed, so that several posteriors can share a factor and ask for its first rounds.

    >>> from arena.game.kernels import Linear
    >>> factor = GramFactor(Linear(), 1.0, dimension=1)
    >>> factor.extend(np.full((200, 1), 2.0))
    >>> len(factor), factor.full, len(factor.successor().points)
    (129, True, 1)
    """

    def __init__(self, kernel: Kernel, regularisation: float, dimension: int):
        self.kernel = kernel
        self.regularisation = regularisation
        self.points = GrowingArray((dimension,))  # one for each row
        self.cholesky = GrowingCholesky(floor=regularisation)
        self.folded = NO_ROUNDS  # which row stands for each of the first rounds
        self.roots: Array = np.empty(0)  # of the number of rounds for which each of these rows stands
        self._since: list[int] = []  # which different point came in each round afterwards; every one has its row
        self._numbers: dict[bytes, int] = {}  # of the different points, in the order of their coming
        self._asked: tuple[Array, int, Array] | None = None
        self._successor: weakref.ref[GramFactor] | None = None

    def __len__(self) -> int:
        """The number of rounds."""
        return len(self.folded) + len(self._since)

    def rows(self, rounds: int) -> int:
        """How many rows stand for the first `rounds` rounds."""
        return rounds - len(self.folded) + len(self.roots)

    @property
    def full(self) -> bool:
        """Whether the next round belongs to the successor."""
        different = len(self._numbers)
        return self.rows(len(self)) - different >= max(SPARE_ROWS, different // 2)

    def cross(self, X: Array, rows: int) -> Array:
        """The kernel between the first rows and these points."""
        cross = self.kernel.gram(self.points.view()[:rows], X)
        if len(self.roots):
            cross[: len(self.roots)] *= self.roots[:, np.newaxis]
        return cross

    def solve_cross(self, X: Array, rounds: int) -> Array:
        """L^-1 k(past, X) for the first `rounds` of the past; the last question is remembered."""
        if self._asked is not None:
            points, at, answer = self._asked
            if at == rounds and points.shape == X.shape and np.array_equal(points, X):
                return answer
        rows = self.rows(rounds)
        answer = self.cholesky.solve(self.cross(X, rows), size=rows)
        answer.flags.writeable = False
        self._asked = (np.array(X), rounds, answer)
        return answer

    def append(self, x: Array) -> None:
        """Add one round, in time quadratic in the number of rows."""
        X = x[np.newaxis]
        corner = float(self.kernel.diagonal(X)[0]) + self.regularisation
        self.cholesky.append(self.solve_cross(X, len(self))[:, 0], corner)
        self._enlist(X)
        self.points.append(x)

    def extend(self, X: Array) -> None:
        """Add the first of these rounds, up to where it is full, in blocks of matrix-matrix work."""
        while len(X) and not self.full:
            block = X[: self._enlist(X[:PANEL])]
            self._add_rows(block, np.ones(len(block)))
            X = X[len(block) :]

    def successor(self) -> GramFactor:
        """The factor that takes the rounds after this one is full; it holds the rounds so far, each point once."""
        known = None if self._successor is None else self._successor()
        if known is not None:
            return known
        heir = GramFactor(self.kernel, self.regularisation, self.points.view().shape[1])
        heir._numbers = dict(self._numbers)
        rounds = np.concatenate([self.folded, np.array(self._since, dtype=np.intp)])
        roots = np.sqrt(np.bincount(rounds))
        points = np.frombuffer(b"".join(self._numbers)).reshape(len(roots), -1)
        for start in range(0, len(points), PANEL):
            heir._add_rows(points[start : start + PANEL], roots[start : start + PANEL])
            heir.roots = roots[: start + PANEL]
        heir.folded = rounds
        self._successor = weakref.ref(heir)  # weak: the first factor of a match must not keep all that follow
        return heir

    def truncated(self, rounds: int) -> GramFactor:
        """An independent copy of the factor of the first rounds, of which there are more than were folded."""
        copy = GramFactor(self.kernel, self.regularisation, self.points.view().shape[1])
        copy.points = self.points.truncated(self.rows(rounds))
        copy.cholesky = self.cholesky.truncated(self.rows(rounds))
        copy.folded, copy.roots = self.folded, self.roots
        copy._since = self._since[: rounds - len(self.folded)]
        different = max([len(self.roots), *(number + 1 for number in copy._since)])
        copy._numbers = dict(itertools.islice(self._numbers.items(), different))
        return copy

    def past(self, rounds: int) -> Array:
        """The points of the first rounds, in their order."""
        rows = self.points.view()[: self.rows(rounds)]
        return np.concatenate([rows[self.folded], rows[len(self.roots) :]])

    def inverse_row_norms(self, rounds: int) -> Array:
        """The squared norms of the rows of L^-1 that belong to the rounds after the fold."""
        return self.cholesky.inverse_row_norms(size=self.rows(rounds))[len(self.roots) :]

    def _enlist(self, X: Array) -> int:
        """Number the points of these rounds up to where the factor is full, and count them."""
        before = len(self._since)
        for x in X:
            self._since.append(self._numbers.setdefault(point_key(x), len(self._numbers)))
            if self.full:
                break
        return len(self._since) - before

    def _add_rows(self, X: Array, roots: Array) -> None:
        corner = self.kernel.gram(X, X)
        corner.flat[:: len(X) + 1] = self.kernel.diagonal(X)
        corner *= roots[:, np.newaxis] * roots
        corner.flat[:: len(X) + 1] += self.regularisation
        self.cholesky.extend(self.cross(X, len(self.points)) * roots, corner)
        self.points.extend(X)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_asked": None, "_successor": None}


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


def pooled_factor(kernel: Kernel, regularisation: float, dimension: int) -> GramFactor:
    """The shared factor with which a past begins; a new one where nothing is shared."""
    pool = _pool.get()
    key = (kernel, regularisation, dimension)
    if pool is None:
        return GramFactor(*key)
    return pool.setdefault(key, GramFactor(*key))

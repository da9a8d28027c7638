"""The growing Cholesky factor of K + lambda I, in which rounds at the same point can share one row.

In ridge regression, n rounds at a point with the feature phi are equivalent to one round with the feature sqrt(n) phi
and the label (sum y) / sqrt(n). Both contribute the same to the two sums on which the solution depends:

    n phi phi' = (sqrt(n) phi) (sqrt(n) phi)'    and    sum y phi = (sum y / sqrt(n)) (sqrt(n) phi).

Replacing rounds in this way is called folding. When enough rows of a factor repeat a point, the factor is `full`: it
takes no more rounds. Its `successor` has all these rounds folded, in one row for each distinct point.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray, locked, point_key
from arena.game.kernels import Kernel
from arena.linalg.cholesky import PANEL, GrowingCholesky

SPARE_ROWS = PANEL  # least number of rows that repeat a point for which a new factor is made


class GramFactor:
    """The points of the rounds so far and the Cholesky factor L of K + lambda I, without labels.

    Rows are appended and never changed, so several posteriors can share a factor.

    A factor is full as soon as enough of its rows repeat a point; `extend` then ignores further points. `successor`
    returns a factor in which all rounds so far are folded: rounds at the same point share a row. Of 200 rounds at one
    point, a factor takes 129:

    >>> from arena.game.kernels import Linear
    >>> factor = GramFactor(Linear(), 1.0, dimension=1)
    >>> factor.extend(np.full((200, 1), 2.0))
    >>> factor.rounds, factor.full, len(factor.successor().points)
    (129, True, 1)
    """

    def __init__(self, kernel: Kernel, regularisation: float, dimension: int):
        self.kernel = kernel
        self.regularisation = regularisation
        self.points = GrowingArray((dimension,))  # the point of each row
        self.cholesky = GrowingCholesky(floor=regularisation)
        self.rounds = 0
        # for each round that was folded, its row; these are the first rounds of the match
        self.folded: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self.roots: Array = np.empty(0)  # the root of the number of rounds folded into each of the first rows
        self.saved = 0  # the number of rows saved: the first n rounds, n >= len(folded), have n - saved rows
        self.full = False  # whether no more rounds are taken, because enough rows repeat a point; see `successor`
        self._recent: list[int] = []  # for each later round, which has a row of its own, the number of its point
        self._distinct: dict[bytes, int] = {}  # distinct points, numbered in the order of their first rounds
        self._last_solved: tuple[Array, int, Array] | None = None  # the arguments and result of `solve_cross`
        self._successor: weakref.ref[GramFactor] | None = None

    def cross(self, X: Array, rows: int) -> Array:
        """Return the kernel matrix between the points of the factor's first `rows` rows and the points `X`.

        A row that stands for n rounds at the same point is multiplied by sqrt(n).
        """
        cross = self.kernel.gram(self.points.view()[:rows], X)
        if len(self.roots):
            cross[: len(self.roots)] *= self.roots[:, np.newaxis]
        return cross

    def solve_cross(self, X: Array, rows: int) -> Array:
        """Return L^-1 k, where k is `cross(X, rows)`, and L is the Cholesky factor of the first `rows` rows."""
        if self._last_solved is not None:
            points, at, answer = self._last_solved
            if at == rows and points.shape == X.shape and np.array_equal(points, X):
                return answer
        answer = locked(self.cholesky.solve(self.cross(X, rows), size=rows))
        self._last_solved = (np.array(X), rows, answer)
        return answer

    def extend(self, X: Array) -> None:
        """Add rounds at the points `X`, in blocks, until the factor is full; the remaining points are ignored.

        The factor is full as soon as enough of its rows repeat a point.
        """
        while len(X) and not self.full:
            block, distinct = X[:PANEL], self._distinct
            for count, x in enumerate(block, 1):
                self._recent.append(distinct.setdefault(point_key(x), len(distinct)))
                self.rounds += 1
                if self.rounds - self.saved - len(distinct) >= max(SPARE_ROWS, len(distinct) // 2):
                    self.full, block = True, block[:count]
                    break
            if len(block) > 1:
                self._add_rows(block, np.ones(len(block)))
            else:  # `solve_cross` still has the result if the latest question was about this point
                corner = float(self.kernel.diagonal(block)[0]) + self.regularisation
                self.cholesky.append(self.solve_cross(block, len(self.points))[:, 0], corner)
                self.points.extend(block)
            X = X[len(block) :]

    def successor(self) -> GramFactor:
        """Return the factor that replaces this one when it is full.

        The successor has the same rounds, with one row for each distinct point.
        """
        known = None if self._successor is None else self._successor()
        if known is not None:
            return known
        heir = GramFactor(self.kernel, self.regularisation, self.points.view().shape[1])
        heir._distinct = dict(self._distinct)
        rounds = np.concatenate([self.folded, np.array(self._recent, dtype=np.intp)])
        roots = np.sqrt(np.bincount(rounds))
        points = np.frombuffer(b"".join(self._distinct)).reshape(len(roots), -1)
        for start in range(0, len(points), PANEL):
            heir._add_rows(points[start : start + PANEL], roots[start : start + PANEL])
            heir.roots = roots[: start + PANEL]
        heir.folded, heir.rounds, heir.saved = rounds, len(rounds), len(rounds) - len(roots)
        # A strong reference would let the first factor of a match keep all that follow in memory.
        self._successor = weakref.ref(heir)
        return heir

    def truncated(self, rounds: int) -> GramFactor:
        """Return an independent copy with the first `rounds` rounds alone; these must include all folded rounds."""
        copy = GramFactor(self.kernel, self.regularisation, self.points.view().shape[1])
        copy.points = self.points.truncated(rounds - self.saved)
        copy.cholesky = self.cholesky.truncated(rounds - self.saved)
        copy.folded, copy.roots, copy.rounds, copy.saved = self.folded, self.roots, rounds, self.saved
        copy._recent = self._recent[: rounds - len(self.folded)]
        distinct = max([len(self.roots), *(number + 1 for number in copy._recent)])
        copy._distinct = dict(itertools.islice(self._distinct.items(), distinct))
        copy.full = self.full and rounds == self.rounds
        return copy

    def _add_rows(self, X: Array, roots: Array) -> None:
        corner = self.kernel.gram(X, X)
        corner.flat[:: len(X) + 1] = self.kernel.diagonal(X)
        corner *= roots[:, np.newaxis] * roots
        corner.flat[:: len(X) + 1] += self.regularisation
        self.cholesky.extend(self.cross(X, len(self.points)) * roots, corner)
        self.points.extend(X)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_last_solved": None, "_successor": None}


# makes the factor of a new posterior, or returns the one that other posteriors have
factor_for: ContextVar[Callable[[Kernel, float, int], GramFactor]] = ContextVar("factor_for", default=GramFactor)


@contextlib.contextmanager
def shared_factors(*, inherited: bool = False) -> Iterator[None]:
    """Context manager: posteriors (`RidgePosterior`) with the same kernel, lambda and points share a Cholesky factor.

    A posterior that gets other points continues with a copy of the factor. With `inherited`, the block also shares the
    factors of a surrounding `shared_factors` block.
    """
    around = factor_for.get()
    token = factor_for.set(around if inherited and around is not GramFactor else functools.cache(GramFactor))
    try:
        yield
    finally:
        factor_for.reset(token)

"""Points of the box that adversaries choose before or during a match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.arrays import Array, first_best, size_of
from arena.errors import ArenaError
from arena.game.game import Game

POOL = 2048  # random points from which `fresh_points` chooses, besides a quarter as many random corners
EQUAL = 1e-12  # distances differ by more than this share of k(x, x), or are equal but for rounding
CANDIDATES = 20  # random points drawn for each point that `labelled_points` returns


def default_point(game: Game) -> Array:
    """Return the middle of the box; if k(x, x) = 0 there, return the corner with the largest coordinates."""
    middle = (game.low + game.high) / 2
    return middle if game.kernel.diagonal(middle[np.newaxis])[0] > 0 else game.high.copy()


def given_or_default(adversary: str, game: Game, at: Sequence[float] | None) -> Array:
    """Return the user's point `at`, as an array; if `at` is None, return the middle of the box.

    If k(x, x) = 0 in the middle, return the corner with the largest coordinates instead of the middle. Raise an
    `ArenaError` if `at` has a wrong dimension or lies outside the box; the error names `adversary`.
    """
    if at is None:
        return default_point(game)
    x = np.array(at)
    if x.shape != (game.dimension,):
        raise ArenaError(f"{adversary}: at has {x.size} coordinates, but the game has {game.dimension}")
    if (x < game.low).any() or (x > game.high).any():
        raise ArenaError(f"{adversary}: the point {list(at)} lies outside the box {list(game.box)}")
    return x


class FarthestFirst:
    """The points of a pool in an order in which each is as far as possible from all points before it.

    The distance is that of the RKHS. If there is a `start`, it counts as a point before the first one; otherwise the
    first point has the largest k(x, x). After the last point the sequence starts again. Choosing a point costs O(n d)
    for a pool of n points in d dimensions.

    >>> points = FarthestFirst(Game(), np.array([[0.1], [0.9], [0.5]]), start=np.array([0.0]))
    >>> points.first(3).ravel(), points[3]
    (array([0.9, 0.5, 0.1]), array([0.9]))
    >>> len(points.first(4))
    3
    """

    def __init__(self, game: Game, pool: Array, *, start: Array | None = None):
        self.kernel, self.pool = game.kernel, pool
        self._diagonal = game.kernel.diagonal(pool)
        self._scale = size_of(self._diagonal)
        # while no point is chosen, the distance to the zero function
        self._distance = self._diagonal.copy()
        self._avoided = 0
        self._order: list[int] = []
        if start is not None:
            self._avoid(start)

    def __getitem__(self, number: int) -> Array:
        number %= len(self.pool)
        while number >= len(self._order):
            self._order.append(int(first_best(self._distance, scale=self._scale, tie=EQUAL)))
            self._avoid(self.pool[self._order[-1]])
            self._distance[self._order] = -np.inf
        return np.asarray(self.pool[self._order[number]])

    def first(self, count: int) -> Array:
        """Return the first `count` points, or the whole pool if it has fewer."""
        self[min(count, len(self.pool)) - 1]  # chooses the points up to this one
        return np.asarray(self.pool[self._order[:count]])

    def _avoid(self, x: Array) -> None:
        X = x[np.newaxis]
        new = self._diagonal + self.kernel.diagonal(X)[0] - 2.0 * self.kernel.gram(self.pool, X)[:, 0]
        self._distance = new if not self._avoided else np.minimum(self._distance, new)
        self._avoided += 1


def random_points(game: Game, count: int, corners: int, rng: np.random.Generator) -> Array:
    """Return `count` random points of the box and then `corners` random corners of the box, in one row each."""
    anywhere = rng.uniform(game.low, game.high, size=(count, game.dimension))
    return np.concatenate([anywhere, np.where(rng.random((corners, game.dimension)) < 0.5, game.low, game.high)])


def fresh_points(game: Game, rng: np.random.Generator, *, start: Array | None = None) -> FarthestFirst:
    """Return a sequence of random points and corners of the box, each far from the points before it and from `start`.

    After the last of about 2500 points the sequence starts again.
    """
    return FarthestFirst(game, np.unique(random_points(game, POOL, POOL // 4, rng), axis=0), start=start)


def labelled_points(game: Game, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return `count` points that are far from one another in the RKHS, in one row each, and random labels B or -B."""
    candidates = rng.uniform(game.low, game.high, size=(CANDIDATES * count, game.dimension))
    points = FarthestFirst(game, candidates).first(count)
    return points, game.label_bound * rng.choice([-1.0, 1.0], size=count)

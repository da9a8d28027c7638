"""Scripts of oblivious adversaries, and fresh points far from one another."""

from __future__ import annotations

import abc

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View

POOL = 2048  # points from which fresh ones are chosen


class Scripted(Adversary, abc.ABC):
    """An oblivious adversary whose moves follow from the numbers of the rounds, counted from 0."""

    oblivious = True

    @abc.abstractmethod
    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        """Points and labels of these rounds."""

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        return self.script(np.arange(view.round - 1, view.round - 1 + rounds))


class FreshPoints:
    """Points as far from one another as a pool allows: each is the farthest from those before; O(pool d) for each.

    After the last point of the pool the first one comes again.
    """

    def __init__(self, game: Game, rng: np.random.Generator, *, start: Array | None = None, pool: int = POOL):
        low, high = game.low, game.high
        anywhere = rng.uniform(low, high, size=(pool, game.dimension))
        corners = np.where(rng.random((pool // 4, game.dimension)) < 0.5, low, high)
        self.game, self.pool = game, np.unique(np.concatenate([anywhere, corners]), axis=0)
        self._diagonal = game.kernel.diagonal(self.pool)
        # before any point is chosen, the distance to the zero function
        self._distance = self._diagonal.copy()
        self._chosen = 0
        self._order: list[int] = []
        if start is not None:
            self._avoid(start)

    def __getitem__(self, number: int) -> Array:
        """The fresh point with this number, from 0."""
        number %= len(self.pool)
        while number >= len(self._order):
            self._order.append(int(self._distance.argmax()))
            self._avoid(self.pool[self._order[-1]])
            self._distance[self._order] = -np.inf
        return np.asarray(self.pool[self._order[number]])

    def first(self, count: int) -> Array:
        """The first `count` fresh points, at most the whole pool."""
        self[count - 1]
        return np.asarray(self.pool[self._order[:count]])

    def _avoid(self, x: Array) -> None:
        X, kernel = x[np.newaxis], self.game.kernel
        new = self._diagonal + kernel.diagonal(X)[0] - 2.0 * kernel.gram(self.pool, X)[:, 0]
        self._distance = new if not self._chosen else np.minimum(self._distance, new)
        self._chosen += 1

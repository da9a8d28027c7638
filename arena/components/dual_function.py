"""A function that lives in two spaces at once: few atoms of a kernel sum, and random Fourier features for the rest."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.components.budget import BudgetedSum
from arena.components.features.fourier import Fourier
from arena.game.game import Game

DIGITS = 9  # of a coefficient, relative to the largest: beyond them coefficients differ by rounding only


class DualFunction:
    """A kernel sum over a few atoms plus a linear function of Fourier features; the two are orthogonal."""

    def __init__(self, game: Game, budget: int, embedding: Fourier):
        self.core = BudgetedSum(game.kernel, game.dimension, budget)
        self.embedding = embedding
        self.gram = self.core.gram
        self.weights = np.zeros(embedding.dimension)
        self.squared_norm = 0.0
        self.look_at(np.empty((0, game.dimension)))

    def __len__(self) -> int:
        return len(self.core)

    def at(self, X: Array) -> Array:
        """The values at these rows."""
        return np.asarray(self.core.at(X) + self.embedding.features(X) @ self.weights)

    def look_at(self, X: Array) -> None:
        """These points come next: compute their kernels, features and values together."""
        self.core.look_at(X)
        self.gram = self.core.gram
        self._features = self.embedding.features(X)
        self._values = self._features @ self.weights

    def value(self, i: int) -> float:
        """The value at x_i, the i-th of the points that come next."""
        return self.core.value(i) + self._values.item(i)

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .) to the kernel sum."""
        self.squared_norm += 2.0 * weight * self.core.value(i) + weight**2 * self.core.gram.item(i, i)
        self.core.put(i, weight)

    def shrink(self, factor: float) -> None:
        """Multiply the function by this factor."""
        self.core.shrink(factor)
        self.weights *= factor
        self._values *= factor
        self.squared_norm *= factor**2

    def lightest(self, count: int) -> Array:
        """The places of the atoms with the smallest coefficients; of those that tie, the oldest."""
        sizes = np.abs(self.core.weights)
        rounded = np.round(sizes / max(sizes.max(), 1e-300), DIGITS)
        return np.asarray(np.lexsort((self.core.born, rounded))[:count])

    def move(self, places: Array) -> None:
        """These atoms' kernels are replaced by their Fourier features."""
        core, points, weights = self.core, self.core.points[places], self.core.weights[places]
        among = weights @ core.kernel.gram(points, points) @ weights
        before = self.weights @ self.weights
        self.weights += weights @ self.embedding.features(points)
        self.squared_norm += float(among - 2.0 * weights @ core.at(points) + self.weights @ self.weights - before)
        self._values = self._features @ self.weights
        for place in sorted(places.tolist(), reverse=True):
            core.remove(place)

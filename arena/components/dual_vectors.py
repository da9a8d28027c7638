"""Vectors that live in two spaces at once: weights of a few atoms, and weights of random Fourier features.

Variance-reduced descent needs four such vectors over the same atoms. They are the rows of two matrices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.components.budget import AtomStore
from arena.components.features.fourier import Fourier
from arena.game.game import Game

CURRENT, CHECKPOINT, MEMORY, TOTAL = range(4)  # w, u, the sum of the memory's gradients at u, the sum of w


class Memory:
    """The latest rounds: points, features, where their atoms are (-1: nowhere), signs, and slopes at the checkpoint."""

    def __init__(self, size: int, dimension: int, features: int):
        self._points = np.empty((size, dimension))
        self._features = np.empty((size, features))
        self._places = np.empty(size, dtype=np.int64)
        self._signs = np.empty(size)
        self.slopes = np.empty(size)
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, len(self.slopes))

    @property
    def full(self) -> bool:
        """The next round takes the oldest one's place."""
        return self._count >= len(self.slopes)

    @property
    def oldest(self) -> int:
        """Where the next round goes."""
        return self._count % len(self.slopes)

    @property
    def points(self) -> Array:
        """One row for each round."""
        return self._points[: len(self)]

    @property
    def features(self) -> Array:
        """One row for each round."""
        return self._features[: len(self)]

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each round's atom, -1 if it has none."""
        return self._places[: len(self)]

    @property
    def signs(self) -> Array:
        """The label's sign of each round."""
        return self._signs[: len(self)]

    def put(self, x: Array, features: Array, place: int | None, sign: float, slope: float) -> None:
        """A new round, in place of the oldest if there is no room."""
        at = self.oldest
        self._points[at], self._features[at] = x, features
        self._places[at] = -1 if place is None else place
        self._signs[at], self.slopes[at] = sign, slope
        self._count += 1


class DualVectors:
    """Four vectors in two spaces, and the values of the first at the points that come next."""

    def __init__(self, game: Game, frequencies: int, capacity: int | None, rng: np.random.Generator):
        self.embedding = Fourier(frequencies)
        self.embedding.begin(game, rng)
        self.atoms = AtomStore(game.kernel, game.dimension, capacity)
        self._core = np.zeros((4, 64 if capacity is None else capacity))
        self._fourier = np.zeros((4, self.embedding.dimension))
        self.look_at(np.empty((0, game.dimension)))

    def __len__(self) -> int:
        return len(self.atoms)

    def at(self, X: Array, features: Array | None = None, which: int = CURRENT) -> Array:
        """One vector's values at these rows."""
        features = self.embedding.features(X) if features is None else features
        values = features @ self._fourier[which]
        if len(self):
            values += self.atoms.kernel.gram(X, self.atoms.points) @ self._core[which, : len(self)]
        return np.asarray(values)

    def look_at(self, X: Array) -> None:
        """These points come next: compute their kernels and features together."""
        self.atoms.look_at(X)
        self.gram = self.atoms.gram
        self._features = self.embedding.features(X)

    def features(self, i: int) -> Array:
        """The Fourier features of x_i, the i-th of the points that come next."""
        return np.asarray(self._features[i])

    def value(self, i: int, which: int = CURRENT) -> float:
        """One vector's value at x_i."""
        return float(self._core[which, : len(self)] @ self.atoms.kernels(i) + self._fourier[which] @ self._features[i])

    def join(self, i: int) -> int:
        """The point x_i becomes an atom; its place."""
        if len(self) == self._core.shape[1]:
            self._core = np.concatenate([self._core, np.zeros_like(self._core)], axis=1)
        return self.atoms.add(i)

    def add(self, which: int, i: int, place: int | None, weight: float) -> None:
        """Add weight times x_i, in the space where it lives."""
        if place is None:
            self._fourier[which] += weight * self._features[i]
        else:
            self._core[which, place] += weight

    def add_remembered(self, which: int, memory: Memory, weight: float) -> None:
        """Add weight times the oldest point of the memory."""
        place = int(memory.places[memory.oldest])
        if place < 0:
            self._fourier[which] += weight * memory.features[memory.oldest]
        else:
            self._core[which, place] += weight

    def collect(self, which: int, memory: Memory) -> None:
        """Make this vector the sum of the memory's points, weighted with their slopes."""
        slopes, moved = memory.slopes[: len(memory)], memory.places < 0
        self._core[which] = 0.0
        np.add.at(self._core[which], memory.places[~moved], slopes[~moved])
        self._fourier[which] = np.where(moved, slopes, 0.0) @ memory.features

    def step(self, which: int, direction: int, weight: float) -> None:
        """Add a multiple of one vector to another."""
        self._core[which] += weight * self._core[direction]
        self._fourier[which] += weight * self._fourier[direction]

    def scale(self, which: int, factor: float) -> None:
        """Multiply one vector by this factor."""
        self._core[which] *= factor
        self._fourier[which] *= factor

    def copy(self, which: int, source: int, factor: float) -> None:
        """Make one vector a multiple of another."""
        self._core[which] = factor * self._core[source]
        self._fourier[which] = factor * self._fourier[source]

"""Base class of the transcriptions, and atoms as plain arrays."""

from __future__ import annotations

import abc
from collections.abc import Callable

import numpy as np

from arena import Game
from arena.arrays import Array


class Transcription(abc.ABC):
    """An algorithm as its paper prints it."""

    def __init__(self, game: Game, rng: np.random.Generator):
        self.game, self.rng = game, rng

    @abc.abstractmethod
    def play(self, x: Array, y: float) -> float:
        """Play one round; return the prediction."""

    def run(self, X: Array, y: Array) -> Array:
        """The predictions of a whole sequence."""
        return np.array([self.play(x, label) for x, label in zip(X, y.tolist(), strict=True)])


def whole(definition: Callable[[Game, Array, Array], Array]) -> type[Transcription]:
    """A class of transcriptions whose predictions for a sequence are computed together by `definition`."""

    class Whole(Transcription):
        def play(self, x: Array, y: float) -> float:
            raise NotImplementedError

        def run(self, X: Array, y: Array) -> Array:
            return definition(self.game, X, y)

    return Whole


class Atoms(Transcription):
    """A sum of kernels with plain arrays; the game's kernel is Gaussian."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.points, self.a = np.empty((0, game.dimension)), np.empty(0)
        self.narrow = -0.5 / game.kernel.bandwidth**2  # type: ignore[attr-defined]

    def kernel(self, x: Array) -> Array:
        """The kernel of x and each atom."""
        return np.exp(self.narrow * ((self.points - x) ** 2).sum(axis=1))

    def predict(self, x: Array) -> float:
        """The sum of kernels at x."""
        self.k = self.kernel(x)
        return float(self.a @ self.k)

    def add(self, x: Array, weight: float) -> None:
        """Add an atom with this weight."""
        self.points, self.a = np.vstack([self.points, x]), np.append(self.a, weight)

    def remove(self, places: int | Array) -> None:
        """Remove the atoms at these places."""
        self.points, self.a = np.delete(self.points, places, axis=0), np.delete(self.a, places)

    def slope(self, prediction: float, y: float) -> float:
        """The derivative of the squared loss at the prediction."""
        return 2.0 * (prediction - y)

"""Base classes of the papers' algorithms in plain NumPy."""

from __future__ import annotations

import abc
from collections.abc import Callable

import numpy as np

from arena import Game
from arena.arrays import Array


class Transcription(abc.ABC):
    """An algorithm as its paper prints it, for the speed benchmarks."""

    def __init__(self, game: Game, rng: np.random.Generator):
        self.game, self.rng = game, rng

    @abc.abstractmethod
    def play(self, x: Array, y: float) -> float:
        """Play one round; return the prediction."""

    def run(self, X: Array, y: Array) -> Array:
        """Play a whole sequence; return the predictions."""
        return np.array([self.play(x, label) for x, label in zip(X, y.tolist(), strict=True)])


def whole(definition: Callable[[Game, Array, Array], Array]) -> type[Transcription]:
    """Return a class whose `run` computes all predictions of a sequence together, by the function `definition`."""

    class Whole(Transcription):
        def play(self, x: Array, y: float) -> float:
            raise NotImplementedError

        def run(self, X: Array, y: Array) -> Array:
            return definition(self.game, X, y)

    return Whole


class Atoms(Transcription):
    """Base class of algorithms whose function is a weighted sum of Gaussian kernels at points (atoms)."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.points, self.a = np.empty((0, game.dimension)), np.empty(0)
        self.narrow = -0.5 / game.kernel.bandwidth**2  # type: ignore[attr-defined]

    def kernel(self, x: Array) -> Array:
        """Return the kernel of x with each atom."""
        return np.exp(self.narrow * ((self.points - x) ** 2).sum(axis=1))

    def predict(self, x: Array) -> float:
        """Return the value of the function at x."""
        self.k = self.kernel(x)
        return float(self.a @ self.k)

    def add(self, x: Array, weight: float) -> None:
        """Add an atom with this weight."""
        self.points, self.a = np.vstack([self.points, x]), np.append(self.a, weight)

    def remove(self, places: int | Array) -> None:
        """Remove the atoms at these positions."""
        self.points, self.a = np.delete(self.points, places, axis=0), np.delete(self.a, places)

    def slope(self, prediction: float, y: float) -> float:
        """Return the derivative of the squared loss at the prediction."""
        return 2.0 * (prediction - y)

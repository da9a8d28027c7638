"""Aggregation of experts, as papers print it: all past losses are summed again in each round."""

from __future__ import annotations

import numpy as np

from arena import Game
from arena.arrays import Array

from .linear import Weights, Zero
from .transcription import Transcription

EXPERTS = "of=[sgd, zero]"


class Aggregation(Transcription):
    """Exponentially weighted average (EWA) of gradient descent and of zero; base class of the other forecasters."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.experts = [Weights(game, rng), Zero(game, rng)]
        self.losses: list[Array] = []

    def play(self, x: Array, y: float) -> float:
        bound = self.game.label_bound
        advice = np.array([min(max(expert.play(x, y), -bound), bound) for expert in self.experts])
        prediction = float(advice @ self.weights(np.sum(self.losses, axis=0) if self.losses else np.zeros(2)))
        self.losses.append((advice - y) ** 2)
        return prediction

    def weights(self, lost: Array) -> Array:
        """Return the weights of the experts, whose cumulative losses are `lost`."""
        weights = np.exp(-self.eta() * lost)
        return np.asarray(weights / weights.sum())

    def eta(self) -> float:
        """Return the learning rate of EWA."""
        return 1.0 / (8.0 * self.game.label_bound**2)


class Hedge(Aggregation):
    """Hedge for losses of at most 4 B^2, where B bounds the labels."""

    def eta(self) -> float:
        return float(np.sqrt(8.0 * np.log(2.0) / self.game.rounds) / (4.0 * self.game.label_bound**2))


class Leader(Aggregation):
    """Follow the leader: the expert with the smallest loss so far predicts."""

    def weights(self, lost: Array) -> Array:
        return np.asarray(np.arange(2) == lost.argmin(), dtype=float)

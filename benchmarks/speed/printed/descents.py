"""Gradient descent in an RKHS, on a budget, and on features, as their papers print them."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from arena import Game
from arena.arrays import Array

from .perceptrons import BUDGET
from .transcription import Atoms, Transcription

FREQUENCIES, RANK, MOVED = 1000, 80, 10


class Fgd(Atoms):
    """Functional gradient descent with constant steps."""

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        self.add(x, -(self.game.rounds**-0.5) * self.slope(prediction, y))
        return prediction


class Bogd(Atoms):
    """Functional gradient descent on a budget: a random atom is removed."""

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        weight = -(self.game.rounds**-0.5) * self.slope(prediction, y)
        if len(self.a) == BUDGET:
            self.remove(int(self.rng.integers(BUDGET)))
            self.a = self.a * (BUDGET / (BUDGET - 1))
        self.add(x, weight)
        return prediction


class Bsgd(Atoms):
    """Pegasos on a budget: the atom with the smallest weight is removed."""

    t = 0

    def play(self, x: Array, y: float) -> float:
        self.t += 1
        prediction = self.predict(x)
        self.a = self.a * (1 - 1 / self.t)
        if y * prediction < 1:
            self.add(x, y / self.t)
            if len(self.a) > BUDGET:
                self.shrink()
        return prediction

    def shrink(self) -> None:
        """Remove the atom with the smallest weight."""
        self.remove(int(np.abs(self.a).argmin()))


class BsgdMerging(Bsgd):
    """Pegasos on a budget: the atom with the smallest weight is merged with the best partner.

    For each possible partner a golden section search finds the point of the merged atom.
    """

    def shrink(self) -> None:
        lightest = int(np.abs(self.a).argmin())
        point, weight = self.points[lightest], self.a[lightest]
        self.remove(lightest)
        k, golden = self.kernel(point), (np.sqrt(5) - 1) / 2
        value = lambda h: np.abs(weight * k ** ((1 - h) ** 2) + self.a * k ** (h**2))
        low, high = np.zeros(len(self.a)), np.ones(len(self.a))
        for _ in range(40):
            left, right = high - golden * (high - low), low + golden * (high - low)
            better = value(left) > value(right)
            low, high = np.where(better, low, left), np.where(better, right, high)
        h = 0.5 * (low + high)
        merged = weight * k ** ((1 - h) ** 2) + self.a * k ** (h**2)
        partner = int((weight**2 + self.a**2 + 2 * weight * self.a * k - merged**2).argmin())
        place = h[partner] * point + (1 - h[partner]) * self.points[partner]
        self.remove(partner)
        self.add(place, merged[partner])


class Fogd(Transcription):
    """Gradient descent on random Fourier features."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.frequencies = rng.standard_normal((FREQUENCIES, game.dimension)) / game.kernel.bandwidth  # type: ignore[attr-defined]
        self.w = np.zeros(2 * FREQUENCIES)

    def play(self, x: Array, y: float) -> float:
        phases = self.frequencies @ x
        features = np.concatenate([np.cos(phases), np.sin(phases)]) / np.sqrt(FREQUENCIES)
        prediction = float(self.w @ features)
        self.w = self.w - self.game.rounds**-0.5 * 2 * (prediction - y) * features
        return prediction


class Nogd(Atoms):
    """Gradient descent with atoms, until their number reaches a budget; then on features.

    The features are the leading eigenvectors of the atoms' kernel matrix.
    """

    transform: Array | None = None

    def play(self, x: Array, y: float) -> float:
        eta = self.game.rounds**-0.5
        if self.transform is None:
            prediction = self.predict(x)
            self.add(x, -eta * self.slope(prediction, y))
            if len(self.a) == BUDGET:
                values, vectors = scipy.linalg.eigh(self.game.kernel.gram(self.points, self.points))
                values, vectors = values[-RANK:], vectors[:, -RANK:]
                self.transform = vectors / np.sqrt(values)
                self.w = np.sqrt(values) * (self.a @ vectors)
            return prediction
        features = self.kernel(x) @ self.transform
        prediction = float(self.w @ features)
        self.w = self.w - eta * self.slope(prediction, y) * features
        return prediction


class DualSgd(Atoms):
    """Pegasos on a budget: if the budget is full, the atoms of smallest weight are replaced by random features.

    The projection onto a ball is left out.
    """

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.frequencies = rng.standard_normal((FREQUENCIES, game.dimension)) / game.kernel.bandwidth  # type: ignore[attr-defined]
        self.w, self.t = np.zeros(2 * FREQUENCIES), 0

    def features(self, X: Array) -> Array:
        """Return the random Fourier features of each row."""
        phases = X @ self.frequencies.T
        return np.concatenate([np.cos(phases), np.sin(phases)], axis=-1) / np.sqrt(FREQUENCIES)

    def play(self, x: Array, y: float) -> float:
        self.t += 1
        prediction = self.predict(x) + float(self.w @ self.features(x))
        slope = self.slope(prediction, y)
        self.a, self.w = self.a * (1 - 1 / self.t), self.w * (1 - 1 / self.t)
        if len(self.a) == BUDGET:
            moved = np.argsort(np.abs(self.a))[:MOVED]
            self.w = self.w + self.a[moved] @ self.features(self.points[moved])
            self.remove(moved)
        self.add(x, -slope / self.t)
        return prediction

"""Perceptrons and passive-aggressive learners, as their papers print them."""

from __future__ import annotations

import numpy as np

from arena import Game
from arena.arrays import Array

from .transcription import Atoms

BUDGET, THRESHOLD = 400, 0.1


class Perceptron(Atoms):
    """The kernel Perceptron of Freund and Schapire 1999."""

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        if y * prediction <= 0:
            self.add(x, y)
        return prediction


class AveragedPerceptron(Atoms):
    """Averaged Perceptron: it predicts the mean of the predictions of all functions so far."""

    born, t = np.empty(0), 1

    def play(self, x: Array, y: float) -> float:
        margin = y * self.predict(x)
        prediction = float((self.a * (self.t - self.born) / self.t) @ self.k)
        if margin <= 0:
            self.add(x, y)
            self.born = np.append(self.born, self.t)
        self.t += 1
        return prediction


class Rbp(Atoms):
    """Random budget perceptron: a random atom is removed."""

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        if y * prediction <= 0:
            if len(self.a) == BUDGET:
                self.remove(int(self.rng.integers(BUDGET)))
            self.add(x, y)
        return prediction


class Forgetron(Atoms):
    """Self-tuned Forgetron."""

    mistakes, damage = 0, 0.0

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        if y * prediction > 0:
            return prediction
        self.mistakes += 1
        self.add(x, y)
        if len(self.a) <= BUDGET:
            return prediction
        size, margin = abs(self.a[0]), np.sign(self.a[0]) * self.predict(self.points[0])
        psi = lambda phi: (size * phi) ** 2 + 2 * size * phi * (1 - phi * margin)
        allowed, square = 15 / 32 * self.mistakes - self.damage, size**2 - 2 * size * margin
        phi = 1.0 if psi(1.0) <= allowed else allowed / (size + np.sqrt(size**2 + square * allowed))
        self.damage += psi(phi)
        self.a = self.a * phi
        self.remove(0)
        return prediction


class Projectron(Atoms):
    """Projectron; it keeps and updates the inverse of the atoms' kernel matrix."""

    aggressive = False

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.inverse = np.empty((0, 0))

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        margin = y * prediction
        if margin >= 1.0 or (margin > 0 and not self.aggressive):
            return prediction
        d = self.inverse @ self.k
        norm = float(self.k @ d)
        distance = np.sqrt(max(1.0 - norm, 0.0))
        if margin > 0:
            if norm > 0 and 1.0 - margin >= distance / THRESHOLD:
                step = min((1 - margin) / norm, 2 * (1 - margin - distance / THRESHOLD) / norm, 1.0)
                self.a = self.a + y * step * d
        elif len(self.a) == BUDGET or distance <= THRESHOLD:
            self.a = self.a + y * d
        else:
            v = np.append(d, -1.0)
            self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(v, v) / (1.0 - norm)
            self.add(x, y)
        return prediction


class ProjectronPlusPlus(Projectron):
    """Projectron++: a Projectron that may also update if the margin is between 0 and 1."""

    aggressive = True


class PassiveAggressive(Atoms):
    """Passive-aggressive learner (PA): the size of a step is the hinge loss."""

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        loss = max(0.0, 1.0 - y * prediction)
        if loss:
            self.add(x, y * self.tau(loss))
        return prediction

    def tau(self, loss: float) -> float:
        """Return the size of the step for this hinge loss; the kernel must have k(x, x) = 1."""
        return loss


class PassiveAggressiveOne(PassiveAggressive):
    """PA-I, whose steps are at most C = 1."""

    def tau(self, loss: float) -> float:
        return min(1.0, loss)


class PassiveAggressiveTwo(PassiveAggressive):
    """PA-II with C = 1: the size of a step is the hinge loss divided by 1 + 1 / (2 C)."""

    def tau(self, loss: float) -> float:
        return loss / 1.5

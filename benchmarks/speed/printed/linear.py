"""Linear predictors, as their papers print them, with the arena's default parameters."""

from __future__ import annotations

import numpy as np

from arena import Game
from arena.arrays import Array
from arena.components.gradient_descent import linear_rate
from arena.learners.newton_steps import projected
from arena.specs.building import build

from .transcription import Transcription


class Weights(Transcription):
    """Online gradient descent on the linear function w'x + b."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.w, self.b, self.squares, self.z = np.zeros(game.dimension), 0.0, np.zeros(game.dimension), 0.0
        self.rate = linear_rate(game)

    def play(self, x: Array, y: float) -> float:
        prediction = float(self.w @ x) + self.b
        self.step(x, 2.0 * (prediction - y))
        return prediction

    def step(self, x: Array, slope: float) -> None:
        """Take a step of gradient descent; `slope` is the derivative of the loss at the prediction."""
        self.w = self.w - self.rate * slope * x
        self.b -= self.rate * slope


class AdaGrad(Weights):
    """AdaGrad, with a step size for each weight."""

    def step(self, x: Array, slope: float) -> None:
        self.squares = self.squares + (slope * x) ** 2
        self.w = self.w - 0.1 * slope * x / np.sqrt(1e-8 + self.squares)
        self.b -= 0.01 * slope


class Ftrl(Weights):
    """FTRL-proximal with alpha = 0.05, beta = 1, l1 = 0, l2 = 1."""

    def step(self, x: Array, slope: float) -> None:
        g = slope * x
        sigma = (np.sqrt(self.squares + g**2) - np.sqrt(self.squares)) / 0.05
        self.z = self.z + g - sigma * self.w
        self.squares = self.squares + g**2
        self.w = -self.z / ((1.0 + np.sqrt(self.squares)) / 0.05 + 1.0)
        self.b -= 0.01 * slope


class Multiplied(Transcription):
    """Base class of EG and Winnow, which multiply positive and negative weights and scale their sum to one."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.v = np.full(2 * game.dimension, 0.5 / game.dimension)

    def predict(self, x: Array) -> float:
        """Return w'x with w = v+ - v-, the positive weights minus the negative ones."""
        return float(self.v @ np.concatenate([x, -x]))

    def multiply(self, x: Array, exponent: float) -> None:
        """Multiply v+ by exp(exponent x) and v- by exp(-exponent x), and scale the sum of all weights to one."""
        self.v = self.v * np.exp(exponent * np.concatenate([x, -x]))
        self.v = self.v / self.v.sum()


class Eg(Multiplied):
    """Exponentiated gradient."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        learner = build("learner", "eg")
        learner.begin(game, rng)
        self.rate = learner.eta

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        self.multiply(x, -self.rate * 2.0 * (prediction - y))
        return prediction


class Winnow(Multiplied):
    """Balanced Winnow."""

    def play(self, x: Array, y: float) -> float:
        prediction = self.predict(x)
        if y * prediction <= 0:
            self.multiply(x, 0.1 * y)
        return prediction


class Ons(Transcription):
    """Online Newton steps in a ball; the matrix of the steps is inverted by NumPy in each round."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        learner = build("learner", "ons")
        learner.begin(game, rng)
        self.gamma, self.A, self.w = learner.gamma, learner.matrix.copy(), np.zeros(game.dimension)

    def play(self, x: Array, y: float) -> float:
        prediction = float(self.w @ x)
        g = 2.0 * (prediction - y) * x
        self.A = self.A + np.outer(g, g)
        ahead = self.w - np.linalg.inv(self.A) @ g / self.gamma
        self.w = projected(ahead, *np.linalg.eigh(self.A), 1.0)
        return prediction


class Rls(Transcription):
    """Recursive least squares."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.w, self.P = np.zeros(game.dimension), np.eye(game.dimension) / game.regularisation

    def play(self, x: Array, y: float) -> float:
        prediction = float(self.w @ x)
        k = self.P @ x / (1.0 + x @ self.P @ x)
        self.w = self.w + k * (y - prediction)
        self.P = self.P - np.outer(k, x @ self.P)
        return prediction


class Zero(Transcription):
    """Learner that predicts zero."""

    def play(self, x: Array, y: float) -> float:
        return 0.0

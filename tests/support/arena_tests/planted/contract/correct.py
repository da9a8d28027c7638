"""Correct players, of which the other modules make wrong subclasses."""

import copy

import numpy as np

from arena.players.adversary import Adversary
from arena.players.learner import Learner


class Averaging(Learner):
    """Correct: a linear function by averaged steps, with its own `peek` and `replay`."""

    def begin(self, game, rng):
        self.sum, self.bias, self.count, self.rng = np.zeros(game.dimension), 0.0, 1, rng

    def predict(self, x):
        return float(self.sum @ x + self.bias) / self.count

    def peek(self, X):
        return (X @ self.sum + self.bias) / self.count

    def update(self, x, y):
        self.sum, self.bias, self.count = self.sum + y * x, self.bias + y, self.count + 1

    def replay(self, X, y):
        sums = self.sum + np.vstack([np.zeros(X.shape[1]), np.cumsum(y[:, None] * X, axis=0)])
        biases = self.bias + np.append(0.0, np.cumsum(y))
        counts = self.count + np.arange(len(X) + 1)
        self.sum, self.bias, self.count = sums[-1], float(biases[-1]), int(counts[-1])
        return (np.einsum("td,td->t", sums[:-1], X) + biases[:-1]) / counts[:-1]


class Single(Averaging):
    """Correct: `Averaging` with the default `peek` and `replay`."""

    replay = Learner.replay
    peek = Learner.peek


class Mean:
    """Correct: predicts the sum of the labels divided by their number plus 1; it has `predict` and `update` alone."""

    def __init__(self):
        self.sum, self.count = 0.0, 1

    def predict(self, x):
        return self.sum / self.count

    def update(self, x, y):
        self.sum, self.count = self.sum + y, self.count + 1


class Neighbour(Single):
    """Correct: predicts the label of the nearest of the last 30 points."""

    def begin(self, game, rng):
        self.points, self.labels = [], []

    def predict(self, x):
        distances = [float(np.sum((x - point) ** 2)) for point in self.points[-30:]]
        return self.labels[-30:][int(np.argmin(distances))] if distances else 0.0

    def update(self, x, y):
        self.points.append(x.copy())
        self.labels.append(y)


class CopiesWell(Single):
    """Correct: it has its own `__deepcopy__`, so that mistakes in pickling do not change its copies."""

    def __deepcopy__(self, memo):
        twin = type(self)()
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin


class Coin(Adversary):
    """Correct and oblivious: random points and labels, in blocks and one by one."""

    oblivious = True

    def begin(self, game, rng):
        self.game, self.rng = game, rng

    def point(self, view):
        self.row = self.rng.random(self.game.dimension + 1)
        return self.game.low + self.row[:-1] * (self.game.high - self.game.low)

    def label(self, view, x, prediction):
        return self.game.label_bound * (1.0 if self.row[-1] < 0.5 else -1.0)

    def block(self, view, rounds):
        rows = self.rng.random((rounds, self.game.dimension + 1))
        points = self.game.low + rows[:, :-1] * (self.game.high - self.game.low)
        return points, self.game.label_bound * np.where(rows[:, -1] < 0.5, 1.0, -1.0)


class Contrary(Adversary):
    """Correct: random points, and labels with the opposite sign of the prediction."""

    def begin(self, game, rng):
        self.game, self.rng = game, rng

    def point(self, view):
        return self.rng.uniform(self.game.low, self.game.high)

    def label(self, view, x, prediction):
        return self.game.label_bound * (-1.0 if prediction > 0 else 1.0)

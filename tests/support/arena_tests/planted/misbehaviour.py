"""Learners for tests of the state machine: they raise errors, or break the contract of `predict`, `peek` or copies."""

import copy

import numpy as np

from arena.learners import KRR
from arena_tests.planted.contract.correct import Mean
from arena_tests.planted.forecasters import IsFullWithFive


class Singular:
    """Interpolates the past without regularisation, which fails if two points are equal or nearly equal."""

    def begin(self, game, rng):
        self.kernel, self.points, self.labels = game.kernel, [], []

    def predict(self, x):
        if not self.points:
            return 0.0
        X = np.array(self.points)
        weights = np.linalg.solve(self.kernel.gram(X, X), np.array(self.labels))
        return float(self.kernel.gram(x[np.newaxis], X)[0] @ weights)

    def update(self, x, y):
        self.points.append(x.copy())
        self.labels.append(y)


class DividesByDistance(Mean):
    nearest = None

    def predict(self, x):
        if self.nearest is None:
            return 0.0
        with np.errstate(all="ignore"):
            return float(self.sum * 1e-3 / np.abs(x - self.nearest).max())

    def update(self, x, y):
        super().update(x, y)
        self.nearest = x.copy()


class OutsideAtTheCorner(Mean):
    def predict(self, x):
        return np.inf if (np.abs(x) == 1).all() else super().predict(x)


class PeeksBackwards(Mean):
    def predict(self, x):
        return float(x[0]) * super().predict(x)

    def peek(self, X):
        return np.array([self.predict(x) for x in X])[::-1]


class SharesItsState(Mean):
    def __init__(self):
        self.sums = {"sum": 0.0}

    def predict(self, x):
        return self.sums["sum"]

    def update(self, x, y):
        self.sums["sum"] += y

    def __deepcopy__(self, memo):
        return copy.copy(self)

    def begin(self, game, rng):
        self.sums = {"sum": 0.0}


class CannotBeCopied(Mean):
    def begin(self, game, rng):
        self.__init__()

    def __deepcopy__(self, memo):
        raise TypeError("it holds a lock")


class StopsAtTwenty(Mean):
    def update(self, x, y):
        super().update(x, y)
        if self.count > 20:
            raise OverflowError("its table is full")


class Listless(Mean):
    def predict(self, x):
        return [super().predict(x)]


class InterruptsAMatch:
    """A mixin that raises `KeyboardInterrupt`, as Ctrl-C does, when match `number` since the last `restart` begins."""

    number, matches = 3, 0

    @classmethod
    def restart(cls, number):
        cls.number, cls.matches = number, 0
        return cls

    def begin(self, game, rng):
        super().begin(game, rng)
        type(self).matches += 1
        if self.matches == self.number:
            raise KeyboardInterrupt


class InterruptedKrr(InterruptsAMatch, KRR):
    """Correct KRR with an interruption; without the division of the forecaster it violates `awv-logdet`."""


class InterruptedForecaster(InterruptsAMatch, IsFullWithFive):
    pass

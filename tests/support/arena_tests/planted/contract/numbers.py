"""Learners that divide by zero, accept invalid input, need more memory than they declare, or promise too much."""

import numpy as np

from arena.theorems.awv import AwvLeverage
from arena_tests.planted.contract.correct import Mean, Single
from arena_tests.planted.contract.planting import wrong_learner


@wrong_learner("finite-after-repeated-points")
class DividesByTheSpread(Single):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.spread, self.last = 1.0, None

    def update(self, x, y):
        self.spread = 0.5 * self.spread + (0.0 if self.last is None else float(np.abs(x - self.last).max()))
        self.last = x.copy()
        super().update(x, y)

    def predict(self, x):
        return float(np.float64(super().predict(x)) / np.float64(self.spread) ** 2)


@wrong_learner("finite-in-extreme-games")
class DividesByTheKernel(Single):
    def begin(self, game, rng):
        super().begin(game, rng)
        corners = np.array([game.low, game.high])
        self.scale = game.kernel.gram(corners, corners)[0, 1]

    def predict(self, x):
        return float(np.float64(super().predict(x) / 1e9) / np.float64(self.scale))


@wrong_learner("nonsense-is-refused")
class PromisesToRefuse(Single):
    checks_input = True


@wrong_learner("nonsense-is-refused")
class RefusesWithoutAWord(Single):
    checks_input = True

    def predict(self, x):
        if x.shape != self.sum.shape or not np.isfinite(x).all():
            raise ValueError
        return super().predict(x)


@wrong_learner("memory-grows-as-declared")
class KeepsEverything(Mean):
    memory_growth = "constant"

    def __init__(self):
        super().__init__()
        self.all = []

    def update(self, x, y):
        super().update(x, y)
        self.all.append((y, float(x[0])))


@wrong_learner("memory-grows-as-declared")
class KeepsAMatrix(Mean):
    memory_growth = "linear"

    def update(self, x, y):
        super().update(x, y)
        self.matrix = np.ones((self.count, self.count))


@wrong_learner("promised-theorems-hold")
class PromisesTooMuch(Single):
    theorems = (AwvLeverage(),)

    def predict(self, x):
        return -1.4

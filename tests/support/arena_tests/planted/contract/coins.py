"""Learners that use other random numbers than those of their generator, or that change global random state."""

import random

import numpy as np

from arena_tests.planted.contract.correct import Single
from arena_tests.planted.contract.planting import wrong_learner


@wrong_learner("same-seed-same-run")
class BringsItsOwnEntropy(Single):
    def begin(self, game, rng):
        super().begin(game, np.random.default_rng())

    def update(self, x, y):
        super().update(x + self.rng.normal(size=len(x)), y)


@wrong_learner("same-run-in-another-process")
class OrdersByHash(Single):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.sum = np.array([hash(f"coordinate {i}") % 1000 / 1000 for i in range(game.dimension)])


@wrong_learner("global-random-state-is-untouched")
class DrawsFromNumPy(Single):
    def update(self, x, y):
        super().update(x * np.random.random(), y)  # noqa: NPY002


@wrong_learner("global-random-state-is-untouched")
class DrawsFromRandom(Single):
    def update(self, x, y):
        super().update(x * random.random(), y)


@wrong_learner("global-random-state-is-untouched")
class SeedsTheWorld(Single):
    def begin(self, game, rng):
        np.random.seed(0)  # noqa: NPY002
        super().begin(game, rng)

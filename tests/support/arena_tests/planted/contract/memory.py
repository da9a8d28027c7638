"""Learners that share state with a copy, with other learners, or with their own earlier matches."""

import copy
from typing import ClassVar

import numpy as np

from arena_tests.planted.contract.correct import CopiesWell, Mean, Single
from arena_tests.planted.contract.planting import wrong_learner


@wrong_learner("deep-copies-are-independent")
class CopiesShallowly(Single):
    def __deepcopy__(self, memo):
        twin = object.__new__(type(self))
        twin.__dict__ = self.__dict__
        return twin


@wrong_learner("deep-copies-are-independent")
class CopiesToNothing(Single):
    def __deepcopy__(self, memo):
        twin = type(self)()
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        if hasattr(twin, "bias"):
            twin.bias = 0.0
        return twin


_VAULT = {}


def from_vault(key):
    return _VAULT[key]


@wrong_learner("pickles-are-independent")
class PicklesByName(CopiesWell):
    def __reduce__(self):
        _VAULT[id(self)] = self
        return from_vault, (id(self),)


@wrong_learner("pickles-are-independent")
class PicklesWithoutItsCount(CopiesWell):
    def __getstate__(self):
        return {**self.__dict__, "count": 1}


@wrong_learner("learners-share-no-state")
class LearnsInTheClass(Mean):
    total: ClassVar = [0.0]

    def predict(self, x):
        return self.total[0] / self.count

    def update(self, x, y):
        self.total[0] += y
        self.count += 1


_SEEN = []


@wrong_learner("learners-share-no-state")
class LearnsInTheModule(Mean):
    def predict(self, x):
        return float(np.sum(_SEEN[-5:]))

    def update(self, x, y):
        _SEEN.append(y)


@wrong_learner("begin-forgets")
class RemembersTheMatchBefore(Single):
    history = ()

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bias = float(sum(self.history))

    def update(self, x, y):
        super().update(x, y)
        self.history = (*self.history, y)

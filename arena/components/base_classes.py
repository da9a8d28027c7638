"""Base classes of learners that play round by round, and of learners that know the whole sequence beforehand.

The rounds of a learner whose every decision depends on the predictions before it cannot be played as matrix algebra.
But kernels can be computed in blocks: between its atoms and the points that come next, and of those points among each
other (theory D4, D6). Then a round costs a few short vector operations.
"""

from __future__ import annotations

import abc
from typing import Generic, Protocol, TypeVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.learner import Learner

BLOCK = 128  # points whose kernels are computed together


class Foreseeing(Protocol):
    """A function with the kernels and values at the points that come next computed beforehand."""

    @property
    def gram(self) -> Array:
        """The kernels of the points that come next among each other."""

    def __len__(self) -> int:
        """The number of atoms."""

    def at(self, X: Array) -> Array:
        """The values at these rows."""

    def look_at(self, X: Array) -> None:
        """Compute the kernels, and whatever else is needed, of the points that come next."""

    def value(self, i: int) -> float:
        """The value at the i-th of the points that come next."""


Function = TypeVar("Function", bound=Foreseeing)


class SequentialLearner(Learner, Generic[Function]):
    """A learner with one rule, `learn`, for single rounds and for blocks. Its `begin` must make `function`."""

    function: Function

    @abc.abstractmethod
    def learn(self, i: int, prediction: float, y: float) -> None:
        """Learn from the label y at x_i, the i-th of the points that come next; `prediction` was the value there."""

    def peek(self, X: Array) -> Array:
        return self.function.at(X)

    def update(self, x: Array, y: float) -> None:
        self.play_block(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        blocks = [self.play_block(X[i : i + BLOCK], y[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    @property
    def dictionary_size(self) -> int:
        """The number of atoms."""
        return len(self.function)

    def play_block(self, X: Array, y: Array) -> Array:
        """Compute the kernels of these points together, then predict and learn one by one."""
        function, predictions = self.function, np.empty(len(X))
        function.look_at(X)
        for i, label in enumerate(y.tolist()):
            predictions[i] = prediction = function.value(i)
            self.learn(i, prediction, label)
        return predictions


class WholeSequenceLearner(Learner):
    """A learner whose single `replay` plays all rounds; it plays against oblivious adversaries only."""

    foresight = True

    def update(self, x: Array, y: float) -> None:
        raise ArenaError(f"{self.name} plays whole sequences, known beforehand, through replay(X, y)")

"""Learners whose every decision depends on the predictions before it.

Such a learner cannot be played in blocks of matrix algebra, but the kernels can be computed in blocks: between its
atoms and the points that come next, and those points among each other (theory D4, D6). Afterwards a round costs a few
short vector operations.
"""

from __future__ import annotations

import abc
from typing import Generic, Protocol, TypeVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.learner import Learner

BLOCK = 128  # points that are looked at together


class Foreseeing(Protocol):
    """A function that knows which points come next, their kernels among each other, and its values there."""

    @property
    def gram(self) -> Array:
        """The kernels of the points that come next among each other."""

    def __len__(self) -> int:
        """The number of atoms."""

    def at(self, X: Array) -> Array:
        """The values at these rows."""

    def look_at(self, X: Array) -> None:
        """These points come next."""

    def value(self, i: int) -> float:
        """The value at the i-th of the points that come next."""


Function = TypeVar("Function", bound=Foreseeing)


class SequentialLearner(Learner, Generic[Function]):
    """A learner with one rule, `learn`, for single rounds and for blocks; `begin` makes `function`."""

    function: Function

    @abc.abstractmethod
    def learn(self, i: int, prediction: float, y: float) -> None:
        """The label at the i-th point that the function looks at was y, and `prediction` was the function's value."""

    def peek(self, X: Array) -> Array:
        """The function at each row."""
        return self.function.at(X)

    def update(self, x: Array, y: float) -> None:
        """One round by the rule."""
        self.play_block(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        """The same rounds, with the kernels of a block computed together."""
        blocks = [self.play_block(X[i : i + BLOCK], y[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    @property
    def dictionary_size(self) -> int:
        """The number of atoms."""
        return len(self.function)

    def play_block(self, X: Array, y: Array) -> Array:
        """Look at these points together, then apply the rule to one after the other."""
        function, predictions = self.function, np.empty(len(X))
        function.look_at(X)
        for i, label in enumerate(y.tolist()):
            predictions[i] = prediction = function.value(i)
            self.learn(i, prediction, label)
        return predictions


class WholeSequenceLearner(Learner):
    """A learner whose one `replay` is given all rounds; it plays against oblivious adversaries only."""

    foresight = True

    def update(self, x: Array, y: float) -> None:
        """Refused: there is nothing to add to a sequence that is known."""
        raise ArenaError(f"{self.name} plays whole sequences, known beforehand, through replay(X, y)")

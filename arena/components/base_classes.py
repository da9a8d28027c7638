"""Base classes of learners that play round by round, and of learners that need the whole sequence beforehand.

Learners that play round by round compute the kernels of a whole block of points at once (theory D4, D6).
"""

from __future__ import annotations

import abc
from typing import Generic, Protocol, TypeVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.learner import Learner

BLOCK = 128  # points whose kernels are computed together


class BlockFunction(Protocol):
    """Interface of a function in an RKHS that computes the kernels of a block of points together."""

    @property
    def gram(self) -> Array:
        """The kernel matrix of the current block: k(x_i, x_j) for the rows of the `X` last given to `look_at`."""

    def __len__(self) -> int:
        """Return the number of atoms."""

    def at(self, X: Array) -> Array:
        """Return the function's values at the rows of `X`."""

    def look_at(self, X: Array) -> None:
        """Make the rows of `X` the current block: compute their kernels and the function's values there."""

    def value(self, i: int) -> float:
        """Return the function's value at x_i, row `i` of the block given to `look_at`."""


Function = TypeVar("Function", bound=BlockFunction)


class SequentialLearner(Learner, Generic[Function]):
    """Base class of learners that play round by round: a subclass defines `learn`, the rule of one round.

    The subclass's `begin` must set the attribute `function`, whose values are the predictions.
    """

    function: Function

    @abc.abstractmethod
    def learn(self, i: int, prediction: float, y: float) -> None:
        """Learn from the label `y` and the `prediction` at x_i, row `i` of the block given to `look_at`."""

    def peek(self, X: Array) -> Array:
        return self.function.at(X)

    def update(self, x: Array, y: float) -> None:
        self.play_block(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        blocks = [self.play_block(X[i : i + BLOCK], y[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    @property
    def dictionary_size(self) -> int:
        """The number of atoms of the learner's function."""
        return len(self.function)

    def play_block(self, X: Array, y: Array) -> Array:
        """Play one round for each row of `X`, and return the predictions."""
        function, predictions = self.function, np.empty(len(X))
        function.look_at(X)
        for i, label in enumerate(y.tolist()):
            predictions[i] = prediction = function.value(i)
            self.learn(i, prediction, label)
        return predictions


class WholeSequenceLearner(Learner):
    """Base class of learners that need the whole sequence beforehand: they play all rounds in one call of `replay`.

    Such a learner can play only against oblivious adversaries.
    """

    foresight = True

    def update(self, x: Array, y: float) -> None:
        raise ArenaError(f"{self.name} plays whole sequences, known beforehand, through replay(X, y)")

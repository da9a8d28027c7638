"""Learners that train another learner on the first rounds and test it on the later rounds."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.players.learner import Learner, as_learner
from arena.specs.parameters import parameter

ROWS = 4096  # points whose predictions are computed at once


@dataclass
class Wrapped(Learner):
    """Base class of learners that pass their calls on to a copy of another learner, `of`."""

    cost: ClassVar[str] = "that of the other learner"

    of: Learner = parameter(None, "the other learner")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.of = as_learner(self.of)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.playing = copy.deepcopy(self.of)
        self.playing.begin(game, rng)

    def reveal(self, x: Array) -> None:
        self.playing.reveal(x)

    def peek(self, X: Array) -> Array:
        return self.playing.peek(X)

    def update(self, x: Array, y: float) -> None:
        self.playing.update(x, y)

    def replay(self, X: Array, y: Array) -> Array:
        return self.playing.replay(X, y)

    @property
    def dictionary_size(self) -> int | None:
        """The size of the dictionary of the other learner `of`; None if it has no dictionary."""
        return self.playing.dictionary_size


@dataclass
class Frozen(Wrapped):
    """Learner that plays as another learner, and stops learning after `after` rounds; the later rounds are a test."""

    name: ClassVar[str] = "frozen"

    after: int = parameter(1, "rounds of training", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.played = 0

    def reveal(self, x: Array) -> None:
        if self.played < self.after:
            self.playing.reveal(x)

    def update(self, x: Array, y: float) -> None:
        self.played += 1
        if self.played <= self.after:
            self.playing.update(x, y)

    def replay(self, X: Array, y: Array) -> Array:
        train = max(min(self.after - self.played, len(y)), 0)
        self.played += len(y)
        parts = [self.playing.replay(X[:train], y[:train])] if train else []
        parts += [self.playing.peek(X[start : start + ROWS]) for start in range(train, len(X), ROWS)]
        return np.concatenate(parts) if parts else np.empty(0)


@dataclass
class Trained(Frozen):
    """Learner that trains a batch learner, `of`, in `after` rounds; the trained learner then predicts all rounds.

    So the training rounds, too, are predicted with what was learned from them.
    """

    name: ClassVar[str] = "trained"
    foresight = True

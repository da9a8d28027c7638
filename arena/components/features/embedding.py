"""Base class of embeddings, which are finitely many features whose inner products approximate the kernel."""

from __future__ import annotations

import abc
import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.specs.parameters import Configured

MOST_FEATURES = 20_000  # a matrix of this width takes 3 GB


@dataclass(unsafe_hash=True)
class Embedding(Configured, abc.ABC):
    """Base class of embeddings; a subclass is a dataclass whose fields are its parameters.

    `begin` chooses the features for a game, and `features` computes them. `begun` does not change the embedding: it
    returns a copy whose features are chosen.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    within: ClassVar[bool] = True  # True if the features are orthonormal functions in the kernel's RKHS

    @abc.abstractmethod
    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Choose the features for `game`. All randomness must come from `rng`."""

    @property
    @abc.abstractmethod
    def dimension(self) -> int:
        """The number of features; it is known after `begin`."""

    @abc.abstractmethod
    def features(self, X: Array) -> Array:
        """Return the features of each row of `X`, in one row each."""

    def evidence(self) -> Mapping[str, Any]:
        """Return named arrays from which theorems can compute the features again."""
        return {}

    def begun(self, game: Game, rng: np.random.Generator) -> Self:
        """Return a copy of this embedding for which `begin` has chosen features for `game`.

        Raise an `ArenaError` if there would be more than 20,000 features.
        """
        embedding = copy.copy(self)
        embedding.begin(game, rng)
        if embedding.dimension > MOST_FEATURES:
            raise ArenaError(
                f"{self.name} would have {embedding.dimension} features in dimension {game.dimension}, "
                f"and {MOST_FEATURES} are allowed: ask for fewer"
            )
        return embedding

"""What the adapters have in common."""

from __future__ import annotations

import abc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from arena.game.game import Game
from arena.players.learner import Learner


class Adapter(Learner, abc.ABC):
    """A learner that plays for a model of another library.

    The model that was given, `guest`, is never touched: each match trains a fresh copy of it.
    """

    def __init__(self, guest: Any):
        self.guest = guest

    @staticmethod
    @abc.abstractmethod
    def fits(thing: Any) -> bool:
        """Whether this adapter can play for the thing."""

    @staticmethod
    @abc.abstractmethod
    def why_not(thing: Any) -> str:
        """Why a model of this library cannot play; empty for all else."""

    @abc.abstractmethod
    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Make the fresh copy; a seed that the user left open is drawn from `rng`."""


def has_methods(thing: Any, *names: str) -> bool:
    """Whether an object (not a class) has these methods."""
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in names)


def draw_seed(rng: np.random.Generator) -> int:
    """A seed as every library takes it."""
    return int(rng.integers(2**31))


@contextmanager
def quiet() -> Iterator[None]:
    """Warnings neither end a match nor flood the terminal; what is wrong shows in the predictions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

"""The base class of adapters, and functions that they share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from arena.adapters.signs import Signs
from arena.players.learner import Learner


class Adapter(Learner):
    """A learner that plays for a model of another library, with the interface of `arena.specs.adapting.Adapts`.

    The model that was given, `guest`, is never changed: `begin` makes a fresh copy of it, whose open seeds are drawn
    from the match's generator.
    """

    signs: Signs | None = None  # of a classifier, made by `begin`

    def __init__(self, guest: Any):
        self.guest = guest

    @property
    def remark(self) -> str:
        return self.signs.remark if self.signs else ""


def has_methods(thing: Any, *names: str) -> bool:
    """Whether an object (not a class) has these methods."""
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in names)


def draw_seed(rng: np.random.Generator) -> int:
    """A seed in the range that every library accepts."""
    return int(rng.integers(2**31))


@contextmanager
def quiet() -> Iterator[None]:
    """Context manager: warnings are ignored, so that they neither end a match nor flood the terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

"""The base class of adapters, and functions that several adapters call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from arena.adapters.promises import promised
from arena.adapters.signs import Signs
from arena.players.learner import Learner


class Adapter(Learner):
    """Base class of learners that play for a model of another library.

    `given` is the user's model, which is never changed: if it learns, `begin` makes a copy of it for the match. If the
    model leaves a seed at None, the copy gets a seed from the match's random generator. A subclass must define `fits`,
    which returns whether the subclass can play for a given object (`arena.specs.adapting.Adapts`).
    """

    signs: Signs | None = None  # None unless the model is a classifier; made by `begin`

    def __init__(self, given: Any):
        self.given = given

    @staticmethod
    def why_not(_: Any, /) -> str:
        """Return "", which means no explanation; subclasses explain why a model of their library cannot play."""
        return ""

    @property
    def theorems(self) -> tuple[Any, ...]:
        return promised(self.given, scaled=self.signs is not None and self.signs.score_unit != 1.0)

    @property
    def remark(self) -> str:
        return self.signs.remark if self.signs else ""


def has_methods(thing: Any, *names: str) -> bool:
    """Return whether an object (not a class) has these methods."""
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in names)


def draw_seed(rng: np.random.Generator) -> int:
    """Return a random seed from the range that every library accepts."""
    return int(rng.integers(2**31))


@contextmanager
def quiet() -> Iterator[None]:
    """Context manager: inside the block, warnings are ignored."""
    # warnings could end a match or fill the terminal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

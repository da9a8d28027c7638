"""The adapter of plain functions of a point: fixed predictors, such as a rule or a trained model."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from arena.adapters.base import Adapter, quiet
from arena.arrays import Array
from arena.players.referee import ask, legal_prediction
from arena.specs.adapting import adapter
from arena.specs.building import is_rule


@adapter
class FunctionAdapter(Adapter):
    """A learner that plays for a function of a point: it predicts the value of the function, and learns nothing.

    >>> from arena import play
    >>> play(lambda x: 0.5, "alternating", rounds=2).predictions.tolist()
    [0.5, 0.5]
    """

    @staticmethod
    def fits(thing: Any) -> bool:
        """Return whether `thing` can be called with one argument; further arguments must have defaults."""
        return is_rule(thing)

    @staticmethod
    def why_not(thing: Any) -> str:
        """Return the reason why `thing`, a function that does not fit, cannot play; "" if `thing` is no function."""
        if not inspect.isroutine(thing):
            return ""
        return (
            "a function plays if it needs one argument, the point, and returns the prediction; one that needs none "
            "makes the learner"
        )

    def peek(self, X: Array) -> Array:
        with quiet():
            return np.array([legal_prediction(ask("learner", self.given, x)) for x in X])

    def update(self, x: Array, y: float) -> None:
        """Learn nothing: a function has no state."""

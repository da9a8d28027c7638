"""The adapter of padasip: adaptive filters, which learn one labelled point at a time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.adapters.base import Adapter, has_methods, quiet
from arena.adapters.calls import Calls
from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.specs.adapting import adapter


@adapter
class PadasipAdapter(Adapter):
    """A learner that plays for a filter of padasip, an object with `adapt(d, x)`, `predict(x)` and weights `w`.

    Each match begins with a copy of the given filter. Specs should have `w=zeros`: padasip draws "random" weights from
    NumPy's global generator, and two filters of the same spec would differ.
    """

    @staticmethod
    def fits(thing: Any) -> bool:
        """Return whether `thing` has `adapt`, `predict` and a vector of weights."""
        return has_methods(thing, "adapt", "predict") and np.ndim(getattr(thing, "w", 0.0)) == 1

    @staticmethod
    def calls(_: Any, _names: Sequence[str], /) -> Calls:
        """Return the code that plays a round with a filter, for standalone scripts."""
        return Calls("row = np.array(x)", "model.predict(row)", "model.adapt(y, row)", ("import numpy as np",))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        weights = len(self.given.w)
        if weights != game.dimension:
            name = type(self.given).__name__
            raise ArenaError(
                f"{name} has {weights} weights, and the points have {game.dimension} coordinates: "
                f"write {name}(n={game.dimension}), or `dimension={weights}`"
            )
        self.model = copy.deepcopy(self.given)

    def peek(self, X: Array) -> Array:
        with quiet():
            return np.array([float(self.model.predict(x)) for x in X])

    def update(self, x: Array, y: float) -> None:
        with quiet():
            self.model.adapt(y, x.copy())

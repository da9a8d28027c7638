"""An easy sequence with a few labels that are utterly wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries.alternating import default_point
from arena.adversaries.scripted import Scripted
from arena.arrays import Array
from arena.game import Game
from arena.parameters import parameter


@dataclass
class Outlier(Scripted):
    """One point with the label B, but for every so-manieth round with -B: an easy sequence with a few outliers.

    The comparator pays for the outliers alone; a learner with large steps pays again on the way back. Any loss.
    """

    name: ClassVar[str] = "outlier"
    paper: ClassVar[str] = "folklore"
    cost: ClassVar[str] = "O(d) a round"

    every: int = parameter(3, "the distance between outliers", at_least=2)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Fix the point."""
        self.x, self.bound = default_point(game), game.label_bound

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        """By the number of the round."""
        wrong = rounds % self.every == self.every - 1
        return np.tile(self.x, (len(rounds), 1)), np.where(wrong, -self.bound, self.bound)

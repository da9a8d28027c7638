"""Labels that are the values of a function in the RKHS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.odd_function import OddFunction
from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array, GrowingArray
from arena.game.game import Game

PORTION = 256  # rounds that are drawn together


@dataclass
class Realisable(Scripted):
    """Plays random points, labelled by a function in the RKHS that varies along every coordinate.

    The comparator loses next to nothing. A learner that ignores a coordinate, or every second round, goes on losing
    until the end of the match. Any loss is allowed.
    """

    name: ClassVar[str] = "realisable"
    formula: ClassVar[str] = r"$y_t = f(x_t)$ for one $f$ of the RKHS"
    paper: ClassVar[str] = "the realisable case of every textbook"
    cost: ClassVar[str] = "O(d^2) a round"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.function = OddFunction(game, rng)
        self.points, self.labels = GrowingArray((game.dimension,)), GrowingArray()

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        # portions of fixed size, so that the points do not depend on the number of rounds of a call
        while len(self.labels) <= rounds[-1]:
            X = self.rng.uniform(self.game.low, self.game.high, size=(PORTION, self.game.dimension))
            self.points.extend(X)
            self.labels.extend(self.function(X))
        return self.points.view()[rounds], self.labels.view()[rounds]

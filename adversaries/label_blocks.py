"""One point whose label changes after each block of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.chosen_points import default_point
from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array
from arena.game.game import Game
from arena.specs.parameters import parameter


@dataclass
class LabelBlocks(Scripted):
    """Plays one point, with the label B for a block of rounds, then -B for as many rounds, and so on.

    A learner that predicts the average of the last m labels is wrong during nearly all of a block of m rounds: its
    average is the block's label only at the end (theory F10). Any loss is allowed.
    """

    name: ClassVar[str] = "label-blocks"
    formula: ClassVar[str] = r"$x_t = x_1$, $y_t = (-1)^{\lfloor (t - 1) / m \rfloor} B$"
    paper: ClassVar[str] = "theory F10, against the memory of Le, Nguyen and Phung 2022"
    cost: ClassVar[str] = "O(d) a round"

    length: int = parameter(100, "rounds of a block", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.x, self.bound = default_point(game), game.label_bound

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        return np.tile(self.x, (len(rounds), 1)), np.where(rounds // self.length % 2, -self.bound, self.bound)

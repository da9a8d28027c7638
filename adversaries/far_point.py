"""The corner of the box farthest from zero, where expansions around zero are worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array
from arena.game.game import Game


@dataclass
class FarPoint(Scripted):
    """Plays the corner farthest from zero, always with the label B.

    This is the easiest of all sequences, but not for features that are expansions around zero. Taylor features of the
    Gaussian kernel up to degree M keep only the share q = P(Poisson(|x|^2 / s^2) <= M) of this point's squared norm in
    the RKHS, where s is the bandwidth. So a learner on these features loses B^2 a round for about lambda / q rounds
    (theory F5). Any loss is allowed.
    """

    name: ClassVar[str] = "far-point"
    formula: ClassVar[str] = r"$x_t = \operatorname{argmax}_x \lVert x \rVert$, $y_t = B$"
    paper: ClassVar[str] = "theory F5, against the Taylor features of Jezequel, Gaillard and Rudi 2019"
    cost: ClassVar[str] = "O(d) a round"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)
        self.bound = game.label_bound

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        return np.tile(self.corner, (len(rounds), 1)), np.full(len(rounds), self.bound)

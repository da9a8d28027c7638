"""Points that are played for a while, one after the other, and then never again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.chosen_points import labelled_points
from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array
from arena.game.game import Game
from arena.specs.parameters import parameter


@dataclass
class Drift(Scripted):
    """Plays one place for a while, always with the same label, and then moves on to the next place.

    A place is a point of the box. The comparator can fit the labels of all places. A learner cannot learn the later
    places if it keeps only the first points in its dictionary, or if its steps become small. Any loss is allowed.
    """

    name: ClassVar[str] = "drift"
    paper: ClassVar[str] = "Kivinen, Smola and Williamson 2004 discuss drifting targets"
    cost: ClassVar[str] = "O(d) a round, O(places^2 d) once"

    places: int = parameter(50, "how many places are visited in the course of the match", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.set, self.signs = labelled_points(game, self.places, rng)
        self.stay = max(-(-game.rounds // self.places), 1)

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        which = rounds // self.stay % self.places
        return self.set[which], self.signs[which]

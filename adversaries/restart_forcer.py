"""Makes a learner that restarts forget what it knew best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries.alternating import default_point
from arena.adversaries.scripted import FreshPoints, Scripted
from arena.arrays import Array
from arena.game import Game
from arena.parameters import parameter


@dataclass
class RestartForcer(Scripted):
    """An anchor with the label B for a few rounds, then a fresh point with the label 0, and so on; any loss.

    The fresh points cost the comparator nothing, but each one that is accepted into the dictionary of PROS-N-KONS makes
    it forget the anchor: the regret is about B^2 for every restart (theory F8).
    """

    name: ClassVar[str] = "restart-forcer"
    paper: ClassVar[str] = "theory F8, against Calandriello, Lazaric and Valko 2017 (NIPS)"
    cost: ClassVar[str] = "O(d) a round for each of 2500 points in a pool"

    anchored: int = parameter(1, "rounds at the anchor before each fresh point", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """The anchor, and points far from it."""
        self.anchor, self.bound = default_point(game), game.label_bound
        self.fresh = FreshPoints(game, rng, start=self.anchor)

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        """By the place in the period."""
        period = self.anchored + 1
        fresh = rounds % period == self.anchored
        points = [self.fresh[int(t) // period] if new else self.anchor for t, new in zip(rounds, fresh, strict=True)]
        return np.array(points), np.where(fresh, 0.0, self.bound)

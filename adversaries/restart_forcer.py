"""Fresh points that make a learner with restarts forget one point again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import default_point, fresh_points
from arena.arrays import Array, clearly_above
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class RestartForcer(Adversary):
    """Plays an anchor point for a few rounds, then a fresh point with the label 0, then the anchor again.

    The fresh points cost the comparator nothing, but PROS-N-KONS forgets the anchor with each fresh point that it
    accepts into its dictionary (theory F8). With `contrary` the anchor's label is B or -B, with the sign opposite to
    the prediction. This label costs a learner most right after a restart, when the learner's steps are largest. Without
    `contrary` the anchor's label is always B. Any loss is allowed.
    """

    name: ClassVar[str] = "restart-forcer"
    paper: ClassVar[str] = "theory F8, against Calandriello, Lazaric and Valko 2017 (NIPS)"
    cost: ClassVar[str] = "O(d) a round for each of 2500 points in a pool"

    anchored: int = parameter(3, "rounds at the anchor before each fresh point", at_least=1)
    contrary: bool = parameter(True, "labels at the anchor contradict the predictions; otherwise they are all B")

    @property
    def oblivious(self) -> bool:
        return not self.contrary

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.anchor, self.bound = default_point(game), game.label_bound
        self.fresh = fresh_points(game, rng, start=self.anchor)

    def point(self, view: View) -> Array:
        period, place = divmod(view.round - 1, self.anchored + 1)
        return self.anchor if place < self.anchored else self.fresh[period]

    def label(self, view: View, x: Array, prediction: float) -> float:
        if (view.round - 1) % (self.anchored + 1) == self.anchored:
            return 0.0
        return -self.bound if self.contrary and clearly_above(prediction, 0.0, scale=self.bound) else self.bound

"""A set of points that is repeated, with more points than some learners can keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.adversaries._shared.chosen_points import labelled_points
from arena.arrays import Array, clearly_above
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import FixedDictionary


@dataclass
class Repeated(Adversary):
    """Cycles through a set of well-separated points, which a learner with a smaller budget cannot keep.

    The labels are `fixed` (a random sign for each point), `alternating` (the sign of each point changes at each visit)
    or `contrary` (the sign is opposite to the prediction, which makes the adversary adaptive).
    """

    name: ClassVar[str] = "repeated"
    paper: ClassVar[str] = "Le et al. 2022 and Calandriello et al. 2017 discuss budgets that such a set exceeds"
    cost: ClassVar[str] = "O(d) a round, O(points^2 d) once"

    points: int = parameter(100, "size of the set", at_least=1)
    labels: Literal["fixed", "alternating", "contrary"] = parameter("fixed", "how labels are chosen")

    @property
    def lower_bounds(self) -> Sequence[Theorem]:
        return (FixedDictionary(),) if self.labels == "fixed" else ()

    @property
    def oblivious(self) -> bool:
        return self.labels != "contrary"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.set, self.signs = labelled_points(game, self.points, rng)
        self.bound = game.label_bound

    def point(self, view: View) -> Array:
        return np.asarray(self.set[(view.round - 1) % self.points])

    def label(self, view: View, x: Array, prediction: float) -> float:
        visit, which = divmod(view.round - 1, self.points)
        if self.labels == "contrary" and clearly_above(abs(prediction), 0.0, scale=self.bound):
            return -self.bound if prediction > 0 else self.bound
        flipped = self.labels == "alternating" and visit % 2
        return float(-self.signs[which] if flipped else self.signs[which])

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        visit, which = np.divmod(np.arange(view.round - 1, view.round - 1 + rounds), self.points)
        flipped = (visit % 2 == 1) & (self.labels == "alternating")
        return self.set[which], np.where(flipped, -self.signs[which], self.signs[which])

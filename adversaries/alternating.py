"""One point, with the labels B and -B in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import given_or_default
from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import Followers


@dataclass
class Alternating(Adversary):
    """Plays one point, with the labels B and -B in turn.

    The comparator stays near zero, and a learner that follows the labels loses. On this sequence the bound of the
    Azoury-Warmuth-Vovk forecaster is tight (theory F2). Any loss is allowed.
    """

    name: ClassVar[str] = "alternating"
    formula: ClassVar[str] = r"$x_t = x_1$, $y_t = (-1)^{t+1} B$"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 use it to motivate PROS-N-KONS"
    cost: ClassVar[str] = "O(d) a round"
    oblivious = True
    lower_bounds: ClassVar[Sequence[Theorem]] = (Followers(),)

    at: Sequence[float] | None = parameter(
        None, "the point (none: the middle of the box, or a corner if k(x, x) = 0 there)"
    )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.x = given_or_default("alternating", game, self.at)
        self.bound = game.label_bound

    def point(self, view: View) -> Array:
        return self.x

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.bound if view.round % 2 else -self.bound

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        numbers = np.arange(view.round, view.round + rounds)
        return np.tile(self.x, (rounds, 1)), np.where(numbers % 2, self.bound, -self.bound)

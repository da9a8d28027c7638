"""A fixed set of points; each round plays the point of the set at which the learner loses most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import labelled_points
from arena.arrays import Array, first_best
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class FeatureBlind(Adversary):
    """Plays, out of a fixed set of points with fixed labels, the point at which the learner loses most.

    The points of the set are far from one another, and the comparator can fit all their labels. A learner on fixed
    random features cannot learn the part of a function that lies outside the span of its features. The learner's `peek`
    shows at which points of the set this part is large. Any loss is allowed.
    """

    name: ClassVar[str] = "feature-blind"
    formula: ClassVar[str] = (
        r"$x_t = \operatorname{argmax}_{x \in S} \ell(\hat y(x), y(x))$, $S$ a set of distant points, $y(x) = \pm B$"
    )
    paper: ClassVar[str] = "the argument of Jezequel, Gaillard and Rudi 2019, section 3, against too few features"
    cost: ClassVar[str] = "one prediction a round for each point of the set"

    points: int = parameter(100, "size of the set", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        self.set, self.signs = labelled_points(game, self.points, rng)

    def point(self, view: View) -> Array:
        losses = self.game.loss.value(view.peek(self.set), self.signs)
        self.which = int(first_best(losses))
        return np.asarray(self.set[self.which])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return float(self.signs[self.which])

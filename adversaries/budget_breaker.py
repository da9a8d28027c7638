"""A growing set of points; each round plays the point of the set at which the learner loses most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import fresh_points
from arena.arrays import Array, first_best
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import FixedDictionary


@dataclass
class BudgetBreaker(Adversary):
    """Plays, out of a growing set of points with fixed labels, the point at which the learner loses most.

    The points of the set are far from one another. A learner with a budget of n points cannot keep a set of n + 1
    points. When the learner predicts all points of the set well, the set grows by half, so the adversary need not know
    the budget. If the learner reports the size m of its dictionary, the set then grows to at least min(m, T / 4) + 1
    points. Any loss is allowed.
    """

    name: ClassVar[str] = "budget-breaker"
    formula: ClassVar[str] = (
        r"$x_t = \operatorname{argmax}_{x \in S} \ell(\hat y(x), y(x))$, $S$ a set of distant points, $y(x) = \pm B$"
    )
    paper: ClassVar[str] = "Sleator and Tarjan 1985, for caches; Dekel, Shalev-Shwartz and Singer 2008, for budgets"
    cost: ClassVar[str] = "one prediction a round for each point of the set, O(d) for each of 2500 points in a pool"

    lower_bounds: ClassVar[Sequence[Theorem]] = (FixedDictionary(),)

    first: int = parameter(2, "points of the first set", at_least=1)
    largest: int = parameter(2500, "points of the largest set", at_least=1)
    learnt: float = parameter(0.25, "share of the loss of zero below which a point counts as learnt", above=0)
    beyond: bool = parameter(True, "make the set larger than the dictionary of a learner that reports its size")

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.fresh = game, fresh_points(game, rng)
        size = min(self.largest, len(self.fresh.pool))
        self.signs = game.label_bound * np.where(rng.random(size) < 0.5, -1.0, 1.0)
        self.size = min(self.first, len(self.signs))

    def point(self, view: View) -> Array:
        signs = self.signs[: self.size]
        losses = self.game.loss.value(view.peek(self.fresh.first(self.size)), signs)
        self.which = int(first_best(losses))
        if losses[self.which] < self.learnt * float(self.game.loss.value(0.0, signs[self.which])):
            # the learner predicts all points of the set well, so a new one is played, and the set grows by half
            self.which = self.size % len(self.signs)
            reported = view.dictionary_size if self.beyond else None
            wanted = max(self.size + max(self.size // 2, 1), min(reported or 0, self.game.rounds // 4) + 1)
            self.size = min(wanted, len(self.signs))
        return self.fresh[self.which]

    def label(self, view: View, x: Array, prediction: float) -> float:
        return float(self.signs[self.which])

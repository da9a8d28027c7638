"""A cycle of points that is just too long for the learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries.scripted import FreshPoints
from arena.adversary import Adversary
from arena.arrays import Array
from arena.game import Game
from arena.parameters import parameter
from arena.view import View


@dataclass
class BudgetBreaker(Adversary):
    """Cycles through distant points with fixed labels, and makes the cycle longer once the learner has learnt it.

    It asks for nothing but the predictions that were made: in a cycle where the learner lost less than a share of what
    zero would have lost, all points fit into its memory, and half as many are added. A learner that removes the oldest
    of its points, or one that keeps the first, is lost as soon as the cycle is longer than its budget (theory F4). If
    the learner says how large its dictionary is and it has stopped growing, the cycle is made longer than that at once.
    """

    name: ClassVar[str] = "budget-breaker"
    paper: ClassVar[str] = "theory F4; Dekel, Shalev-Shwartz and Singer 2008 show that B + 1 points suffice"
    cost: ClassVar[str] = "O(d) a round for each of 2500 points in a pool"

    first: int = parameter(2, "points of the first cycle", at_least=1)
    learnt: float = parameter(0.5, "the share of the loss of zero below which a cycle counts as learnt", above=0)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """A short cycle."""
        self.game, self.fresh = game, FreshPoints(game, rng)
        self.signs = game.label_bound * np.where(rng.random(len(self.fresh.pool)) < 0.5, -1.0, 1.0)
        self.length, self.place, self.visits = self.first, 0, 0
        self.size: int | None = None

    def point(self, view: View) -> Array:
        """The next of the cycle."""
        if self.place == self.length:
            self.visits += 1
            self._lengthen(view)
            self.place = 0
        self.place += 1
        return self.fresh[self.place - 1]

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The point's own."""
        return float(self.signs[(self.place - 1) % len(self.signs)])

    def _lengthen(self, view: View) -> None:
        """Once the cycle is learnt: past the dictionary if it has stopped growing, else by half."""
        size = view.dictionary_size
        last = slice(-self.length, None)
        lost = float(self.game.loss.value(view.predictions[last], view.labels[last]).sum())
        trivial = float(self.game.loss.value(0.0, view.labels[last]).sum())
        if self.visits > 1 and lost < self.learnt * trivial:
            self.length += max(self.length // 2, 1)
            self.visits = 0

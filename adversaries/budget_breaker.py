"""The point that the learner has just thrown away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.scripted import FreshPoints
from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class BudgetBreaker(Adversary):
    """Of a set of distant points with fixed labels the one at which the learner is worst; any loss.

    A learner that keeps B points has none left for one point of a set of B + 1, and is asked for just that one, like a
    cache for the page that it does not hold. The budget need not be known: the set grows by half as soon as the learner
    knows all of it, and beyond a dictionary of whose size it tells.
    """

    name: ClassVar[str] = "budget-breaker"
    paper: ClassVar[str] = "Sleator and Tarjan 1985, for caches; Dekel, Shalev-Shwartz and Singer 2008, for budgets"
    cost: ClassVar[str] = "one prediction a round for each point of the set, O(d) for each of 2500 points in a pool"

    first: int = parameter(2, "points of the first set", at_least=1)
    largest: int = parameter(2500, "points of the largest set", at_least=1)
    learnt: float = parameter(0.25, "share of the loss of zero below which a point counts as known", above=0)
    beyond: bool = parameter(True, "make the set larger than the dictionary of a learner that tells its size")

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """A small set."""
        self.game, self.fresh = game, FreshPoints(game, rng)
        size = min(self.largest, len(self.fresh.pool))
        self.signs = game.label_bound * np.where(rng.random(size) < 0.5, -1.0, 1.0)
        self.size = min(self.first, len(self.signs))

    def point(self, view: View) -> Array:
        """The worst of the set, or a new one if none is bad."""
        signs = self.signs[: self.size]
        losses = self.game.loss.value(view.peek(self.fresh.first(self.size)), signs)
        self.which = int(np.argmax(losses))
        if losses[self.which] < self.learnt * float(self.game.loss.value(0.0, signs[self.which])):
            self.which = self.size % len(self.signs)  # it knows all of them
            self._grow(view)
        return self.fresh[self.which]

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The point's own."""
        return float(self.signs[self.which])

    def _grow(self, view: View) -> None:
        """By half, and beyond the learner's dictionary."""
        told = view.dictionary_size if self.beyond else None
        wanted = max(self.size + max(self.size // 2, 1), min(told or 0, self.game.rounds // 4) + 1)
        self.size = min(wanted, len(self.signs))

"""Switches between other adversaries and stays with what works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.other import arranged, the_adversary
from arena.adversaries.greedy import squared_loss_only
from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Mixture(Adversary):
    """A bandit over other adversaries: each plays a stretch of rounds, then the next is chosen by regret per round.

    The change of the regularised regret is known after every round (theory F1), so a stretch has a value; the upper
    confidence bound of the latest values chooses (Auer et al. 2002, with values that are forgotten as the learner
    changes). An oblivious adversary sees the whole match's number of rounds, as if it had played them all.
    """

    name: ClassVar[str] = "mixture"
    paper: ClassVar[str] = "Auer, Cesa-Bianchi and Fischer 2002, UCB1; Garivier and Moulines 2011 for the forgetting"
    cost: ClassVar[str] = "that of the adversary that plays, and O(t^2) a round for the regret"

    of: Sequence[str | Adversary] = parameter(
        ("greedy", "feature-blind", "contrarian", "near-duplicates"), "the adversaries to choose from"
    )
    stretch: int = parameter(20, "rounds that the chosen one plays", at_least=1)
    memory: float = parameter(0.9, "what is left of a stretch's weight after the next", above=0, at_most=1)
    curiosity: float = parameter(0.3, "the weight of what is not known, in units of B^2 a round", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.of:
            raise ArenaError("mixture: of must name at least one adversary, such as of=[greedy, alternating]")
        self._arms = [the_adversary(each) for each in self.of]

    def arrange(self, game: Game) -> Game:
        """What all of them need."""
        return squared_loss_only(self, arranged(self._arms, game))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """All of them begin; none has played."""
        self.game = game
        for arm, own in zip(self._arms, rng.spawn(len(self._arms)), strict=True):
            arm.begin(game, own)
        self.plays, self.values = np.zeros(len(self._arms)), np.zeros(len(self._arms))
        self.arm, self.played, self.gain = 0, 0, 0.0

    def point(self, view: View) -> Array | None:
        """That of the adversary whose stretch it is."""
        if self.played == self.stretch:
            self._settle()
        return self._arms[self.arm].point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        """Its label; what the round has gained is noted."""
        y = self._arms[self.arm].label(view, x, prediction)
        mean, variance = view.posterior(x[np.newaxis])
        weight = self.game.regularisation / (self.game.regularisation + float(variance[0]))
        self.gain += (prediction - y) ** 2 - weight * (y - float(mean[0])) ** 2
        self.played += 1
        return y

    def _settle(self) -> None:
        """Value the stretch that is over and choose who plays the next."""
        self.plays *= self.memory
        self.values *= self.memory
        self.plays[self.arm] += 1.0
        self.values[self.arm] += self.gain / self.stretch / self.game.label_bound**2
        self.played, self.gain = 0, 0.0
        unknown = self.plays < 1e-3
        known = np.maximum(self.plays, 1e-3)
        hope = self.values / known + self.curiosity * np.sqrt(np.log1p(self.plays.sum()) / known)
        self.arm = int(np.flatnonzero(unknown)[0]) if unknown.any() else int(hope.argmax())

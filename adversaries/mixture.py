"""An adversary that switches between other adversaries according to the regret that they cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.named_players import the_adversary
from arena.adversaries._shared.plays_others import PlaysOthers
from arena.adversaries._shared.regret_change import ForSquaredLoss, regret_change
from arena.arrays import Array, first_best
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Mixture(ForSquaredLoss, PlaysOthers):
    """Lets one of several adversaries play some rounds in a row, then chooses the next one by the regret per round.

    A bandit algorithm chooses the adversary with the largest upper confidence bound on the regularised regret that it
    adds per round (theory F1). Older rounds have smaller weights. Each adversary sees all rounds of the match, also
    those that others have played.
    """

    name: ClassVar[str] = "mixture"
    paper: ClassVar[str] = "Auer, Cesa-Bianchi and Fischer 2002, UCB1; Garivier and Moulines 2011 for the forgetting"
    cost: ClassVar[str] = "that of the adversary that plays, and O(t^2) a round for the regret"

    of: Sequence[str | Adversary] = parameter(
        ("greedy", "feature-blind", "contrarian", "near-duplicates"), "the adversaries to choose from"
    )
    stretch: int = parameter(20, "rounds that the chosen one plays", at_least=1)
    memory: float = parameter(
        0.9, "the factor by which a stretch's weight shrinks with each later stretch", above=0, at_most=1
    )
    curiosity: float = parameter(0.3, "the weight of the confidence width, in units of B^2 a round", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.of:
            raise ArenaError("mixture: of must name at least one adversary, such as of=[greedy, alternating]")
        self.others = [the_adversary(each) for each in self.of]

    def arrange(self, game: Game) -> Game:
        return super().arrange(PlaysOthers.arrange(self, game))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        for adversary, own in zip(self.others, rng.spawn(len(self.others)), strict=True):
            adversary.begin(game, own)
        self.plays, self.values = np.zeros(len(self.others)), np.zeros(len(self.others))
        self.playing, self.played, self.gain = 0, 0, 0.0

    def point(self, view: View) -> Array | None:
        if self.played == self.stretch:
            self._settle()
        return self.others[self.playing].point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        y = self.others[self.playing].label(view, x, prediction)
        posterior = view.posterior(x[np.newaxis])
        self.gain += float(regret_change(self.game, np.array([prediction]), *posterior, labels=np.array([y]))[0, 0])
        self.played += 1
        return y

    def _settle(self) -> None:
        """Record the regret per round of the adversary that has just played, and choose the one that plays next."""
        self.plays *= self.memory
        self.values *= self.memory
        self.plays[self.playing] += 1.0
        self.values[self.playing] += self.gain / self.stretch / self.game.label_bound**2
        self.played, self.gain = 0, 0.0
        unknown = self.plays < 1e-3
        known = np.maximum(self.plays, 1e-3)
        hope = self.values / known + self.curiosity * np.sqrt(np.log1p(self.plays.sum()) / known)
        self.playing = int(np.flatnonzero(unknown)[0]) if unknown.any() else int(first_best(hope))

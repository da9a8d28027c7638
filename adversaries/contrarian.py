"""The labels that cost the learner most, at the points of another adversary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.named_players import the_adversary
from arena.adversaries._shared.plays_others import PlaysOthers
from arena.arrays import Array, clearly_above
from arena.game.game import Game
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Contrarian(PlaysOthers):
    """Plays another adversary's points, with the label that costs the learner most.

    This label is -B after a positive prediction, and B after a negative one. If -B and B cost the same, as after the
    prediction 0, the other adversary's label is played. In every other round the learner's loss is at least that of
    the prediction 0 with the label B. Any loss is allowed.
    """

    name: ClassVar[str] = "contrarian"
    formula: ClassVar[str] = r"$y_t = \operatorname{argmax}_{y = \pm B} \ell(\hat y_t, y)$"
    paper: ClassVar[str] = "folklore; Novikoff 1962 for the Perceptron, of which every round is a mistake"
    cost: ClassVar[str] = "that of the source"

    source: object = parameter("alternating", "whose points are taken: an adversary")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._source = the_adversary(self.source)
        self.others = [self._source]

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        self._source.begin(game, rng)

    def point(self, view: View) -> Array | None:
        return self._source.point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        own, bound, loss = self._source.label(view, x, prediction), self.game.label_bound, self.game.loss
        low, high = float(loss.value(prediction, -bound)), float(loss.value(prediction, bound))
        if clearly_above(high, low, scale=high):
            return bound
        return -bound if clearly_above(low, high, scale=low) else own

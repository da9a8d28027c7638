"""Another adversary's moves, in which a small share of the labels is grossly wrong."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.altered import AltersLabels
from arena.arrays import Array, clearly_above
from arena.game.game import Game
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Contaminated(AltersLabels):
    """Plays another adversary's moves, but replaces at most the share `share` of the labels by gross errors, -B or B.

    The wrong label is -B if the prediction is positive, else B. The gain of a round is the learner's loss with the
    wrong label minus the loss with the other adversary's label. In round t the label is replaced if both are true:

    - the gain is at least the (1 - share) quantile of all gains so far;
    - the number of replaced labels, this one included, is at most share * t.

    Any loss is allowed.

    >>> from arena import play
    >>> clean = play("krr", "realisable", rounds=100)
    >>> dirty = play("krr", "contaminated(of=realisable, share=0.1)", rounds=100)
    >>> dirty.loss > clean.loss
    True
    """

    name: ClassVar[str] = "contaminated"
    paper: ClassVar[str] = "Huber 1964, gross errors in a share of the observations"
    cost: ClassVar[str] = "that of the other adversary, and O(log t) a round"

    share: float = parameter(0.05, "the largest share of replaced labels", at_least=0, at_most=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        self._honest.begin(game, rng)
        self.gains: list[float] = []
        self.replaced = 0

    def label(self, view: View, x: Array, prediction: float) -> float:
        honest = self._honest.label(view, x, prediction)
        bound = self.game.label_bound
        wrong = -bound if clearly_above(prediction, 0.0, scale=bound) else bound
        loss = self.game.loss.value
        gain = float(loss(prediction, wrong) - loss(prediction, honest))
        bisect.insort(self.gains, gain)
        rounds = len(self.gains)
        size = float(loss(0.0, bound))  # of the loss, in the unit of which two gains are equal
        quantile = self.gains[math.floor((1.0 - self.share) * (rounds - 1))]
        if self.replaced + 1 > self.share * rounds or clearly_above(quantile, gain, scale=size):
            return honest
        self.replaced += 1
        return wrong

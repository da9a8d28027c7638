"""Points that are drawn independently from a set, as theorems about expected losses assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Drawn(Adversary):
    """Plays points drawn independently from a set; a point's first coordinate decides its label.

    The label is B if the first coordinate is above the middle of the box, and else -B. With probability `noise` the
    label's sign is flipped. Any loss is allowed.

    >>> from arena import play
    >>> run = play("zero", Drawn(points=3), rounds=50)
    >>> len(np.unique(run.points, axis=0)), set(np.abs(run.labels).tolist())
    (3, {1.0})
    """

    name: ClassVar[str] = "drawn"
    paper: ClassVar[str] = "the setting of Le, Nguyen and Phung 2022, Theorem 2"
    cost: ClassVar[str] = "O(d) a round"
    oblivious = True

    points: int = parameter(20, "size of the set", at_least=1)
    noise: float = parameter(0.0, "the probability with which a label is flipped", at_least=0, at_most=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.rng, self.bound, self.middle = rng, game.label_bound, (game.low[0] + game.high[0]) / 2
        self.set = rng.uniform(game.low, game.high, size=(self.points, game.dimension))

    def point(self, view: View) -> Array:
        return np.asarray(self.set[self.rng.integers(self.points)])

    def label(self, view: View, x: Array, prediction: float) -> float:
        flipped = self.rng.random() < self.noise
        return self.bound if (x[0] > self.middle) != flipped else -self.bound

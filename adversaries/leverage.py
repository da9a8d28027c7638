"""The point with the highest ridge leverage given the past points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.search import candidates, improved
from arena.arrays import Array
from arena.game.game import Game
from arena.linalg.posterior import RidgePosterior
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import CoinLabels


@dataclass
class Leverage(Adversary):
    """Plays the point of the highest ridge leverage v / (lambda + v), with a random label.

    Here v is the variance, at the point, of ridge regression on the past. In each round the online dimension grows as
    much as it can, and with it grow the dictionaries and the bounds of second-order learners. Any loss is allowed.
    """

    name: ClassVar[str] = "leverage"
    formula: ClassVar[str] = (
        r"$x_t = \operatorname{argmax}_x \frac{v_{t-1}(x)}{\lambda + v_{t-1}(x)}$, $y_t = \pm B$ by a coin"
    )
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017: the online effective dimension, maximised greedily"
    cost: ClassVar[str] = "O(t^2) a round for each point that it considers, batched"
    oblivious = True
    lower_bounds: ClassVar[Sequence[Theorem]] = (CoinLabels(),)

    starts: int = parameter(256, "points scored in each round", at_least=1, at_most=1_000_000)
    polished: int = parameter(4, "of these, how many are improved by a pattern search", at_least=0, at_most=1000)
    steps: int = parameter(15, "steps of the pattern search", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.past = RidgePosterior(game.kernel, game.regularisation)

    def point(self, view: View) -> Array:
        starts = candidates(view, self.rng, self.starts)
        variance = lambda X: self.past.at(X)[1][:, np.newaxis]
        x = improved(variance, starts, self.game, polished=self.polished, steps=self.steps)
        self.past.append(x, 0.0)
        return x

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.game.label_bound * (1.0 if self.rng.random() < 0.5 else -1.0)

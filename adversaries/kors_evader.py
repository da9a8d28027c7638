"""A point that is replaced as soon as the learner's sampler accepts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import fresh_points
from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class KorsEvader(Adversary):
    """Repeats a point with the label B until the learner's dictionary grows, then plays a fresh point.

    A sampler such as KORS, with a large ridge or a small oversampling, ignores each new direction for a while. In these
    rounds the learner loses B^2 a round, and the comparator nearly nothing (theory F7). The adversary detects from the
    size of the dictionary that the sampler accepted a point. After `patience` rounds at one point a fresh point is
    played in any case. Any loss is allowed.
    """

    name: ClassVar[str] = "kors-evader"
    paper: ClassVar[str] = "theory F7, against KORS of Calandriello, Lazaric and Valko 2017 (ICML)"
    cost: ClassVar[str] = "O(d) a round for each of 2500 points in a pool"

    patience: int = parameter(100, "rounds after which the next point comes in any case", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.fresh, self.bound = fresh_points(game, rng), game.label_bound
        self.number, self.visits, self.size = 0, 0, 0

    def point(self, view: View) -> Array:
        size = view.dictionary_size or 0
        if size != self.size or self.visits == self.patience:
            self.number, self.visits = self.number + 1, 0
        self.size = size
        self.visits += 1
        return self.fresh[self.number]

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.bound

"""An easy sequence, with a wrong label whenever the learner predicts the easy labels well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import random_points
from arena.adversaries._shared.odd_function import OddFunction
from arena.arrays import Array, first_best
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Outlier(Adversary):
    """Plays easy labels until the learner predicts them well, then a wrong label beside a past point.

    The easy labels are the values of a function in the RKHS, played at the points where the learner errs most. A wrong
    label is played at a small distance d from a past point. If the learner fits the wrong label (with a ridge of d^2
    or less), its function overshoots by B / d elsewhere. A single wrong label hardly changes the comparator. Any loss
    is allowed.
    """

    name: ClassVar[str] = "outlier"
    paper: ClassVar[str] = "gross errors as in Huber 1964, at the places of highest leverage"
    cost: ClassVar[str] = "one prediction a round for each candidate"
    fresh_points: ClassVar[bool] = True

    distance: float = parameter(
        1e-3, "the distance of a wrong label from a past point, in units of the box's sides", at_least=0, at_most=1
    )
    sure: float = parameter(0.1, "the largest error, in units of B, of a learner that predicts well", above=0)
    share: float = parameter(0.5, "the largest easy label, in units of B", above=0, at_most=1)
    candidates: int = parameter(64, "points a round at which the learner is asked", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.function = OddFunction(game, rng)
        self.next_label = 0.0

    def point(self, view: View) -> Array:
        X = random_points(self.game, self.candidates, 1 + self.candidates // 8, self.rng)
        truth = self._truth(X)
        errors = np.abs(view.peek(X) - truth)
        bound = self.game.label_bound
        if len(view.points) and errors.max() < self.sure * bound:
            x = self._beside(view.points[self.rng.integers(len(view.points))])
            self.next_label = -bound if self._truth(x[np.newaxis])[0] > 0 else bound
            return x
        worst = int(first_best(errors))
        self.next_label = float(truth[worst])
        return np.asarray(X[worst])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.next_label

    def _truth(self, X: Array) -> Array:
        return self.share * self.function(X)

    def _beside(self, x: Array) -> Array:
        """Return a point of the box whose coordinates are a little larger or smaller, at random, than those of `x`."""
        low, high = self.game.low, self.game.high
        step = self.distance * (high - low) * self.rng.choice([-1.0, 1.0], size=len(x))
        outside = (x + step < low) | (x + step > high)
        return np.asarray(np.clip(np.where(outside, x - step, x + step), low, high))

"""A few utterly wrong labels in an easy sequence, when the learner is sure of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries.realisable import OddFunction
from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Outlier(Adversary):
    """Easy labels until the learner is sure of itself; then, beside a known point, a label utterly wrong; any loss.

    The easy labels are a function of the RKHS, asked for where the learner is worst at the moment. A learner that takes
    every label at its word must turn its function within the distance d between the two points, and with a ridge of d^2
    or less it overshoots by B / d elsewhere, which is where the next easy labels are asked for. The comparator shrugs.
    """

    name: ClassVar[str] = "outlier"
    paper: ClassVar[str] = "gross errors as in Huber 1964, at the places of highest leverage"
    cost: ClassVar[str] = "one prediction a round for each candidate"

    distance: float = parameter(
        1e-3, "how far an outlier lies from a known point, in units of the box's sides", at_least=0, at_most=1
    )
    sure: float = parameter(0.1, "the largest error, in units of B, of a learner that counts as sure", above=0)
    share: float = parameter(0.5, "the largest easy label, in units of B", above=0, at_most=1)
    candidates: int = parameter(64, "points a round at which the learner is asked", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Choose what is to be learnt."""
        self.game, self.rng = game, rng
        self.function = OddFunction(game, rng)
        self.next_label = 0.0

    def point(self, view: View) -> Array:
        """Where the learner is worst, or beside a known point if it is good everywhere."""
        X = self._candidates()
        truth = self._truth(X)
        errors = np.abs(view.peek(X) - truth)
        bound = self.game.label_bound
        if len(view.points) and errors.max() < self.sure * bound:
            x = self._beside(view.points[self.rng.integers(len(view.points))])
            self.next_label = -bound if self._truth(x[np.newaxis])[0] > 0 else bound
            return x
        worst = int(errors.argmax())
        self.next_label = float(truth[worst])
        return np.asarray(X[worst])

    def label(self, view: View, x: Array, prediction: float) -> float:
        """Decided together with the point."""
        return self.next_label

    def _truth(self, X: Array) -> Array:
        return self.share * self.function(X)

    def _candidates(self) -> Array:
        """Anywhere, and corners, where what overshoots is farthest off."""
        low, high = self.game.low, self.game.high
        anywhere = self.rng.uniform(low, high, size=(self.candidates, self.game.dimension))
        corners = np.where(self.rng.random((1 + self.candidates // 8, self.game.dimension)) < 0.5, low, high)
        return np.concatenate([anywhere, corners])

    def _beside(self, x: Array) -> Array:
        """A step away in each coordinate, to the side on which the box is."""
        low, high = self.game.low, self.game.high
        step = self.distance * (high - low) * self.rng.choice([-1.0, 1.0], size=len(x))
        outside = (x + step < low) | (x + step > high)
        return np.asarray(np.clip(np.where(outside, x - step, x + step), low, high))

"""Labels that are the values of a function of the RKHS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array, GrowingArray
from arena.game.game import Game

SAMPLE = 1000  # points from which the function's largest value is estimated
PORTION = 256  # rounds that are drawn together


class OddFunction:
    """A function of the RKHS that varies along every coordinate, at most `bound` in absolute value.

    For each coordinate it has a kernel on either side of the middle of the box, with opposite signs.
    """

    def __init__(self, game: Game, rng: np.random.Generator):
        middle, quarter = (game.low + game.high) / 2, (game.high - game.low) / 4
        steps = np.diag(quarter)
        self.kernel, self.bound = game.kernel, game.label_bound
        self.atoms = np.concatenate([middle + steps, middle - steps])
        signs = np.where(rng.random(game.dimension) < 0.5, -1.0, 1.0)
        self.weights = np.concatenate([signs, -signs])
        sample = np.concatenate([self.atoms, rng.uniform(game.low, game.high, size=(SAMPLE, game.dimension))])
        largest = float(np.abs(self._sum(sample)).max())
        self.weights *= self.bound / largest if largest > 0 else 0.0

    def __call__(self, X: Array) -> Array:
        """The values at these rows, cut off at the label bound."""
        return np.asarray(np.clip(self._sum(X), -self.bound, self.bound))

    def _sum(self, X: Array) -> Array:
        return np.asarray(self.kernel.gram(X, self.atoms) @ self.weights)


@dataclass
class Realisable(Scripted):
    """Random points; the labels are a function of the RKHS that varies along every coordinate; any loss.

    The comparator loses next to nothing. A learner that ignores a coordinate, a sign or every second round loses a
    constant amount in every round.
    """

    name: ClassVar[str] = "realisable"
    paper: ClassVar[str] = "the realisable case of every textbook"
    cost: ClassVar[str] = "O(d^2) a round"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.function = OddFunction(game, rng)
        self.points, self.labels = GrowingArray((game.dimension,)), GrowingArray()

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        # in portions of one size, so that the points do not depend on how many rounds are asked for together
        while len(self.labels) <= rounds[-1]:
            X = self.rng.uniform(self.game.low, self.game.high, size=(PORTION, self.game.dimension))
            self.points.extend(X)
            self.labels.extend(self.function(X))
        return self.points.view()[rounds], self.labels.view()[rounds]

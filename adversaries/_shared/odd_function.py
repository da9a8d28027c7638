"""A function in the RKHS whose values are labels that are easy to predict."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game

SAMPLE = 1000  # points from which the function's largest value is estimated


class OddFunction:
    """A function of the RKHS that varies along every coordinate; its absolute value is at most the label bound.

    It is a weighted sum of kernel functions k(z, .). For each coordinate there are two points z, one on either side of
    the middle of the box, whose weights have opposite signs.
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
        """Return the function's values at the rows of `X`, clipped to the label bound.

        In units of the bound, they have nine decimals: the digits beyond depend on the processor.
        """
        return np.asarray(self.bound * np.round(np.clip(self._sum(X) / self.bound, -1.0, 1.0), 9))

    def _sum(self, X: Array) -> Array:
        return np.asarray(self.kernel.gram(X, self.atoms) @ self.weights)

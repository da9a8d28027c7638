"""Gradient descent on random Fourier features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.components.features.fourier import Fourier
from arena.components.gradient_descent import BLOCK, LinearDescent, longest_step
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.descent_features import FourierAgainstTheSpace, OgdInFeatures
from arena.theorems.recursions import FourierDescentIdentity


@dataclass
class FourierOnlineGradientDescent(Learner):
    """Gradient descent on random Fourier features.

    The features are divided by the root of the number D of frequencies, so that their inner products estimate the
    kernel. The code of Lu, Hoi, Wang, Zhao and Liu 2016 does not divide them: with the rate r, that code predicts as
    this class does with the rate D r (theory B11). Any loss is allowed.

    >>> from arena import play
    >>> play(FourierOnlineGradientDescent(frequencies=100), "alternating", rounds=100).rounds
    100
    """

    name: ClassVar[str] = "fogd"
    formula: ClassVar[str] = (
        r"$w_{t+1} = w_t - \eta g_t z(x_t)$, $g_t = \ell'(w_t^\top z(x_t), y_t)$, $z$ the $2 D$ random "
        "features"
    )
    family: ClassVar[str] = "first order"
    paper: ClassVar[str] = "Lu, Hoi, Wang, Zhao and Liu 2016"
    cost: ClassVar[str] = "O(D d) time a round, O(D d) memory"
    memory_growth: ClassVar[str] = "constant"

    frequencies: int = parameter(1000, "D, random frequencies (2 D features)", at_least=1)
    rate: float | None = parameter(None, "eta, the constant step (none: 1/sqrt(T), or less for steep losses)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (OgdInFeatures(self.rate), FourierAgainstTheSpace(self.rate), FourierDescentIdentity(self.rate))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.embedding = Fourier(self.frequencies)
        self.embedding.begin(game, rng)
        eta = min(game.rounds**-0.5, longest_step(game)) if self.rate is None else self.rate
        self.descent = LinearDescent(np.zeros(self.embedding.dimension), game.loss, eta)
        # reused for each block, since allocating memory takes longer than computing the features
        self._block = np.empty((BLOCK, self.embedding.dimension))

    def peek(self, X: Array) -> Array:
        return self.descent.at(self.embedding.features(X))

    def update(self, x: Array, y: float) -> None:
        self.descent.step(self.embedding.features(x[np.newaxis])[0], y)

    def replay(self, X: Array, y: Array) -> Array:
        return self.descent.replay(X, y, lambda rows: self.embedding.features(rows, out=self._block))

    def evidence(self) -> Mapping[str, Any]:
        """Return the `frequencies` in one row each; they determine the features."""
        return {"frequencies": self.embedding.spectrum}

    @property
    def dictionary_size(self) -> int:
        """The number of features."""
        return 2 * self.frequencies

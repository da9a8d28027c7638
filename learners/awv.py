"""Azoury, Warmuth and Vovk's forecaster in an RKHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.components.long_sequences import ridge_through_features
from arena.game.game import Game
from arena.hindsight.watching import Watch
from arena.linalg.posterior import RidgePosterior
from arena.players.learner import Learner
from arena.record.error_bars import Approximation
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.awv import AwvEffectiveDimension, AwvIdentity, AwvLeverage, AwvLogdet


@dataclass
class KernelAWV(Learner):
    """Azoury, Warmuth and Vovk's forecaster in an RKHS.

    The forecaster is ridge regression whose prediction is divided by 1 + v / lambda, where v is the variance of the
    regression at the point. At a point unlike all earlier ones, v is large and the prediction is near zero. There the
    loss hardly depends on the label's sign.

    >>> from arena import play
    >>> play(KernelAWV(), "alternating", rounds=100).verdict("awv-leverage").holds
    True
    """

    name: ClassVar[str] = "kernel-awv"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{m_{t-1}(x_t)}{1 + v_{t-1}(x_t) / \lambda}$, $m$ and $v$ the mean and the variance "
        "of ridge regression on the past"
    )
    family: ClassVar[str] = "second order, exact"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, eq. 3"
    cost: ClassVar[str] = "O(t^2) time a round, O(t^2) memory; t counts different points"
    memory_growth: ClassVar[str] = "quadratic"

    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        at = self.regularisation
        return (AwvLeverage(at), AwvLogdet(at), AwvEffectiveDimension(at), AwvIdentity(at))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.past = RidgePosterior(game.kernel, game.for_ridge(self.regularisation))

    def peek(self, X: Array) -> Array:
        mean, variance = self.past.at(X)
        return mean / (1.0 + variance / self.past.regularisation)

    def update(self, x: Array, y: float) -> None:
        self.past.append(x, y)

    def replay(self, X: Array, y: Array) -> Array:
        mean, variance = self.past.extend(X, y)
        return mean / (1.0 + variance / self.past.regularisation)

    def through_features(self, X: Array, y: Array, watch: Watch | None = None) -> Approximation:
        return ridge_through_features(self.past.kernel, self.past.regularisation, X, y, awv=True, watch=watch)

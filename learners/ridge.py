"""Kernel ridge regression, plain and clipped."""

from __future__ import annotations

import dataclasses
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
from arena.theorems.kernel_recursions import ClippedRidgeIdentity
from arena.theorems.ridge import ClippedKrrBound, RidgeIdentity


@dataclass
class KRR(Learner):
    """Kernel ridge regression: predicts with the best regularised fit to the past.

    The regret has no bound: a label that contradicts a large prediction is expensive. An exact identity holds for the
    sum of loss_t / (1 + v_t / lambda), where v_t is the variance of the regression at x_t.

    >>> from arena import play
    >>> play(KRR(), "alternating", rounds=100).verdict("ridge-identity").holds
    True
    """

    name: ClassVar[str] = "krr"
    formula: ClassVar[str] = (
        r"$\hat y_t = f_t(x_t)$, $f_t = \operatorname{argmin}_f \sum_{s < t} (f(x_s) - y_s)^2 + \lambda "
        r"\lVert f \rVert^2$"
    )
    family: ClassVar[str] = "second order, exact"
    paper: ClassVar[str] = "Zhdanov and Kalnishkan 2013; Jezequel, Gaillard and Rudi 2019, section 2"
    cost: ClassVar[str] = "O(t^2) time a round, O(t^2) memory; t counts different points"
    memory_growth: ClassVar[str] = "quadratic"

    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (RidgeIdentity(self.regularisation),)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.past = RidgePosterior(game.kernel, game.for_ridge(self.regularisation))

    def peek(self, X: Array) -> Array:
        return self.past.at(X)[0]

    def update(self, x: Array, y: float) -> None:
        self.past.append(x, y)

    def replay(self, X: Array, y: Array) -> Array:
        return self.past.extend(X, y)[0]

    def through_features(self, X: Array, y: Array, watch: Watch | None = None) -> Approximation:
        return ridge_through_features(self.past.kernel, self.past.regularisation, X, y, watch=watch)


@dataclass
class ClippedKRR(KRR):
    """Kernel ridge regression whose predictions are clipped to the game's prediction bound C.

    The regret is at most (B + C)^2 times the log-determinant of I + K / lambda, where K is the kernel matrix of the
    points.

    >>> from arena import play
    >>> play(ClippedKRR(), "alternating", rounds=100).verdict("clipped-krr").holds
    True
    """

    name: ClassVar[str] = "clipped-krr"
    formula: ClassVar[str] = (
        r"$\hat y_t = \max(-C, \min(C, f_t(x_t)))$, $f_t = \operatorname{argmin}_f \sum_{s < t} (f(x_s) "
        r"- y_s)^2 + \lambda "
        r"\lVert f \rVert^2$"
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (ClippedKrrBound(self.regularisation), ClippedRidgeIdentity(self.regularisation))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.bound = game.clip

    def peek(self, X: Array) -> Array:
        return np.clip(super().peek(X), -self.bound, self.bound)

    def replay(self, X: Array, y: Array) -> Array:
        return np.clip(super().replay(X, y), -self.bound, self.bound)

    def through_features(self, X: Array, y: Array, watch: Watch | None = None) -> Approximation:
        found = super().through_features(X, y, watch)
        # Clipping never increases the distance of two predictions, so the error bars stay valid.
        return dataclasses.replace(found, predictions=np.clip(found.predictions, -self.bound, self.bound))

"""Gradient descent in an RKHS: functional gradient descent, also known as kernel OGD and NORMA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.expansion import KernelExpansion
from arena.game import Game
from arena.learner import Learner
from arena.parameters import parameter
from arena.theorem import Theorem
from arena.theorems.descent import OnlineGradientDescent

BLOCK = 256  # rounds whose kernels are computed together


@dataclass
class FunctionalGradientDescent(Learner):
    """Gradient descent in an RKHS: f <- (1 - eta_t shrinkage) f - eta_t g_t k(x_t, .); O(t) a round.

    With a constant step it is kernel OGD; with `shrinkage` it is NORMA, and with steps 1 / (shrinkage t) Pegasos.

    >>> from arena import play
    >>> play(FunctionalGradientDescent(), "alternating", rounds=100).verdict("ogd").holds
    True
    """

    name: ClassVar[str] = "fgd"
    family: ClassVar[str] = "first order"
    paper: ClassVar[str] = "Zinkevich 2003; Kivinen, Smola and Williamson 2004 (NORMA)"
    cost: ClassVar[str] = "O(t) time a round, O(t) memory; a point that comes again costs nothing more"

    rate: float | None = parameter(None, "eta: the step, or its value in round 1 (none: 1/sqrt(T))", above=0)
    steps: Literal["constant", "square-root", "inverse"] = parameter("constant", "eta, eta / sqrt(t) or eta / t")
    shrinkage: float = parameter(0.0, "lambda of NORMA", at_least=0)
    radius: float | None = parameter(None, "projection on |f| <= radius (none: no projection)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        """The bound for constant steps, where nothing is shrunk or projected."""
        plain = self.steps == "constant" and not self.shrinkage and self.radius is None
        return (OnlineGradientDescent(self.rate),) if plain else ()

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """The zero function."""
        self.loss = game.loss
        self.function = KernelExpansion(game.kernel)
        self.eta = game.rounds**-0.5 if self.rate is None else self.rate
        self.round = 0
        self.squared_norm = 0.0

    def peek(self, X: Array) -> Array:
        """F at each row."""
        return self.function.at(X)

    def update(self, x: Array, y: float) -> None:
        """One step against the gradient at x."""
        X = x[np.newaxis]
        shrink, weight = self._step(self.function.at(X)[0], y, self.function.kernel.diagonal(X)[0])
        self.function.shrink(shrink)
        self.function.add(x, weight)

    def replay(self, X: Array, y: Array) -> Array:
        """The same rounds, with the kernels of a block computed together."""
        blocks = [self._replay_block(X[i : i + BLOCK], y[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        return np.concatenate(blocks)

    def _step(self, prediction: float, y: float, diagonal: float) -> tuple[float, float]:
        """The factor on f and the weight of the new atom."""
        self.round += 1
        eta = self.eta / {"constant": 1.0, "square-root": self.round**0.5, "inverse": self.round}[self.steps]
        shrink, weight = 1.0 - eta * self.shrinkage, -eta * float(self.loss.derivative(prediction, y))
        if self.radius is None:
            return shrink, weight
        norm = shrink**2 * self.squared_norm + 2 * shrink * weight * prediction + weight**2 * diagonal
        back = min(1.0, self.radius / max(norm, 1e-300) ** 0.5)
        self.squared_norm = back**2 * norm
        return back * shrink, back * weight

    def _replay_block(self, X: Array, y: Array) -> Array:
        """Inside a block f = scale (before + sum_s c_s k(x_s, .)): only scalars depend on the round (theory D4)."""
        before, gram = self.function.at(X), self.function.kernel.gram(X, X)
        predictions, weights, scale = np.empty(len(X)), np.zeros(len(X)), 1.0
        old = 1.0  # what has become of the function's older atoms, but for `scale`
        for i, label in enumerate(y.tolist()):
            predictions[i] = scale * (before[i] + gram[i, :i] @ weights[:i])
            shrink, weight = self._step(predictions[i], label, gram[i, i])
            scale *= shrink
            if abs(scale) < 1e-100:
                before, weights, old, scale = before * scale, weights * scale, old * scale, 1.0
            weights[i] = weight / scale
        self.function.shrink(old * scale)
        for x, weight in zip(X, scale * weights, strict=True):
            self.function.add(x, float(weight))
        return predictions

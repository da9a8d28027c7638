"""The online Newton step for linear predictors in a ball."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.linear_recursions import OnsIdentity
from arena.theorems.newton_steps import NewtonGradients, NewtonLogarithm, newton_rate, newton_ridge

BISECTIONS = 200  # halvings of the interval that contains the multiplier m of a projection


@dataclass
class OnlineNewtonStep(Learner):
    """Online Newton steps for w'x: A <- A + g g', w <- P(w - A^-1 g / gamma), where g is the gradient of the loss.

    A starts as epsilon I. P is the projection onto |w| <= U in the norm sqrt(w'A w). U is the `radius`, gamma the
    `rate` and epsilon the `ridge`; the defaults of `rate` and `ridge` are the values of Hazan, Agarwal and Kale 2007.

    >>> from arena import play
    >>> play(OnlineNewtonStep(), "repeated(points=5)", rounds=100).verdict("ons-gradients").holds
    True
    """

    name: ClassVar[str] = "ons"
    formula: ClassVar[str] = (
        r"$w_{t+1} = \Pi_{A_t}\left( w_t - \frac{1}{\gamma} A_t^{-1} g_t \right)$, $A_t = \epsilon I + "
        r"\sum_{s \le t} g_s g_s^\top$, $\Pi_A$ the projection onto $\lVert w \rVert \le U$ in the norm of "
        "$A$"
    )
    family: ClassVar[str] = "linear"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, Figure 2"
    cost: ClassVar[str] = "O(d^3) time a round, O(d^2) memory"
    memory_growth: ClassVar[str] = "constant"

    radius: float = parameter(1.0, "U, the largest |w|", above=0)
    rate: float | None = parameter(None, "gamma (none: min(1 / (4 G D), sigma) / 2)", above=0)
    ridge: float | None = parameter(None, "epsilon (none: 1 / (gamma D)^2)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        given = (self.radius, self.rate, self.ridge)
        return (NewtonGradients(*given), NewtonLogarithm(*given), OnsIdentity(*given))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.loss = game.loss
        self.gamma = newton_rate(game, self.radius) if self.rate is None else self.rate
        try:
            self.epsilon = newton_ridge(self.gamma, self.radius) if self.ridge is None else self.ridge
        except OverflowError:
            raise ArenaError(
                f"ons: the default ridge 1 / (gamma D)^2 overflows in this game: gamma is {self.gamma:.3g}, since "
                "the curvature of the loss is that small: give ridge, or rate, or lower the label bound"
            ) from None
        self.weights, self.matrix = np.zeros(game.dimension), self.epsilon * np.eye(game.dimension)

    def predict(self, x: Array) -> float:
        return float(self.weights @ x)

    def update(self, x: Array, y: float) -> None:
        gradient = self.loss.derivative_at(self.predict(x), y) * x
        self.matrix = self.matrix + np.outer(gradient, gradient)
        # in exact arithmetic no eigenvalue is below epsilon; rounding alone could make the matrix singular
        values, vectors = np.linalg.eigh(self.matrix)
        values = np.maximum(values, self.epsilon)
        ahead = self.weights - vectors @ ((vectors.T @ gradient) / values) / self.gamma
        self.weights = projected(ahead, values, vectors, self.radius)


def projected(w: Array, values: Array, vectors: Array, radius: float) -> Array:
    """Return the point u with |u| <= radius that is nearest to `w`: the one with the least (u - w)'A (u - w).

    A has the eigenvalues `values`, and its eigenvectors are the columns of `vectors`. If |w| > radius, then
    u = (A + m I)^-1 A w, where m > 0 is the number for which |u| = radius; bisection finds m.

    >>> projected(np.array([3.0, 4.0]), np.ones(2), np.eye(2), 1.0).round(9)
    array([0.6, 0.8])
    """
    if float(w @ w) <= radius**2:
        return w
    drawn = values * (vectors.T @ w)
    low, high = 0.0, float(np.linalg.norm(drawn)) / radius
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        inside = float(np.sum(np.square(drawn / (values + middle)))) <= radius**2
        low, high = (low, middle) if inside else (middle, high)
    return np.asarray(vectors @ (drawn / (values + high)))

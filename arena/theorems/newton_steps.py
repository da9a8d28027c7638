"""Regret bounds of the online Newton step for linear predictors w'x with |w| <= U, whatever kernel the game has.

X is the largest |x| in the box, so that predictions lie within [-U X, U X]. On this interval L is the largest slope
|l'| of the loss l and sigma its curvature: l(p) >= l(q) + l'(q) (p - q) + (sigma / 2) (l'(q) (p - q))^2 for all p, q.
The paper is Hazan, Agarwal and Kale 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem, labels_within
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds
from arena.theorems.recomputed.linear import scaled_minimiser

MOST_ROUNDS = 20_000  # most rounds, since `newton_energies` decomposes a matrix in each
STRENGTHS = np.geomspace(1e-3, 1e3, 9)  # strengths of the regularisation with which comparators are computed


def reach_of(game: Game, radius: float) -> float:
    """Return the largest |w'x| for |w| <= `radius` and x in the box."""
    corner = np.maximum(np.abs(game.low), np.abs(game.high))
    return radius * float(np.linalg.norm(corner))


def newton_rate(game: Game, radius: float) -> float:
    """Return the gamma of Hazan, Agarwal and Kale 2007: min(1 / (4 G D), sigma) / 2, or 1 / (8 G D) if sigma = 0.

    Online Newton steps have the step size 1 / gamma. D = 2 U is the diameter of the ball |w| <= U, where U is `radius`.
    G = L X bounds the norm of a gradient, where X is the largest |x| in the box. L and sigma are the largest slope and
    the curvature of the loss on [-U X, U X].
    """
    reach = reach_of(game, radius)
    steep = 1.0 / (8.0 * game.loss.lipschitz(reach, game.label_bound) * reach)
    curvature = game.loss.curvature(reach, game.label_bound)
    return 0.5 * (min(steep, curvature) if curvature > 0 else steep)


@once_per_match
def losses_in_ball(run: Transcript, radius: float) -> Array:
    """Return the losses of some comparators w with |w| <= `radius`: one row for each round, one column for each w.

    The comparators are w = 0, and regularised minimisers of the losses over the first quarter, the first half and all
    of the rounds. Each minimiser is rescaled to |w| = `radius`. It is also used unscaled if |w| <= `radius`.
    """
    width = run.points.shape[1]
    found = [np.zeros(width)]
    for rounds in sorted({max(run.rounds // 4, 1), max(run.rounds // 2, 1), run.rounds}):
        for strength in STRENGTHS:
            F, y = run.points[:rounds], run.labels[:rounds]
            w = scaled_minimiser(run.game.loss, F, y, np.full(width, strength))
            length = float(np.linalg.norm(w))
            found += [w, w * (radius / length)] if length else []
    inside = [w for w in found if np.linalg.norm(w) <= radius * (1 + 1e-12)]
    return np.asarray(run.game.loss.value(run.points @ np.array(inside).T, run.labels[:, np.newaxis]))


@once_per_match
def newton_energies(run: Transcript, ridge: float) -> Array:
    """Return the energy gradient_t' A_t^-1 gradient_t of every round t.

    A_t is `ridge` I plus the sum of gradient_s gradient_s' over the rounds s <= t.
    """
    A, energies = ridge * np.eye(run.points.shape[1]), np.zeros(run.rounds)
    for t, gradient in enumerate(run.slopes[:, np.newaxis] * run.points):
        A = A + np.outer(gradient, gradient)
        values, vectors = np.linalg.eigh(A)
        energies[t] = np.sum(np.square(vectors.T @ gradient) / np.maximum(values, ridge))
    return energies


def newton_ridge(gamma: float, radius: float) -> float:
    """Return the ridge epsilon of Hazan, Agarwal and Kale 2007 for online Newton steps, 1 / (2 gamma U)^2.

    U is `radius`, the largest |w|, and 1 / gamma is the step size.
    """
    return (2.0 * gamma * radius) ** -2


@dataclass(frozen=True)
class NewtonParameters(Theorem):
    """Base class with the parameters of online Newton steps."""

    radius: float = parameter(1.0, "U", above=0)
    rate: float | None = parameter(None, "gamma (none: min(1 / (4 G D), sigma) / 2)", above=0)
    ridge: float | None = parameter(None, "epsilon (none: 1 / (gamma D)^2)", above=0)

    def gamma(self, run: Transcript) -> float:
        """Return gamma; online Newton steps have the step size 1 / gamma."""
        return newton_rate(run.game, self.radius) if self.rate is None else self.rate

    def epsilon(self, run: Transcript) -> float:
        """Return epsilon; the matrix of the Newton steps starts at A_0 = epsilon I."""
        return newton_ridge(self.gamma(run), self.radius) if self.ridge is None else self.ridge


@dataclass(frozen=True)
class _InBall(NewtonParameters):
    """Base class of bounds on the regret to all w with |w| <= `radius`.

    The measured value is the largest regret to the comparators w of `losses_in_ball`.
    """

    quantity: ClassVar[str] = "regret against |w| <= U, worst of a few w,"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        game, gamma = run.game, self.gamma(run)
        sigma = game.loss.curvature(reach_of(game, self.radius), game.label_bound)
        return (
            few_rounds(run, MOST_ROUNDS),
            labels_within(run, game.label_bound),
            Assumption("gamma <= sigma", gamma <= sigma * (1 + 1e-12), f"gamma {gamma:g}, sigma {sigma:g}"),
        )

    def measured(self, run: Transcript) -> Array:
        theirs = losses_in_ball(run, self.radius)
        return np.asarray(np.cumsum(run.losses[:, np.newaxis] - theirs, axis=0).max(axis=1))

    def scale(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(run.losses + losses_in_ball(run, self.radius).max(axis=1)))


@dataclass(frozen=True)
class NewtonGradients(_InBall):
    """Regret bound of online Newton steps from the energies gradient_t' A_t^-1 gradient_t of the match.

    The bound is the sum of the energies divided by 2 gamma, plus gamma epsilon U^2 / 2. A step is
    w <- P(w - A_t^-1 gradient_t / gamma), where P projects onto |w| <= U in the norm of A_t. Here A_t is epsilon I plus
    the sum of gradient_s gradient_s' over the rounds s <= t.
    """

    name: ClassVar[str] = "ons-gradients"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, proof of Theorem 2"
    statement: ClassVar[str] = (
        "R(w) <= (1 / (2 gamma)) sum_t gradient_t' A_t^-1 gradient_t + gamma epsilon U^2 / 2 for all |w| <= U, "
        "A_t = epsilon I + sum_{s <= t} gradient_s gradient_s', gamma <= sigma"
    )
    formula: ClassVar[str] = (
        r"$R(w) \le \frac{1}{2 \gamma} \sum_t \text{gradient}_t^\top A_t^{-1}\, \text{gradient}_t + \frac{\gamma "
        r"\epsilon U^2}{2}$ for all $\lVert w \rVert \le U$, $A_t = \epsilon I + \sum_{s \le t} \text{gradient}_s\, "
        r"\text{gradient}_s^\top$, $\gamma \le \sigma$"
    )

    def allowed(self, run: Transcript) -> Array:
        gamma, epsilon = self.gamma(run), self.epsilon(run)
        start = 0.5 * gamma * epsilon * self.radius**2
        return np.asarray(0.5 / gamma * np.cumsum(newton_energies(run, epsilon)) + start)


@dataclass(frozen=True)
class NewtonLogarithm(_InBall):
    """Logarithmic regret bound of online Newton steps, with the step and the ridge of Hazan, Agarwal and Kale 2007."""

    name: ClassVar[str] = "ons"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, Theorem 2"
    statement: ClassVar[str] = "R(w) <= 5 (1 / sigma + G D) d log max(T, 5) for all |w| <= U, G = L X, D = 2 U"
    formula: ClassVar[str] = (
        r"$R(w) \le 5 \left( \frac{1}{\sigma} + G D \right) d \log\max(T, 5)$ for all $\lVert w \rVert \le U$, $G = "
        "L X$, $D = 2 U$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        gamma, epsilon = newton_rate(run.game, self.radius), self.epsilon(run)
        same = math.isclose(self.gamma(run), gamma) and math.isclose(epsilon, newton_ridge(gamma, self.radius))
        given = f"they are {self.gamma(run):g} and {epsilon:g}"
        return (*super().assumptions(run), Assumption("gamma and epsilon are the paper's", same, given))

    def allowed(self, run: Transcript) -> Array:
        game, reach = run.game, reach_of(run.game, self.radius)
        sigma, slope = game.loss.curvature(reach, game.label_bound), game.loss.lipschitz(reach, game.label_bound)
        constant = 5.0 * (1.0 / sigma + 2.0 * slope * reach)
        return np.full(run.rounds, constant * game.dimension * math.log(max(game.rounds, 5)))

"""Theorems on the online Newton step for linear predictors w'x with |w| <= U, whatever kernel the game has.

With X the largest |x_t| in the box, predictions lie within [-U X, U X]. There L is the largest slope of the loss and
sigma its curvature: l(p) >= l(q) + l'(q) (p - q) + (sigma / 2) (l'(q) (p - q))^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.record.theorem import Assumption, Theorem, labels_within
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.recomputed import once_per_match
from arena.theorems.recomputed.linear import minimiser

LONGEST = 20_000  # rounds, each of which solves linear equations
STRENGTHS = np.geomspace(1e-3, 1e3, 9)  # of the regularisation of comparators


def reach_of(game: Game, radius: float) -> float:
    """Return U X, the largest prediction."""
    corner = np.maximum(np.abs(game.low), np.abs(game.high))
    return radius * float(np.linalg.norm(corner))


def newton_rate(game: Game, radius: float) -> float:
    """Return the paper's gamma = min(1 / (4 G D), sigma) / 2, G = L X and D = 2 U; 1 / (8 G D) without a curvature."""
    reach = reach_of(game, radius)
    steep = 1.0 / (8.0 * game.loss.lipschitz(reach, game.label_bound) * reach)
    curvature = game.loss.curvature(reach, game.label_bound)
    return 0.5 * (min(steep, curvature) if curvature > 0 else steep)


@once_per_match
def functions_in_ball(run: Transcript, radius: float) -> Array:
    """Return the losses in every round of zero and of some w with |w| <= radius that lose little, one column each."""
    width = run.points.shape[1]
    found = [np.zeros(width)]
    for rounds in sorted({max(run.rounds // 4, 1), max(run.rounds // 2, 1), run.rounds}):
        for strength in STRENGTHS:
            F, y = run.points[:rounds], run.labels[:rounds]
            w = minimiser(run.game.loss, F, y, np.full(width, strength), np.zeros(width))
            length = float(np.linalg.norm(w))
            found += [w, w * (radius / length)] if length else []
    inside = [w for w in found if np.linalg.norm(w) <= radius * (1 + 1e-12)]
    return np.asarray(run.game.loss.value(run.points @ np.array(inside).T, run.labels[:, np.newaxis]))


@once_per_match
def newton_energies(run: Transcript, ridge: float) -> Array:
    """Return gradient_t' A_t^-1 gradient_t for A_t = ridge I + the sum of gradient_s gradient_s', s <= t."""
    slopes = np.asarray(run.game.loss.derivative(run.predictions, run.labels))
    A, energies = ridge * np.eye(run.points.shape[1]), np.zeros(run.rounds)
    for t, gradient in enumerate(slopes[:, np.newaxis] * run.points):
        A = A + np.outer(gradient, gradient)
        values, vectors = np.linalg.eigh(A)
        energies[t] = np.sum(np.square(vectors.T @ gradient) / np.maximum(values, ridge))
    return energies


def newton_ridge(gamma: float, radius: float) -> float:
    """Return the paper's epsilon = 1 / (gamma D)^2 with D = 2 U."""
    return (2.0 * gamma * radius) ** -2


@dataclass(frozen=True)
class _InBall(Theorem):
    """Base class: the regret to all |w| <= U."""

    quantity: ClassVar[str] = "regret against |w| <= U, worst of a few w,"

    radius: float = parameter(1.0, "U", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        game, gamma = run.game, self.gamma(run)
        sigma = game.loss.curvature(reach_of(game, self.radius), game.label_bound)
        return (
            Assumption(f"at most {LONGEST} rounds", run.rounds <= LONGEST, f"there are {run.rounds}"),
            labels_within(run, game.label_bound),
            Assumption("gamma <= sigma", gamma <= sigma * (1 + 1e-12), f"gamma {gamma:g}, sigma {sigma:g}"),
        )

    def measured(self, run: Transcript) -> Array:
        theirs = functions_in_ball(run, self.radius)
        return np.asarray(np.cumsum(run.losses[:, np.newaxis] - theirs, axis=0).max(axis=1))

    def scale(self, run: Transcript) -> Array:
        """The losses of both sides."""
        return np.asarray(np.cumsum(run.losses + functions_in_ball(run, self.radius).max(axis=1)))

    def gamma(self, run: Transcript) -> float:
        """Return the gamma of the steps."""
        return newton_rate(run.game, self.radius)


@dataclass(frozen=True)
class NewtonGradients(_InBall):
    """Online Newton steps w <- P(w - A_t^-1 gradient_t / gamma), by the energies of the gradients of the match."""

    name: ClassVar[str] = "ons-gradients"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, proof of Theorem 2"
    statement: ClassVar[str] = (
        "R(w) <= (1 / (2 gamma)) sum_t gradient_t' A_t^-1 gradient_t + gamma epsilon U^2 / 2 for all |w| <= U, "
        "A_t = epsilon I + sum_{s <= t} gradient_s gradient_s', gamma <= sigma"
    )

    rate: float | None = parameter(None, "gamma (none: min(1 / (4 G D), sigma) / 2)", above=0)
    ridge: float | None = parameter(None, "epsilon (none: 1 / (gamma D)^2)", above=0)

    def allowed(self, run: Transcript) -> Array:
        gamma = self.gamma(run)
        epsilon = newton_ridge(gamma, self.radius) if self.ridge is None else self.ridge
        start = 0.5 * gamma * epsilon * self.radius**2
        return np.asarray(0.5 / gamma * np.cumsum(newton_energies(run, epsilon)) + start)

    def gamma(self, run: Transcript) -> float:
        return super().gamma(run) if self.rate is None else self.rate


@dataclass(frozen=True)
class NewtonLogarithm(_InBall):
    """The closed form for the paper's gamma and epsilon."""

    name: ClassVar[str] = "ons"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, Theorem 2"
    statement: ClassVar[str] = "R(w) <= 5 (1 / sigma + G D) d log max(T, 5) for all |w| <= U, G = L X, D = 2 U"

    def allowed(self, run: Transcript) -> Array:
        game, reach = run.game, reach_of(run.game, self.radius)
        sigma, slope = game.loss.curvature(reach, game.label_bound), game.loss.lipschitz(reach, game.label_bound)
        constant = 5.0 * (1.0 / sigma + 2.0 * slope * reach)
        return np.full(run.rounds, constant * game.dimension * math.log(max(game.rounds, 5)))

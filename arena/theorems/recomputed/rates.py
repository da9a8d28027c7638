"""The default steps of learners, computed without the learners' code to reveal mistakes in that code."""

from __future__ import annotations

import itertools
import math

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.game.kernels import Linear

MOST_CORNERS = 10  # dimensions up to which every corner of the box is tried


def widest(game: Game) -> float:
    """Return the largest k(x, x) at the corners of the game's box, or 1 if that is larger.

    In more than `MOST_CORNERS` dimensions only the corner farthest from zero is tried.
    """
    sides = np.array([game.low, game.high])
    if game.dimension <= MOST_CORNERS:
        corners = np.array([[sides[side, i] for i, side in enumerate(which)]
                            for which in itertools.product((0, 1), repeat=game.dimension)])  # fmt: skip
    else:
        corners = sides[np.abs(sides).argmax(axis=0), np.arange(game.dimension)][np.newaxis]
    return max(1.0, float(game.kernel.diagonal(corners).max()))


def steady_step(game: Game) -> float:
    """Return the longest step for k(x, x) = 1 with which descent on a loss of unbounded slopes does not diverge.

    It is 2 / M, where M is the Lipschitz constant of the slopes in the game; infinity if slopes are bounded.
    """
    loss, B = game.loss, game.label_bound
    return 2.0 / loss.smoothness(game.clip, B) if math.isinf(loss.lipschitz(math.inf, B)) else math.inf


def descent_step(game: Game, *, peak: float | None = None) -> float:
    """Return the default constant step of gradient descent: 1 / sqrt(T), divided by the largest k(x, x) if above 1.

    `peak` replaces the largest k(x, x). Steep losses have a lower step (`steady_step`).

    >>> descent_step(Game(rounds=100)), descent_step(Game(rounds=100, kernel="polynomial(degree=2)"))
    (0.1, 0.011111111111111112)
    """
    return min(1.0 / math.sqrt(game.rounds), steady_step(game)) / (widest(game) if peak is None else peak)


def linear_step(game: Game) -> float:
    """Return the default constant step for the kernel x'z + 1, which belongs to linear predictors with an intercept."""
    return descent_step(game.replace(kernel=Linear(offset=1.0)))


def default_step(game: Game, steps: str) -> float:
    """Return the step that gradient descent without shrinkage takes in round 1 by default.

    `steps` says how the steps fall: "constant", "square-root" (as 1 / sqrt(t)) or "inverse" (as 1 / t).
    """
    longest = {"constant": 1.0 / math.sqrt(game.rounds), "square-root": 1.0, "inverse": 0.5}[steps]
    return min(longest, steady_step(game)) / widest(game)


def falling(steps: str, first: float, rounds: int) -> Array:
    """Return the steps of all rounds t.

    They are `first` for the kind "constant", `first` / sqrt(t) for "square-root", and `first` / t for "inverse".

    >>> falling("inverse", 1.0, 2)
    array([1. , 0.5])
    """
    numbers = np.arange(1.0, rounds + 1.0)
    divisors = {"constant": np.ones(rounds), "square-root": np.sqrt(numbers), "inverse": numbers}
    return np.asarray(first / divisors[steps])


def newton_step(game: Game, radius: float) -> float:
    """Return the default gamma of online Newton steps: min(1 / (4 G D), sigma) / 2, or 1 / (8 G D) if sigma = 0.

    The step size is 1 / gamma. D = 2 U is the diameter of the ball |w| <= U, where U is `radius`. G is the largest norm
    of a gradient in this ball, and sigma is the curvature of the loss.

    >>> newton_step(Game(dimension=1, loss="absolute"), 0.5)
    0.125
    """
    farthest = math.sqrt(sum(max(-low, high) ** 2 for low, high in zip(game.low, game.high, strict=True)))
    G = farthest * game.loss.lipschitz(radius * farthest, game.label_bound)
    sigma = game.loss.curvature(radius * farthest, game.label_bound)
    return min(1.0 / (4.0 * G * 2.0 * radius), sigma or math.inf) / 2.0


def newton_ridge(gamma: float, radius: float) -> float:
    """Return the default epsilon of online Newton steps, 1 / (2 gamma U)^2, where U is `radius`.

    The matrix of the steps starts at epsilon I, the step size is 1 / gamma, and U is the largest |w|.
    """
    return 1.0 / (gamma * 2.0 * radius) ** 2


def exponentiated_step(game: Game, radius: float) -> float:
    """Return the default step of exponentiated gradient, sqrt(2 log(2 d) / T) / (U X L).

    d is the dimension of the points, U is `radius`, the largest |w|_1, and X the largest |x_i| in the box. L is the
    largest slope of the loss for predictions within [-U X, U X].

    >>> exponentiated_step(Game(rounds=2, dimension=1, loss="absolute"), 1.0) == math.log(2) ** 0.5
    True
    """
    largest = radius * max(*np.abs(game.low), *np.abs(game.high))
    slope = game.loss.lipschitz(float(largest), game.label_bound)
    return math.sqrt(2.0 / game.rounds * math.log(2.0 * game.dimension)) / float(largest * slope)


def hedge_step(game: Game, experts: int) -> float:
    """Return the default step of Hedge for N experts, sqrt(8 log max(N, 2) / T) / M.

    M is the largest difference between the losses of two predictions in [-B, B].

    >>> math.isclose(hedge_step(Game(rounds=8), 2), math.sqrt(math.log(2) / 16))  # M = 4
    True
    """
    M = game.loss.largest_difference(game.label_bound, game.label_bound)
    return math.sqrt(8.0 / game.rounds * math.log(experts if experts > 1 else 2)) / M

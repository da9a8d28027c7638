"""The default steps of gradient descent, computed without the learners' code."""

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


def descent_step(game: Game) -> float:
    """Return the default constant step: 1 / sqrt(T), divided by the largest k(x, x) if that is above 1.

    >>> descent_step(Game(rounds=100)), descent_step(Game(rounds=100, kernel="polynomial(degree=2)"))
    (0.1, 0.011111111111111112)
    """
    return 1.0 / (math.sqrt(game.rounds) * widest(game))


def linear_step(game: Game) -> float:
    """Return `descent_step` for the kernel x'z + 1, which belongs to linear predictors with an intercept."""
    return descent_step(game.replace(kernel=Linear(offset=1.0)))


def default_step(game: Game, steps: str) -> float:
    """Return the default step of gradient descent in round 1, without shrinkage; `steps` is as in `falling`."""
    return {"constant": descent_step(game), "square-root": 1.0 / widest(game), "inverse": 0.5 / widest(game)}[steps]


def falling(steps: str, first: float, rounds: int) -> Array:
    """Return the steps of all rounds t.

    They are `first` for the kind "constant", `first` / sqrt(t) for "square-root", and `first` / t for "inverse".

    >>> falling("inverse", 1.0, 2)
    array([1. , 0.5])
    """
    numbers = np.arange(1.0, rounds + 1.0)
    divisors = {"constant": np.ones(rounds), "square-root": np.sqrt(numbers), "inverse": numbers}
    return np.asarray(first / divisors[steps])

"""The constant step of gradient descent that is not told."""

from __future__ import annotations

import numpy as np

from arena.game.game import Game


def gradient_rate(game: Game) -> float:
    """1 / sqrt(T), the constant step of gradient descent, over the largest k(x, x) where that is above one.

    Two gradients at one point are k(x, x) as long as their slopes: with a step beyond 1 / k(x, x) descent on the
    squared loss overshoots further in every round, until the numbers overflow.

    >>> gradient_rate(Game(rounds=100)), gradient_rate(Game(rounds=100, kernel="polynomial(degree=2)"))
    (0.1, 0.011111111111111112)
    """
    return float(game.rounds**-0.5) / largest_diagonal(game)


def largest_diagonal(game: Game) -> float:
    """The largest k(x, x) in the box, and one at least; here it is that of the corner farthest from the origin."""
    corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)
    return max(float(game.kernel.diagonal(corner[np.newaxis])[0]), 1.0)

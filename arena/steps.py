"""How large the steps of learners are that are not told."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game import Game


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


class NewtonSteps:
    """The steps eta_t of a second-order learner, in the order of the rounds.

    They are `fixed` if that is given, else `share` times the curvature sigma of the loss on [-C, C]: as large as that
    allows. For a loss without curvature (hinge, absolute) no theorem covers a constant step; it gets
    share / (L C sqrt(t)), the choice of Calandriello et al. 2017 (ICML, Theorem 1) for sigma = 0, with L its Lipschitz
    constant.

    >>> NewtonSteps(Game(), None).take(2)  # squared loss, B = C = 1
    array([0.125, 0.125])
    """

    def __init__(self, game: Game, fixed: float | None, *, share: float = 1.0):
        self.constant = share * game.loss.curvature(game.clip, game.label_bound) if fixed is None else fixed
        self.slope = game.loss.lipschitz(game.clip, game.label_bound) * game.clip / share
        self.round = 0

    def take(self, rounds: int) -> Array:
        """The steps of the next rounds."""
        numbers = np.arange(self.round + 1, self.round + rounds + 1)
        self.round += rounds
        if self.constant > 0:
            return np.full(rounds, self.constant)
        return np.asarray(1.0 / (self.slope * np.sqrt(numbers)))

"""How large the steps of second-order learners are that are not told."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game


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

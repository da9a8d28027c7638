"""What keeping a budget cost: the record that the regret bounds of budgeted learners need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.game.game import Game

RECORDED = 20_000  # rounds; in longer matches nothing is recorded


class Removals:
    """Every function that was taken out of a kernel sum, as weighted kernels, by round.

    Divided by the step it is the perturbation of the gradient steps on which the regret depends (theory E16).
    """

    def __init__(self, game: Game):
        self.recording = game.rounds <= RECORDED
        self._rows = GrowingArray((2 + game.dimension,))

    def add(self, round_number: int, weights: Array, points: Array) -> None:
        """In this round the sum of weight * k(point, .) was taken out (put in, where a weight is negative)."""
        if self.recording:
            self._rows.extend(np.column_stack([np.full(len(weights), round_number), weights, points]))

    def evidence(self) -> Mapping[str, Any]:
        """Rounds, weights and points; nothing if nothing was recorded."""
        if not self.recording:
            return {}
        rows = self._rows.view().copy()
        return {"removed_rounds": rows[:, 0], "removed_weights": rows[:, 1], "removed_points": rows[:, 2:]}

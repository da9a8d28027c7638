"""A learner that always predicts zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.players.learner import Learner


@dataclass
class Zero(Learner):
    """Predicts zero in every round; any other learner should have a smaller loss.

    >>> from arena import play
    >>> play(Zero(), "alternating", rounds=10).loss
    10.0
    """

    name: ClassVar[str] = "zero"
    formula: ClassVar[str] = r"$\hat y_t = 0$"
    family: ClassVar[str] = "reference"
    paper: ClassVar[str] = "none; the point of comparison"
    cost: ClassVar[str] = "O(1) time and memory"
    memory_growth: ClassVar[str] = "constant"

    def predict(self, x: Array) -> float:
        return 0.0

    def update(self, x: Array, y: float) -> None:
        """Do nothing: this learner has no state."""

    def replay(self, X: Array, y: Array) -> Array:
        return np.zeros(len(X))

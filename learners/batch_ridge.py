"""Ridge regression fitted to the whole match, as in the BATCH rows of the papers' tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.arrays import Array
from arena.learners.beforehand import Beforehand


@dataclass
class BatchKRR(Beforehand):
    """Ridge regression fitted to the whole match, in the span of the final dictionary of KORS.

    It plays the part of a comparator: all its predictions come from one function, fitted to every label, that of the
    round included. Its loss is what projection onto the dictionary alone costs. It plays against oblivious adversaries
    only.

    >>> from arena import play
    >>> play(BatchKRR(), "alternating", rounds=100).predictions[:3].round(3) + 0.0
    array([0., 0., 0.])
    """

    name: ClassVar[str] = "batch-krr"
    family: ClassVar[str] = "batch"
    paper: ClassVar[str] = "the BATCH rows of Calandriello, Lazaric and Valko 2017 (NIPS), section 5"
    cost: ClassVar[str] = "O(r^2) time a round, O(r^2) memory, and one run of KORS over the points"

    def _play(self, X: Array, y: Array) -> Array:
        super()._play(X, y)
        return self.peek(X)

    def _answer(self, mean: Array, surprise: Array) -> Array:
        return mean

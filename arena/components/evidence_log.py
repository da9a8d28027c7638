"""Evidence that a learner records round by round, for the theorems that judge the match."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.game.game import Game

LONGEST = 20_000  # rounds; in longer matches nothing is recorded


class EvidenceLog:
    """Arrays with names, which grow as values are recorded; in a match of more than `LONGEST` rounds there are none.

    >>> log = EvidenceLog(Game(rounds=9), errors=())  # () is the shape of one row
    >>> log.append("errors", 0.5); log.extend("errors", np.ones(2))
    >>> log.arrays()
    {'errors': array([0.5, 1. , 1. ])}
    """

    def __init__(self, game: Game, **row_shapes: tuple[int, ...]):
        recording = game.rounds <= LONGEST
        self._arrays = {name: GrowingArray(shape) for name, shape in row_shapes.items()} if recording else {}

    def append(self, name: str, value: float) -> None:
        """Record one value."""
        if self._arrays:
            self._arrays[name].append(value)

    def extend(self, name: str, values: Array) -> None:
        """Record these values, or rows."""
        if self._arrays:
            self._arrays[name].extend(values)

    def arrays(self, **constants: Array) -> dict[str, Array]:
        """The recorded arrays together with these constants; nothing at all in a long match."""
        if not self._arrays:
            return {}
        return {**{name: array.view().copy() for name, array in self._arrays.items()}, **constants}


class RemovalLog(EvidenceLog):
    """Every function that was taken out of a kernel sum to keep a budget, as weighted kernels, by round.

    Divided by the step it is the perturbation of the gradient steps on which the regret depends (theory E16).
    """

    def __init__(self, game: Game, **row_shapes: tuple[int, ...]):
        points = (game.dimension,)
        super().__init__(game, removed_rounds=(), removed_weights=(), removed_points=points, **row_shapes)

    def remove(self, round_number: int, weights: Array, points: Array) -> None:
        """Record that the sum of weight * k(point, .) was taken out (put in, where a weight is negative)."""
        if self._arrays and len(weights):
            self.extend("removed_rounds", np.full(len(weights), float(round_number)))
            self.extend("removed_weights", weights)
            self.extend("removed_points", points)

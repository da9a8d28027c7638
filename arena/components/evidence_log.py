"""Logs in which a learner records, round by round, the arrays that its theorems need."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.game.game import Game

MOST_LOGGED_ROUNDS = 20_000  # rounds; in longer matches nothing is recorded


class EvidenceLog:
    """Named arrays that grow as values are recorded, in matches of `MOST_LOGGED_ROUNDS` rounds at most.

    >>> log = EvidenceLog(Game(rounds=9), errors=())  # () is the shape of one row
    >>> log.append("errors", 0.5); log.extend("errors", np.ones(2))
    >>> log.arrays()
    {'errors': array([0.5, 1. , 1. ])}
    """

    def __init__(self, game: Game, **row_shapes: tuple[int, ...]):
        recording = game.rounds <= MOST_LOGGED_ROUNDS
        self._arrays = {name: GrowingArray(shape) for name, shape in row_shapes.items()} if recording else {}

    def append(self, name: str, value: float) -> None:
        """Append one value to the array `name`."""
        if self._arrays:
            self._arrays[name].append(value)

    def extend(self, name: str, values: Array) -> None:
        """Append several values, or rows, to the array `name`."""
        if self._arrays:
            self._arrays[name].extend(values)

    def arrays(self, **constants: Array) -> dict[str, Array]:
        """Return copies of the recorded arrays and `constants`, by name; {} in a match of more than 20,000 rounds."""
        if not self._arrays:
            return {}
        return {**{name: array.view().copy() for name, array in self._arrays.items()}, **constants}


class RemovalLog(EvidenceLog):
    """Log that also records each kernel that a learner removed to keep its budget: its round, weight and point."""

    def __init__(self, game: Game, **row_shapes: tuple[int, ...]):
        points = (game.dimension,)
        super().__init__(game, removed_rounds=(), removed_weights=(), removed_points=points, **row_shapes)

    def remove(self, round_number: int, weights: Array, points: Array) -> None:
        """Record that the sum of weights[s] k(points[s], .) was removed from the function in round `round_number`."""
        if self._arrays and len(weights):
            self.extend("removed_rounds", np.full(len(weights), float(round_number)))
            self.extend("removed_weights", weights)
            self.extend("removed_points", points)

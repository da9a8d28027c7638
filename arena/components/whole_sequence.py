"""Learners that know the whole sequence beforehand: references for those that have to play round by round."""

from __future__ import annotations

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.learner import Learner


class WholeSequenceLearner(Learner):
    """A learner whose one `replay` is given all rounds; it plays against oblivious adversaries only."""

    foresight = True

    def update(self, x: Array, y: float) -> None:
        """Refused: there is nothing to add to a sequence that is known."""
        raise ArenaError(f"{self.name} plays whole sequences, known beforehand, through replay(X, y)")

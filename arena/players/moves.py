"""An adversary that plays a given sequence of points and labels."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View


class GivenMoves(Adversary):
    """Adversary that plays `points` and `labels` in their order, and then ends the match.

    With `one_by_one` the match is played round by round, otherwise in blocks.
    """

    def __init__(self, points: Array, labels: Array, *, one_by_one: bool = False):
        self.points, self.labels, self.one_by_one = points, labels, one_by_one

    @property
    def oblivious(self) -> bool:
        return not self.one_by_one

    def __len__(self) -> int:
        return len(self.labels)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        # the referee checks everything else
        if len(self) and self.points.shape[1] != game.dimension:
            raise ArenaError(f"moves: the points have {self.points.shape[1]} coordinates, the game's {game.dimension}")

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        if not len(self):
            return np.empty((0, view.game.dimension)), np.empty(0)
        coming = slice(view.round - 1, view.round - 1 + rounds)
        return self.points[coming], self.labels[coming]

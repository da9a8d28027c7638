"""The plan of a tournament: which matches there are, each with the key of everything that determines it."""

from __future__ import annotations

from dataclasses import dataclass

from arena.engine.match import Hindsight
from arena.game.game import Game

ALGORITHM = 1  # to be raised when the same specs, game and seed give another transcript


@dataclass(frozen=True)
class PlannedMatch:
    """A match that is determined and not yet played; the specs name the values of all parameters."""

    learner: str
    adversary: str
    game: Game
    seed: int
    bounds: tuple[str, ...] = ("auto",)
    hindsight: Hindsight = "auto"

    @property
    def key(self) -> str:
        """The hash of everything that determines the match, in hexadecimal digits, and of nothing else."""
        raise NotImplementedError

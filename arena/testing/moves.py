"""A sequence of moves as an adversary: what a strategy draws, a state machine played, or a test wrote down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Moves(Adversary):
    """Plays these points and labels, to the last digit, and then ends the match; it can be written as a spec.

    >>> from arena import play
    >>> moves = Moves(X=[[0.0], [0.5]], y=[1.0, -1.0])
    >>> run = play("zero", moves, dimension=1)
    >>> run.rounds, run.command
    (2, "arena play zero 'arena.testing.moves:Moves(X=[[0.0], [0.5]], y=[1.0, -1.0])' --dimension 1")
    >>> points, labels = moves
    """

    cost: ClassVar[str] = "O(d) a round"
    oblivious = True

    X: Sequence[Any] = parameter((), "the points, one a row")
    y: Sequence[float] = parameter((), "their labels")

    def __post_init__(self) -> None:
        self.X, self.y = _plain(self.X), _plain(self.y)
        super().__post_init__()
        if len(self.X) != len(self.y):
            raise ArenaError(f"moves: X has {len(self.X)} rows, but y has {len(self.y)} labels")
        self.labels = np.array(self.y, dtype=float)
        self.points = np.array(self.X, dtype=float).reshape(len(self.y), -1 if len(self.y) else 0)

    @classmethod
    def of(cls, X: Array, y: Array) -> Moves:
        """The moves in these arrays."""
        return cls(X=X.tolist(), y=y.tolist())

    def __iter__(self) -> Iterator[Array]:
        return iter((self.points, self.labels))

    def __len__(self) -> int:
        return len(self.labels)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """The points must have the game's dimension; whether they are legal the referee says."""
        if len(self) and self.points.shape[1] != game.dimension:
            raise ArenaError(f"moves: the points have {self.points.shape[1]} coordinates, the game's {game.dimension}")

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        """The next moves."""
        if not len(self):
            return np.empty((0, view.game.dimension)), np.empty(0)
        coming = slice(view.round - 1, view.round - 1 + rounds)
        return self.points[coming], self.labels[coming]


def _plain(values: Any) -> Any:
    """Lists of plain numbers in the place of arrays, so that they can be written down."""
    return values.tolist() if isinstance(values, np.ndarray) else values

"""Given moves that can be written as a spec: what a strategy draws, a state machine played, or a test wrote down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.moves import GivenMoves
from arena.specs.parameters import parameter


@dataclass
class Moves(GivenMoves):
    """Plays these points and labels, to the last digit, and then ends the match; it can be written as a spec.

    >>> from arena import play
    >>> moves = Moves(X=[[0.0], [0.5]], y=[1.0, -1.0])
    >>> run = play("zero", moves, dimension=1)
    >>> run.rounds, run.command
    (2, "arena play zero 'arena.testing.moves:Moves(X=[[0.0], [0.5]], y=[1.0, -1.0])' --dimension 1")
    >>> points, labels = moves
    """

    cost: ClassVar[str] = "O(d) a round"

    X: Sequence[Any] = parameter((), "the points, one a row")
    y: Sequence[float] = parameter((), "their labels")

    def __post_init__(self) -> None:
        self.X, self.y = _as_list(self.X), _as_list(self.y)
        super().__post_init__()
        if len(self.X) != len(self.y):
            raise ArenaError(f"moves: X has {len(self.X)} rows, but y has {len(self.y)} labels")
        labels = np.array(self.y, dtype=float)
        super().__init__(np.array(self.X, dtype=float).reshape(len(labels), -1 if len(labels) else 0), labels)

    @classmethod
    def of(cls, X: Array, y: Array) -> Moves:
        """The moves in these arrays."""
        return cls(X=X.tolist(), y=y.tolist())

    def __iter__(self) -> Iterator[Array]:
        return iter((self.points, self.labels))


def _as_list(values: Any) -> Any:
    """A list of plain numbers in place of an array, which a spec could not hold."""
    return values.tolist() if isinstance(values, np.ndarray) else values

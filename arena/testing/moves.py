"""Adversaries for tests: `Moves` plays given moves; `OneByOne` plays the moves of another adversary round by round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, number_of, shown
from arena.game.game import Game
from arena.players.adversary import Adversary, arranged, as_adversary
from arena.players.moves import GivenMoves
from arena.players.view import View
from arena.specs.building import build
from arena.specs.parameters import parameter


@dataclass
class Moves(GivenMoves):
    """An adversary that plays given points and labels; its spec contains all of them, exact to the last digit.

    >>> from arena import play
    >>> from arena.record.commands import play_command
    >>> moves = Moves(X=[[0.0], [0.5]], y=[1.0, -1.0])
    >>> run = play("zero", moves, dimension=1)
    >>> run.rounds, play_command(run)
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
        super().__init__(_rows(self.X), np.array(self.y, dtype=float))
        vars(self)["name"] = f"a sequence of {number_of(len(self.y), 'round')}"

    @classmethod
    def of(cls, X: Array, y: Array) -> Moves:
        """Return the adversary that plays the moves in these arrays."""
        return cls(X=X.tolist(), y=y.tolist())

    def __iter__(self) -> Iterator[Array]:
        return iter((self.points, self.labels))


def _as_list(values: Any) -> Any:
    """Return an array as a list of plain numbers, which a spec can hold; other values are returned unchanged."""
    return values.tolist() if isinstance(values, np.ndarray) else values


def _rows(X: Sequence[Any]) -> Array:
    """Return the points as an array with one row each; raise an `ArenaError` if they are not rows of equal length.

    In one dimension, numbers stand for points.
    """
    try:
        points = np.array(X, dtype=float) if len(X) else np.empty((0, 0))
    except (TypeError, ValueError, OverflowError):
        points = np.empty(0)
    if points.ndim == 1 and len(points):
        return points[:, np.newaxis]
    if points.ndim != 2:
        raise ArenaError(
            f"moves: X must be rows of equally many numbers, such as [[0, 1], [2, 3]], but it is {shown(list(X))}"
        )
    return points


@dataclass
class OneByOne(Adversary):
    """An adversary that plays the moves of another adversary, but gets them one by one.

    In each round it calls the other adversary's `point` and `label`; it never calls its `block`. By default the
    learner plays round by round, too. With `oblivious=True`, the learner's `replay` is called with blocks of moves.

    >>> from arena import play
    >>> blocks, rounds = play("krr", "drift", rounds=50), play("krr", OneByOne("drift"), rounds=50)
    >>> bool((abs(blocks.predictions - rounds.predictions) < 1e-8).all())
    True
    """

    inner: Any = parameter("alternating", "the adversary whose moves are played")
    oblivious: bool = parameter(False, "ask for single moves, but promise that they depend on nothing")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.inner = self.plays = as_adversary(build("adversary", self.inner))

    def arrange(self, game: Game) -> Game:
        return arranged(self.plays, game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.plays.begin(game, rng)

    @property
    def remark(self) -> str:
        return self.plays.remark

    @property
    def label_unit(self) -> float:
        return self.plays.label_unit

    def point(self, view: View) -> Array | None:
        return self.plays.point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.plays.label(view, x, prediction)

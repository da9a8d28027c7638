"""The class `Case`: moves and a game that are tried while a match is shrunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.engine.isolation import Isolation
from arena.engine.match import Hindsight, Progress, play
from arena.game.game import Game
from arena.guards.disk import on_disk_if_large, rows_of
from arena.players.learner import own_copy
from arena.players.moves import GivenMoves
from arena.record.transcript import Transcript
from arena.specs.building import makes_players
from arena.specs.spelling import changed_fields

PLAIN_FIELDS = ("regularisation", "label_bound", "prediction_bound")  # simpler at their usual values


@dataclass(frozen=True, eq=False)
class Case:
    """Moves that are fixed beforehand, and the game in which they are played.

    `game` is `setting` with another horizon: `horizon` or, if that is None, the number of moves.
    """

    setting: Game
    points: Array
    labels: Array
    horizon: int | None = None
    game: Game = field(init=False)

    def __post_init__(self) -> None:
        # Adding 0.0 turns -0.0, which would be printed and counted as another number, into 0.0; and it copies.
        object.__setattr__(self, "points", rows_of(lambda points: points + 0.0, self.points))
        object.__setattr__(self, "labels", on_disk_if_large(self.labels + 0.0))
        object.__setattr__(self, "game", self.setting.replace(rounds=self.horizon or max(1, self.rounds)))

    @classmethod
    def of(cls, transcript: Transcript) -> Case:
        """Return the case with the moves, the game and the horizon of a match."""
        return cls(transcript.game, *moves_of(transcript), transcript.game.rounds)

    @property
    def rounds(self) -> int:
        """The number of moves."""
        return len(self.labels)

    @cached_property
    def key(self) -> tuple[Game, bytes, bytes]:
        """A hashable value: two cases have the same moves and the same game if their keys are equal."""
        return self.game, self.points.tobytes(), self.labels.tobytes()

    @cached_property
    def distinct(self) -> Array:
        """The points of the moves without repetitions, in the order of their first appearance."""
        _, first = np.unique(self.points, axis=0, return_index=True)
        return np.asarray(self.points[np.sort(first)])

    @cached_property
    def complexity(self) -> int:
        """A whole number, smaller for simpler cases.

        It is a weighted sum of four numbers:

        - the total `_complexity` of the labels and of the coordinates of the different points;
        - the number of rounds whose label differs from the label before;
        - the dimension;
        - the number of fields in `PLAIN_FIELDS` that do not have their default values.
        """
        bound, low, high = self.game.label_bound, self.game.low, self.game.high
        labels = sum(_complexity(y, ((bound, -bound), (0.0,), (bound / 2, -bound / 2))) for y in self.labels.tolist())
        points = sum(
            _complexity(value, ((0.0,), (1.0, -1.0, low[i], high[i]), (0.5, -0.5)))
            for point in self.distinct.tolist()
            for i, value in enumerate(point)
        )
        unusual = len(changed_fields(self.game).keys() & set(PLAIN_FIELDS))
        changes = int(np.count_nonzero(np.diff(self.labels)))
        return 2 * (labels + points) + changes + 20 * (self.game.dimension + unusual)

    def simpler_than(self, other: Case) -> bool:
        """Return whether this case is simpler than `other`.

        The case with fewer rounds is simpler; at a tie, the case with fewer different points; at a second tie, the case
        with less `complexity`.
        """
        if self.rounds != other.rounds:
            return self.rounds < other.rounds
        if len(self.distinct) != len(other.distinct):
            return len(self.distinct) < len(other.distinct)
        return self.complexity < other.complexity

    def prefix(self, rounds: int) -> Case:
        return self.with_moves(self.points[:rounds], self.labels[:rounds])

    def without(self, rounds: slice | Sequence[int]) -> Case:
        """Return the case without the moves that have these indices; the index of the first move is 0."""
        return self.with_moves(np.delete(self.points, rounds, axis=0), np.delete(self.labels, rounds))

    def with_moves(self, points: Array, labels: Array) -> Case:
        return replace(self, points=points, labels=labels)

    def with_label(self, number: int | slice | NDArray[np.bool_], label: float | Array) -> Case:
        """Return the case with new labels in some rounds; `number`, an index, a slice or a mask, selects the rounds."""
        labels = self.labels.copy()
        labels[number] = label
        return self.with_moves(self.points, labels)

    def with_point(self, number: int | NDArray[np.bool_], point: Array) -> Case:
        """Return the case with a new point in some rounds; `number`, an index or a mask, selects the rounds."""
        points = self.points.copy()
        points[number] = point
        return self.with_moves(points, self.labels)

    def where(self, point: Array) -> NDArray[np.bool_]:
        """Return a mask that is True for the rounds in which this point is played."""
        return np.asarray((self.points == point).all(axis=1))


def moves_of(transcript: Transcript) -> tuple[Array, Array]:
    """Return the points and the labels of a match.

    If a foul of the learner ended the match, moves that the learner had not answered are included, so the last move
    is in the round of the foul or later. A label that the adversary had not named yet is 0. A point that the adversary
    had not named yet is the point of the round before or, in round 1, the middle of the box.
    """
    points, labels = transcript.points, transcript.labels
    foul = transcript.forfeit
    if foul is None or foul.side != "learner":
        return points, labels
    if transcript.unanswered is not None:
        points = np.concatenate([points, transcript.unanswered[0]])
        labels = np.concatenate([labels, transcript.unanswered[1]])
    if len(points) < foul.round:
        before = points[-1:] if len(points) else (transcript.game.low + transcript.game.high)[np.newaxis] / 2
        points = np.concatenate([points, before])
    return points, np.append(labels, np.zeros(len(points) - len(labels)))


def _complexity(value: float, round_ones: tuple[tuple[float, ...], ...]) -> int:
    """Return how far `value` is from a round number, as a whole number.

    `round_ones` lists groups of round numbers, the roundest first. The result is the index of the group that contains
    `value`. If no group does, the result is the number of groups plus the number of the value's digits.
    """
    for rank, numbers in enumerate(round_ones):
        if value in numbers:
            return rank
    digits = repr(abs(value)).partition("e")[0].replace(".", "").strip("0")
    return len(round_ones) + len(digits)


def played(
    learner: Any,
    case: Case,
    *,
    seed: int,
    one_by_one: bool,
    watch: Progress | None = None,
    hindsight: Hindsight = "auto",
    isolate: bool | Isolation = False,
    exact: bool = False,
    name: str | None = None,
) -> Transcript:
    """Play a fresh learner on the case, in blocks unless `one_by_one` is true; return the transcript.

    `watch` is called with the number of rounds played. `hindsight`, `isolate`, `exact` and `name` are
    the options of `play`.
    """
    moves = GivenMoves(case.points, case.labels, one_by_one=one_by_one)
    options: dict[str, Any] = {"hindsight": hindsight, "isolate": isolate, "exact": exact, "name": name}
    return play(fresh(learner), moves, game=case.game, seed=seed, progress=watch, **options)


def fresh(learner: Any) -> Any:
    """Return the learner itself if it is a class, a factory function or a spec, and a copy of any other object."""
    return learner if makes_players(learner) else own_copy(learner)

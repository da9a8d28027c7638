"""Strategies that draw labels, sequences of moves, and matches (a game and a legal sequence in it)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.testing.moves import Moves
from arena.testing.strategies.games import games
from arena.testing.strategies.points import point_sequences

Labels: TypeAlias = "SearchStrategy[Array]"


def labels(game: Game) -> SearchStrategy[float]:
    """Draw labels from -B to B, often 0, B or -B; for a classification loss draw only B and -B."""
    bound = game.label_bound
    if game.loss.classifies:
        return st.sampled_from([bound, -bound])
    return st.sampled_from([0.0, bound, -bound]) | st.floats(-bound, bound).map(lambda label: label + 0.0)


def label_sequences(game: Game, rounds: int | None = None, *, max_rounds: int | None = None) -> Labels:
    """Draw sequences of `rounds` labels; if `rounds` is None, the length is drawn, too.

    A drawn length is at most `max_rounds`, by default the game's number of rounds. Each sequence has one of four kinds:
    independent labels, equal labels, labels that are equal except for one round, or runs of labels B and -B in turn.
    """
    most = game.rounds if max_rounds is None else max_rounds
    if rounds is None:
        return st.integers(0, most).flatmap(lambda count: label_sequences(game, count))
    if rounds < 0:
        raise ArenaError(f"label_sequences: rounds must be >= 0, but it is {rounds}")
    return _label_sequences(game, rounds)


@functools.lru_cache(maxsize=64)
def _label_sequences(game: Game, rounds: int) -> Labels:
    bound = game.label_bound
    free = st.lists(labels(game), min_size=rounds, max_size=rounds).map(lambda drawn: np.array(drawn, dtype=float))
    if not rounds:
        return free
    alike = labels(game).map(lambda label: np.full(rounds, label))
    turns = st.integers(1, rounds).map(lambda run: np.where(np.arange(rounds) // run % 2, -bound, bound))
    odd = st.builds(_with_one, alike, st.integers(0, rounds - 1), labels(game))
    return free | alike | turns | odd


def _with_one(values: Array, where: int, label: float) -> Array:
    return np.asarray(np.where(np.arange(len(values)) == where, label, values))


@dataclass(frozen=True)
class DrawnMatch:
    """A game and the moves of an oblivious adversary in it."""

    game: Game
    moves: Moves


@st.composite
def sequences(
    draw: st.DrawFn,
    /,
    game: Game,
    *,
    min_rounds: int = 1,
    max_rounds: int | None = None,
    patterns: Sequence[str] | None = None,
) -> Moves:
    """Draw an adversary with legal moves; use it as `X, y = moves` or `play(learner, moves, game=game)`.

    `patterns` names the patterns of the points, such as `repeated`; `point_sequences` lists them. Hypothesis shrinks a
    sequence to one round with point and label zero.
    """
    X = draw(point_sequences(game, min_rounds=min_rounds, max_rounds=max_rounds, patterns=patterns))
    return Moves.of(X, draw(label_sequences(game, len(X))))


@st.composite
def matches(draw: st.DrawFn, /, *, patterns: Sequence[str] | None = None, **fields: Any) -> DrawnMatch:
    """Draw a match: a game, by `games(**fields)`, and a sequence of moves in this game.

    The field `rounds` limits the length of the sequence. The horizon of the game is the length of the sequence drawn.
    `patterns` names the patterns of the points, such as `repeated`; `point_sequences` lists them.
    """
    game = draw(games(**{"rounds": 20, **fields}))
    moves = draw(sequences(game, patterns=patterns))
    return DrawnMatch(game.replace(rounds=len(moves)), moves)

"""Whole sequences of moves, and matches: a game with a sequence that is legal in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from arena.game.game import Game
from arena.testing.moves import Moves
from arena.testing.strategies.games import games
from arena.testing.strategies.labels import label_sequences
from arena.testing.strategies.points import point_sequences


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
    """What an oblivious adversary plays: `X, y = moves`, or `play(learner, moves, game=game)`.

    `patterns` are those of `point_sequences`. The plainest sequence is one round, zero everywhere.
    """
    X = draw(point_sequences(game, min_rounds=min_rounds, max_rounds=max_rounds, patterns=patterns))
    return Moves.of(X, draw(label_sequences(game, len(X))))


@st.composite
def matches(draw: st.DrawFn, /, *, patterns: Sequence[str] | None = None, **fields: Any) -> DrawnMatch:
    """A game, of which `fields` are given as in `games`, with a sequence of moves as long as it has rounds or shorter.

    `rounds` is the most that the sequence may have; the drawn game's horizon is the sequence's length.
    """
    game = draw(games(**{"rounds": 20, **fields}))
    moves = draw(sequences(game, patterns=patterns))
    return DrawnMatch(game.replace(rounds=len(moves)), moves)

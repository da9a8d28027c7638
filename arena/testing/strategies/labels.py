"""Labels and sequences of labels."""

from __future__ import annotations

import functools
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game

Labels: TypeAlias = "SearchStrategy[Array]"


def labels(game: Game) -> SearchStrategy[float]:
    """Labels of the game: up to the bound, and the bound itself; of a loss that classifies the two signs alone."""
    bound = game.label_bound
    if game.loss.classifies:
        return st.sampled_from([bound, -bound])
    return st.sampled_from([0.0, bound, -bound]) | st.floats(-bound, bound).map(lambda label: label + 0.0)


def label_sequences(game: Game, rounds: int | None = None, *, max_rounds: int | None = None) -> Labels:
    """Sequences of so many labels (default: up to as many as the game has rounds).

    They come without a plan, all alike, in turn, in runs of one sign, or with one that is unlike all others.
    """
    most = game.rounds if max_rounds is None else max_rounds
    if rounds is None:
        return st.integers(0, most).flatmap(lambda count: label_sequences(game, count))
    if rounds < 0:
        raise ArenaError(f"label_sequences: rounds must be >= 0, but it is {rounds}")
    return _sequences(game, rounds)


@functools.lru_cache(maxsize=64)
def _sequences(game: Game, rounds: int) -> Labels:
    bound = game.label_bound
    free = st.lists(labels(game), min_size=rounds, max_size=rounds).map(_array)
    if not rounds:
        return free
    alike = labels(game).map(lambda label: np.full(rounds, label))
    turns = st.integers(1, rounds).map(lambda run: np.where(np.arange(rounds) // run % 2, -bound, bound))
    odd = st.builds(_with_one, alike, st.integers(0, rounds - 1), labels(game))
    return free | alike | turns | odd


def _array(values: list[float]) -> Array:
    return np.array(values, dtype=float)


def _with_one(values: Array, where: int, label: float) -> Array:
    return np.asarray(np.where(np.arange(len(values)) == where, label, values))

"""Points and sequences of points, among them those on which numerical work is known to break."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arena.arrays import Array
from arena.errors import ArenaError, nearest
from arena.game import Game

Points: TypeAlias = "SearchStrategy[Array]"
Step: TypeAlias = Callable[[list[Array]], Array]  # the next point, given those before it
SPARE = 3  # coordinates that are always drawn
of_one_game = functools.lru_cache(maxsize=64)  # to make a strategy takes longer than to draw from it


@of_one_game
def points(game: Game) -> Points:
    """Points of the game's box: anywhere, on a lattice, in a corner; the plainest has zeros where the box has them."""
    return anywhere(game) | lattice(game) | corners(game)


def point_sequences(
    game: Game, *, min_rounds: int = 0, max_rounds: int | None = None, patterns: Sequence[str] | None = None
) -> Points:
    """Sequences of points, one a row, with as many rounds as the game has at most.

    `patterns` are some of `PATTERNS`, by default all:

    - `anywhere`: points without a plan;
    - `repeated`: points that were seen before, again;
    - `clusters`: points at distances of 0.1 to 1e-12 of the box from one seen before;
    - `ulps`: points seen before with one coordinate moved to the next floating-point number;
    - `collinear`: points on the segment between two that were seen before;
    - `corners` of the box, and a `lattice` of quarters of it;
    - `mixed`: all of these in turn.
    """
    most = game.rounds if max_rounds is None else max_rounds
    if not 0 <= min_rounds <= most:
        raise ArenaError(f"point_sequences: 0 <= min_rounds <= max_rounds is needed, but they are {min_rounds}, {most}")
    for name in patterns or ():
        if name not in PATTERNS:
            raise ArenaError(f"point_sequences: there is no pattern {name!r}. {nearest(name, PATTERNS)}")
    return _walks(game, min_rounds, most, tuple(patterns or PATTERNS))


@of_one_game
def _walks(game: Game, least: int, most: int, patterns: Sequence[str]) -> Points:
    walks = [st.lists(PATTERNS[name](game), min_size=least, max_size=most) for name in patterns]
    return st.one_of(walks).map(lambda steps: _walked(game, steps))


@of_one_game
def anywhere(game: Game) -> Points:
    """Any point of the box."""
    return _of_coordinates(game, [st.floats(low, high) for low, high in _sides(game)])


@of_one_game
def corners(game: Game) -> Points:
    """Corners of the box."""
    return _of_coordinates(game, [st.sampled_from(side) for side in _sides(game)])


@of_one_game
def lattice(game: Game) -> Points:
    """Points whose coordinates are quarters of the box, its middle the plainest."""
    share = st.sampled_from([0.5, 0.0, 1.0, 0.25, 0.75])
    shares = _of_coordinates(game, [share for _ in _sides(game)])
    return shares.map(lambda share: inside(game, game.low + share * (game.high - game.low)))


def inside(game: Game, point: Array) -> Array:
    """The point, moved into the box if rounding took it out."""
    return np.asarray(np.clip(point, game.low, game.high))


def _of_coordinates(game: Game, coordinates: Sequence[SearchStrategy[float]]) -> Points:
    """Points with these coordinates, of which those beyond the game's dimension are drawn for nothing.

    So a game with fewer dimensions leaves all later draws in their places, and examples shrink to one dimension.
    """
    return st.tuples(*coordinates).map(lambda drawn: np.array(drawn[: game.dimension], dtype=float) + 0.0)  # no -0.0


def _sides(game: Game) -> list[tuple[float, float]]:
    sides = list(zip(game.low.tolist(), game.high.tolist(), strict=True))
    return sides + sides[:1] * (SPARE - len(sides))


def _walked(game: Game, steps: Sequence[Step]) -> Array:
    past: list[Array] = []
    for step in steps:
        past.append(step(past))
    return np.array(past, dtype=float).reshape(len(past), game.dimension)


def _fresh(strategy: Points) -> SearchStrategy[Step]:
    return strategy.map(lambda x: lambda _: x)


def _again(game: Game) -> SearchStrategy[Step]:
    def again(which: int, otherwise: Array) -> Step:
        return lambda past: past[which % len(past)] if past else otherwise

    return st.builds(again, st.integers(0, 7), anywhere(game))


def _near(game: Game) -> SearchStrategy[Step]:
    def near(which: int, direction: Array, digits: int, otherwise: Array) -> Step:
        offset = 10.0**-digits * direction * (game.high - game.low)
        return lambda past: inside(game, past[which % len(past)] + offset) if past else otherwise

    directions = _of_coordinates(game, [st.sampled_from([0.0, 1.0, -1.0]) for _ in _sides(game)])
    return st.builds(near, st.integers(0, 7), directions, st.integers(1, 12), anywhere(game))


def _an_ulp_away(game: Game) -> SearchStrategy[Step]:
    def ulp(which: int, coordinate: int, up: bool, otherwise: Array) -> Step:
        return lambda past: moved_by_an_ulp(game, past[which % len(past)], coordinate, up) if past else otherwise

    return st.builds(ulp, st.integers(0, 7), st.integers(0, SPARE - 1), st.booleans(), anywhere(game))


def moved_by_an_ulp(game: Game, x: Array, coordinate: int, up: bool) -> Array:
    """The point with one coordinate moved to the next number, unless the box ends there."""
    moved, which = x.copy(), coordinate % len(x)
    moved[which] = np.nextafter(x[which], np.inf if up else -np.inf)
    return inside(game, moved)


def _between(game: Game) -> SearchStrategy[Step]:
    def between(first: int, second: int, share: float, otherwise: Array) -> Step:
        def step(past: list[Array]) -> Array:
            if len(past) < 2:
                return otherwise
            start, end = past[first % len(past)], past[second % len(past)]
            return inside(game, start + share * (end - start))

        return step

    shares = st.sampled_from([0.5, 0.0, 1.0]) | st.floats(0.0, 1.0)
    return st.builds(between, st.just(0), st.just(1), shares, anywhere(game))


def _mixed(game: Game) -> SearchStrategy[Step]:
    return st.one_of([steps(game) for name, steps in PATTERNS.items() if name != "mixed"])


PATTERNS: dict[str, Callable[[Game], SearchStrategy[Step]]] = {
    "anywhere": lambda game: _fresh(anywhere(game)),
    "repeated": lambda game: _fresh(points(game)) | _again(game),
    "clusters": lambda game: _fresh(points(game)) | _near(game) | _near(game),
    "ulps": lambda game: _fresh(points(game)) | _an_ulp_away(game),
    "collinear": _between,
    "corners": lambda game: _fresh(corners(game)),
    "lattice": lambda game: _fresh(lattice(game)),
    "mixed": _mixed,
}

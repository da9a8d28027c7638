"""Strategies that draw points and sequences of points; some of these sequences often break numerical code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arena.arrays import Array
from arena.errors import ArenaError, nearest
from arena.game.game import Game

Points: TypeAlias = "SearchStrategy[Array]"
Step: TypeAlias = Callable[[list[Array]], Array]  # the next point, given those before it
SPARE = 3  # least number of coordinates that are drawn
# Strategies are cached: making one takes longer than drawing from it.
of_one_game = functools.lru_cache(maxsize=64)


@of_one_game
def points(game: Game) -> Points:
    """Draw points of the box: anywhere, on a lattice, or in a corner.

    Hypothesis shrinks a point to zero if the box contains zero.
    """
    return anywhere(game) | lattice(game) | corners(game)


def point_sequences(
    game: Game, *, min_rounds: int = 0, max_rounds: int | None = None, patterns: Sequence[str] | None = None
) -> Points:
    """Draw sequences of points, as arrays with one point in each row.

    A sequence has from `min_rounds` to `max_rounds` points; `max_rounds` is by default the game's number of rounds.
    `patterns` are some of these names, by default all:

    - `anywhere`: independent points;
    - `repeated`: new points, and earlier points again;
    - `clusters`: new points, and points close to an earlier one: some coordinates differ from those of the earlier
      point by 0.1 to 1e-12 times the box's side;
    - `ulps`: new points, and earlier points with one coordinate moved to the next floating-point number;
    - `collinear`: points on one segment;
    - `corners`: corners of the box;
    - `lattice`: points whose coordinates are quarters of the box;
    - `mixed`: points of all these patterns in one sequence.
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
    return st.one_of([_walk(game, name, least, most) for name in patterns])


@of_one_game
def anywhere(game: Game) -> Points:
    """Return the strategy that draws any point of the box."""
    return _of_coordinates(game, [st.floats(low, high) for low, high in _sides(game)])


@of_one_game
def corners(game: Game) -> Points:
    """Draw corners of the box."""
    return _of_coordinates(game, [st.sampled_from(side) for side in _sides(game)])


@of_one_game
def lattice(game: Game) -> Points:
    """Draw points whose coordinates divide the box's sides into quarters; shrink them to the middle of the box."""
    share = st.sampled_from([0.5, 0.0, 1.0, 0.25, 0.75])
    shares = _of_coordinates(game, [share for _ in _sides(game)])
    return shares.map(lambda share: inside(game, game.low + share * (game.high - game.low)))


def inside(game: Game, point: Array) -> Array:
    """Return the point; coordinates that rounding has moved out of the box are moved back to the box's boundary."""
    return np.asarray(np.clip(point, game.low, game.high))


def _of_coordinates(game: Game, coordinates: Sequence[SearchStrategy[float]]) -> Points:
    """Draw points; coordinate i of a point is drawn by strategy i of `coordinates`.

    There may be more strategies than the game has dimensions; the surplus numbers are drawn, but not used.
    """
    return st.tuples(*coordinates).map(lambda drawn: np.array(drawn[: game.dimension], dtype=float) + 0.0)  # no -0.0


def _sides(game: Game) -> list[tuple[float, float]]:
    """Return (low, high) of each side of the box, then copies of the first side until there are `SPARE` pairs."""
    # so the number of draws does not depend on the dimension, and hypothesis can shrink examples to one dimension
    sides = list(zip(game.low.tolist(), game.high.tolist(), strict=True))
    return sides + sides[:1] * (SPARE - len(sides))


def _walked(game: Game, steps: Sequence[Step]) -> Array:
    past: list[Array] = []
    for step in steps:
        # the first step starts at the point of the box that is closest to zero
        past.append(step(past or [inside(game, np.zeros(game.dimension))]))
    return np.array(past, dtype=float).reshape(len(past), game.dimension)


# A step takes at most four draws, and one that chooses it: hypothesis can leave out at most five draws together.


def _fresh(strategy: Points) -> SearchStrategy[Step]:
    return strategy.map(lambda x: lambda _: x)


def _again() -> SearchStrategy[Step]:
    return WHICH.map(lambda which: lambda past: past[which % len(past)])


def _near(game: Game) -> SearchStrategy[Step]:
    def near(which: int, direction: int, digits: int) -> Step:
        # each coordinate moves up, down, or not at all
        signs = (direction // 3 ** np.arange(game.dimension) + 1) % 3 - 1.0
        offset = 10.0**-digits * signs * (game.high - game.low)
        return lambda past: inside(game, past[which % len(past)] + offset)

    return st.builds(near, WHICH, st.integers(0, 3**SPARE - 1), st.integers(1, 12))


def _an_ulp_away(game: Game) -> SearchStrategy[Step]:
    def ulp(which: int, move: int) -> Step:
        return lambda past: moved_by_an_ulp(game, past[which % len(past)], move // 2, bool(move % 2))

    return st.builds(ulp, WHICH, st.integers(0, 2 * SPARE - 1))


def moved_by_an_ulp(game: Game, x: Array, coordinate: int, up: bool) -> Array:
    """Return the point with one coordinate moved to the next floating-point number, up or down, within the box."""
    moved, which = x.copy(), coordinate % len(x)
    moved[which] = np.nextafter(x[which], np.inf if up else -np.inf)
    return inside(game, moved)


def _between(game: Game) -> SearchStrategy[Step]:
    return SHARE.map(lambda share: lambda past: inside(game, past[0] + share * (past[-1] - past[0])))


def _on_a_line(game: Game, least: int, most: int) -> Points:
    """Draw sequences of `least` to `most` points on one segment in the box."""

    def segment(start: Array, end: Array, shares: list[float]) -> Array:
        steps = np.array(shares, dtype=float)[:, np.newaxis] * (end - start)
        return inside(game, start + steps).reshape(len(shares), game.dimension)

    return st.builds(segment, anywhere(game), anywhere(game), st.lists(SHARE, min_size=least, max_size=most))


def _walk(game: Game, name: str, least: int, most: int) -> Points:
    if name == "collinear":
        return _on_a_line(game, least, most)
    steps = st.lists(PATTERNS[name](game), min_size=least, max_size=most)
    return steps.map(lambda steps: _walked(game, steps))


def _mixed(game: Game) -> SearchStrategy[Step]:
    return st.one_of([steps(game) for name, steps in PATTERNS.items() if name != "mixed"])


WHICH = st.integers(0, 7)
SHARE = st.sampled_from([0.0, 1.0, 0.5]) | st.floats(0.0, 1.0)
PATTERNS: dict[str, Callable[[Game], SearchStrategy[Step]]] = {
    "anywhere": lambda game: _fresh(anywhere(game)),
    "repeated": lambda game: _fresh(points(game)) | _again(),
    "clusters": lambda game: _fresh(points(game)) | _near(game) | _near(game),
    "ulps": lambda game: _fresh(points(game)) | _an_ulp_away(game),
    "collinear": _between,
    "corners": lambda game: _fresh(corners(game)),
    "lattice": lambda game: _fresh(lattice(game)),
    "mixed": _mixed,
}

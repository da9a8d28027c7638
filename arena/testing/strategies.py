"""Hypothesis strategies for games, moves and whole matches; all moves that are drawn are legal.

    from hypothesis import given
    from arena.testing import assert_regret
    from arena.testing.strategies import matches

    @given(matches(dimension=1))
    def test_my_learner_obeys_its_theorem(match):
        assert_regret(MyLearner, match.moves, game=match.game)

Hypothesis shrinks failing examples to the simplest ones: zeros, one round, one coordinate and the game's defaults. A
sequence is shrunk by leaving out rounds.
"""

from __future__ import annotations

from arena.specs.extras import import_extra

import_extra("hypothesis", "arena.testing.strategies")

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arena.arrays import Array
from arena.errors import ArenaError, nearest, shown
from arena.game.game import Game
from arena.game.kernels import Gaussian, Kernel
from arena.game.losses import Loss, Squared
from arena.specs import registry
from arena.specs.parameters import SMALLEST, Range, annotated_fields
from arena.testing.moves import Moves

__all__ = [
    "PATTERNS",
    "DrawnMatch",
    "Moves",
    "games",
    "kernels",
    "label_sequences",
    "labels",
    "losses",
    "matches",
    "point_sequences",
    "points",
    "sequences",
]

ROUNDS, DIMENSIONS = 20, 3  # largest values of a drawn game, unless others are given
SPARE = 3  # least number of coordinates that are drawn
Arrays: TypeAlias = "SearchStrategy[Array]"
Step: TypeAlias = Callable[[list[Array]], Array]  # the next point, given those before it
# Strategies are cached: making one takes longer than drawing from it.
of_one_game = functools.lru_cache(maxsize=64)


# ---- games


def kernels(*kinds: type[Kernel]) -> SearchStrategy[Kernel]:
    """Draw kernels of these classes, by default of all built-in classes.

    A numeric parameter lies between its least allowed value (1/16 if there is none) and 16, or its largest allowed
    value. Hypothesis shrinks a kernel to the first of `kinds`, with default parameters; by default to `Gaussian()`.
    """
    chosen = kinds or (Gaussian, *_others("kernel", Gaussian))
    return st.one_of([configured(kind) for kind in chosen])


def losses(*kinds: type[Loss]) -> SearchStrategy[Loss]:
    """Draw losses of these classes, by default of all built-in classes.

    Hypothesis shrinks a loss to the first of `kinds`, with default parameters; by default to `Squared()`.
    """
    chosen = kinds or (Squared, *_others("loss", Squared))
    return st.one_of([configured(kind) for kind in chosen])


def games(**fields: Any) -> SearchStrategy[Game]:
    """Draw games; each of `fields` is a field of `Game`, given as a value or as a strategy.

    The other fields are drawn: up to 20 rounds, up to 3 dimensions, boxes and label bounds of several sizes, every
    kernel, lambda from 0.001 to 1000. The loss is the squared loss if it is not given. Hypothesis shrinks a game to the
    default game with one round and one dimension.
    """
    known = [field.name for field in dataclasses.fields(Game)]
    for name in fields:
        if name not in known:
            raise ArenaError(f"games: the game has no field {name!r}. {nearest(name, known)}")
    return _games({name: _strategy(name, value) for name, value in fields.items()})


def configured(kind: type) -> SearchStrategy[Any]:
    """Draw objects of a class whose parameters are declared with `parameter`, and shrink them to the default values."""
    return st.builds(kind, **{field.name: _value(field, hint) for field, hint in annotated_fields(kind)})


@st.composite
def _games(draw: st.DrawFn, given: dict[str, SearchStrategy[Any]]) -> Game:
    # drawn one after the other, since the box needs the dimension, and a given box or names of coordinates fix it
    box = draw(given["box"]) if "box" in given else None
    listed = box is not None and len(box) > 0 and hasattr(box[0], "__len__")
    names = draw(given["features"]) if "features" in given else ()
    if "dimension" in given:
        dimension = draw(given["dimension"])
    elif len(names):
        dimension = len(names)
    else:
        dimension = len(box) if box is not None and listed else draw(st.integers(1, DIMENSIONS))
    drawn = {name: draw(given.get(name, usual)) for name, usual in _usual().items()}
    if box is None:
        box = draw(_boxes(dimension))
    return Game(dimension=dimension, box=box, features=names, **drawn)


@functools.cache
def _usual() -> dict[str, SearchStrategy[Any]]:
    """Return the default strategy of each field of a game, except the box, the dimension and the features."""
    return {
        "rounds": st.integers(1, ROUNDS),
        "label_bound": around_one(1 / 16, 16),
        "prediction_bound": st.none() | around_one(1 / 16, 16),
        "kernel": kernels(),
        "regularisation": around_one(1e-3, 1e3),
        "loss": st.just(Squared()),  # the only loss whose best function in hindsight is computed exactly
    }


@functools.cache
def _boxes(dimension: int) -> SearchStrategy[Any]:
    side = st.sampled_from([(-1.0, 1.0), (0.0, 1.0), (-4.0, 4.0), (2.0, 3.0), (-1.0, 0.25)])
    # more sides than needed, so that the number of draws does not depend on the dimension
    sides = st.tuples(*[side] * max(DIMENSIONS, dimension))
    return side | sides.map(lambda drawn: drawn[:dimension])


def around_one(low: float, high: float) -> SearchStrategy[float]:
    """Draw numbers from `low` <= 1/2 to `high` >= 2; hypothesis shrinks a number to 1."""
    return st.just(1.0) | st.sampled_from([low, high, 0.5, 2.0]) | st.floats(low, high)


def _strategy(name: str, value: Any) -> SearchStrategy[Any]:
    if isinstance(value, SearchStrategy):
        return value
    # a wrong value raises here and not in a test
    Game().replace(**{name: value} if name != "box" else {"box": value, "dimension": _number_of_sides(value)})
    return st.just(value)


def _number_of_sides(box: Any) -> int:
    if not hasattr(box, "__len__"):
        raise ArenaError(f"games: box must be [low, high] or one such pair for each coordinate, but it is {shown(box)}")
    return len(box) if len(box) and hasattr(box[0], "__len__") else 1


def _value(field: dataclasses.Field[Any], hint: Any) -> SearchStrategy[Any]:
    limits: Range = field.metadata.get("range", Range())
    usual = st.just(field.default)
    if limits.choices:
        return usual | st.sampled_from(limits.choices)
    lowest = limits.at_least if limits.at_least is not None else limits.above
    if hint is int:
        least = 0 if lowest is None else int(lowest)
        return usual | st.integers(least, least + 3).filter(lambda value: value in limits)
    if hint is float:
        first = 1 / 16 if lowest is None or limits.above is not None else lowest
        last = 16.0 if limits.at_most is None else limits.at_most
        fits = st.floats(min(first, last), last).filter(lambda value: value in limits)
        return usual | fits.filter(lambda value: not value or abs(value) >= SMALLEST)
    return usual


@functools.cache
def _others(kind: str, first: type) -> tuple[type, ...]:
    claims = registry.entries(kind).values()
    loaded = (claim[0].load() for claim in claims if len(claim) == 1)
    return tuple(each for each in loaded if each is not first)


# ---- points: some of these sequences often break numerical code


@of_one_game
def points(game: Game) -> Arrays:
    """Draw points of the box: anywhere, on a lattice, or in a corner.

    Hypothesis shrinks a point to zero if the box contains zero.
    """
    return anywhere(game) | lattice(game) | corners(game)


def point_sequences(
    game: Game, *, min_rounds: int = 0, max_rounds: int | None = None, patterns: Sequence[str] | None = None
) -> Arrays:
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
def _walks(game: Game, least: int, most: int, patterns: Sequence[str]) -> Arrays:
    return st.one_of([_walk(game, name, least, most) for name in patterns])


@of_one_game
def anywhere(game: Game) -> Arrays:
    """Return the strategy that draws any point of the box."""
    return _of_coordinates(game, [st.floats(low, high) for low, high in _sides(game)])


@of_one_game
def corners(game: Game) -> Arrays:
    """Draw corners of the box."""
    return _of_coordinates(game, [st.sampled_from(side) for side in _sides(game)])


@of_one_game
def lattice(game: Game) -> Arrays:
    """Draw points whose coordinates divide the box's sides into quarters; shrink them to the middle of the box."""
    share = st.sampled_from([0.5, 0.0, 1.0, 0.25, 0.75])
    shares = _of_coordinates(game, [share for _ in _sides(game)])
    return shares.map(lambda share: inside(game, game.low + share * (game.high - game.low)))


def inside(game: Game, point: Array) -> Array:
    """Return the point; coordinates that rounding has moved out of the box are moved back to the box's boundary."""
    return np.asarray(np.clip(point, game.low, game.high))


def _of_coordinates(game: Game, coordinates: Sequence[SearchStrategy[float]]) -> Arrays:
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


def _fresh(strategy: Arrays) -> SearchStrategy[Step]:
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


def _on_a_line(game: Game, least: int, most: int) -> Arrays:
    """Draw sequences of `least` to `most` points on one segment in the box."""

    def segment(start: Array, end: Array, shares: list[float]) -> Array:
        steps = np.array(shares, dtype=float)[:, np.newaxis] * (end - start)
        return inside(game, start + steps).reshape(len(shares), game.dimension)

    return st.builds(segment, anywhere(game), anywhere(game), st.lists(SHARE, min_size=least, max_size=most))


def _walk(game: Game, name: str, least: int, most: int) -> Arrays:
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


# ---- labels, sequences and matches


def labels(game: Game) -> SearchStrategy[float]:
    """Draw labels from -B to B, often 0, B or -B; for a classification loss draw only B and -B."""
    bound = game.label_bound
    if game.loss.classifies:
        return st.sampled_from([bound, -bound])
    return st.sampled_from([0.0, bound, -bound]) | st.floats(-bound, bound).map(lambda label: label + 0.0)


def label_sequences(game: Game, rounds: int | None = None, *, max_rounds: int | None = None) -> Arrays:
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


@of_one_game
def _label_sequences(game: Game, rounds: int) -> Arrays:
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

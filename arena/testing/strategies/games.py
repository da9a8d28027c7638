"""Strategies that draw kernels, losses, and whole games."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arena.errors import ArenaError, nearest, shown
from arena.game.game import Game
from arena.game.kernels import Gaussian, Kernel
from arena.game.losses import Loss, Squared
from arena.specs import registry
from arena.specs.parameters import SMALLEST, Range, annotated_fields

ROUNDS, DIMENSIONS = 20, 3  # largest values of a drawn game, unless others are given


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
    Game().replace(**{name: value} if name != "box" else {"box": value, "dimension": _sides(value)})
    return st.just(value)


def _sides(box: Any) -> int:
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

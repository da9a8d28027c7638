"""Variants: copies of a configured object with other values of its declared parameters.

Variants show mistakes that default values hide, for instance an error that occurs only with a budget of two. The values
that a parameter may take follow from its annotation and range (`arena.specs.parameters`). A number is drawn only if its
field declares a range.

>>> from arena.specs.building import build
>>> rng = np.random.default_rng(0)
>>> free_parameters("projectron(threshold=0.2)", build("learner", "projectron(threshold=0.2)"))
('budget',)
>>> sorted(variant_changes(build("learner", "forgetron"), ["budget"], rng))
['budget']
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.building import build
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import Configured, Range, alternatives, annotated_fields
from arena.specs.spelling import names_function, spec_of

OTHERS = 0.4  # one parameter always changes, each other one with this probability
DECADES = 1.0  # powers of ten by which a positive number grows at most; it shrinks by up to twice as many
SMALL, LARGE = 8, 30  # limits of drawn whole numbers: larger ones are costly and show nothing more in short matches
PARTS = ("kernel", "loss", "embedding")  # kinds whose objects can replace one another inside a learner
ENDS = 0.15  # probability of a value at an end of the declared range
NONE = 0.3  # probability of the value none, where it is allowed


def free_parameters(given: Any, built: Any) -> tuple[str, ...]:
    """Return the names of the declared parameters of `built` that the user left open and whose values can be drawn.

    `built` is the object that `build` has made from `given`; if `built` is not `Configured`, the result is empty.

    - If `given` is the spec of a class, a parameter is open if the spec does not name it.
    - If `given` is a class, every parameter is open.
    - If `given` is an object, a function or the spec of a function, a parameter is open if it has its default value.
    """
    if not isinstance(built, Configured):
        return ()
    if isinstance(given, (str, Spec)) and not names_function(given):
        chosen = {name for name, _ in parse_spec(given).parameters}
    elif isinstance(given, type):
        chosen = set()
    else:
        try:
            chosen = {name for name, _ in spec_of(built).parameters}
        except ArenaError:  # some value has no spec, so it is unknown which parameters were chosen
            return ()
    owner: type = type(built)
    return tuple(
        field.name
        for field, annotation in annotated_fields(owner)
        if field.name not in chosen and _can_vary(getattr(built, field.name), annotation, _limits(field))
    )


def variant_changes(
    built: Any, free: Sequence[str], rng: np.random.Generator, turn: int | None = None
) -> dict[str, Any]:
    """Draw new values for one or more of the parameters in `free`; return them by name.

    - One parameter is always drawn: `free[turn % len(free)]`, or a random one if `turn` is None.
    - Every other parameter in `free` is drawn with probability 0.4, but not if `turn < len(free)`.
    """
    at = int(rng.integers(len(free))) if turn is None else turn % len(free)
    others = 0.0 if turn is not None and turn < len(free) else OTHERS
    changes: dict[str, Any] = {}
    owner: type = type(built)
    for field, annotation in annotated_fields(owner):
        if field.name in free and (field.name == free[at] or rng.random() < others):
            changes[field.name] = _drawn(getattr(built, field.name), annotation, _limits(field), rng)
    return changes


def variant(built: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy of `built` with the values in `changes`; raise an `ArenaError` if they do not fit together."""
    return dataclasses.replace(built, **changes)


def _limits(field: dataclasses.Field[Any]) -> Range:
    limits: Range = field.metadata.get("range", Range())
    return limits


def _can_vary(value: Any, annotation: Any, limits: Range) -> bool:
    kinds = alternatives(annotation)
    if any(kind is bool or typing.get_origin(kind) is Literal for kind in kinds):
        return True
    if any(kind in (int, float) for kind in kinds):
        return bool(str(limits))
    return bool(_part_kind(annotation)) or (isinstance(value, Configured) and bool(_inner(value)))


def _drawn(value: Any, annotation: Any, limits: Range, rng: np.random.Generator) -> Any:
    kinds = alternatives(annotation)
    if type(None) in kinds and value is not None and rng.random() < NONE:
        return None
    for kind in kinds:
        if typing.get_origin(kind) is Literal:
            others = [each for each in typing.get_args(kind) if each != value]
            return others[rng.integers(len(others))] if others else value
        if kind is bool:
            return not value
    if limits.choices:
        return type(limits.choices[0])(rng.choice(limits.choices))
    if int in kinds and float not in kinds:
        return _whole_number(value, limits, rng)
    if float in kinds:
        return _number(value, limits, rng)
    return _part(value, annotation, rng)


def _number(value: float | None, limits: Range, rng: np.random.Generator) -> float:
    """Draw a number within `limits`; `value` is the present number.

    - With probability 0.15 it is an end of the range, if one belongs to the range.
    - In a range with two ends it is drawn uniformly from the interior.
    - Otherwise it is |`value`| times a random factor from 0.01 to 10; 1 stands for a `value` of None or 0. A number
      beyond the single end of the range is shifted into the range.
    """
    low = next((end for end in (limits.above, limits.at_least) if end is not None), None)
    high = next((end for end in (limits.below, limits.at_most) if end is not None), None)
    if rng.random() < ENDS:
        ends = [end for end in (limits.at_least, limits.at_most) if end is not None]
        if ends:
            return float(ends[rng.integers(len(ends))])
    if low is not None and high is not None:
        return _short(low + (high - low) * rng.uniform(0.02, 0.98))
    drawn = _short((abs(value) if value else 1.0) * 10.0 ** rng.uniform(-2.0 * DECADES, DECADES))
    if low is not None and drawn <= low:
        return low + drawn
    return high - drawn if high is not None and drawn >= high else drawn


def _short(number: float) -> float:
    """Return the number rounded to three digits, so that a spec with it is easy to read."""
    return float(f"{number:.3g}")


def _whole_number(value: int | None, limits: Range, rng: np.random.Generator) -> int:
    """Draw a whole number within `limits` on a log scale; `value` is the present number, or None.

    The result is at most max(8, min(2 `value`, 30)), or at most 8 if `value` is None. If the whole range lies above
    this maximum, the result is the least number of the range. With probability 0.15 it is the least number in any case.
    """
    least = limits.at_least if limits.at_least is not None else 0 if limits.above is None else limits.above + 1
    most: float = max(SMALL, min(2 * value, LARGE) if value is not None else SMALL)
    most = min(most, math.inf if limits.at_most is None else limits.at_most)
    most = min(most, math.inf if limits.below is None else math.ceil(limits.below) - 1)
    if rng.random() < ENDS:
        return int(least)
    start = max(least, 1)
    drawn = int(np.exp(rng.uniform(np.log(start), np.log(max(most, start) + 0.999))))
    return int(min(drawn, max(most, least)))


def _part(value: Any, annotation: Any, rng: np.random.Generator) -> Any:
    """Draw an object in place of `value`: a variant of it, or an object of a random class of the same kind."""
    kind = _part_kind(annotation)
    inner = _inner(value) if isinstance(value, Configured) else ()
    if kind and (not inner or rng.random() < 0.5):
        names = sorted(registry.entries(kind))
        try:
            value = build(kind, names[rng.integers(len(names))])
        except ArenaError:  # a class with parameters that have no defaults
            return value
        inner = _inner(value)
    return variant(value, variant_changes(value, inner, rng)) if inner else value


def _part_kind(annotation: Any) -> str | None:
    """Return the kind ("kernel", "loss" or "embedding") to which the class `annotation` belongs, or None."""
    for kind in PARTS:
        if (
            isinstance(annotation, type)
            and kind in registry.KINDS
            and issubclass(annotation, registry.base_class(kind))
        ):
            return kind
    return None


def _inner(value: Configured) -> tuple[str, ...]:
    return free_parameters(type(value), value)

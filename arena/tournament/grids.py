"""Grids: a list in place of a single value, in a spec or a game. Each item of the list gives one spec or one game.

>>> from arena.specs.grammar import parse_spec
>>> [str(spec) for spec in expanded("learner", parse_spec("pkawv(embedding=taylor(degree=[2, 3]))"))]
['pkawv(embedding=taylor(degree=2))', 'pkawv(embedding=taylor(degree=3))']
"""

from __future__ import annotations

import itertools
import math
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.building import signature
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import alternatives, annotated_fields

LARGEST = 1_000_000  # most combinations of a grid


def expanded(kind: str, spec: Spec) -> list[Spec]:
    """Return the specs that a spec with grids describes; the values of the last parameter vary fastest.

    For a parameter whose values are lists, a list is a single value, and a list of lists is a grid.
    """
    cls = registry.find(kind, spec.name)
    choices = [
        [(name, choice) for choice in _choices(value, *_parameter(cls, name))] for name, value in spec.parameters
    ]
    return [Spec(spec.name, chosen) for chosen in product(choices, str(spec))]


def expanded_fields(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the fields of each game that `fields` describes; a list in place of a value is a grid.

    A box is itself a list; it is a grid only if it contains texts, such as ["[0,1]", "[-1,1]"]. Names of features are
    a list, too; only a list of such lists is a grid.
    """
    choices = [[(name, each) for each in _choices_of_field(name, value)] for name, value in fields.items()]
    yield from map(dict, product(choices, "the game"))


def product(choices: Sequence[Sequence[Any]], what: str) -> Iterator[tuple[Any, ...]]:
    """Return the Cartesian product of `choices`; raise an `ArenaError` if the product has more than `LARGEST` items.

    `what` names the items in the message.
    """
    size = math.prod(map(len, choices))
    if size > LARGEST:
        raise ArenaError(f"{what:.60} stands for {size:,} combinations; {LARGEST:,} are allowed")
    return itertools.product(*choices)


def _choices_of_field(name: str, value: Any) -> list[Any]:
    if name == "box":
        texts = isinstance(value, str) or (isinstance(value, (list, tuple)) and any(isinstance(x, str) for x in value))
        return list(map(_box, [value] if isinstance(value, str) else value)) if texts else [value]
    if name == "features" and not (value and _are_lists(value)):
        return [value]
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if name in ("kernel", "loss"):
        specs = [parse_spec(each) if isinstance(each, str) else each for each in values]
        return [one for each in specs for one in (map(str, expanded(name, each)) if isinstance(each, Spec) else [each])]
    return values


def _are_lists(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, (list, tuple)) for each in value)


def _box(value: Any) -> Any:
    """Return the box that a text such as "[0,1]" describes; other values are returned unchanged."""
    if not isinstance(value, str):
        return value
    box = dict(parse_spec(f"game(box={value})").parameters)["box"]
    if not isinstance(box, tuple):
        raise ArenaError(f"game: box must be [low,high], or [[low,high],...] for each coordinate, but it is {value!r}")
    return box


def _choices(value: Any, kind: str, takes_lists: bool) -> list[Any]:
    is_list = isinstance(value, tuple)
    if is_list and (not takes_lists or (value and all(isinstance(each, tuple) for each in value))):
        return [choice for each in value for choice in _choices(each, kind, takes_lists)]
    if isinstance(value, Spec) and (kind or ":" in value.name):
        return list(expanded(kind or "object", value))
    return [value]


def _parameter(cls: Any, name: str) -> tuple[str, bool]:
    """Return the kind of objects that the parameter `name` of a class takes, and whether the parameter takes lists.

    The kind is a word such as "kernel"; it is empty if the parameter takes plain values.
    """
    for field, annotation in annotated_fields(cls) if isinstance(cls, type) else ():
        if field.name == name:
            return _kind_of(annotation), any(map(_is_list, alternatives(annotation)))
    known = next((each for each in signature(cls) or () if each.name == name), None)
    if known is None:
        return "", False
    takes = known.kind is known.VAR_POSITIONAL or any(map(_is_list, alternatives(known.annotation)))
    return "", takes or (isinstance(known.annotation, str) and known.annotation.startswith(("list", "tuple", "Seq")))


def _is_list(annotation: Any) -> bool:
    origin = typing.get_origin(annotation) or annotation
    return annotation is Any or origin in (list, tuple) or getattr(origin, "__name__", "") == "Sequence"


def _kind_of(annotation: Any) -> str:
    """Return the kind of objects, such as "kernel", that a parameter with this annotation takes.

    The result is empty if the parameter takes plain values.
    """
    types = [each for each in alternatives(annotation) if isinstance(each, type)]
    found = (kind for each in types for kind in registry.KINDS if issubclass(each, registry.base_class(kind)))
    return next(found, "")

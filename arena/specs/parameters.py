"""Parameters of learners, adversaries, kernels and theorems: declared once, and checked when an object is made.

The fields of a dataclass that derives from `Configured` are checked whenever an object is made: in Python code, by a
command or from a file. A field may have a description and limits of its values:

>>> from dataclasses import dataclass
>>> @dataclass
... class Ball(Configured):
...     radius: float = parameter(1.0, "its size", above=0)
>>> Ball(radius=2).radius
2.0
>>> Ball(radius=-1)
Traceback (most recent call last):
arena.errors.ArenaError: Ball: radius must be a finite number > 0, but it is -1
"""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
import types
import typing
from typing import Any, ClassVar, Literal, Union

import numpy as np

from arena.errors import ArenaError, an, shown
from arena.specs.building import build_as
from arena.specs.grammar import Spec

LARGEST, SMALLEST = 1e150, 1e-150  # limits of the size of a number; its square, and one over that, are ordinary floats
LARGEST_WHOLE = 2**63 - 1  # largest whole number that NumPy can count with


@dataclasses.dataclass(frozen=True)
class Range:
    """Limits of the values that a numeric parameter may take; `value in Range(...)` is True for a value within them."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    choices: tuple[float, ...] = ()

    def __contains__(self, value: float) -> bool:
        return (
            (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
            and (not self.choices or value in self.choices)
        )

    def __str__(self) -> str:
        signs = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}
        limits = [f"{sign} {getattr(self, side):g}" for side, sign in signs.items() if getattr(self, side) is not None]
        limits += ["out of " + ", ".join(f"{choice:g}" for choice in self.choices)] if self.choices else []
        return " and ".join(limits)


_UNFIT = object()  # in place of a converted value: the value does not fit the type

_sound_defaults: set[tuple[type, str]] = set()  # pairs of a class and a field whose default passed the checks unchanged


def parameter(
    default: Any = dataclasses.MISSING,
    about: str = "",
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    choices: tuple[float, ...] = (),
) -> Any:
    """Return a dataclass field with a description and limits of its values."""
    limits = Range(above, at_least, below, at_most, choices)
    return dataclasses.field(default=default, metadata={"about": about, "range": limits})


class Configured:
    """Base class of dataclasses whose fields are checked against their types and ranges when an object is made."""

    name: ClassVar[str] = ""

    @classmethod
    def typed_parameters(cls) -> frozenset[str]:
        """Return the names of the parameters that are annotated with a type other than `Any`.

        If the type is a kind of objects, such as `Kernel`, the constructor accepts a spec and builds the object.
        """
        owner: type = cls
        return frozenset(field.name for field, annotation in annotated_fields(owner) if annotation is not Any)

    def __post_init__(self) -> None:
        owner: type = type(self)
        for field, annotation in annotated_fields(owner):
            given = getattr(self, field.name)
            if given is field.default and (owner, field.name) in _sound_defaults:
                continue
            label = f"{self.name or owner.__name__}: {field.name}"
            value = convert(given, annotation, label=label, limits=field.metadata.get("range"))
            if isinstance(value, float) and value != 0 and not SMALLEST <= abs(value) <= LARGEST:
                raise ArenaError(
                    f"{label} must be 0, or of a size from {SMALLEST:g} to {LARGEST:g}, so that its square is a "
                    f"number, but it is {shown(given)}"
                )
            if given is field.default and repr(value) == repr(given):
                _sound_defaults.add((owner, field.name))
            elif value is not given:
                object.__setattr__(self, field.name, value)


@functools.cache
def annotated_fields(owner: type) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    """Return a pair (field, resolved annotation) for each field that the constructor of the dataclass `owner` takes.

    The result is empty if `owner` is no dataclass.
    """
    if not dataclasses.is_dataclass(owner):
        return ()
    hints = typing.get_type_hints(owner)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(owner) if field.init)


def is_whole(value: Any, *, at_least: int) -> bool:
    """Return whether the value is an integer of Python or NumPy, but not True or False, and is at least `at_least`.

    >>> is_whole(2, at_least=2), is_whole(1, at_least=2), is_whole(2.0, at_least=2), is_whole(True, at_least=0)
    (True, False, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= at_least)


def convert(value: Any, annotation: Any, *, label: str, limits: Range | None = None) -> Any:
    """Return `value` converted to the type of `annotation`.

    Raise an `ArenaError` whose message starts with `label` if the value does not fit, or if it is a number outside of
    `limits`.
    """
    for alternative in alternatives(annotation):
        converted = _converted(value, alternative, label)
        if converted is not _UNFIT:
            if limits is not None and isinstance(converted, (int, float)) and converted not in limits:
                break
            return converted
    raise ArenaError(f"{label} must be {describe(annotation, limits)}, but it is {shown(value)}")


def describe(annotation: Any, limits: Range | None = None) -> str:
    """Return a phrase for error messages: the values that a type and `limits` allow, such as "a finite number > 0"."""
    plain = {
        Any: "an array or a list",
        object: "a spec, or an object",
        float: "a finite number",
        int: "a whole number",
        bool: "true or false",
        str: "a word",
        type(None): "none",
    }
    parts = []
    for alternative in alternatives(annotation):
        origin = typing.get_origin(alternative)
        if origin is Literal:
            parts.append("one of " + ", ".join(map(str, typing.get_args(alternative))))
        elif origin in (tuple, list) or getattr(origin, "__name__", "") == "Sequence":
            parts.append("a list such as [0, 1]")
        else:
            word = plain.get(alternative) or an(getattr(alternative, "__name__", str(alternative)).lower())
            numeric = limits is not None and alternative in (int, float) and str(limits)
            parts.append(f"{word} {limits}" if numeric else word)
    return ", or ".join(parts)


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """Return the types in a union, in their order; if the annotation is no union, the annotation alone."""
    # Not cached: `int | str` equals `str | int`, and the order decides which type a value is converted to.
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def _converted(value: Any, kind: Any, label: str) -> Any:
    """Return `value` converted to the type `kind`; if it does not fit, the marker `_UNFIT`.

    Raise an `ArenaError` if a whole number is too large, or if an item of a list, or a spec, does not fit.
    """
    origin = typing.get_origin(kind)
    if kind is Any:
        return value
    if kind is float:
        try:
            finite = type(value) is not bool and isinstance(value, numbers.Real) and math.isfinite(value)
        except OverflowError:  # a whole number that is too large for a float
            return _UNFIT
        return float(value) if finite else _UNFIT
    if kind is int:
        if type(value) is bool or not isinstance(value, numbers.Integral):
            return _UNFIT
        whole = int(value)
        if abs(whole) > LARGEST_WHOLE:
            raise ArenaError(f"{label} must be a whole number up to {LARGEST_WHOLE:.0e}, but it is {shown(whole)}")
        return whole
    if origin is Literal:
        # Arrays are left out, since == compares their elements. True equals 1, but does not stand for it.
        for each in typing.get_args(kind) if value is None or isinstance(value, (str, numbers.Number)) else ():
            if isinstance(each, bool) == isinstance(value, bool) and each == value:
                return each
        return _UNFIT
    if origin in (tuple, list) or getattr(origin, "__name__", "") == "Sequence":
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            return _UNFIT
        item = (*typing.get_args(kind), Any)[0]
        return tuple(convert(each, item, label=label) for each in value)
    if not isinstance(kind, type) or isinstance(value, kind):
        return value
    if issubclass(kind, Configured) and isinstance(value, (str, Spec)):
        return build_as(kind, value)
    return _UNFIT

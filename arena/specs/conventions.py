"""The convention of scikit-learn and river: what a constructor was given stands in an attribute of the same name.

So an object's parameters can be read back and written as a spec, also of the objects inside an object: an optimiser, a
pipeline's steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

_MARKS = ("get_params", "_get_params")  # scikit-learn's and river's way to say that they follow it


def keeps_parameters(thing: Any) -> bool:
    """Whether the object's class follows the convention."""
    return not isinstance(thing, type) and any(callable(getattr(thing, mark, None)) for mark in _MARKS)


def usual(thing: Any) -> Any:
    """An object of the same class for which nothing was chosen that need not be; None if there is none to be had.

    river's constructors put something in the place of a default: an optimiser where none was given. What the usual
    object has as well was not chosen by anybody.
    """
    if not callable(getattr(thing, "_get_params", None)):
        return None
    signature = inspect.signature(type(thing)).parameters.values()
    chosen = {
        each.name: getattr(thing, each.name, None)
        for each in signature
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }
    try:
        return type(thing)(**chosen)
    except Exception:  # the constructor wants something else: then everything counts as chosen
        return None


def alike(one: Any, other: Any) -> bool:
    """Whether two values of a parameter mean the same."""
    if type(one) is not type(other):
        return False
    if keeps_parameters(one):
        names = [name for name in inspect.signature(type(one)).parameters if hasattr(one, name)]
        return all(alike(getattr(one, name), getattr(other, name, None)) for name in names)
    try:
        return bool(one is other or one == other)
    except ValueError:  # arrays
        return False


def as_list(parts: Any) -> list[Any]:
    """What a *parameter was given: a pipeline's steps, with a name only where it is not the step's own; or items."""
    if isinstance(parts, Mapping):
        return [part if name == type(part).__name__ else [name, part] for name, part in parts.items()]
    return sorted(parts, key=str) if isinstance(parts, (set, frozenset)) else list(parts)

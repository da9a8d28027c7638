"""From objects to specs: the text from which `build` makes an equal object."""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import pickle
from typing import Any

from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.building import make, variadic
from arena.specs.conventions import alike, as_list, keeps_parameters, usual
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import Configured


def spec_of(thing: Any) -> Spec:
    """The spec that builds an equal object: its name, and the parameters that differ from their defaults."""
    spec = Spec.of(registry.name_of(type(thing)), _changed_parameters(thing))
    if not _tells_its_parameters(thing) and not _is_fresh(thing, spec):
        raise ArenaError(
            f"{spec} would not build this {type(thing).__name__}: its state is not what its parameters say"
        )
    return spec


def spec_text(thing: Any) -> str:
    """The spec of an object as text, or its class's name in angle brackets if no spec can build it."""
    try:
        return str(spec_of(thing))
    except ArenaError:
        return f"<{type(thing).__name__}>"


def identity(given: Any, built: Any) -> str:
    """The spec by which this object is had again: the given one if it was a text, else what the object tells."""
    if isinstance(given, (str, Spec)) and not _tells_its_parameters(built):
        return str(parse_spec(given) if isinstance(given, str) else given)
    return spec_text(built)


def _tells_its_parameters(thing: Any) -> bool:
    """Whether the attributes named like the constructor's parameters can be relied on to be just these."""
    return isinstance(thing, Configured) or keeps_parameters(thing)


def _is_fresh(thing: Any, spec: Spec) -> bool:
    """Whether the constructor makes an object in the very state of this one."""
    try:
        fresh = make(type(thing), spec)
        return pickle.dumps(vars(thing)) == pickle.dumps(vars(fresh))
    except Exception:  # it cannot be made or compared: then nobody knows
        return False


def _changed_parameters(thing: Any) -> dict[str, Any]:
    ordinary, gathered = usual(thing), variadic(type(thing))
    changed = {}
    for name, default in _parameters(thing):
        if not hasattr(thing, name):
            raise ArenaError(f"{type(thing).__name__} does not keep its parameter {name!r} as an attribute")
        value = getattr(thing, name)
        if not (_same(value, default) or _is_usual(name, value, default, ordinary)):
            changed[name] = _as_value(as_list(value) if name == gathered else value)
    return changed


def _is_usual(name: str, value: Any, default: Any, ordinary: Any) -> bool:
    """Whether the constructor itself put the value in the place of a default."""
    return default is not inspect.Parameter.empty and hasattr(ordinary, name) and alike(value, getattr(ordinary, name))


def _parameters(thing: Any) -> list[tuple[str, Any]]:
    """The constructor's parameters and their defaults."""
    if dataclasses.is_dataclass(thing):
        return [(field.name, _default(field)) for field in dataclasses.fields(thing) if field.init]
    try:
        signature = inspect.signature(type(thing)).parameters.values()
    except (TypeError, ValueError):
        raise ArenaError(f"the parameters of {type(thing).__name__} cannot be told") from None
    return [(each.name, each.default) for each in signature if each.kind is not each.VAR_KEYWORD]


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _same(value: Any, default: Any) -> bool:
    try:
        return value is default or (type(value) is type(default) and bool(value == default))
    except ValueError:  # arrays
        return False


def _as_value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Real):  # NumPy's numbers too
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_as_value, value))
    if isinstance(value, Configured) or keeps_parameters(value):
        return spec_of(value)
    raise ArenaError(f"a value such as {value!r:.60} cannot be written in a spec")

"""From specs to objects and back."""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import pickle
from collections.abc import Mapping
from typing import Any

from arena import registry
from arena.errors import ArenaError, an, describe_error, nearest
from arena.parameters import Configured, annotated_fields
from arena.specs import Spec, parse_spec

_REQUIRED = {"learner": ("predict", "update"), "adversary": ("point", "label")}


def build(kind: str, given: Any) -> Any:
    """The object of this kind that a text, a spec, a class or the object itself means.

    >>> build("kernel", "gaussian(bandwidth=2)")
    Gaussian(bandwidth=2.0)
    """
    if isinstance(given, str):
        given = parse_spec(given)
    if isinstance(given, Spec):
        factory = registry.find(kind, given.name)
        built = _call(factory, given)
    elif isinstance(given, type):
        built = _call(given, Spec(given.__name__))
    else:
        built = given
    _check_kind(kind, built, given)
    return built


def build_as(base: type, given: str | Spec) -> Any:
    """The object that a parameter of this type means: a kernel by its spec, a learner by its spec."""
    kinds = [kind for kind in registry.KINDS if issubclass(base, registry.base_class(kind))]
    if not kinds:
        raise ArenaError(f"{given} cannot be made into a {base.__name__}: pass an object")
    return build(kinds[0], given)


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


def registered_names_only(text: str) -> str:
    """The spec itself; an `ArenaError` if it could run code from a file or a module that nobody named here."""
    if ":" in text:
        raise ArenaError(f"the spec {text!r} comes from a file and names code outside the arena, which is not run")
    return text


def _tells_its_parameters(thing: Any) -> bool:
    """Whether the attributes named like the constructor's parameters can be relied on to be just these."""
    from arena.adapters.conventions import keeps_parameters

    return isinstance(thing, Configured) or keeps_parameters(thing)


def _is_fresh(thing: Any, spec: Spec) -> bool:
    """Whether the constructor makes an object in the very state of this one."""
    try:
        fresh = _call(type(thing), spec)
        return pickle.dumps(vars(thing)) == pickle.dumps(vars(fresh))
    except Exception:  # it cannot be made or compared: then nobody knows
        return False


def _call(factory: Any, spec: Spec) -> Any:
    typed = _typed_parameters(factory)
    parameters = {key: _listed(value if key in typed else _made(value)) for key, value in spec.parameters}
    _check_parameters(factory, spec, parameters)
    spread = parameters.pop(_variadic(factory), [])
    spread = spread if isinstance(spread, list) else [spread]
    try:
        return factory(*spread, **parameters)
    except ArenaError:
        raise
    except Exception as error:
        raise ArenaError(f"{spec} cannot be made: {describe_error(error)}") from error


def _typed_parameters(factory: Any) -> frozenset[str]:
    """The parameters whose own types decide what a spec inside the spec builds."""
    typed = isinstance(factory, type) and issubclass(factory, Configured) and dataclasses.is_dataclass(factory)
    fields = annotated_fields(factory) if typed else ()
    return frozenset(field.name for field, annotation in fields if annotation is not Any)


def _made(value: Any) -> Any:
    """The object that an address inside a spec means, such as river:optim.SGD(lr=0.1); lists are searched."""
    if isinstance(value, tuple):
        return tuple(map(_made, value))
    if isinstance(value, Spec) and ":" in value.name:
        return _call(registry.find("object", value.name), value)
    return value


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _variadic(factory: Any) -> str:
    """The name of its *parameter, for which a spec gives a list; empty if there is none."""
    try:
        signature = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return ""
    return next((each.name for each in signature if each.kind is each.VAR_POSITIONAL), "")


def _check_parameters(factory: Any, spec: Spec, parameters: Mapping[str, Any]) -> None:
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        return
    if any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values()):
        return
    allowed = list(signature.parameters)
    for key in parameters:
        if key not in allowed:
            raise ArenaError(f"{spec.name} has no parameter {key!r}. {nearest(key, allowed)}")
    for each in signature.parameters.values():
        if each.default is each.empty and each.kind is not each.VAR_POSITIONAL and each.name not in parameters:
            raise ArenaError(f"{spec.name} needs a value for {each.name!r}: {spec.name}({each.name}=...)")


def _check_kind(kind: str, built: Any, given: Any) -> None:
    base = registry.base_class(kind)
    if isinstance(built, base):
        return
    required = _REQUIRED.get(kind)
    if required and all(callable(getattr(built, method, None)) for method in required):
        return
    from arena.adapters import is_adaptable, why_not_adaptable  # adapters are learners, which need this module

    if kind == "learner" and is_adaptable(built):
        return
    hint = (why_not_adaptable(built) if kind == "learner" else "") or _missing(kind, built)
    needs = f"a class with the methods {' and '.join(required)}" if required else an(base.__name__)
    made = an(type(built).__name__)
    raise ArenaError(f"{given!s} is not {an(kind)}: {needs} is needed, but it makes {made}{hint}")


def _missing(kind: str, built: Any) -> str:
    """What an object lacks to be of this kind, if it has something of it, or is of the other kind."""
    other = {"learner": "adversary", "adversary": "learner"}.get(kind)
    if other and all(callable(getattr(built, method, None)) for method in _REQUIRED[other]):
        return f", which is {an(other)}: the order is LEARNER ADVERSARY"
    lacking = [method for method in _REQUIRED.get(kind, ()) if not callable(getattr(built, method, None))]
    own = [name for name in dir(type(built)) if callable(getattr(type(built), name)) and not name.startswith("_")]
    if not own:
        return ""
    meant = "; ".join(f"{method} is missing. {nearest(method, own)}" for method in lacking[:1])
    return f", whose {meant}" if meant else ""


def _changed_parameters(thing: Any) -> dict[str, Any]:
    from arena.adapters.conventions import as_list, usual

    ordinary, variadic = usual(thing), _variadic(type(thing))
    changed = {}
    for name, default in _parameters(thing):
        if not hasattr(thing, name):
            raise ArenaError(f"{type(thing).__name__} does not keep its parameter {name!r} as an attribute")
        value = getattr(thing, name)
        if not (_same(value, default) or _is_usual(name, value, default, ordinary)):
            changed[name] = _as_value(as_list(value) if name == variadic else value)
    return changed


def _is_usual(name: str, value: Any, default: Any, ordinary: Any) -> bool:
    """Whether the constructor itself put the value in the place of a default."""
    from arena.adapters.conventions import alike

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
    from arena.adapters.conventions import keeps_parameters

    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Real):  # NumPy's numbers too
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_as_value, value))
    if isinstance(value, Configured) or keeps_parameters(value):
        return spec_of(value)
    raise ArenaError(f"a value such as {value!r:.60} cannot be written in a spec")

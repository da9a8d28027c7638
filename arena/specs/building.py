"""`build`, which makes objects from specs."""

from __future__ import annotations

import functools
import inspect
from abc import ABCMeta
from typing import Any

from arena.errors import ArenaError, an, bounded, describe_error, nearest
from arena.guards.user_code import derives, guarded
from arena.specs import registry
from arena.specs.adapting import adapter_for, why_not_adaptable
from arena.specs.addresses import names_code
from arena.specs.grammar import Spec, parse_spec

_REQUIRED = {"learner": ("predict", "update"), "adversary": ("point", "label")}


def build(kind: str, given: Any) -> Any:
    """Return the object of this kind, such as "learner" or "kernel", that `given` describes.

    `given` is a spec (a text or a `Spec`), a class, a function, or the object itself. A function without required
    parameters is called, and its result is the object. If the kind is "learner", a function of one parameter is itself
    the learner. Raise an `ArenaError` if the object cannot be made, or is not of this kind.

    >>> build("kernel", "gaussian(bandwidth=2)")
    Gaussian(bandwidth=2.0)
    """
    base = registry.base_class(kind)
    if issubclass(type(given), base):  # not by `isinstance`, which may run code of the object
        return given
    with guarded(lambda error: ArenaError(_unusable(kind, given, error))):
        made: Any = given
        if isinstance(given, (str, Spec)):
            spec = parse_spec(given)
            found = registry.find(kind, spec.name)
            rule = kind == "learner" and not (isinstance(found, type) or spec.parameters) and is_rule(found)
            made = found if rule else make(found, spec)
        elif isinstance(given, type) or is_factory(given):
            made = make(given, Spec(getattr(given, "__name__", type(given).__name__)))
        if not isinstance(made, base):
            _check_stranger(kind, made, given)
        return made


def is_rule(thing: Any) -> bool:
    """Return whether `thing` is a function of a point: it has exactly one parameter that must be given.

    >>> is_rule(lambda x: 0.5), is_rule(lambda: 0.5), is_rule(float)
    (True, False, False)
    """
    if isinstance(thing, type) or not callable(thing) or hasattr(thing, "predict"):
        return False
    needed = [each for each in signature(thing) or () if each.default is each.empty]
    return len(needed) == 1 and needed[0].kind in (needed[0].POSITIONAL_ONLY, needed[0].POSITIONAL_OR_KEYWORD)


def is_factory(thing: Any) -> bool:
    """Return whether `thing` is a function that makes an object when it is called without arguments.

    The answer is False for classes. It is also False for players and models, even if they can be called.

    >>> is_factory(lambda rate=0.1: 0.5), is_factory(lambda x: 0.5), is_factory(float)
    (True, False, False)
    """
    if isinstance(thing, type) or not callable(thing):
        return False
    if not (inspect.isroutine(thing) or isinstance(thing, functools.partial)):
        plays = any(hasattr(thing, method) for methods in _REQUIRED.values() for method in methods)
        if plays or adapter_for(thing) is not None:
            return False
    known = signature(thing)
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return known is not None and all(each.default is not each.empty or each.kind in optional for each in known)


def makes_players(given: Any) -> bool:
    """Return whether `given` is a spec, a class or a factory, from which each call of `build` makes a new object."""
    return isinstance(given, (str, Spec, type)) or is_factory(given)


def _unusable(kind: str, given: Any, error: BaseException) -> str:
    name = bounded(str(given)) if derives(given, str, Spec) else type(given).__name__
    return f"{name} cannot be used as {an(kind)}: looking at its attributes raised {describe_error(error)}"


def build_as(base: type, given: str | Spec) -> Any:
    """Return the object that the spec `given` describes; `base`, such as `Kernel`, determines its kind."""
    kinds = registry.kinds_of(base)
    if not kinds:
        raise ArenaError(f"{given} cannot be made into {an(base.__name__)}: pass an object")
    return build(kinds[0], given)


def registered_names_only(text: str) -> str:
    """Return `text`, a spec that came from a file; raise an `ArenaError` if it names code in a file or a module."""
    if names_code(text):
        raise ArenaError(f"the spec {text!r} comes from a file and names code outside the arena, which is not run")
    return text


def make(factory: Any, spec: Spec) -> Any:
    """Call the class or function `factory` with the spec's parameters; any failure becomes an `ArenaError`."""

    def complaint(error: BaseException) -> ArenaError:
        # A call with an unknown parameter, or without a required one, raises a TypeError whose message is less clear.
        wrong = _wrong_parameters(factory, spec) if isinstance(error, TypeError) else ""
        return ArenaError(wrong or f"{spec} cannot be made: {describe_error(error)}")

    parameters: dict[str, Any] = {}
    spread: Any = []
    if spec.parameters:
        # a `Configured` class builds the objects of these parameters itself; a user's may have anything of this name
        of_class = getattr(factory, "typed_parameters", None) if isinstance(factory, type) else None
        typed: frozenset[str] = of_class() if callable(of_class) else frozenset()
        for key, value in spec.parameters:
            made = value if key in typed else _made(value)
            parameters[key] = list(made) if isinstance(made, tuple) else made
        spread = parameters.pop(variadic(factory), [])
        spread = spread if isinstance(spread, list) else [spread]
    with guarded(complaint):
        return factory(*spread, **parameters)


def _made(value: Any) -> Any:
    """Return `value` with each address in it, such as river:optim.SGD(lr=0.1), replaced by the object it makes."""
    if isinstance(value, tuple):
        return tuple(map(_made, value))
    if isinstance(value, Spec) and names_code(value.name):
        return make(registry.find("object", value.name), value)
    return value


def variadic(factory: Any) -> str:
    """Return the name of the factory's variadic parameter (*name); "" if it has none."""
    return next((each.name for each in signature(factory) or () if each.kind is each.VAR_POSITIONAL), "")


def signature(factory: Any) -> tuple[inspect.Parameter, ...] | None:
    """Return the parameters of a class or function; None if Python cannot read them."""
    if type(factory) in (type, ABCMeta):  # cached for its constructors, which users' code may replace
        return _known_signature(factory, factory.__init__, factory.__new__)
    return _signature(factory)


def _signature(factory: Any, *_constructors: Any) -> tuple[inspect.Parameter, ...] | None:
    try:
        return tuple(inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):
        return None


_known_signature = functools.lru_cache(maxsize=256)(_signature)


def _wrong_parameters(factory: Any, spec: Spec) -> str:
    """Return an error message on a parameter that `factory` does not have, or that it requires and the spec lacks.

    The result is "" if there is no such parameter, if `factory` takes any keyword (**name), or if Python cannot read
    its parameters.
    """
    known, given = signature(factory), dict(spec.parameters)
    if known is None or any(each.kind is each.VAR_KEYWORD for each in known):
        return ""
    allowed = [each.name for each in known]
    for key in given:
        if key not in allowed:
            return f"{spec.name} has no parameter {key!r}. {nearest(key, allowed)}"
    for each in known:
        if each.default is each.empty and each.kind is not each.VAR_POSITIONAL and each.name not in given:
            return f"{spec.name} needs a value for {each.name!r}: {spec.name}({each.name}=...)"
    return ""


def _check_stranger(kind: str, built: Any, given: Any) -> None:
    """Raise an `ArenaError` if `built`, which does not derive from the kind's base class, cannot serve as this kind.

    A learner needs the methods `predict` and `update`, or an adapter that fits it. An adversary needs the methods
    `point` and `label`. An object of any other kind is refused. The message names `given`, from which `built` was made.
    """
    required = _REQUIRED.get(kind)
    if required and all(callable(getattr(built, method, None)) for method in required):
        return
    if kind == "learner" and adapter_for(built):
        return
    name = str(given) or type(given).__name__  # an empty pipeline of river prints as nothing
    if why := why_not_adaptable(built) if kind == "learner" else "":
        raise ArenaError(f"{name} is not a learner: {why}")
    needs = f"a class with the methods {' and '.join(required)}" if required else an(registry.base_class(kind).__name__)
    made = f"{'is' if built is given else 'makes'} {an(type(built).__name__)}"
    name = getattr(given, "__name__", "") if inspect.isroutine(given) else name
    raise ArenaError(f"{name} is not {an(kind)}: {needs} is needed, but it {made}{_missing(kind, built)}")


def _missing(kind: str, built: Any) -> str:
    """Return a clause that explains why `built` cannot be a player of this kind; "" if no reason is found.

    The reason is that `built` is a player of the other side, or that it lacks a method.
    """
    other = {"learner": "adversary", "adversary": "learner"}.get(kind)
    if other and all(callable(getattr(built, method, None)) for method in _REQUIRED[other]):
        return f", which is {an(other)}: the order is LEARNER ADVERSARY"
    lacking = [method for method in _REQUIRED.get(kind, ()) if not callable(getattr(built, method, None))]
    own = [name for name in dir(type(built)) if callable(getattr(type(built), name)) and not name.startswith("_")]
    if not own:
        return ""
    meant = "; ".join(f"{method} is missing. {nearest(method, own)}" for method in lacking[:1])
    return f", whose {meant}" if meant else ""

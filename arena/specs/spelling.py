"""From objects to specs: the text from which `build` makes an equal object.

The value of a parameter is read from the object's attribute of the same name. This is reliable for `Configured` classes
and for objects of scikit-learn and river, which follow this convention. For every other object the spec is tested: a
second object is built from the spec and compared with the first one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import numbers
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from arena.errors import ArenaError, shown
from arena.guards.user_code import derives, tolerated
from arena.specs import registry
from arena.specs.addresses import address_of, address_of_function, lasting, names_code
from arena.specs.building import is_factory, is_rule, make, signature, variadic
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import Configured, alternatives, annotated_fields

MOST_CHARACTERS = 48  # most characters of a short spec
MOST_NAME_CHARACTERS = 40  # most characters of a name that a user gives or declares
REMEDY = "pass the function that makes it, if it stands in a file or module and needs no argument"
_MARKS = ("get_params", "_get_params")  # methods of objects that follow the convention, in scikit-learn and in river


def spec_of(thing: Any) -> Spec:
    """Return the spec that builds an equal object; it has the parameters that differ from their defaults.

    Raise an `ArenaError` if there is no such spec.
    """
    has_fields = dataclasses.is_dataclass(thing)
    if has_fields and isinstance(thing, Configured):
        name, changed = registry.name_of(type(thing)), changed_fields(thing)
        return Spec(name, _written_fields(thing, changed) if changed else ())
    spec = Spec(registry.name_of(type(thing)), tuple(_changed_parameters(thing).items()))
    if not (isinstance(thing, Configured) or _follows_the_convention(thing)) and not _is_fresh(thing, spec):
        raise ArenaError(
            f"{spec} would not build this {type(thing).__name__}: its state is not what its parameters say"
        )
    return spec


def full_spec(thing: Any) -> Spec:
    """Return the spec that builds an equal object, with the values of all declared parameters, including defaults.

    The spec of an object that is not `Configured` is the one that `spec_of` returns, without defaults.

    >>> str(full_spec(registry.find("kernel", "polynomial")()))
    'polynomial(degree=2, offset=1.0)'
    """
    if not isinstance(thing, Configured):
        return spec_of(thing)
    parameters = ((name, _as_full_value(getattr(thing, name))) for name, _ in _parameters(thing))
    return Spec(registry.name_of(type(thing)), tuple(parameters))


def spec_text(thing: Any) -> str:
    """Return the spec of an object as text; if no spec can build it, its class in angle brackets."""
    try:
        return str(spec_of(thing))
    except ArenaError:
        return unnamed(thing)


def unnamed(thing: Any) -> str:
    """Return the address of the object's class, or the class's name if it has no address, in angle brackets.

    >>> unnamed(ArenaError())
    '<arena.errors:ArenaError>'
    """
    with tolerated():  # a metaclass may raise anything
        return f"<{address_of(type(thing))}>"
    return f"<{type(thing).__name__}>"


def is_unnamed(text: str) -> bool:
    """Return whether the text is a class in angle brackets, which stands for an object that no spec can build."""
    return text.startswith("<")


def why_no_spec(thing: Any) -> str:
    """Return the reason why no spec can build an equal object, and a remedy; "" if a spec can."""
    reason = "its parameters cannot be read"
    with tolerated():
        try:
            spec_of(thing)
            return ""
        except ArenaError as error:
            reason = str(error)
    return f"no spec can name it: {reason}, or {REMEDY}"


def identity(given: Any, built: Any) -> str:
    """Return the spec of the object `built`, which `build` has made from `given`, as text.

    - If `given` is a function or the spec of a function: the function's address, with the parameters in the spec.
    - If `given` is any other spec, and `built` does not keep the spec's parameters as attributes: the spec `given`.
    - Otherwise: a spec made from the attributes of `built`; if no spec builds it, its class in angle brackets.
    """
    with tolerated():  # reading its attributes may raise anything
        # a registered name without parameters: all parameters have their defaults
        if isinstance(given, str) and given == getattr(type(built), "name", None):
            return str(given)
        if address := _address_given(given):
            return address
        if isinstance(given, (str, Spec)) and not (isinstance(built, Configured) or _follows_the_convention(built)):
            return _lasting_text(given)
        return spec_text(built)
    return str(given) if derives(given, str, Spec) else unnamed(built)


def full_identity(given: Any, built: Any) -> str:
    """Return the spec of the object `built`, which `build` has made from `given`, with the values of all parameters.

    If `built` is not `Configured`, or `given` names a function, parameters that have their defaults may be left out.
    """
    if isinstance(built, Configured) and not _address_given(given):
        with contextlib.suppress(ArenaError):
            return str(full_spec(built))
    return identity(given, built)


def name_of(spec: str, *given: Any) -> str:
    r"""Return an object's name for people: the first of `given` that is a name, otherwise a short form of its spec.

    >>> name_of("krr", "mine"), name_of("krr", None), name_of("krr", "two\nlines")
    ('mine', 'krr', 'krr')
    """
    return next(filter(_is_name, given), short(spec))


def declared_name(built: Any, spec: str) -> Any:
    """Return the attribute `name` of an object, if its class or the object itself declares it; otherwise None.

    The name that specs use is none that a class declares for people: it is the beginning of `spec`.
    """
    with tolerated():  # reading its attributes may raise anything
        if "name" in vars(type(built)) or "name" in getattr(built, "__dict__", ()):
            return None if built.name == spec.partition("(")[0] else built.name
    return None


def require_name(name: Any) -> None:
    """Raise an `ArenaError` unless this is a name that a user may give to a player, or None."""
    if not (name is None or _is_name(name)):
        raise ArenaError(
            f"a name must be a text of 1 to {MOST_NAME_CHARACTERS} printable characters, but it is {shown(name, 60)}"
        )


def _is_name(name: Any) -> bool:
    return type(name) is str and bool(name.strip()) and len(name) <= MOST_NAME_CHARACTERS and name.isprintable()


def short(spec: str) -> str:
    """Return a short form of a spec: without folders and, if it is long, without parameters, file and module.

    >>> short("krr"), short("krr(" + 100 * "x" + ")"), short("./some/folder/mine.py:Mine")
    ('krr', 'krr(…)', 'mine.py:Mine')
    >>> short("sklearn.pipeline:Pipeline(" + 100 * "x" + ")")
    'Pipeline(…)'
    """
    name, bracket, rest = spec.partition("(")
    last = re.split(r"[/\\:.]", name)[-1]
    if re.fullmatch(r"<[^<>]*[/\\][^<>]*>", spec):  # the address of a class in a file
        return f"<{last}"
    spec = re.split(r"[/\\]", name)[-1] + bracket + rest
    if len(spec) <= MOST_CHARACTERS:
        return spec
    text = f"{last}(…)" if bracket else f"<{last}" if is_unnamed(name) else last
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


class Names(dict[str, str]):
    """The names of the players in one table by their specs, no two equal; the name of any other player is short.

    Players with equal names have their short specs instead and, if these are equal, too, numbers.

    >>> Names([("krr", "krr"), ("./a.py:Mine", "mine"), ("./b.py:Mine(rate=2)", "mine")])
    {'./a.py:Mine': 'a.py:Mine', './b.py:Mine(rate=2)': 'b.py:Mine(rate=2)', 'krr': 'krr'}
    """

    def __init__(self, given: Iterable[tuple[str, str]] = ()):
        named: dict[str, str] = {}
        for spec, name in sorted(set(given)):  # a given name stands in place of a short spec
            if spec not in named or name != short(spec):
                named[spec] = name
        count = Counter(named.values())
        for spec, name in named.items():
            self[spec] = self._free(name if count[name] == 1 else short(spec))

    def __missing__(self, spec: str) -> str:
        return short(spec)

    def _free(self, name: str) -> str:
        number, free, taken = 1, name, set(self.values())
        while free in taken:
            number += 1
            free = f"{name[: MOST_CHARACTERS - 1 - len(str(number))]} {number}"
        return free


def _lasting_text(given: str | Spec) -> str:
    spec = parse_spec(given)
    return str(Spec(lasting(spec.name), spec.parameters))


def names_function(given: str | Spec) -> bool:
    """Return whether the spec's name is the address of a function, not of a class."""
    name = parse_spec(given).name
    return names_code(name) and not isinstance(registry.find("object", name), type)


def _address_given(given: Any) -> str:
    """Return the text that names a function, such as `./mine.py:model(rate=0.1)`.

    `given` is the function itself, or a spec of it. The result is "" for a function without an address, and for
    anything else.
    """
    if isinstance(given, (str, Spec)):
        return _lasting_text(given) if names_function(given) else ""
    if is_factory(given) or is_rule(given):
        with contextlib.suppress(ArenaError):
            return address_of_function(given)
    return ""


def _follows_the_convention(thing: Any) -> bool:
    """Return whether the object's library keeps each parameter as an attribute of the same name, as river does."""
    return not isinstance(thing, type) and any(callable(getattr(thing, mark, None)) for mark in _MARKS)


def _is_fresh(thing: Any, spec: Spec) -> bool:
    """Return whether the object that the constructor makes from `spec` has exactly the state of `thing`."""
    with tolerated():  # the object cannot be made or compared
        fresh = make(type(thing), spec)
        return pickle.dumps(vars(thing)) == pickle.dumps(vars(fresh))
    return False


def changed_fields(thing: Configured) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, with their values.

    >>> changed_fields(registry.find("kernel", "polynomial")(degree=3))
    {'degree': 3}
    """
    owner: type = type(thing)
    changed = {}
    for field, _ in annotated_fields(owner):
        value, default = getattr(thing, field.name), field.default
        if value is default:
            continue
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if not _same(value, default):
            changed[field.name] = value
    return changed


def _written_fields(thing: Configured, changed: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return a pair (name, value as a spec has it) for each of the fields `changed`."""
    owner: type = type(thing)
    parameters = []
    for field, annotation in annotated_fields(owner):
        if field.name in changed:
            written = _as_value(changed[field.name])
            bare = isinstance(written, Spec) and not written.parameters
            # a name alone builds the object, unless the annotation allows a text
            is_text = bool({str, object, Any} & set(alternatives(annotation)))
            parameters.append((field.name, written.name if bare and not is_text else written))
    return tuple(parameters)


def _changed_parameters(thing: Any) -> dict[str, Any]:
    ordinary, gathered = _usual_object(thing), variadic(type(thing))
    changed = {}
    for name, default in _parameters(thing):
        if not hasattr(thing, name):
            raise ArenaError(
                f"{type(thing).__name__} does not keep its parameter {name!r} as an attribute: "
                f"write self.{name} = {name}"
            )
        value = getattr(thing, name)
        replaceable = default is not inspect.Parameter.empty and hasattr(ordinary, name)
        if not (_same(value, default) or (replaceable and _alike(value, getattr(ordinary, name)))):
            changed[name] = _as_value(_as_list(value) if name == gathered else value)
    return changed


def _parameters(thing: Any) -> list[tuple[str, Any]]:
    if dataclasses.is_dataclass(thing):
        return [(field.name, _default(field)) for field in dataclasses.fields(thing) if field.init]
    known = signature(type(thing))
    if known is None:
        raise ArenaError(f"the parameters of {type(thing).__name__} cannot be read")
    return [(each.name, each.default) for each in known if each.kind is not each.VAR_KEYWORD]


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
    if value is None or isinstance(value, (bool, str, Spec)):
        return value
    if isinstance(value, numbers.Real):  # NumPy's numbers too
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_as_value, value))
    if isinstance(value, Configured) or _follows_the_convention(value):
        return spec_of(value)
    raise ArenaError(f"a value such as {shown(value, 60)} cannot be written in a spec")


def _as_full_value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_as_full_value, value))
    return full_spec(value) if isinstance(value, Configured) else _as_value(value)


def _usual_object(thing: Any) -> Any:
    """Return a new object of the class of the river model `thing`, with defaults for all optional parameters.

    Return None if `thing` is no model of river, or if the object cannot be made.
    """
    # river's constructors replace some defaults by objects, which only the attributes of such an object show
    if not callable(getattr(thing, "_get_params", None)):
        return None
    chosen = {
        each.name: getattr(thing, each.name, None)
        for each in signature(type(thing)) or ()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }
    with tolerated():  # without such an object every parameter counts as chosen
        return type(thing)(**chosen)
    return None


def _alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal; objects of other libraries are compared by their parameters."""
    if type(one) is not type(other) or not _follows_the_convention(one):
        return _same(one, other)
    names = [name for name in inspect.signature(type(one)).parameters if hasattr(one, name)]
    return all(_alike(getattr(one, name), getattr(other, name, None)) for name in names)


def _as_list(parts: Any) -> list[Any]:
    """Return the values of a variadic parameter (*parts) as a list.

    - A set is sorted.
    - A mapping from names to objects, as in a pipeline, gives pairs [name, object]. If the name is that of the object's
      class, the object stands alone in place of the pair.
    """
    if isinstance(parts, Mapping):
        return [part if name == type(part).__name__ else [name, part] for name, part in parts.items()]
    return sorted(parts, key=str) if isinstance(parts, (set, frozenset)) else list(parts)

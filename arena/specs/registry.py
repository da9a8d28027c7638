"""The registry, which finds classes by name, in the built-in folders and in installed packages, or by address.

Learners, adversaries, theorems and other kinds need no registration: every class with a `name` in the folder of its
kind is found. No code runs from a folder that the user did not name.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

from arena.errors import ArenaError, an, describe_error, nearest
from arena.guards.user_code import guarded, tolerated
from arena.specs.addresses import address_of, from_file, from_module, named
from arena.specs.libraries import addresses_in_libraries


class Kind(NamedTuple):
    """A kind of objects, such as learners: where the registry finds its classes.

    - `plural` is the plural of its name, such as "learners".
    - `base` is the address of its base class.
    - `package` is the package of its built-in classes.
    """

    plural: str
    base: str
    package: str


KINDS = {
    "learner": Kind("learners", "arena.players.learner:Learner", "arena.learners"),
    "adversary": Kind("adversaries", "arena.players.adversary:Adversary", "arena.adversaries"),
    "kernel": Kind("kernels", "arena.game.kernels:Kernel", "arena.game.kernels"),
    "loss": Kind("losses", "arena.game.losses:Loss", "arena.game.losses"),
    "embedding": Kind("embeddings", "arena.components.features.embedding:Embedding", "arena.components.features"),
    "theorem": Kind("theorems", "arena.record.theorem:Theorem", "arena.theorems"),
    "comparator": Kind("comparators", "arena.record.comparing:NamedComparator", "arena.comparators"),
}


entry_points = functools.cache(importlib.metadata.entry_points)  # of all installed packages, read once in each process


@dataclass(frozen=True)
class RegisteredName:
    """A registered name, the place of its class (`origin`, for messages), and the function that loads the class."""

    name: str
    origin: str
    load: Callable[[], Any]


@functools.cache
def base_class(kind: str) -> type:
    """Return the class that all classes of this kind derive from."""
    found: type = pkgutil.resolve_name(KINDS[kind].base)
    return found


def kinds_of(cls: type) -> list[str]:
    """Return the kinds of the objects of this class, such as ["kernel"]; usually one or none."""
    return [kind for kind in KINDS if issubclass(cls, base_class(kind))]


@functools.cache
def entries(kind: str) -> dict[str, tuple[RegisteredName, ...]]:
    """Return the entries of all classes of a kind, such as "learner", by the names of the classes in specs.

    A name has several entries if several classes have this name.
    """
    every = [_entry_of(cls) for cls in _built_in(kind)]
    for point in entry_points().select(group=f"arena.{KINDS[kind].plural}"):
        package = point.dist.name if point.dist else "an unknown package"
        every.append(RegisteredName(point.name, f"{point.value} ({package})", point.load))
    found: dict[str, tuple[RegisteredName, ...]] = {}
    for entry in every:
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return dict(sorted(found.items()))


@functools.cache
def _built_in(kind: str) -> tuple[Any, ...]:
    """Return the classes of a kind that have a name in specs and are defined in the kind's package."""
    return tuple(
        cls
        for module in modules_below(KINDS[kind].package)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, base_class(kind)) and cls.__module__ == module.__name__
        if vars(cls).get("name")
    )


def _entry_of(cls: Any) -> RegisteredName:
    return RegisteredName(cls.name, f"{cls.__module__}.{cls.__qualname__}", lambda: cls)


def find(kind: str, name: str) -> Any:
    """Return the class (or factory) of this kind that has this name or address.

    Raise an `ArenaError` if no class or several classes have this name, or if the module cannot be imported.
    """
    if ".py:" in name:
        return from_file(name)
    if ":" in name:
        return from_module(name)
    claims = entries(kind).get(name, ())
    if not claims:
        raise ArenaError(
            f"there is no {kind} named {name!r}. {_meant_otherwise(kind, name) or nearest(name, entries(kind))}"
        )
    if len(claims) > 1:
        origins = " and ".join(claim.origin for claim in claims)
        raise ArenaError(
            f"two {KINDS[kind].plural} are named {name!r}: {origins}. Uninstall one, or name it module:Class."
        )
    complaint = f"the {kind} {name!r} from {claims[0].origin} cannot be loaded: "
    with guarded(lambda error: ArenaError(complaint + describe_error(error)), passing=()):
        return claims[0].load()


def exported(kind: str, class_name: str) -> Any:
    """Return the built-in class of this kind that is named `class_name` in Python.

    If there is none, return the module of that name in the package of the kind, such as `arena.learners`. If there is
    no such module either, raise an `AttributeError`. The packages' `__getattr__` calls this function, so that
    `from arena.learners import KernelAWV` works.
    """
    if not class_name.startswith("_"):
        for cls in _built_in(kind):
            if cls.__name__ == class_name:
                return cls
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(f"{KINDS[kind].package}.{class_name}")
    raise AttributeError(f"module {KINDS[kind].package!r} has no attribute {class_name!r}")


def name_of(cls: Any) -> str:
    """Return the name or address by which specs name the class; raise an `ArenaError` if there is none."""
    if cls in named:
        return named[cls]
    for kind in KINDS:
        if isinstance(cls, type) and issubclass(cls, base_class(kind)) and "name" in vars(cls):
            with tolerated():  # another package's entry is broken; this class is not in it
                claims = entries(kind).get(cls.name, ())  # type: ignore[attr-defined]
                if len(claims) == 1 and claims[0].load() is cls:
                    return claims[0].name
    return address_of(cls)


def modules_below(where: str) -> list[ModuleType]:
    """Import and return the module `where` and, if it is a package, all modules in it and in its subpackages."""
    root = importlib.import_module(where)
    modules, name = [root], where
    with guarded(lambda error: ArenaError(f"{name} cannot be loaded: {describe_error(error, ours=True)}"), passing=()):
        for _, name, _ in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{where}."):
            modules.append(importlib.import_module(name))
    return modules


def _meant_otherwise(kind: str, name: str) -> str:
    """Return a hint for a `name` that no class of this kind has; "" if there is no hint.

    The name may be that of a file, of a class of another library, or of a class of another kind.
    """
    if name.endswith(".py") or "/" in name:
        return f"A class in a file is named like this: {name.removesuffix('.py')}.py:MyClass"
    if kind == "learner" and (libraries := addresses_in_libraries(name)):
        return f"Did you mean {' or '.join(libraries)}?"
    usual = name.replace("_", "-").lower()  # names have hyphens, where the names of files have underscores
    kinds = [other for other in KINDS if usual in entries(other)]
    if not kinds or kind in kinds:
        return ""
    order = " (The order is LEARNER ADVERSARY.)" if {kind, kinds[0]} == {"learner", "adversary"} else ""
    what = "It" if usual == name else repr(usual)
    return f"{what} is {an(kinds[0])}.{order}"

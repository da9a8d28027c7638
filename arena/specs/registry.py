"""Names: from the built-in folders, from installed packages' entry points, from files and modules that the user names.

Learners, adversaries, theorems and the like need no registration: every class with a `name` in the folder of its kind
is found. No code runs from a folder that the user did not name.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.errors import ArenaError, an, describe_error, nearest
from arena.specs.addresses import address_of, from_file, from_module, was_named

KINDS = {  # kind: (its base class, where the built-in ones live)
    "learner": ("arena.players.learner:Learner", "arena.learners"),
    "adversary": ("arena.players.adversary:Adversary", "arena.adversaries"),
    "kernel": ("arena.game.kernels:Kernel", "arena.game.kernels"),
    "loss": ("arena.game.losses:Loss", "arena.game.losses"),
    "embedding": ("arena.components.features.embedding:Embedding", "arena.components.features"),
    "theorem": ("arena.record.theorem:Theorem", "arena.theorems"),
}
PLURALS = {"adversary": "adversaries", "loss": "losses"}


@dataclass(frozen=True)
class Entry:
    """A registered name, its origin for messages, and the function that loads its class."""

    name: str
    origin: str
    load: Callable[[], Any]


def plural(kind: str) -> str:
    """The kind's plural, which also names its group of entry points: `arena.learners`, `arena.adversaries`."""
    return PLURALS.get(kind, kind + "s")


def base_class(kind: str) -> type:
    """The class that everything of this kind derives from."""
    module, _, name = KINDS[kind][0].partition(":")
    found: type = getattr(importlib.import_module(module), name)
    return found


@functools.cache
def entries(kind: str) -> dict[str, tuple[Entry, ...]]:
    """All registered names of a kind; a name that several claim has several entries."""
    found: dict[str, tuple[Entry, ...]] = {}
    for entry in (*_built_in(kind), *_installed(kind)):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return dict(sorted(found.items()))


@functools.cache
def entries_of(kind: str, name: str) -> tuple[Entry, ...]:
    """The entries of one name; imports only those built-in modules whose text contains the name."""
    candidates = (*_built_in(kind, containing=f'"{name}"'), *_installed(kind))
    return tuple(entry for entry in candidates if entry.name == name) or entries(kind).get(name, ())


def find(kind: str, name: str) -> Any:
    """The class (or factory) that this name means for this kind."""
    if ".py:" in name:
        return from_file(name)
    if ":" in name:
        return from_module(name)
    claims = entries_of(kind, name)
    if not claims:
        raise ArenaError(
            f"there is no {kind} named {name!r}. {_meant_otherwise(kind, name) or nearest(name, entries(kind))}"
        )
    return load(kind, claims)


def load(kind: str, claims: tuple[Entry, ...]) -> Any:
    """The class of a name; an `ArenaError` if several claim the name, or if its module cannot be imported."""
    name = claims[0].name
    if len(claims) > 1:
        origins = " and ".join(claim.origin for claim in claims)
        raise ArenaError(f"two {plural(kind)} are named {name!r}: {origins}. Uninstall one, or name it module:Class.")
    try:
        return claims[0].load()
    except Exception as error:
        raise ArenaError(
            f"the {kind} {name!r} from {claims[0].origin} cannot be loaded: {describe_error(error)}"
        ) from error


def exported(kind: str, class_name: str) -> Any:
    """The built-in class of this name: `from arena.learners import KernelAWV` works without a list of names."""
    if not class_name.startswith("_"):
        for entry in _built_in(kind, containing=f"class {class_name}"):
            if entry.origin.rpartition(".")[2] == class_name:
                return entry.load()
        with contextlib.suppress(ModuleNotFoundError):  # it is a module: arena.adversaries.replay
            return importlib.import_module(f"{KINDS[kind][1]}.{class_name}")
    raise AttributeError(f"module {KINDS[kind][1]!r} has no attribute {class_name!r}")


def name_of(cls: Any) -> str:
    """The name under which a class is found again; an `ArenaError` if there is none."""
    if was_named(cls):
        return address_of(cls)
    for kind in KINDS:
        if isinstance(cls, type) and issubclass(cls, base_class(kind)) and "name" in vars(cls):
            claims = entries_of(kind, cls.name)  # type: ignore[attr-defined]
            if len(claims) == 1 and _loads(claims[0], cls):
                return claims[0].name
    return address_of(cls)


def _loads(entry: Entry, cls: Any) -> bool:
    try:
        return entry.load() is cls
    except Exception:  # a broken package of somebody else, in which this class does not stand
        return False


def _built_in(kind: str, *, containing: str = "") -> list[Entry]:
    where, base = KINDS[kind][1], base_class(kind)
    found = []
    for module in modules_below(where, containing=containing):
        for cls in vars(module).values():
            own = isinstance(cls, type) and issubclass(cls, base) and cls.__module__ == module.__name__
            if own and vars(cls).get("name"):
                found.append(Entry(cls.name, f"{cls.__module__}.{cls.__qualname__}", functools.partial(_itself, cls)))
    return found


def _itself(cls: type) -> type:
    return cls


def modules_below(where: str, *, containing: str = "") -> list[ModuleType]:
    """The module of this name; of a package, all modules in it and below it whose text contains this."""
    root = importlib.import_module(where)
    if not hasattr(root, "__path__"):
        return [root]
    return [_own_module(name) for name, text in _texts_below(root).items() if text is None or containing in text]


@functools.cache
def _texts_below(root: ModuleType) -> dict[str, str | None]:
    """The text of each module of a package; None for those that have no file of their own."""
    texts: dict[str, str | None] = {}
    for info in pkgutil.walk_packages(root.__path__, root.__name__ + "."):
        file = Path(getattr(info.module_finder, "path", ""), info.name.rpartition(".")[2] + ".py")
        texts[info.name] = file.read_text(encoding="utf-8") if file.is_file() else None
    return dict(sorted(texts.items()))


def _own_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise ArenaError(f"{name} cannot be loaded: {describe_error(error, ours=True)}") from error


def _installed(kind: str) -> list[Entry]:
    points = importlib.metadata.entry_points(group=f"arena.{plural(kind)}")
    return [Entry(point.name, f"{point.value} ({_package(point)})", point.load) for point in points]


def _package(point: importlib.metadata.EntryPoint) -> str:
    return point.dist.name if point.dist else "an unknown package"


def _meant_otherwise(kind: str, name: str) -> str:
    """A hint for a name that another kind has, or that looks like a file; else empty."""
    if name.endswith(".py") or "/" in name:
        return f"A class in a file is named like this: {name.removesuffix('.py')}.py:MyClass"
    kinds = [other for other in KINDS if name in entries(other)]
    order = " (The order is LEARNER ADVERSARY.)" if kinds and {kind, kinds[0]} == {"learner", "adversary"} else ""
    return f"It is {an(kinds[0])}.{order}" if kinds else ""

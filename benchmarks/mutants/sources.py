"""The modules of the learners and of their components, their imports, and the learners that use each module."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"learners": "arena.learners", "arena/components": "arena.components"}


def module_of(folder: str, package: str, path: Path) -> str:
    """Return the name under which a file of the folder is imported."""
    return f"{package}.{path.relative_to(ROOT / folder).with_suffix('').as_posix().replace('/', '.')}"


@cache
def used_by_learners() -> frozenset[str]:
    """Return the modules of all learners and embeddings, and the modules in `FOLDERS` that they use.

    A module counts as used if it is imported directly or indirectly.
    """
    from arena.specs import registry

    reached = {name for name in imports() if name.startswith("arena.learners.")}
    reached |= {registry.find("embedding", name).__module__ for name in registry.entries("embedding")}
    while further := {far for near in reached for far in imports().get(near, ())} - reached:
        reached |= further
    return frozenset(reached)


@cache
def imports() -> dict[str, set[str]]:
    """Return, for each module in `FOLDERS`, the names of the modules that it imports."""
    direct: dict[str, set[str]] = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.walk(ast.parse(path.read_bytes()))
            found = {each.module for each in tree if isinstance(each, ast.ImportFrom) and each.module}
            direct[module_of(folder, package, path)] = found
    return direct


def distance(module: str, used: str) -> float:
    """Return the length of the shortest chain of imports from a module to the module `used`; infinity without one."""
    reached, found = {module}, 0
    while used not in reached:
        further = {far for near in reached for far in imports().get(near, ())} - reached
        if not further:
            return float("inf")
        reached, found = reached | further, found + 1
    return found


def users(used: str) -> list[str]:
    """Return the learners that use a module, in the order in which they are checked and hunted.

    Learners that are defined in the module come first, and learners on embeddings that are defined there. Then come
    other learners that promise theorems, and finally the rest. Within each of these two groups, learners with a shorter
    chain of imports to the module come first.
    """
    from arena.players.learner import as_learner
    from arena.specs import registry
    from arena.specs.building import build

    embeddings = [name for name in sorted(registry.entries("embedding"))
                  if registry.find("embedding", name).__module__ == used]  # fmt: skip
    own = [f"pkawv(embedding={name})" for name in embeddings]
    others: list[tuple[bool, float, str]] = []
    for name in sorted(registry.entries("learner")):
        away = distance(registry.find("learner", name).__module__, used)
        if away == 0:
            own.append(name)
        elif away < float("inf"):
            others.append((not as_learner(build("learner", name)).theorems, away, name))
    return [*own, *(name for *_, name in sorted(others))]

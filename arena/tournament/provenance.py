"""Digests of the data files, and of the code outside the arena, on which a match depends.

Each digest is a part of the match's key, like specs, game and seed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from arena.engine.code_transfer import digest_here, places_in
from arena.errors import ArenaError
from arena.specs.parameters import Configured, annotated_fields

Digests = tuple[tuple[str, str], ...]  # pairs of a file or package, such as `code ./mine.py`, and its hash or version


def digests_of(text: str, built: Any, made_by: Any) -> Digests:
    """Return the digests of everything outside the arena on which the object `built` depends.

    `text` is the object's spec. `made_by` is the class or function that the spec names; for an object without a spec,
    it is the object's class.
    """
    found = {f"data {path}": file_digest(path) for path in getattr(built, "files", ())}
    for place in sorted(places_in([text])):
        if place.endswith(".py"):
            found[f"code {place}"] = digest_here(place)
        else:
            found |= _module_digest(place)
    for each in {made_by, type(built), *_classes_in(built)}:  # a function may return a library's object
        module = getattr(each, "__module__", "") or ""
        if module.partition(".")[0] != "arena" and not module.startswith("arena_file_"):
            found |= _module_digest(module)
    return tuple(sorted(found.items()))


def check(digests: Digests, kinds: Collection[str] = ("data", "code", "package", "module")) -> None:
    """Raise an `ArenaError` if a file or package has changed since the match was planned, or differs on this machine.

    Only digests of these `kinds` are compared. A package or module can be compared only after it was imported.
    """
    for what, planned in digests:
        kind, _, name = what.partition(" ")
        if kind not in kinds:
            continue
        if kind == "data":
            found = file_digest(name)
        elif kind == "code":
            found = digest_here(name)
        else:
            found = _module_digest(name).get(what, "")
        if found != planned:
            raise ArenaError(
                f"{name} is not what the tournament was planned with: it was changed in the meantime, or is another "
                "one on this machine. Start the tournament again, with the same file or version everywhere"
            )


def file_digest(path: str) -> str:
    """Return the hash of a file's content; an unchanged file is not read a second time."""
    try:
        state = os.stat(Path(path).expanduser())
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from None
    return _digest_at(path, state.st_mtime_ns, state.st_size, state.st_ino)


@functools.lru_cache(maxsize=1000)
def _digest_at(path: str, _modified: int, _size: int, _inode: int) -> str:
    content = hashlib.sha256()
    try:
        with open(Path(path).expanduser(), "rb") as file:
            while chunk := file.read(1 << 20):
                content.update(chunk)
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from None
    return content.hexdigest()


def _module_digest(module: str) -> dict[str, str]:
    """Return a dictionary with one entry: the version of the package that contains the module.

    If the package states no version, the entry is the hash of the module's file. The dictionary is empty for modules
    of Python itself, and if neither the version nor the file is known.
    """
    top = module.partition(".")[0]
    if top in ("builtins", "__main__", "") or top in sys.stdlib_module_names:
        return {}
    package = sys.modules.get(top)
    if version := getattr(package, "__version__", ""):
        return {f"package {top}": str(version)}
    file = getattr(sys.modules.get(module), "__file__", None)
    return {f"module {module}": file_digest(file)} if file else {}


def _classes_in(thing: Any) -> Iterator[type]:
    """Yield the class of an object with parameters, such as a player, and the classes of the parameters' values."""
    if isinstance(thing, (list, tuple)):
        for each in thing:
            yield from _classes_in(each)
    elif isinstance(thing, Configured):
        owner: type = type(thing)
        yield owner
        for field, _ in annotated_fields(owner):
            yield from _classes_in(getattr(thing, field.name))

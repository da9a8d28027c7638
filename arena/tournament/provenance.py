"""What determines a match besides specs, game and seed: the content of data files and of code outside the arena.

A digest of each such file is part of a match's key. Files of code can be sent to another machine, where they are
loaded under the paths that the specs name.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.addresses import imported_names, load_instead
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import Configured, annotated_fields

Digests = tuple[tuple[str, str], ...]  # what it is, such as `code ./mine.py`, and its hash or version
Sources = dict[str, dict[str, bytes]]  # the path of a file as specs name it; its content and that of its neighbours


def digests_of(text: str, built: Any, kind: str) -> Digests:
    """Return the digests of everything outside the arena that the object `built` of this spec depends on."""
    found = {f"data {path}": file_digest(path) for path in getattr(built, "files", ())}
    for name in names_in(parse_spec(text)):
        if ".py:" in name:
            path = name.rpartition(":")[0]
            found[f"code {path}"] = _digest_of_parts(source_of(path))
        elif ":" in name:
            found |= _module_digest(name.partition(":")[0])
    cls = type(built) if isinstance(built, Configured) else registry.find(kind, parse_spec(text).name)
    for each in {cls, *_classes_in(built)}:
        module = getattr(each, "__module__", "") or ""
        if module.partition(".")[0] != "arena" and not module.startswith("arena_file_"):
            found |= _module_digest(module)
    return tuple(sorted(found.items()))


def names_in(spec: Spec) -> Iterator[str]:
    """Yield the name of the spec and of all specs inside it."""
    yield spec.name
    values: list[Any] = [value for _, value in spec.parameters]
    while values:
        value = values.pop()
        if isinstance(value, tuple):
            values += value
        elif isinstance(value, Spec):
            yield from names_in(value)


def place_of_name(name: str) -> str:
    """Return the file or the module in a name such as ./file.py:Class or package.module:Class."""
    return name.rpartition(":")[0] if ".py:" in name else name.partition(":")[0]


def source_of(path: str) -> dict[str, bytes]:
    """Return the content of a file of code and of the files beside it that it imports, by their relative paths."""
    top = Path(path).expanduser().resolve()
    found, waiting = dict[str, bytes](), [top]
    while waiting:
        file = waiting.pop()
        name = file.relative_to(top.parent).as_posix()
        if name in found:
            continue
        try:
            found[name] = file.read_bytes()
        except OSError as error:
            raise ArenaError(f"cannot read {path}: {error.strerror}") from None
        for imported in imported_names(found[name]):
            beside = top.parent / f"{imported}.py"
            waiting += [beside] if beside.is_file() else []
            package = top.parent / imported
            waiting += sorted(package.rglob("*.py")) if (package / "__init__.py").is_file() else []
    return dict(sorted(found.items()))


def sources_of(texts: Iterable[str]) -> Sources:
    """Return the files of code that these specs name, to be sent to other machines."""
    names = {name for text in texts for name in names_in(parse_spec(text)) if ".py:" in name}
    return {path: source_of(path) for path in sorted({name.rpartition(":")[0] for name in names})}


_unpacked: dict[str, str] = {}  # the path of a file as specs name it, and the digest of what is loaded in its place


def unpack(sources: Mapping[str, Mapping[str, bytes]]) -> None:
    """Write files of code into a folder of this process, from which specs that name them will load them."""
    for path, parts in sources.items():
        digest = _digest_of_parts(parts)
        if _unpacked.get(path) == digest:
            continue
        folder = Path(_own_folder().name) / digest[:16]
        for name, content in parts.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        load_instead(path, folder / Path(path).name)
        _unpacked[path] = digest


@functools.cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="arena-code-")


def check(digests: Digests) -> None:
    """Raise an `ArenaError` if a file or package here differs from what the match was planned with."""
    for what, planned in digests:
        kind, _, name = what.partition(" ")
        if kind == "data":
            found = file_digest(name)
        elif kind == "code":
            found = _unpacked.get(name) or _digest_of_parts(source_of(name))
        else:
            found = _module_digest(name).get(what, "")
        if found != planned:
            raise ArenaError(
                f"{name} is not what the tournament was planned with: it was changed in the meantime, or is another "
                "one on this machine. Start the tournament again, with the same file or version everywhere"
            )


def file_digest(path: str) -> str:
    """Return the hash of a file's content; a file that was not changed since the last call is not read again."""
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


def _digest_of_parts(parts: Mapping[str, bytes]) -> str:
    content = hashlib.sha256()
    for name, part in sorted(parts.items()):
        content.update(f"{name} {len(part)}\n".encode())
        content.update(part)
    return content.hexdigest()


def _module_digest(module: str) -> dict[str, str]:
    """Return the version of the installed package that holds the module, or else the digest of the module's file."""
    top = module.partition(".")[0]
    if top in ("builtins", "__main__", "") or top in sys.stdlib_module_names:
        return {}
    package = sys.modules.get(top)
    if version := getattr(package, "__version__", ""):
        return {f"package {top}": str(version)}
    file = getattr(sys.modules.get(module), "__file__", None)
    return {f"module {module}": file_digest(file)} if file else {}


def _classes_in(thing: Any) -> Iterator[type]:
    """Yield the class of a configured object and of the objects among its parameters."""
    if isinstance(thing, (list, tuple)):
        for each in thing:
            yield from _classes_in(each)
    elif isinstance(thing, Configured):
        owner: type = type(thing)
        yield owner
        for field, _ in annotated_fields(owner):
            yield from _classes_in(getattr(thing, field.name))

"""Functions that send users' code to other machines: files that specs name, and local modules that the files import."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.specs.addresses import imported_names, load_instead
from arena.specs.grammar import Spec, parse_spec

PREFIX = "arena-code-"  # prefix of the folders with users' code, inside the folder for temporary files
LOCK = "in-use"  # a file in such a folder; it is locked while the process that made the folder runs
Source = dict[str, bytes]  # the contents of a file and of its neighbours, each under its path from the file's folder
Sources = dict[str, Source]  # each under the path by which specs name the file


def names_in(spec: Spec) -> Iterator[str]:
    """Yield the name of `spec` and the names of all specs in its parameters."""
    yield spec.name
    values: list[Any] = [value for _, value in spec.parameters]
    while values:
        value = values.pop()
        if isinstance(value, tuple):
            values += value
        elif isinstance(value, Spec):
            yield from names_in(value)


def place_of_name(name: str) -> str:
    """Return the part of an address that names the file or module, such as ./file.py in ./file.py:Class."""
    return name.rpartition(":")[0] if ".py:" in name else name.partition(":")[0]


def places_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the files and modules outside the arena that these specs name."""
    return frozenset(place_of_name(name) for text in texts for name in names_in(parse_spec(text)) if ":" in name)


def source_of(path: str) -> Source:
    """Return {path: contents} for a file of code, and for all files in its folder that it imports, directly or not."""
    top = Path(path).expanduser().resolve()
    found, waiting = Source(), [top]
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
    """Return {file: {path: contents}} for each file of code that these specs name.

    The contents are those of the file and of all files in its folder that it imports.
    """
    return {place: source_of(place) for place in sorted(places_in(texts)) if place.endswith(".py")}


def digest_of_source(source: Mapping[str, bytes]) -> str:
    """Return a hash of a file of code and the files that it imports, given as {path: contents}."""
    content = hashlib.sha256()
    for name, part in sorted(source.items()):
        content.update(f"{name} {len(part)}\n".encode())
        content.update(part)
    return content.hexdigest()


_unpacked: dict[str, str] = {}  # digest of the code that is loaded in place of each file that specs name


def unpack(sources: Mapping[str, Mapping[str, bytes]]) -> None:
    """Write copies of files of users' code into a folder of this process; specs that name the files load the copies.

    `sources` maps the path of a file, as specs write it, to {path: contents} of this file and of all files that it
    imports.
    """
    for path, source in sources.items():
        digest = digest_of_source(source)
        if _unpacked.get(path) == digest:
            continue
        folder = Path(_own_folder().name) / digest[:16]
        for name, content in source.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        load_instead(path, folder / Path(path).name)
        _unpacked[path] = digest


def digest_here(path: str) -> str:
    """Return a hash of the file of code that specs name by `path`, and of all files that it imports.

    If `unpack` has written a copy of the file, the hash is that of the copy.
    """
    return _unpacked.get(path) or digest_of_source(source_of(path))


@functools.cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """Return this process's folder for copies of users' code.

    The first call makes the folder, and removes the folders of processes that were killed.
    """
    folder: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(prefix=PREFIX)
    Finalize(None, folder.cleanup, exitpriority=0)  # processes of a pool end without running `atexit`
    with contextlib.suppress(ImportError, OSError):  # not on Windows
        import fcntl

        # The lock ends with the process, however it ends. It is taken before others can find its file.
        lock = os.open(Path(folder.name, "locking"), os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(Path(folder.name, "locking"), Path(folder.name, LOCK))
        for left in Path(folder.name).parent.glob(f"{PREFIX}*/{LOCK}"):
            with contextlib.suppress(OSError), open(left, "r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left.parent)
    return folder

"""A folder in which the states of unfinished computations are kept, so that the same command continues them."""

from __future__ import annotations

import contextlib
import time
import zipfile
from functools import cached_property
from pathlib import Path

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.guards.disk import delete_old_files, own_cache
from arena.guards.whole_files import writing

EVERY = 5.0  # least seconds between two writings of the same key
ZIP = b"PK\x03\x04"


class IntervalCacheOnDisk:
    """A folder of arrays with one file for each key; by default the folder is in the user's cache.

    If the folder cannot be written, nothing is kept, and no error is raised.

    >>> import tempfile
    >>> interval_cache = IntervalCacheOnDisk(Path(tempfile.mkdtemp()))
    >>> interval_cache.keep("half-done", {"a": np.arange(2.0)})
    >>> interval_cache.load("half-done")
    {'a': array([0., 1.])}
    """

    def __init__(self, folder: Path | None = None, *, every: float = EVERY):
        self.given, self.every = folder, every
        self._last: dict[str, float] = {}  # the time at which each key was last written

    @cached_property
    def folder(self) -> Path:
        return self.given or own_cache("unfinished")

    def load(self, key: str) -> dict[str, Array] | None:
        """Return the arrays kept under this key; None if there are none, or the file is damaged."""
        try:
            with open(self._file(key), "rb") as file, np.load(file, allow_pickle=False) as arrays:
                return dict(arrays)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def keep(self, key: str, arrays: dict[str, Array]) -> None:
        """Write the arrays, unless this cache wrote the same key less than `every` seconds ago (by default 5)."""
        if time.monotonic() - self._last.get(key, -np.inf) < self.every:
            return
        with contextlib.suppress(OSError, ArenaError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with writing(self._file(key), lambda head: head.startswith(ZIP), durable=False) as file:
                np.savez(file, allow_pickle=False, **arrays)
            self._last[key] = time.monotonic()
            delete_old_files(self.folder, "*.npz")

    def drop(self, key: str) -> None:
        """Delete the arrays kept under this key."""
        with contextlib.suppress(OSError):
            self._file(key).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.npz"

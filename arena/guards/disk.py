"""Arrays that are kept in files because they would take more memory than `in_memory` allows.

Such an array is mapped: its pages are read from the file when they are used. Pages that were read count as memory of
the process until `release` frees them, so a loop over a long array calls `release` after each block of rows.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from arena.arrays import Array, locked
from arena.errors import ArenaError

LIMIT = "REGRET_ARENA_IN_MEMORY"  # the environment variable that sets what `in_memory` returns
MEBIBYTES = 256.0
VECTORS = 16  # `on_disk_if_large` writes an array to the disk if so many of its size exceed `in_memory()` bytes
WAITING = 4096  # rows that are appended one by one before they are written
BLOCK = 1 << 22  # bytes that are computed or copied together
CACHE = "REGRET_ARENA_CACHE"  # the environment variable that names another folder than the user's cache
UNUSED = 30 * 86400.0  # seconds after which what was kept in the cache and not used again is deleted

_PAGES: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()  # the memory maps of all mapped arrays that are in use


class NoRoom(ArenaError):
    """Raised if a file in the cache cannot be written, for instance because the disk is full."""


def in_memory() -> float:
    """Return the largest number of bytes that a data set, or the record of a match, may take in memory.

    Larger data sets and records are kept on the disk. The environment variable REGRET_ARENA_IN_MEMORY sets the number
    in MiB; 256 is the default. Raise an `ArenaError` if its value is no such number.
    """
    given = os.environ.get(LIMIT, "")
    with contextlib.suppress(ValueError):
        if 0.0 < float(given or MEBIBYTES) < 1e9:
            return float(given or MEBIBYTES) * 2**20
    raise ArenaError(f"{LIMIT} must be a number of MiB, such as 256, but it is {given!r}")


def own_cache(part: str) -> Path:
    """Return the arena's folder called `part` in the user's cache."""
    cache = os.environ.get(CACHE) or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "regret-arena" / part


def delete_old_files(folder: Path, pattern: str = "*", *, seconds: float = UNUSED) -> None:
    """Delete the files in the folder whose names match the pattern, and which have not changed for `seconds`."""
    with contextlib.suppress(OSError):
        for file in folder.glob(pattern):
            if time.time() - file.stat().st_mtime > seconds:
                file.unlink(missing_ok=True)


def no_room(what: str, folder: Path, error: OSError) -> NoRoom:
    """Return the error to raise if `what`, such as "the rows of a file", could not be written into `folder`."""
    return NoRoom(
        f"cannot keep {what} in {folder}: {error.strerror or error}. Make room there, or name another folder with "
        f"{CACHE}; {LIMIT}=MiB raises the size up to which memory is used instead"
    )


def mapped(file: IO[bytes], shape: tuple[int, ...], *, offset: int = 0, dtype: Any = float) -> Any:
    """Return an array of this shape, mapped from the bytes that begin at `offset` of the file; it is read-only.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(np.arange(6.0)); file.flush()
    ...     mapped(file, (2, 2), offset=16).tolist()
    [[2.0, 3.0], [4.0, 5.0]]
    """
    count = math.prod(shape)
    if not count:
        return np.empty(shape, dtype)
    start = offset - offset % mmap.ALLOCATIONGRANULARITY
    size = offset - start + count * np.dtype(dtype).itemsize
    pages = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ, offset=start)
    _PAGES.add(pages)
    return np.frombuffer(pages, dtype, count, offset - start).reshape(shape)


def is_mapped(array: Array) -> bool:
    """Return whether the array, or the array of which it is a view, is mapped from a file."""
    return _pages_of(array) is not None


def release(array: Array) -> None:
    """Free the memory of an array that is mapped from a file.

    The array stays valid: what is used again is read from the file again.
    """
    pages = _pages_of(array)
    if pages is not None:
        _release(pages)


def release_all() -> None:
    """Free the memory of all arrays that are mapped from files, as `release` does for one; the arrays stay valid."""
    for pages in list(_PAGES):
        _release(pages)


def blocks(array: Array, rows: int = 0) -> Iterator[slice]:
    """Yield slices that together cover all rows of the array: one slice, unless it is mapped from a file.

    A mapped array is cut into slices of `rows` rows, or of about 4 MiB if `rows` is 0. After each slice the array's
    memory is freed.
    """
    if not is_mapped(array):
        # one slice, because a sum over several would be rounded differently
        yield slice(0, len(array) if array.ndim else 0)
        return
    rows = rows or max(BLOCK // max(array.nbytes // max(len(array), 1), 1), 1)
    for start in range(0, len(array), rows):
        yield slice(start, min(start + rows, len(array)))
        release(array)


def on_disk_if_large(array: Array) -> Array:
    """Return the array itself, or if it is large, a read-only copy that is mapped from a file.

    An array is large if 16 arrays of its size take more memory than `in_memory()` allows. If the file cannot be
    written, the array itself is returned.
    """
    if array.nbytes < mmap.PAGESIZE or array.nbytes * VECTORS <= in_memory() or is_mapped(array):
        return array
    with contextlib.suppress(OSError), _scratch() as file:
        file.write(np.ascontiguousarray(array).data)
        file.flush()
        found: Array = mapped(file, array.shape, dtype=array.dtype)
        release_all()  # a large array was usually computed from other large arrays
        return found
    return array


def rows_of(function: Callable[[Array], Array], points: Array) -> Array:
    """Return the array `function(points)`, which has a row for each point.

    If `points` is mapped from a file, the function is called with one block of points at a time, and a result of more
    than `in_memory()` bytes is mapped, too. Raise `NoRoom` if such a result cannot be written to the disk.
    """
    if not is_mapped(points):
        return function(points)
    width = function(points[:1]).shape[1]
    if 8 * len(points) * width <= in_memory():
        result = np.empty((len(points), width))
        for rows in blocks(points):
            result[rows] = function(points[rows])
        return result
    try:
        with _scratch() as file:
            for rows in blocks(points):
                file.write(np.ascontiguousarray(function(points[rows])).data)
            file.flush()
            found: Array = mapped(file, (len(points), width))
            return found
    except OSError as error:
        raise no_room(f"{width} numbers for each of {len(points):,} rounds", own_cache("scratch"), error) from None


def _scratch() -> IO[bytes]:
    """Return an open file without a name in the user's cache.

    The system's folder for temporary files is not used, since it is often in memory.
    """
    import tempfile  # imported here, so that not every command loads it

    folder = own_cache("scratch")
    folder.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=folder)


def _pages_of(array: Any) -> mmap.mmap | None:
    while array is not None and not isinstance(array, mmap.mmap):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array


def _release(pages: mmap.mmap) -> None:
    with contextlib.suppress(AttributeError, ValueError, OSError):  # Windows has no madvise; the map may be closed
        pages.madvise(mmap.MADV_DONTNEED)


class DiskArray:
    """An array in a file that grows at its end, with the methods of `arena.arrays.GrowingArray` that a match uses.

    >>> import tempfile
    >>> past = DiskArray(Path(tempfile.mkdtemp()) / "labels")
    >>> past.append(1.0); past.extend(np.array([2.0, 3.0]))
    >>> past.view()
    array([1., 2., 3.])
    """

    def __init__(self, path: Path, row_shape: tuple[int, ...] = (), size: int = 0):
        self.path, self.row_shape, self._size = path, row_shape, size
        self._file = open(path, "r+b" if size else "w+b", buffering=0)  # noqa: SIM115  open as long as the match
        self._waiting: list[Array] = []  # appended rows that are not written yet
        weakref.finalize(self, self._file.close)
        self._bytes = 8 * math.prod(row_shape)
        if os.fstat(self._file.fileno()).st_size < size * self._bytes:
            raise ValueError(f"{path} is shorter than {size} rows")

    def __len__(self) -> int:
        return self._size + len(self._waiting)

    def append(self, row: float | Array) -> None:
        self._waiting.append(np.array(row, dtype=float))
        if len(self._waiting) == WAITING:
            self._write_waiting()

    def extend(self, rows: Array) -> None:
        self._write_waiting()
        self._write(rows)

    def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._write(np.array(waiting, dtype=float))

    def _write(self, rows: Array) -> None:
        content = np.ascontiguousarray(rows, dtype=float).data.cast("B") if len(rows) else memoryview(b"")
        try:
            self._file.seek(self._size * self._bytes)
            while len(content):  # `write` of a raw file may take a part of the bytes only
                content = content[self._file.write(content) :]
        except OSError as error:
            raise no_room("the record of the match", self.path.parent, error) from None
        self._size += len(rows)

    def view(self) -> Array:
        """Return the rows so far, read-only."""
        self._write_waiting()
        return locked(mapped(self._file, (self._size, *self.row_shape)))

    def shrink(self, size: int) -> None:
        """Keep only the first `size` rows."""
        self._write_waiting()
        self._size = min(self._size, size)

    def flush(self) -> None:
        """Write everything to the disk itself, so that it survives a power failure."""
        self._write_waiting()
        os.fsync(self._file.fileno())

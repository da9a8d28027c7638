"""Readers of NumPy's file formats that limit the memory, and that unpickle nothing.

A header may announce more numbers than the file has, and an archive of a few kilobytes may unpack to terabytes. So
sizes are compared with a limit, `most_bytes()`, before anything is unpacked.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import zipfile
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from arena.arrays import locked
from arena.errors import ArenaError
from arena.guards.disk import VECTORS, in_memory, mapped

LIMIT = "REGRET_ARENA_MAX_GIB"  # the environment variable that raises the bound
GIBIBYTES = 8.0
CHUNK = 1 << 24  # bytes that are unpacked together
HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}


class Pickled(ValueError):
    """Raised for an array of Python objects, which could be read only by unpickling."""


def most_bytes() -> int:
    """Return the largest number of bytes to which a file may unpack.

    The default is 8 GiB. The environment variable REGRET_ARENA_MAX_GIB gives another number of GiB.
    """
    given = os.environ.get(LIMIT, "")
    with contextlib.suppress(ValueError):
        if 0.0 < float(given or GIBIBYTES) < 1e9:
            return int(float(given or GIBIBYTES) * 2**30)
    raise ArenaError(f"{LIMIT} must be a number of GiB, such as 16, but it is {given!r}")


def check_bytes(name: object, size: int) -> None:
    """Raise an `ArenaError` if `size` exceeds `most_bytes()`; `name` is the file's name, for the message."""
    if size > (most := most_bytes()):
        needed = math.ceil(size / 2**30)
        raise ArenaError(
            f"{name} unpacks to {size / 2**30:,.1f} GiB, and {most / 2**30:g} are read at most: keep fewer rows or "
            f"columns, or set {LIMIT}={needed} if you trust the file and the memory suffices"
        )


class Archive:
    """An .npz archive: `names` has the names of its arrays, and `read(name)` returns an array.

    With `maps`, large arrays are mapped from the file where that is possible.
    """

    def __init__(self, file: IO[bytes], name: object, *, maps: bool = False):
        self.name, self._file, self.maps = name, file, maps
        self._zip = zipfile.ZipFile(file)
        self._members = {
            info.filename.removesuffix(".npy"): info
            for info in self._zip.infolist()
            if info.filename.endswith(".npy") and not info.flag_bits & 1  # flag 1: encrypted
        }
        self.names = tuple(self._members)
        self._unpacked = 0

    def read(self, name: str) -> Any:
        """Return the array with this name; the array cannot be written to.

        If the file is damaged, an exception of almost any class may be raised.
        """
        info = self._members[name]
        if self.maps and VECTORS * info.file_size > in_memory() and (found := self.in_place(name)) is not None:
            return found
        self._unpacked += info.file_size
        check_bytes(self.name, self._unpacked)
        with self._zip.open(info) as member:
            array = read_npy(member, self.name)
            if member.read(1):
                raise ValueError(f"more follows behind the numbers of {name}")
        return array

    def in_place(self, name: str) -> Any:
        """Return the array with this name, mapped from the file.

        The result is None if the array is compressed, is not float64, or is stored column by column.
        """
        info = self._members[name]
        if info.compress_type != zipfile.ZIP_STORED:
            return None
        self._file.seek(info.header_offset)
        header = self._file.read(30)
        lengths = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
        return array_at(self._file, info.header_offset + 30 + sum(lengths), info.file_size)


def array_at(file: IO[bytes], offset: int, size: int | None = None) -> Any:
    """Return the array whose .npy header begins at byte `offset` of the file; its numbers are mapped from the file.

    The result is None if the array is not float64, or is stored column by column. `size` is the number of bytes of
    header and numbers together, or None. If it does not agree with the header, a `ValueError` is raised.
    """
    file.seek(offset)
    shape, by_columns, dtype = HEADERS[read_magic(file)](file)
    if dtype != np.dtype(float) or (by_columns and len(shape) > 1):
        return None
    if size is not None and file.tell() - offset + 8 * math.prod(shape) != size:
        raise ValueError("an array is not as long as its header says")
    return mapped(file, shape, offset=file.tell())


def read_npy(file: IO[bytes], name: object) -> Any:
    """Return the array in an .npy file; the array cannot be written to."""
    version = read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"an array has the unknown format {version}")
    shape, fortran, dtype = HEADERS[version](file)
    if dtype.hasobject:
        raise Pickled("Object arrays are not read")
    if any(not isinstance(side, int) or side < 0 for side in shape):
        raise ValueError(f"an array has the shape {shape}")
    size = math.prod(shape) * dtype.itemsize
    check_bytes(name, size)
    content = bytearray()
    for chunk in _chunks(file, size):
        content += chunk
    if len(content) < size:
        raise ValueError(f"an array should have {size} bytes, but it has {len(content)}")
    return locked(np.frombuffer(content, dtype=dtype)).reshape(shape, order="F" if fortran else "C")


def unpacked(file: IO[bytes], name: object, into: IO[bytes]) -> IO[bytes]:
    """Copy the decompressed content of `file` to `into`, and return `into`, rewound to its start.

    An `ArenaError` is raised if the content has more than `most_bytes()` bytes.
    """
    done = 0
    for chunk in _chunks(file, most_bytes() + 1):
        done += len(chunk)
        check_bytes(name, done)
        into.write(chunk)
    into.seek(0, io.SEEK_SET)
    return into


def _chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := file.read(min(size, CHUNK))):
        size -= len(chunk)
        yield chunk

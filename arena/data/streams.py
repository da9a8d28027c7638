"""Data files read in chunks of rows, in memory that does not grow with the file.

The formats are tables of text, LIBSVM's format, .npz, .npy (memory-mapped) and Parquet. A file may be larger than the
memory. Each chunk is small, so the limit on the bytes to which a file may unpack (`arena.data.npz`) does not apply.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.lib.format import read_magic

from arena.arrays import Array
from arena.data.archives import column_names
from arena.data.files import DataFile, column_in_words, opened
from arena.data.libsvm import is_libsvm, parts_in
from arena.data.npz import HEADERS, Archive
from arena.data.selection import Selection
from arena.data.tables import Layout, rows_of, selected_layout, split_label
from arena.errors import ArenaError, DamagedFile
from arena.guards.disk import release

PARQUET = b"PAR1"  # the first bytes of a Parquet file
ROWS = 2**15  # rows of a chunk at most, where the format allows a choice
Names = tuple[str, ...]
# points, labels, the points' column names, the share of the file read so far
DataChunk = tuple[Array, Array, Names, float]


def parts_of(path: Path, selection: Selection) -> Iterator[DataChunk]:
    """Yield a `DataChunk` for each chunk of rows of a data file; raise an `ArenaError` if a number is not finite.

    A `DataChunk` is a tuple: points, labels, the names of the points' columns, and the share of the file that has been
    read.
    """
    with opened(path) as source:
        done = 0
        for X, y, names, share in _chunks(source, path, selection):
            if not X.shape[1]:
                raise ArenaError(f"{path} has labels but no coordinates: every row needs at least one number more")
            if not (np.isfinite(X).all() and np.isfinite(y).all()):
                _refuse_infinite(path, X, y, names, done)
            yield np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(y, dtype=float), names, share
            done += len(y)


def _refuse_infinite(path: Path, X: Array, y: Array, names: Names, before: int) -> NoReturn:
    wrong = ~np.isfinite(np.column_stack([X, y]))
    row, column = np.unravel_index(int(wrong.argmax()), wrong.shape)
    where = "the label" if column == X.shape[1] else column_in_words(int(column), names)
    value = y[row] if column == X.shape[1] else X[row, column]
    raise ArenaError(f"{path}: {where} is {value:g} in row {before + row + 1}: fill the value in or leave the row out")


def digest_of(path: Path) -> str:
    """Return the hash of a file's content; a file that did not change since the last call is not read again."""
    state = path.expanduser().stat()
    return _digest_at(path.expanduser(), state.st_mtime_ns, state.st_size, state.st_ino)


@functools.lru_cache(maxsize=100)
def _digest_at(path: Path, _modified: int, _size: int, _inode: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _chunks(source: DataFile, path: Path, selection: Selection) -> Iterator[DataChunk]:
    if source.head.startswith(PARQUET):
        return _of_parquet(source, path, selection)
    if source.head.startswith(b"PK\x03\x04") or source.suffix == ".npz":
        return _of_archive(source, selection)
    if source.head.startswith(b"\x93NUMPY") or source.suffix == ".npy":
        return _of_array(source, path, selection)
    if b"\x00" in source.head:
        raise ArenaError(
            f"{source.name} is not text (it holds zero bytes), nor an .npz, .npy or Parquet file: "
            "save it as CSV in UTF-8"
        )
    return _of_libsvm(source, selection) if is_libsvm(source, selection) else _of_table(source, selection)


def _of_table(source: DataFile, selection: Selection) -> Iterator[DataChunk]:
    layout: Layout | None = None
    for number, chunk in source.chunks():
        layout = layout or selected_layout(source, number, chunk, selection)
        if layout is not None and len(rows := rows_of(source, layout, number, chunk)):
            yield *split_label(source, rows, layout.names, selection), source.share()


def _of_libsvm(source: DataFile, selection: Selection) -> Iterator[DataChunk]:
    """Yield a `DataChunk` for each chunk of rows of a file in LIBSVM's format, after a pass to count the columns.

    A `DataChunk` is a tuple: points, labels, the names of the points' columns, and the share of the file that has been
    read.
    """
    least, most = 2**62, -1
    for part in parts_in(source):
        if part.indices.size:
            least, most = min(least, int(part.indices.min())), max(most, int(part.indices.max()))
    first = 1 if 0 < least < 2**62 else 0
    source.check_size(ROWS, most + 1 - first)
    source.file.seek(0)
    for part in parts_in(source):
        ends, share = np.concatenate([[0], np.cumsum(part.counts)]), source.share()
        for start in range(0, len(part.labels), ROWS):
            rows = slice(start, min(start + ROWS, len(part.labels)))
            entries = slice(ends[rows.start], ends[rows.stop])
            X = np.zeros((rows.stop - rows.start, most + 1 - first))
            places = np.repeat(np.arange(len(X)), part.counts[rows])
            X[places, part.indices[entries] - first] = part.values[entries]
            yield selection.points(source.name, X, ())[0], part.labels[rows], (), share


def _of_array(source: DataFile, path: Path, selection: Selection) -> Iterator[DataChunk]:
    if source.compressed:
        raise ArenaError(f"{source.name} is compressed, and an array is read from where it lies: unpack it first")
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise ArenaError(f"{source.name} cannot be memory-mapped: {error}") from None
    if table.ndim != 2 or table.dtype.kind not in "fiub":
        raise ArenaError(f"{source.name} must hold a matrix of numbers, one row a round")
    for start in range(0, len(table), ROWS):
        X, y, _ = split_label(source, np.array(table[start : start + ROWS], dtype=float), (), selection)
        release(table)
        yield X, y, (), min(start + ROWS, len(table)) / len(table)


def _of_archive(source: DataFile, selection: Selection) -> Iterator[DataChunk]:
    if source.compressed:
        raise ArenaError(f"{source.name} is compressed as a whole, and .npz is a zip archive already: unpack it first")
    label = selection.label
    if isinstance(label, int):
        raise ArenaError(f"{source.name} has named arrays: give the name of the array of labels, not the index {label}")
    try:
        yield from _rows_of_archive(source, selection, label or "y")
    except zipfile.BadZipFile as error:  # of the archive, or of the rows that were read last
        raise DamagedFile(f"{source.name} is not a whole .npz archive ({error}): fetch it again") from None


def _rows_of_archive(source: DataFile, selection: Selection, label: str) -> Iterator[DataChunk]:
    with zipfile.ZipFile(source.file) as archive, contextlib.ExitStack() as stack:
        members = []
        for name in ("X", label):
            try:
                members.append(_Rows(stack.enter_context(archive.open(f"{name}.npy")), f"{name} in {source.name}"))
            except KeyError:
                there = ", ".join(sorted(each.removesuffix(".npy") for each in archive.namelist()))
                raise ArenaError(f"{source.name} has no array {name}; it has {there}") from None
        points, labels = members
        if len(points.shape) != 2 or labels.shape != points.shape[:1]:
            raise ArenaError(f"{source.name}: X has shape {points.shape} and the labels {labels.shape}")
        names = column_names(source, Archive(source.file, source.name), points.shape[1])
        for start in range(0, points.shape[0], ROWS):
            count = min(ROWS, points.shape[0] - start)
            X, kept = selection.points(source.name, points.read(count), names)
            yield X, labels.read(count), kept, (start + count) / points.shape[0]


class _Rows:
    """An array of an .npz file; each call of `read` returns the next rows."""

    def __init__(self, file: IO[bytes], name: str):
        self.file, self.name = file, name
        try:
            self.shape, by_columns, self.dtype = HEADERS[read_magic(file)](file)
        except (ValueError, KeyError) as error:
            raise ArenaError(f"{name} is no array that can be read: {error}") from None
        if self.dtype.kind not in "fiub" or (by_columns and len(self.shape) > 1):
            raise ArenaError(f"{name} must hold numbers, row after row: save np.ascontiguousarray of it")

    def read(self, rows: int) -> Array:
        size = self.dtype.itemsize * int(np.prod(self.shape[1:], initial=1)) * rows
        content = self.file.read(size)
        if len(content) < size:
            raise ArenaError(f"{self.name} is torn: fewer rows than its header says")
        return np.frombuffer(content, self.dtype).reshape(rows, *self.shape[1:]).astype(float)


def _of_parquet(source: DataFile, path: Path, selection: Selection) -> Iterator[DataChunk]:
    if source.compressed:
        raise ArenaError(f"{source.name} is compressed as a whole, and Parquet is compressed already: unpack it first")
    with parquet_file(path) as file:
        names: Names = tuple(file.schema_arrow.names)
        left_out = Layout(",", len(names), names).selecting(source, selection).left_out
        rows, done = max(file.metadata.num_rows, 1), 0
        for batch in file.iter_batches(batch_size=ROWS, use_threads=False):
            for at, (name, column) in enumerate(zip(names, batch.columns, strict=True)):
                if column.null_count and at not in left_out:
                    row = done + column.is_null().to_pylist().index(True) + 1
                    raise ArenaError(
                        f"{source.name}: {name!r} is missing in row {row}: fill it in or leave the row out"
                    )
            columns = [
                np.zeros(len(column)) if at in left_out else _numbers_of(source, names[at], column)
                for at, column in enumerate(batch.columns)
            ]
            X, y, kept = split_label(source, np.column_stack(columns), names, selection)
            done += len(y)
            yield X, y, kept, done / rows


def parquet_file(path: Path) -> Any:
    """Return the open Parquet file; raise an `ArenaError` if the file is damaged, or if pyarrow is not installed."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ArenaError(
            f"{path} is in Parquet's format, which needs pyarrow: pip install 'regret-arena[data]'"
        ) from None
    try:
        return parquet.ParquetFile(path, pre_buffer=False)
    except (OSError, ValueError) as error:  # pyarrow's own errors derive from ValueError
        raise DamagedFile(f"{path} is not a whole Parquet file ({error}): fetch it again") from None


def _numbers_of(source: DataFile, name: str, column: Any) -> Array:
    try:
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=float)
    except (TypeError, ValueError):
        raise ArenaError(
            f"{source.name}: {name!r} holds {column.type}, not numbers: write its values as numbers, two classes as "
            "-1 and 1, or leave the column out"
        ) from None

"""Data files read in chunks of rows, in memory that does not grow with the file.

Text tables, LIBSVM's format, .npz, .npy (memory-mapped) and Parquet. A file may be larger than the memory, so the bound
on what a file may unpack to (`arena.data.npz`) does not apply; each chunk is small.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from arena.arrays import Array
from arena.data.files import Source, opened
from arena.data.libsvm import bulk_part, careful_part, looks_like_libsvm
from arena.data.tables import Layout, layout_of, rows_of, split_label
from arena.errors import ArenaError

ROWS = 2**15  # rows of a chunk at most, where the format allows a choice
Chunk = tuple[Array, Array]
Told = Callable[[int], None]


@dataclass(frozen=True)
class Ranges:
    """What a first pass finds: the number of rows, and the smallest and largest value of each column and label."""

    rows: int
    low: tuple[float, ...]
    high: tuple[float, ...]
    labels: tuple[float, float]


@dataclass(frozen=True)
class DataStream:
    """A data file as a stream of chunks (points, labels), which each call begins anew.

    `arena.hindsight.streaming.interval_of_stream` takes such a stream. With `box` = (low, high), a first pass finds the
    ranges of all columns, and each column's smallest and largest value go to the sides of the box; labels go to
    [-label_bound, label_bound] if any lies outside. With `cache`, a folder, the ranges are kept there under the digest
    of the file, and the next stream of the same content needs no first pass.
    """

    path: str | Path
    label_column: str | int | None = None
    box: tuple[float, float] | None = None
    label_bound: float = 1.0
    cache: Path | None = None
    progress: Told | None = None

    def __call__(self) -> Iterator[Chunk]:
        ranges = None if self.box is None else self.ranges()
        done = 0
        for X, y in self._raw():
            yield (X, y) if ranges is None else self._scaled(X, y, ranges)
            done += len(y)
            if self.progress is not None:
                self.progress(done)

    def ranges(self) -> Ranges:
        """Return the ranges of the columns, from the cache or by a pass over the file."""
        known = None if self.cache is None else self.cache / f"{digest_of(Path(self.path))}-{self.label_column}.json"
        if known is not None and (found := _kept(known)) is not None:
            return found
        rows, low, high, labels = 0, np.empty(0), np.empty(0), (np.inf, -np.inf)
        for X, y in self._raw():
            least, most = X.min(axis=0), X.max(axis=0)
            low, high = (np.minimum(low, least), np.maximum(high, most)) if rows else (least, most)
            labels, rows = (min(labels[0], float(y.min())), max(labels[1], float(y.max()))), rows + len(y)
        if not rows:
            raise ArenaError(f"{self.path} has no rows: there is nothing to play")
        found = Ranges(rows, tuple(low.tolist()), tuple(high.tolist()), labels)
        if known is not None:
            with contextlib.suppress(OSError):
                known.parent.mkdir(parents=True, exist_ok=True)
                part = known.with_suffix(".part")
                part.write_text(json.dumps(vars(found)))
                part.replace(known)
        return found

    def _scaled(self, X: Array, y: Array, ranges: Ranges) -> Chunk:
        assert self.box is not None
        low, span = np.array(ranges.low), np.array(ranges.high) - np.array(ranges.low)
        share = np.divide(X - low, span, out=np.full(X.shape, 0.5), where=span > 0.0)
        points = np.clip(self.box[0] + share * (self.box[1] - self.box[0]), *self.box)
        least, most = ranges.labels
        if max(abs(least), abs(most)) > self.label_bound:
            middle, half = 0.5 * (least + most), 0.5 * (most - least)
            y = (y - middle) * (self.label_bound / half) if half > 0.0 else y * (self.label_bound / abs(least))
        return points, y

    def _raw(self) -> Iterator[Chunk]:
        path = Path(self.path).expanduser()
        with opened(path) as source:
            for X, y in _chunks(source, path, self.label_column):
                if not (np.isfinite(X).all() and np.isfinite(y).all()):
                    raise ArenaError(f"{path} holds NaN or infinity: fill the values in or leave the rows out")
                yield np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(y, dtype=float)


def digest_of(path: Path) -> str:
    """Return the hash of a file's content, computed in chunks."""
    with open(path.expanduser(), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _kept(path: Path) -> Ranges | None:
    try:
        given = json.loads(path.read_text())
        low, high, labels = (tuple(map(float, given[name])) for name in ("low", "high", "labels"))
        return Ranges(int(given["rows"]), low, high, (labels[0], labels[1]))
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _chunks(source: Source, path: Path, label: str | int | None) -> Iterator[Chunk]:
    if source.head.startswith(b"PAR1"):
        return _of_parquet(source, path, label)
    if source.head.startswith(b"PK\x03\x04") or source.suffix == ".npz":
        return _of_archive(source, label)
    if source.head.startswith(b"\x93NUMPY") or source.suffix == ".npy":
        return _of_array(source, path, label)
    lines = source.head.split(b"\n")
    if source.suffix in (".libsvm", ".svm", ".svmlight") or (
        source.suffix not in (".csv", ".tsv") and looks_like_libsvm(lines[:-1] or lines)
    ):
        return _of_libsvm(source)
    return _of_table(source, label)


def _of_table(source: Source, label: str | int | None) -> Iterator[Chunk]:
    layout: Layout | None = None
    for number, chunk in source.chunks():
        layout = layout or layout_of(source, number, chunk)
        if layout is not None and len(rows := rows_of(source, layout, number, chunk)):
            X, y, _ = split_label(source, rows, layout.names, label)
            yield X, y


def _of_libsvm(source: Source) -> Iterator[Chunk]:
    """Yield the rows, after a first pass that finds the number of columns."""
    least, most = 2**62, -1
    for number, chunk in source.chunks():
        part = bulk_part(chunk) or careful_part(source, number, chunk)
        if part.indices.size:
            least, most = min(least, int(part.indices.min())), max(most, int(part.indices.max()))
    first = 1 if 0 < least < 2**62 else 0
    source.check_size(ROWS, most + 1 - first)
    source.file.seek(0)
    for number, chunk in source.chunks():
        part = bulk_part(chunk) or careful_part(source, number, chunk)
        ends = np.concatenate([[0], np.cumsum(part.counts)])
        for start in range(0, len(part.labels), ROWS):
            rows = slice(start, min(start + ROWS, len(part.labels)))
            entries = slice(ends[rows.start], ends[rows.stop])
            X = np.zeros((rows.stop - rows.start, most + 1 - first))
            places = np.repeat(np.arange(len(X)), part.counts[rows])
            X[places, part.indices[entries] - first] = part.values[entries]
            yield X, part.labels[rows]


def _of_array(source: Source, path: Path, label: str | int | None) -> Iterator[Chunk]:
    if source.compressed:
        raise ArenaError(f"{source.name} is compressed, and an array is read from where it lies: unpack it first")
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise ArenaError(f"{source.name} cannot be memory-mapped: {error}") from None
    if table.ndim != 2 or table.dtype.kind not in "fiub":
        raise ArenaError(f"{source.name} must hold a matrix of numbers, one row a round")
    for start in range(0, len(table), ROWS):
        X, y, _ = split_label(source, np.array(table[start : start + ROWS], dtype=float), (), label)
        yield X, y


def _of_archive(source: Source, label: str | int | None) -> Iterator[Chunk]:
    if source.compressed:
        raise ArenaError(f"{source.name} is compressed as a whole, and .npz is a zip archive already: unpack it first")
    with zipfile.ZipFile(source.file) as archive, contextlib.ExitStack() as stack:
        members = []
        for name in ("X", str(label) if label is not None else "y"):
            try:
                members.append(_Rows(stack.enter_context(archive.open(f"{name}.npy")), f"{name} in {source.name}"))
            except KeyError:
                there = ", ".join(sorted(each.removesuffix(".npy") for each in archive.namelist()))
                raise ArenaError(f"{source.name} has no array {name}; it has {there}") from None
        points, labels = members
        if len(points.shape) != 2 or labels.shape != points.shape[:1]:
            raise ArenaError(f"{source.name}: X has shape {points.shape} and the labels {labels.shape}")
        for start in range(0, points.shape[0], ROWS):
            count = min(ROWS, points.shape[0] - start)
            yield points.read(count), labels.read(count)


class _Rows:
    """An array inside an archive, which is read in order."""

    def __init__(self, file: IO[bytes], name: str):
        self.file, self.name = file, name
        readers = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
        try:
            self.shape, by_columns, self.dtype = readers[read_magic(file)](file)
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


def _of_parquet(source: Source, path: Path, label: str | int | None) -> Iterator[Chunk]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ArenaError(f"{source.name} is in Parquet's format: pip install 'regret-arena[parquet]'") from None
    with parquet.ParquetFile(path) as file:
        names: tuple[str, ...] = tuple(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=ROWS):
            columns: list[Any] = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
            try:
                table = np.column_stack([np.asarray(column, dtype=float) for column in columns])
            except (TypeError, ValueError) as error:
                raise ArenaError(f"{source.name} has a column that is not of numbers: {error}") from None
            X, y, _ = split_label(source, table, names, label)
            yield X, y

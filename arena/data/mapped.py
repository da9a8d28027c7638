"""Data files whose numbers take more memory than is allowed: they are prepared once, then read from the disk.

The rows of a large text, compressed or Parquet file are written as plain numbers into the folder
`regret-arena/streams` of the user's cache, under the digest of the file's content. Arrays in .npy and .npz files are
mapped where they are, if their layout allows it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.data import Data, Extremes, read_data
from arena.data.archives import column_names
from arena.data.files import DataFile, opened, tell
from arena.data.npz import Archive, array_at
from arena.data.selection import Selection
from arena.data.streams import PARQUET, digest_of, parquet_file, parts_of
from arena.errors import ArenaError
from arena.guards.disk import blocks, delete_old_files, in_memory, mapped, no_room, own_cache

DENSER = 4  # largest ratio of bytes of numbers to bytes of text: "0," becomes 8 bytes
PACKED = 4  # usual ratio of bytes of text to bytes of compressed text
ABANDONED = 86400.0  # seconds after which an unfinished file is deleted
FORMAT = 2  # version of the format of prepared files


def open_data(path: str | Path, selection: Selection | None = None) -> Data:
    """Return the data set in a file, as `arena.data.read_data` does; a large data set is mapped, not read.

    Parquet files are read, too, although `read_data` refuses them. A data set is large if its numbers take more than
    `arena.guards.disk.in_memory()` bytes.
    """
    where, selection = Path(path).expanduser(), selection or Selection()
    with opened(where) as source:
        size, is_parquet = _size(source, where), source.head.startswith(PARQUET)
        lies_mappable = size > in_memory() and not source.compressed and selection.takes_all
        found = _in_place(source, where, selection.label) if lies_mappable else None
    if size <= in_memory():
        return _collected(where, selection) if is_parquet else read_data(path, **selection.as_options())
    return _prepared(where, selection) if found is None else found


def _collected(path: Path, selection: Selection) -> Data:
    parts = list(parts_of(path, selection))
    if not parts:
        raise ArenaError(f"{path} has no rows: there is nothing to play")
    return Data(np.concatenate([X for X, *_ in parts]), np.concatenate([y for _, y, *_ in parts]), parts[0][2])


def _size(source: DataFile, path: Path) -> float:
    """Return an estimate of the bytes that the numbers in a file take in memory.

    The estimate is 0 for a damaged archive, an archive without an array `X`, and a compressed .npy file.
    """
    on_disk = float(path.stat().st_size)
    if source.head.startswith(PARQUET):
        with parquet_file(path) as file:
            return 8.0 * int(file.metadata.num_rows) * int(file.metadata.num_columns)
    if source.head.startswith(b"PK\x03\x04") or source.suffix == ".npz":
        with contextlib.suppress(zipfile.BadZipFile, OSError, ValueError), zipfile.ZipFile(path) as archive:
            sizes = {each.filename: float(each.file_size) for each in archive.infolist()}
            return sizes.get("X.npy", 0.0)
        return 0.0
    if source.head.startswith(b"\x93NUMPY") or source.suffix == ".npy":
        return 0.0 if source.compressed else on_disk
    return on_disk * DENSER * (PACKED if source.compressed else 1)


def _in_place(source: DataFile, path: Path, label: str | int | None) -> Data | None:
    """Return the data in an .npy or .npz file, mapped from the file itself; None if that is impossible.

    It is impossible if an array is compressed, is not float64 or is stored column by column, if the label's column of
    an .npy table is neither the first nor the last, or if a number is not finite.
    """
    names: tuple[str, ...] = ()
    with contextlib.suppress(ValueError, KeyError, OSError, zipfile.BadZipFile, NotImplementedError):
        if zipfile.is_zipfile(path):
            if isinstance(label, int):
                return None
            with open(path, "rb") as file:
                archive = Archive(file, path)
                X, y = archive.in_place("X"), archive.in_place(label or "y")
                if X is None or y is None or X.ndim != 2 or y.shape != X.shape[:1]:
                    return None
                names = column_names(source, archive, X.shape[1])
        else:
            with open(path, "rb") as file:
                table = array_at(file, 0)
            if table is None or table.ndim != 2 or table.shape[1] < 2:
                return None
            at, _ = Selection(label).of_table(str(path), table.shape[1], ())
            if at not in (0, table.shape[1] - 1):
                return None
            X, y = (table[:, :-1] if at else table[:, 1:]), table[:, at]
        return _checked(path, X, y, names)
    return None


def _checked(path: Path, X: Array, y: Array, names: tuple[str, ...]) -> Data | None:
    """Return the data `X`, `y` of a file, with the names, the least and the largest values of the columns of `X`.

    The result is None if there is no row, or if a number is not finite. `path` is for reports of the progress.
    """
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    labels = np.empty(len(y))
    for rows in blocks(X):
        least, most = X[rows].min(axis=0), X[rows].max(axis=0)
        labels[rows] = y[rows]
        if not (np.isfinite(least).all() and np.isfinite(most).all() and np.isfinite(labels[rows]).all()):
            return None
        low, high = np.minimum(low, least), np.maximum(high, most)
        tell(path, rows.stop / len(X), rows.stop)
    return Data(X, labels, names, Extremes(low, high)) if len(X) else None


def _prepared(path: Path, selection: Selection) -> Data:
    """Return the data set in a file, mapped from the cache; prepare it in the cache first if it is not there."""
    folder = own_cache("streams")
    key = folder / f"{digest_of(path)}-{_hash_of(selection)}"
    found = _kept(key)
    if found is None:
        delete_old_files(folder)
        delete_old_files(folder, "*.part", seconds=ABANDONED)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(path, selection, key)
        except OSError as error:
            raise no_room(f"the rows of {path}", folder, error) from None
        found = _kept(key)
    if found is None:
        raise ArenaError(f"the prepared rows of {path} cannot be read from {folder}: check its permissions")
    return found


def _hash_of(selection: Selection) -> str:
    if selection == Selection():
        return ""
    what = selection.label if selection.takes_all else selection
    return hashlib.sha256(repr(what).encode()).hexdigest()[:8]


def _kept(key: Path) -> Data | None:
    """Return the data set in the cache under the path `key`, mapped; None if it is missing or incomplete."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        given = json.loads(key.with_suffix(".json").read_text())
        rows, columns = int(given["rows"]), len(given["low"])
        ranges = Extremes(*(np.array(given[name], dtype=float) for name in ("low", "high")))
        if given["format"] != FORMAT or min(rows, columns) < 1:
            return None
        with open(key.with_suffix(".X"), "rb") as points, open(key.with_suffix(".y"), "rb") as labels:
            sizes = [os.fstat(file.fileno()).st_size for file in (points, labels)]
            if sizes != [8 * rows * columns, 8 * rows]:
                return None
            found = Data(mapped(points, (rows, columns)), mapped(labels, (rows,)), tuple(given["names"]), ranges)
        for suffix in (".json", ".X", ".y"):
            os.utime(key.with_suffix(suffix))
        return found
    return None


def _write(path: Path, selection: Selection, key: Path) -> None:
    """Write the rows of a file into the cache under the path `key`, and then a description of the rows.

    `_kept` refuses rows without a description, since such rows may be incomplete.
    """
    rows, low, high = 0, np.empty(0), np.empty(0)
    names: tuple[str, ...] = ()
    with contextlib.ExitStack() as stack:
        points, labels = (stack.enter_context(_replacing(key.with_suffix(suffix))) for suffix in (".X", ".y"))
        for part in parts_of(path, selection):
            X, y, names, share = part
            least, most = X.min(axis=0), X.max(axis=0)
            low, high = (np.minimum(low, least), np.maximum(high, most)) if rows else (least, most)
            points.write(X.data)
            labels.write(y.data)
            rows += len(y)
            tell(path, share, rows)
        if not rows:
            raise ArenaError(f"{path} has no rows: there is nothing to play")
    text = {"format": FORMAT, "rows": rows, "low": low.tolist(), "high": high.tolist(), "names": names}
    with _replacing(key.with_suffix(".json")) as file:
        file.write(json.dumps(text).encode())


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[Any]:
    """Context manager: yields a temporary file, which is renamed to `path` unless the block raises an exception."""
    import tempfile  # imported here, so that other commands start faster

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

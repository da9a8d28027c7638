"""NumPy's own files: .npz archives of named arrays, and .npy tables; pickled content is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from arena.arrays import Array
from arena.data.files import DataFile
from arena.data.npz import Archive, Pickled, read_npy
from arena.errors import ArenaError, DamagedFile, nearest

OFFICE = (b"[Content_Types].xml", b"mimetypeapplication/vnd.")  # begin Excel's and LibreOffice's files
SPARSE = ("data", "indices", "indptr", "shape")


def read_archive(source: DataFile, label: str | int | None) -> tuple[Array, Array, tuple[str, ...]]:
    """Return the points, the labels and the column names in an .npz archive; the names may be empty.

    The points are the array `X`, or the sparse matrix in the arrays `data`, `indices`, `indptr` and `shape`. The labels
    are the array with the name `label`, by default `y`.
    """
    if isinstance(label, int):
        raise ArenaError(f"{source.name} has named arrays: give the name of the array of labels, not the index {label}")
    if source.head.startswith(b"\x93NUMPY"):
        raise DamagedFile(f"{source.name} is not an .npz archive, but a single array: rename it to .npy")
    archive = _guarded(source, "it", lambda: Archive(source.seekable(), source.name))
    there = archive.names
    if not there and source.holds(*OFFICE):
        raise ArenaError(f"{source.name} is a spreadsheet or another document: save its table as CSV (UTF-8)")
    sparse = "X" not in there and all(name in there for name in SPARSE)
    target = label or "y"
    if target not in there or not (sparse or "X" in there):
        missing = repr(target) if sparse or "X" in there else "'X'"
        hint = nearest(label, there) if label else f"It has: {', '.join(map(repr, there)) or 'nothing'}."
        named = "" if label or missing == "'X'" else " If the labels stand under another name, give label_column=NAME."
        raise ArenaError(
            f"{source.name} has no array {missing}. {hint} Write points and labels by np.savez(path, X=..., y=...); "
            f"a sparse X is data, indices, indptr and shape.{named}"
        )
    arrays = {name: _member(source, archive, name) for name in (*(SPARSE if sparse else ("X",)), target)}
    y = _numeric(source, target, arrays[target])
    X = _dense(source, arrays) if sparse else _numeric(source, "X", arrays["X"])
    if X.ndim != 2 or y.size != len(X):
        shapes = f"X has shape {X.shape} and {target} {y.shape}"
        raise ArenaError(f"{source.name}: {shapes}, but (rows, columns) and (rows,) are needed")
    _check_finite(source, "X", X)
    _check_finite(source, target, y.reshape(-1, 1))
    return X, y.ravel(), column_names(source, archive, X.shape[1])


def read_array(source: DataFile) -> Array:
    """Return the table in an .npy file."""
    table = _numeric(source, "the array", _guarded(source, "it", lambda: read_npy(source.file, source.name)))
    if table.ndim != 2:
        raise ArenaError(f"{source.name}: the array has shape {table.shape}, but (rows, columns) is needed")
    _check_finite(source, "the array", table)
    return table


def _member(source: DataFile, archive: Archive, name: str) -> Any:
    return _guarded(source, name, lambda: archive.read(name))


def _guarded(source: DataFile, what: str, read: Callable[[], Any]) -> Any:
    """Return `read()`; replace any exception by an `ArenaError`, since damaged files cause many kinds of exceptions.

    `what` is the text that names the array in the message.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns of headers written by Python 2, but reads them
            return read()
    except ArenaError:
        raise
    except Exception as error:
        raise _refusal(source, what, error) from None


def _refusal(source: DataFile, what: str, error: Exception) -> ArenaError:
    if isinstance(error, Pickled):
        return ArenaError(
            f"{source.name}: {what} holds pickled objects, which are not read because they could run code; "
            "save it as numbers: np.savez(path, X=X.astype(float), y=y.astype(float))"
        )
    if isinstance(error, MemoryError):
        return ArenaError(f"{source.name} does not fit into the memory: keep fewer rows or columns")
    return DamagedFile(
        f"{source.name} is not a whole NumPy file: it is torn or of another kind; write or fetch it again"
    )


def _numeric(source: DataFile, name: str, value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ArenaError(f"{source.name}: {name} holds {array.dtype} instead of numbers")
    return array.astype(float)


def _dense(source: DataFile, arrays: dict[str, Any]) -> Array:
    for name in SPARSE[1:]:
        if arrays[name].dtype.kind not in "iu":
            raise ArenaError(f"{source.name}: {name} holds {arrays[name].dtype} instead of whole numbers")
    data = _numeric(source, "data", arrays["data"])
    shape = tuple(map(int, arrays["shape"].ravel()))
    if len(shape) != 2 or min(shape) < 0:
        raise ArenaError(f"{source.name}: shape is {list(shape)}, but [rows, columns] is needed")
    source.check_size(*shape)
    try:
        matrix = scipy.sparse.csr_matrix((data, arrays["indices"], arrays["indptr"]), shape=shape)
        matrix.check_format(full_check=True)
    except (ValueError, IndexError) as error:
        raise DamagedFile(f"{source.name}: data, indices, indptr and shape are no sparse matrix: {error}") from None
    return np.asarray(matrix.toarray())


def _check_finite(source: DataFile, name: str, table: Array) -> None:
    finite = np.isfinite(table)
    if not finite.all():
        row, column = np.unravel_index(int(finite.argmin()), table.shape)
        raise ArenaError(
            f"{source.name}: {name} is {table[row, column]} in row {row + 1}, column {column + 1}: "
            "fill the value in or leave the row out"
        )


def column_names(source: DataFile, archive: Archive, columns: int) -> tuple[str, ...]:
    """Return the names of the columns; empty if the archive has no array with a name for each column."""
    for name in ("feature_names", "names", "columns"):
        if name in archive.names:
            found = np.asarray(_member(source, archive, name))
            if found.dtype.kind == "U" and found.shape == (columns,):
                return tuple(map(str, found))
    return ()

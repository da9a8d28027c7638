"""Data sets from files: tables of text, LIBSVM text, NumPy's archives and Parquet, compressed or not.

May call `guards` and the rooms below it.

Text is first read in bulk, many lines at once. If that fails, the lines are read one by one, so that the error names
the line and the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.arrays import Array, locked
from arena.data.archives import read_archive, read_array
from arena.data.files import DataFile, column_in_words, opened
from arena.data.libsvm import is_libsvm, read_libsvm
from arena.data.selection import Selection
from arena.data.tables import read_table, split_label
from arena.errors import ArenaError
from arena.guards.disk import blocks, is_mapped


@dataclass(frozen=True)
class Extremes:
    """The smallest and the largest value of each column."""

    low: Array
    high: Array

    @classmethod
    def of(cls, X: Array) -> Extremes:
        low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
        for rows in blocks(X):
            low, high = np.minimum(low, X[rows].min(axis=0)), np.maximum(high, X[rows].max(axis=0))
        return cls(low, high)


@dataclass(frozen=True)
class Data:
    """Points (one in each row), their labels, and the names of the columns.

    `names` is empty if the file gives no names. `extremes` has the smallest and the largest value of each column; it is
    None if they were not computed when the file was read. `places` has a text for each row, such as "line 3", in data
    sets made by `arena.data.coding`, which may leave out rows; otherwise it is empty.
    """

    X: Array
    y: Array
    names: tuple[str, ...] = ()
    extremes: Extremes | None = None
    places: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("X", "y"):
            if not is_mapped(getattr(self, name)):  # a mapped array cannot be written to anyway
                object.__setattr__(self, name, locked(getattr(self, name)))

    def column(self, index: int) -> str:
        """Return a text for messages, such as "column 3 ('price')"; if the columns have no names, "column 3".

        `index` counts from 0, and the text counts from 1.
        """
        return column_in_words(index, self.names)

    def part(self, start: int, stop: int) -> Data:
        """Return the rows from `start` up to but not including `stop`, without `extremes`."""
        return Data(self.X[start:stop], self.y[start:stop], self.names, places=self.places[start:stop])

    def place(self, row: int, *, skipped: int = 0) -> str:
        """Return a text for messages that names a row of the file, such as "line 3" or "row 3".

        `skipped` is the number of rows of the file before this data set's first row.
        """
        return self.places[row] if self.places else f"row {skipped + row + 1}"


def read_data(
    path: str | Path,
    *,
    label_column: str | int | None = None,
    columns: Sequence[str | int] | None = None,
    drop: Sequence[str | int] | None = None,
) -> Data:
    """Return the data set in a file; the format is recognised by the file's content and by the ending of its name.

    - `label_column` is the column of the labels in a table (text or .npy), as a name or an index. An index counts from
      0; a negative index counts from the end. The default is the last column. In an .npz archive, `label_column` is the
      name of the array of labels, by default `y`.
    - `columns` are the columns of the points, as names or indices. The default is all columns except the label's.
    - `drop` are columns that are left out, as names or indices. Only one of `columns` and `drop` may be given.
    """
    selection = Selection.of(label_column, columns, drop)
    with opened(Path(path).expanduser()) as source:
        X, y, names = _read(source, selection)
        if not len(X):
            raise ArenaError(f"{source.name} has no rows: there is nothing to play")
        if not X.shape[1]:
            raise ArenaError(f"{source.name} has labels but no coordinates: every row needs at least one number more")
        return Data(np.ascontiguousarray(X), np.ascontiguousarray(y), names)


def _read(source: DataFile, selection: Selection) -> tuple[Array, Array, tuple[str, ...]]:
    if source.head.startswith(b"PK\x03\x04") or source.suffix == ".npz":
        X, y, names = read_archive(source, selection.label)
        X, names = selection.points(source.name, X, names)
        return X, y, names
    if source.head.startswith(b"\x93NUMPY") or source.suffix == ".npy":
        return split_label(source, read_array(source), (), selection)
    if b"\x00" in source.head:
        raise ArenaError(
            f"{source.name} is not text (it holds zero bytes), nor an .npz or .npy file: save it as CSV in UTF-8"
        )
    if is_libsvm(source, selection):
        X, y = read_libsvm(source)
        return selection.points(source.name, X, ())[0], y, ()
    return read_table(source, selection)

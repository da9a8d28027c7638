"""The choice of columns of a table: the column of the labels, and the columns of the points' coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, nearest

Column = str | int  # a name, or an index from 0, or from the end if it is negative


@dataclass(frozen=True)
class Selection:
    """The choice of the columns of a table that are played.

    `label` is the column of the labels; None stands for the last column. `columns` are the columns of the points, in
    this order. If `columns` is empty, all columns are taken except the label's column and the columns in `drop`.

    >>> names = ("day", "temp", "town", "price")
    >>> Selection(drop=("day",)).of_table("demand.csv", 4, names)
    (3, [1, 2])
    >>> Selection("temp", columns=("price",)).of_table("demand.csv", 4, names)
    (1, [3])
    """

    label: Column | None = None
    columns: tuple[Column, ...] = ()
    drop: tuple[Column, ...] = ()

    @classmethod
    def of(cls, label: Column | None, columns: Sequence[Column] | None, drop: Sequence[Column] | None) -> Selection:
        """Return the selection; raise an `ArenaError` if both `columns` and `drop` are given."""
        if columns and drop:
            raise ArenaError("columns and drop exclude each other: name the columns to play, or those to leave out")
        return cls(label, _tuple_of(columns), _tuple_of(drop))

    def as_options(self) -> dict[str, Any]:
        """Return the selection as keyword arguments of `arena.data.read_data`."""
        return {"label_column": self.label, "columns": self.columns, "drop": self.drop}

    @property
    def takes_all(self) -> bool:
        """True if all columns except the label's column are coordinates of the points."""
        return not (self.columns or self.drop)

    def of_table(self, source: str, count: int, names: Sequence[str]) -> tuple[int, list[int]]:
        """Return the index of the label's column, and the indices of the points' columns.

        `source` is the name of the table, for messages. The table has `count` columns with these names.
        """
        label = count - 1 if self.label is None else _index(source, "label column", self.label, count, names)
        kept = self._kept(source, count, names)
        if self.label is None and self.drop and label not in kept:
            raise ArenaError(
                f"{source}: the labels are in the last column, {names[label] if names else label}, and drop leaves it "
                "out: name the label's column by label_column"
            )
        kept = [column for column in kept if column != label]
        if not kept:
            raise ArenaError(f"{source}: no column is left but the label's: a point needs one coordinate or more")
        return label, kept

    def of_points(self, source: str, count: int, names: Sequence[str]) -> list[int]:
        """Return the indices of the points' columns in a table of `count` columns that has no labels."""
        kept = self._kept(source, count, names)
        if not kept:
            raise ArenaError(f"{source}: no column is left: a point needs one coordinate or more")
        return kept

    def points(self, source: str, X: Array, names: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
        """Return the selected columns of `X`, and their names."""
        if self.takes_all:
            return X, names
        kept = self.of_points(source, X.shape[1], names)
        return np.ascontiguousarray(X[:, kept]), tuple(names[column] for column in kept) if names else ()

    def _kept(self, source: str, count: int, names: Sequence[str]) -> list[int]:
        chosen = [_index(source, "column", each, count, names) for each in self.columns or self.drop]
        if self.columns:
            return list(dict.fromkeys(chosen))
        return [column for column in range(count) if column not in chosen]


def _tuple_of(given: Sequence[Column] | None) -> tuple[Column, ...]:
    return () if given is None else (given,) if isinstance(given, (str, int)) else tuple(given)


def _index(source: str, what: str, wanted: Column, count: int, names: Sequence[str]) -> int:
    """Return the index, from 0, of a column that is given by name or index; `what` describes the column in messages."""
    if isinstance(wanted, int):
        if not -count <= wanted < count:
            raise ArenaError(
                f"{source} has {count} columns, so the {what} is one of 0 to {count - 1} "
                f"(or -1 for the last), but it is {wanted}"
            )
        return wanted % count
    if list(names).count(wanted) == 1:
        return list(names).index(wanted)
    if not names:
        raise ArenaError(f"{source} has no header to find {wanted!r} in: give the {what} by its index, from 0")
    if wanted in names:
        raise ArenaError(f"{source} has several columns {wanted!r}: give the {what} by its index, from 0")
    raise ArenaError(f"{source} has no column {wanted!r}. {nearest(wanted, names)}")

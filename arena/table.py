"""A matrix that grows by rows and by columns."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array


class GrowingTable:
    """A matrix that grows at its lower and its right end; its room doubles when it is used up.

    >>> table = GrowingTable()
    >>> table.extend_rows(np.empty((2, 0))); table.append_column(np.array([1.0, 2.0]))
    >>> table.view()
    array([[1.],
           [2.]])
    """

    def __init__(self) -> None:
        self._room = np.empty((64, 8))
        self._rows = self._columns = 0

    def view(self) -> Array:
        """The matrix so far, as a read-only view."""
        matrix = self._room[: self._rows, : self._columns]
        matrix.flags.writeable = False
        return matrix

    def extend_rows(self, rows: Array) -> None:
        """Add these rows, as wide as the matrix."""
        self._reserve(self._rows + len(rows), self._columns)
        self._room[self._rows : self._rows + len(rows), : self._columns] = rows
        self._rows += len(rows)

    def append_column(self, column: Array) -> None:
        """Add one column, as high as the matrix."""
        self._reserve(self._rows, self._columns + 1)
        self._room[: self._rows, self._columns] = column
        self._columns += 1

    def _reserve(self, rows: int, columns: int) -> None:
        height, width = self._room.shape
        if rows > height or columns > width:
            room = np.empty(
                (max(rows, 2 * height) if rows > height else height, width if columns <= width else 2 * width)
            )
            room[: self._rows, : self._columns] = self._room[: self._rows, : self._columns]
            self._room = room

"""A matrix that grows by rows and by columns."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array


class GrowingTable:
    """A matrix that grows at its lower and its right end; its room, `height` rows at first, doubles when it is used up.

    >>> table = GrowingTable(np.empty((2, 0)))
    >>> table.append_column(np.array([1.0, 2.0]))
    >>> table.view()
    array([[1.],
           [2.]])
    """

    def __init__(self, matrix: Array, height: int = 0):
        self._rows, self._columns = matrix.shape
        self._room = np.empty((max(self._rows, height), self._columns))
        self._room[: self._rows] = matrix

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

    def add(self, matrix: Array) -> None:
        """Add a matrix of the same shape, number by number."""
        self._room[: self._rows, : self._columns] += matrix

    def _reserve(self, rows: int, columns: int) -> None:
        height, width = self._room.shape
        if rows > height or columns > width:
            height = max(rows, 2 * height) if rows > height else height
            width = max(columns, 2 * width) if columns > width else width
            room = np.empty((height, width))
            room[: self._rows, : self._columns] = self.view()
            self._room = room

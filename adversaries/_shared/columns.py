"""Functions that scale the columns of a table into given limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.data import Extremes
from arena.guards.disk import blocks, release

DEVIATIONS = 3.0  # standard deviations between the middle of the limits and each limit


def different_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns' names, changed so that all of them are different.

    An empty name becomes `x` and the column's number, counted from 0. If an earlier column has the same name, a dot and
    the column's number are added.

    >>> different_names(["temp", "", "temp"])
    ('temp', 'x1', 'temp.2')
    """
    found: list[str] = []
    for number, name in enumerate(names):
        named = name.strip() or f"x{number}"
        while named in found:
            named = f"{named}.{number}"
        found.append(named)
    return tuple(found)


@dataclass(frozen=True)
class Stretching:
    """Function that scales each column so that its smallest and largest value become `low` and `high`.

    If all values of a column are equal, they become the middle of `low` and `high`.
    """

    extremes: Extremes
    low: Array
    high: Array

    def __call__(self, values: Array) -> Array:
        return np.asarray(
            np.clip(self.low + _units(values, self.extremes) * (self.high - self.low), self.low, self.high)
        )


@dataclass(frozen=True)
class Standardising:
    """Function that scales each column so that its mean becomes the middle of `low` and `high`.

    Values three standard deviations from the mean become `low` or `high`, and values farther away are clipped.
    """

    extremes: Extremes
    mean: Array
    deviation: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, X: Array, extremes: Extremes, low: Array, high: Array) -> Standardising:
        """Return the function that scales the columns of `X`, whose extreme values are `extremes`."""
        parts = list(blocks(X))
        if len(parts) == 1:
            units = _units(X, extremes)
            return cls(extremes, units.mean(axis=0), units.std(axis=0), low, high)
        mean = sum(_units(X[rows], extremes).sum(axis=0) for rows in blocks(X)) / len(X)
        squares = sum(np.square(_units(X[rows], extremes) - mean).sum(axis=0) for rows in blocks(X))
        return cls(extremes, mean, np.sqrt(squares / len(X)), low, high)

    def __call__(self, values: Array) -> Array:
        centred = _units(values, self.extremes) - self.mean
        scores = np.divide(centred, self.deviation, out=np.zeros_like(centred), where=self.deviation > 0)
        middle, span = (self.low + self.high) / 2, self.high - self.low
        return np.asarray(np.clip(middle + scores * span / 2 / DEVIATIONS, self.low, self.high))


class ScaledRows:
    """A table whose rows are scaled each time they are read; the unscaled table may lie in a file."""

    def __init__(self, rows: Array, scaling: Callable[[Array], Array]):
        self.rows, self.scaling, self.shape = rows, scaling, rows.shape

    def __getitem__(self, which: Any) -> Array:
        found = self.scaling(np.array(self.rows[which]))
        release(self.rows)
        return found

    def blocks(self) -> Iterator[Array]:
        """Yield the scaled rows, one block of consecutive rows after the other."""
        for rows in blocks(self.rows):
            yield self.scaling(np.array(self.rows[rows]))

    def column(self, index: int) -> Array:
        return np.concatenate([part[:, index].copy() for part in self.blocks()])


def unscaled(values: Array) -> Array:
    """Return `values` unchanged; used in place of a scaling if all points lie in the box already."""
    return values


def first_outside(X: Array, low: Array, high: Array) -> tuple[int, int] | None:
    """Return row and column of the first value outside the limits; None if all values are within them."""
    for rows in blocks(X):
        outside = (low > X[rows]) | (high < X[rows])
        if outside.any():
            row, column = np.unravel_index(int(outside.argmax()), outside.shape)
            return rows.start + int(row), int(column)
    return None


def _units(values: Array, extremes: Extremes) -> Array:
    """Return `values` scaled so that each column's smallest and largest value become 0 and 1.

    If all values of a column are equal, they become 0.5.
    """
    # halves are subtracted, since the difference of two values may overflow
    smallest = extremes.low / 2
    span = extremes.high / 2 - smallest
    units = np.full(values.shape, 0.5)
    np.divide(values / 2 - smallest, span, out=units, where=span > 0)
    return units

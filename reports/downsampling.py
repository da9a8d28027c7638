"""Curves of many rounds, reduced to a few hundred columns that keep every extreme value."""

from __future__ import annotations

import itertools

import numpy as np

from arena.arrays import Array


def kept_rounds(values: Array, columns: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The indices that draw the same curve: in each column the first, the last, the lowest and the highest value.

    >>> kept_rounds(np.array([0.0, 0.0, 9.0, 0.0, 0.0, 0.0, -9.0, 0.0]), 1)
    array([0, 2, 6, 7])
    """
    size = len(values)
    if size <= 4 * columns:
        return np.arange(size)
    edges = np.linspace(0, size, columns + 1).astype(int)
    kept = [0, size - 1]
    for start, stop in itertools.pairwise(edges.tolist()):
        kept += _extremes(values[start:stop], start)
    return np.unique(kept)


def _extremes(column: Array, start: int) -> list[int]:
    ends = [start, start + len(column) - 1]
    finite = np.flatnonzero(np.isfinite(column))
    if not len(finite):
        return ends
    inside = column[finite]
    return [*ends, start + int(finite[inside.argmin()]), start + int(finite[inside.argmax()])]


def envelope(values: Array, columns: int) -> tuple[Array, Array, Array, Array]:
    """For each column: its middle round (counted from one), and the lowest, the mean and the highest value."""
    edges = np.linspace(0, len(values), min(columns, len(values)) + 1).astype(int)
    starts, sizes = edges[:-1], np.diff(edges)
    lowest, highest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    means = np.add.reduceat(values / sizes.max(), starts) * (sizes.max() / sizes)  # divided first: no overflow
    return starts + (sizes + 1) / 2, lowest, means, highest

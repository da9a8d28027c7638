"""Scaling the columns of a table into given limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.arrays import Array

DEVIATIONS = 3.0  # standard deviations from the middle of the limits to them


def different_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns' names with numbers upon those that are empty or repeat an earlier one.

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


def stretched(values: Array, low: Array, high: Array) -> Array:
    """Return `values` with each column's extremes moved to `low` and `high`; a constant column goes to the middle."""
    return np.asarray(np.clip(low + _units(values) * (high - low), low, high))


def standardised(values: Array, low: Array, high: Array) -> Array:
    """Return `values` with each column's mean moved to the middle of `low` and `high`.

    Three standard deviations go to the limits, and values farther out are clipped.
    """
    units = _units(values)
    centred = units - units.mean(axis=0)
    deviation = units.std(axis=0)
    scores = np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0)
    return np.asarray(np.clip((low + high) / 2 + scores * (high - low) / 2 / DEVIATIONS, low, high))


def _units(values: Array) -> Array:
    """Return `values` with each column's extremes moved to 0 and 1; a constant column goes to 0.5."""
    # halves are subtracted, because differences of the values themselves may overflow
    smallest = values.min(axis=0) / 2
    span = values.max(axis=0) / 2 - smallest
    units = np.full_like(values, 0.5)
    np.divide(values / 2 - smallest, span, out=units, where=span > 0)
    return units

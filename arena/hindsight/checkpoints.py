"""Rounds at which a costly value is computed, and curves that are constant between such rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.arrays import Array


def checkpoints(rounds: int, *, ratio: float = 2.0) -> list[int]:
    """Return the checkpoints of a match: round 1, rounds that grow by about the factor `ratio`, and the last round.

    >>> checkpoints(10)
    [1, 2, 4, 8, 10]
    """
    found, at = [], 1
    while at < rounds:
        found.append(at)
        at = max(at + 1, int(at * ratio))
    return [*found, rounds]


def last_checkpoint(rounds: int, at: int) -> int:
    """Return the largest checkpoint that is at most `at`, in a match of `rounds` rounds."""
    return max(t for t in checkpoints(rounds) if t <= at)


def step_curve(rounds: int, at: Sequence[int], values: Sequence[float], *, backwards: bool = False) -> Array:
    """Return a curve with one value for each round, from the `values` at the checkpoints `at`.

    A round between two checkpoints has the value of the earlier one, or if `backwards`, the value of the later one.

    >>> step_curve(4, [1, 3, 4], [5.0, 6.0, 7.0]).tolist()
    [5.0, 5.0, 6.0, 7.0]
    """
    numbers = np.arange(1, rounds + 1)
    which = np.searchsorted(at, numbers, side="left" if backwards else "right") - (0 if backwards else 1)
    return np.asarray(values, dtype=float)[which]

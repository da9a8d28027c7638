"""Curves in one line of text: blocks of eight heights, or plain characters where the encoding has no blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from arena.arrays import Array

BLOCKS, PLAIN = "▁▂▃▄▅▆▇█", "_.-~=+*#"


def sparkline(curve: Array, *, width: int, low: float, high: float, plain: bool = False) -> str:
    """Return a curve as at most `width` characters; the lowest character stands for `low`, the highest for `high`.

    Each character stands for consecutive rounds and shows the value in the last of them. Values outside the limits are
    shown at the edge, NaN as a space.

    >>> sparkline(np.arange(16.0), width=8, low=0.0, high=15.0)
    '▁▂▃▄▅▆▇█'
    >>> sparkline(np.array([0.0, np.nan, np.inf, -5.0]), width=4, low=0.0, high=1.0, plain=True)
    '_ #_'
    """
    marks = PLAIN if plain else BLOCKS
    columns = min(width, len(curve))
    last = [((at + 1) * len(curve)) // columns - 1 for at in range(columns)]
    return "".join(_mark(float(curve[at]), low, high, marks) for at in last)


def spread(curves: list[Array]) -> tuple[float, float] | None:
    """Return the limits of a scale on which zero and all finite values of the curves lie.

    The result is None if all finite values are zero.

    >>> spread([np.array([1.0, np.inf]), np.array([-2.0])]), spread([np.zeros(3)])
    ((-2.0, 1.0), None)
    """
    values = np.concatenate([each[np.isfinite(each)] for each in curves] or [np.zeros(0)])
    low, high = min(float(values.min(initial=0.0)), 0.0), max(float(values.max(initial=0.0)), 0.0)
    return (low, high) if high > low else None


def scaled_sparkline(samples: Sequence[float], *, width: int, plain: bool = False) -> str:
    """Return a few values of a curve as a sparkline; the result is `-` if there are no values.

    The scale reaches from the smallest to the largest value, and includes zero.

    >>> line = scaled_sparkline
    >>> line((0.0, 1.0, 2.0, 3.0), width=8), line((0.0, 0.0), width=8), line((), width=8)
    ('▁▃▆█', '▁▁', '-')
    """
    low, high = spread([np.asarray(samples)]) or (0.0, 1.0)
    return sparkline(np.asarray(samples), width=width, low=low, high=high, plain=plain) if len(samples) else "-"


def _mark(value: float, low: float, high: float, marks: str) -> str:
    if math.isnan(value):
        return " "
    if math.isinf(value):
        return marks[-1] if value > 0 else marks[0]
    share = (value / 2 - low / 2) / (high / 2 - low / 2)  # halves of the values, whose sum cannot overflow
    return marks[min(max(round(share * (len(marks) - 1)), 0), len(marks) - 1)]

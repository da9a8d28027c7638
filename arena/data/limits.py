"""Makes the box of a game from the range of each feature in a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.data import Data, read_data

WIDENED = 0.5  # added on both sides of a feature that has only one value
SHARE = 1e-12  # of the value: at least this share of it is added on both sides


def limits_of(
    path: str | Path,
    *,
    label_column: str | int | None = None,
    columns: Sequence[str | int] | None = None,
    drop: Sequence[str | int] | None = None,
) -> dict[str, Any]:
    """Return the fields `dimension`, `box` and `features` of a game whose box is the range of the data in a file.

    Each side of the box reaches from the smallest to the largest value of a feature; the side of a constant feature is
    widened. For instance, `arena.play("krr", "greedy", **limits_of("data.csv"))` plays in this box. The field
    `features` is left out if the file gives no names, or gives a name twice.
    """
    return limits_of_data(read_data(path, label_column=label_column, columns=columns, drop=drop))


def limits_of_data(data: Data) -> dict[str, Any]:
    """Return the fields `dimension`, `box` and `features` of a game whose box is the range of a data set in memory.

    Each side of the box reaches from the smallest to the largest value of a feature; the side of a constant feature is
    widened. The field `features` is left out if the data set has no names, or has a name twice.
    """
    sides = zip(data.X.min(axis=0).tolist(), data.X.max(axis=0).tolist(), strict=True)
    box = tuple((low, high) if low < high else _widened(low) for low, high in sides)
    names = {"features": data.names} if data.names and len(set(data.names)) == len(data.names) else {}
    return {"dimension": len(box), "box": box, **names}


def _widened(value: float) -> tuple[float, float]:
    """Return a side of the box around the only value of a feature."""
    by = max(WIDENED, SHARE * abs(value))  # 0.5 beside 1e17 is less than rounding
    return value - by, value + by

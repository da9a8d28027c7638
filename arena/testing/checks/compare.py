"""Comparing predictions, and saying where they part."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.testing.checks.check import CheckFailed


def same(first: Array, second: Array, what: str, *, tolerance: float = 0.0) -> None:
    """Fail unless all values agree, up to `tolerance` in units of 1 + |value|; `what` begins the message."""
    apart = ~(np.abs(first - second) <= tolerance * (1.0 + np.abs(first)))
    if apart.any():
        t = int(apart.argmax())
        raise CheckFailed(f"{what}: {first[t]:.9g}, then {second[t]:.9g} (number {t + 1} of {len(first)})")


def told(x: Array) -> str:
    """A point in few characters."""
    return "(" + ", ".join(f"{value:.4g}" for value in x[:4]) + (", ...)" if len(x) > 4 else ")")

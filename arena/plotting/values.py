"""`drawable`, which limits the size of the values that are drawn."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array

LARGEST = 1e150  # larger values, and infinity, are drawn at this value, so that differences do not overflow


def drawable(values: Array) -> Array:
    """Return the values clipped to [-1e150, 1e150], so that differences do not overflow; NaN stays NaN."""
    return np.asarray(np.clip(values, -LARGEST, LARGEST))

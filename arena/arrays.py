"""Arrays of float64: choices that rounding cannot change, arrays that are locked or grow, keys of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Values tie if they differ by at most this share of their scale; rounding errors are far smaller.
TIE = 1e-6  # of the scores of points
LABEL_TIE = 1e-9  # of what decides a label: less than theorems allow for rounding in each round


def locked(array: Array) -> Array:
    """Return a read-only view of the array; the view can never be made writeable.

    >>> locked(np.zeros(2)).flags.writeable = True
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    # A view that is merely marked as read-only could be marked as writeable again.
    return np.asarray(memoryview(array).toreadonly())  # type: ignore[arg-type]


def first_best(scores: Array, *, scale: float | None = None, tie: float = TIE) -> NDArray[np.intp]:
    """Return the index of the first score that ties with the largest; of scores in rows, one index for each row.

    Scores tie if they differ by at most `tie` times `scale`, by default the row's largest finite absolute value.
    Processors round differently, so `argmax` would choose by rounding errors where several scores are equal, as they
    are in symmetric games. Scores are compared and never rounded: equal ones could fall on both sides of a rounding
    edge.

    >>> first_best(np.array([0.5, 1.0 - 1e-12, 1.0]))
    np.int64(1)
    """
    sizes = np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=-1, keepdims=True) if scale is None else scale
    allowance = tie * sizes
    with np.errstate(invalid="ignore"):  # two infinite scores
        return np.asarray((scores >= scores.max(axis=-1, keepdims=True) - allowance).argmax(axis=-1))[()]


def first_bests(scores: Array, count: int, *, tie: float = TIE) -> NDArray[np.intp]:
    """Return the indices of the `count` largest of `scores`, the best first; each is the `first_best` of those left.

    >>> first_bests(np.array([0.5, 1.0, 2.0, 1.0 + 1e-12]), 3)
    array([2, 1, 3])
    """
    left, scale = scores.copy(), size_of(scores)
    found = np.empty(min(count, len(scores)), dtype=np.intp)
    for number in range(len(found)):
        found[number] = first_best(left, scale=scale, tie=tie)
        left[found[number]] = -np.inf
    return found


def clearly_above(value: float, other: float, *, scale: float, tie: float = LABEL_TIE) -> bool:
    """Return whether `value` is larger than `other` and does not tie with it: by more than `tie` times `scale`."""
    return value > other + tie * scale


def size_of(values: Array) -> float:
    """Return the largest finite value in absolute value, or 0.0 if there is none."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def cleared_of_rounding(differences: Array, total: Array) -> Array:
    """Return `differences`, with 0.0 in place of each entry that may be a mere rounding error.

    Entry i was computed as the difference of two sums that are about as large as `total[i]`. It may be a rounding error
    if its size is at most 8 units of rounding of `total[i]`, which is 8.9e-16 |total[i]|.

    >>> cleared_of_rounding(np.array([8.9e-16, 1e-9]), np.array([100.0, 100.0]))
    array([0.e+00, 1.e-09])
    """
    within = np.where(np.isfinite(total), 4.0 * np.finfo(float).eps * np.abs(total), 0.0)
    return np.where(np.abs(differences) <= within, 0.0, differences)


def delayed(values: Array, rounds: int = 1) -> Array:
    """Return, for each round, the row of `values` from `rounds` rounds earlier; zeros in the first `rounds` rounds.

    >>> delayed(np.array([1.0, 2.0, 3.0])), delayed(np.array([1.0, 2.0, 3.0]), 2)
    (array([0., 1., 2.]), array([0., 0., 1.]))
    """
    found = np.zeros_like(values)
    found[rounds:] = values[:-rounds]
    return found


def point_key(x: Array) -> bytes:
    """Return the point as bytes, to be used as the key of a dict; equal points, and no others, give equal bytes."""
    return (x + 0.0).tobytes()  # -0.0 and 0.0 are the same point


def few_different(X: Array, at_most: int) -> bool:
    """Return whether `X` has at most `at_most` different rows; rows are read until there are more."""
    seen: set[bytes] = set()
    for x in X:
        seen.add(point_key(x))
        if len(seen) > at_most:
            return False
    return True


class GrowingArray:
    """An array that grows at its end; appending costs amortised constant time per row.

    >>> past = GrowingArray()
    >>> past.append(1.0); past.extend(np.array([2.0, 3.0]))
    >>> past.view()
    array([1., 2., 3.])
    """

    def __init__(self, row_shape: tuple[int, ...] = (), capacity: int = 64):
        self._rows = np.empty((max(capacity, 1), *row_shape))
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, row: float | Array) -> None:
        size = self._size
        if size == len(self._rows):
            self._reserve(size + 1)
        self._rows[size] = row
        self._size = size + 1

    def extend(self, rows: Array) -> None:
        size = self._size + len(rows)
        if size > len(self._rows):
            self._reserve(size)
        self._rows[self._size : size] = rows
        self._size = size

    def view(self) -> Array:
        """Return a read-only view of the rows so far."""
        return np.asarray(memoryview(self._rows[: self._size]).toreadonly())  # type: ignore[arg-type]  # as `locked`

    def increase(self, index: int, by: float) -> None:
        """Add `by` to the row `index`."""
        self._rows[index] += by

    def scale(self, factor: float) -> None:
        self._rows[: self._size] *= factor

    def shrink(self, size: int) -> None:
        """Forget all rows after the first `size`."""
        self._size = min(self._size, size)

    def truncated(self, size: int) -> GrowingArray:
        """Return an independent copy of the first `size` rows."""
        copy = GrowingArray(self._rows.shape[1:], capacity=max(size, 64))
        copy.extend(self._rows[:size])
        return copy

    def _reserve(self, needed: int) -> None:
        grown = np.empty((max(needed, 2 * len(self._rows)), *self._rows.shape[1:]))
        grown[: self._size] = self._rows[: self._size]
        self._rows = grown

    def __getstate__(self) -> dict[str, object]:
        return {"_rows": self._rows[: self._size].copy(), "_size": self._size}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

"""A function in an RKHS, written as a weighted sum of kernels: f = sum_s a_s k(x_s, .)."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray, point_key
from arena.game.kernels import Kernel

RESCALE_BELOW = 1e-100  # the common factor is multiplied out before it underflows, or overflows beyond the inverse
CHUNK = 4096  # atoms whose kernels are in memory at a time


class KernelExpansion:
    """A sum of kernels that grows by atoms and shrinks as a whole; a point that comes again shares its atom.

    >>> from arena.game.kernels import Linear
    >>> f = KernelExpansion(Linear())
    >>> f.add(np.array([2.0]), 0.5); f.add(np.array([2.0]), 0.5); f.shrink(0.5)
    >>> len(f), f.at(np.array([[3.0]]))
    (1, array([3.]))
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self._points: GrowingArray | None = None
        self._weights = GrowingArray()
        self._factor = 1.0
        self._index: dict[bytes, int] = {}
        self.gram, self._values = np.empty((0, 0)), np.empty(0)

    def __len__(self) -> int:
        return len(self._weights)

    def at(self, X: Array) -> Array:
        """The function's values at these rows."""
        if self._points is None:
            return np.zeros(len(X))
        return self._factor * self._unscaled(X)

    def add(self, x: Array, weight: float) -> None:
        """Add weight * k(x, .)."""
        if self._points is None:
            self._points = GrowingArray((len(x),))
        at = self._index.setdefault(point_key(x), len(self))
        if at == len(self):
            self._points.append(x)
            self._weights.append(0.0)
        self._weights.increase(at, weight / self._factor)

    def shrink(self, factor: float) -> None:
        """Multiply the function by this factor."""
        self._factor *= factor
        if abs(self._factor) < RESCALE_BELOW:
            self._weights.scale(self._factor)
            self._values *= self._factor
            self._factor = 1.0

    def look_at(self, X: Array) -> None:
        """These points come next: compute their kernels and the function's values together."""
        self.next, self.gram = X, self.kernel.gram(X, X)
        self._values = np.zeros(len(X)) if self._points is None else self._unscaled(X)

    def value(self, i: int) -> float:
        """The value at x_i, the i-th of the points that come next."""
        return self._factor * self._values.item(i)

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .)."""
        self.add(self.next[i], weight)
        self._values += (weight / self._factor) * self.gram[i]

    def _unscaled(self, X: Array) -> Array:
        """The values without the common factor."""
        assert self._points is not None
        points, weights, total = self._points.view(), self._weights.view(), np.zeros(len(X))
        for start in range(0, len(weights), CHUNK):
            total += weights[start : start + CHUNK] @ self.kernel.gram(points[start : start + CHUNK], X)
        return total

"""Functions in an RKHS as sums of kernels, f = sum_s a_s k(x_s, .), with or without a limit of the number of atoms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray, point_key
from arena.game.kernels import Kernel

RESCALE_BELOW = 1e-100  # a smaller common factor goes into the weights; in a `BudgetedSum` also one above 1e100
CHUNK = 4096  # atoms whose kernels are in memory at a time
FIRST_PLACES = 64  # places reserved at first for atoms whose number has no limit
TIE = 1e-9  # relative difference of coefficients that is due to rounding


class KernelExpansion:
    """A sum of kernels to which atoms are added, and which can be multiplied by a factor.

    If a point is added again, the weight of its atom changes, and no new atom is made.

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
        """Return the function's values at the rows of `X`."""
        if self._points is None:
            return np.zeros(len(X))
        return self._factor * self._unscaled(X)

    def add(self, x: Array, weight: float) -> None:
        """Add weight * k(x, .) to the function."""
        if self._points is None:
            self._points = GrowingArray((len(x),))
        at = self._index.setdefault(point_key(x), len(self))
        if at == len(self):
            self._points.append(x)
            self._weights.append(0.0)
        self._weights.increase(at, weight / self._factor)

    def shrink(self, factor: float) -> None:
        """Multiply the function by `factor`."""
        self._factor *= factor
        if abs(self._factor) < RESCALE_BELOW:
            self._weights.scale(self._factor)
            self._values *= self._factor
            self._factor = 1.0

    def look_at(self, X: Array) -> None:
        """Make the rows of `X` the current block: compute their kernel matrix and the function's values there."""
        self.next, self.gram = X, self.kernel.gram(X, X)
        self._values = np.zeros(len(X)) if self._points is None else self._unscaled(X)

    def value(self, i: int) -> float:
        """Return the function's value at x_i, row `i` of the block given to `look_at`."""
        return self._factor * self._values.item(i)

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .) to the function, where x_i is row `i` of the block given to `look_at`."""
        self.add(self.next[i], weight)
        self._values += (weight / self._factor) * self.gram[i]

    def _unscaled(self, X: Array) -> Array:
        """Return the function's values at the rows of `X`, divided by the factor that all weights have in common."""
        assert self._points is not None
        points, weights, total = self._points.view(), self._weights.view(), np.zeros(len(X))
        for start in range(0, len(weights), CHUNK):
            total += weights[start : start + CHUNK] @ self.kernel.gram(points[start : start + CHUNK], X)
        return total


class AtomStore:
    """Atoms, at most `capacity` of them (None: no limit), and their kernels with the points of the current block.

    The current block is the rows last given to `look_at`. The place of an atom is its index in the array `points`. When
    an atom is removed, the last atom moves to its place; this costs O(1) for each point of the block.

    >>> from arena.game.kernels import Linear
    >>> atoms = AtomStore(Linear(), dimension=1, capacity=2)
    >>> atoms.look_at(np.array([[2.0], [3.0]]))
    >>> atoms.add(0), atoms.kernels(1), float(atoms.gram[1, 1])
    (0, array([6.]), 9.0)
    """

    def __init__(self, kernel: Kernel, dimension: int, capacity: int | None):
        self.kernel, self.capacity = kernel, capacity
        room = FIRST_PLACES if capacity is None else capacity
        self._points = np.empty((room, dimension))
        self._born = np.empty(room, dtype=np.int64)
        self._births = 0
        self._size = 0
        self.look_at(np.empty((0, dimension)))

    def __len__(self) -> int:
        return self._size

    @property
    def full(self) -> bool:
        """True if the number of atoms has reached `capacity`."""
        return self._size == self.capacity

    @property
    def points(self) -> Array:
        """The points of the atoms, in one row each."""
        return self._points[: self._size]

    @property
    def born(self) -> NDArray[np.int64]:
        """The order in which the atoms were added: one number for each atom, smaller for older atoms."""
        return self._born[: self._size]

    def look_at(self, X: Array) -> None:
        """Make the rows of `X` the current block: compute their kernels with the atoms and with each other."""
        self.next = X
        self.gram = self.kernel.gram(X, X)
        room = self._size + len(X) if self.capacity is None else min(self._size + len(X), self.capacity)
        self._cross = np.empty((len(X), room))
        if self._size and len(X):
            self._cross[:, : self._size] = self.kernel.gram(X, self.points)

    def kernels(self, i: int) -> Array:
        """Return the kernels of all atoms with x_i, row `i` of the block given to `look_at`."""
        return self._cross[i, : self._size]

    def among_atoms(self, place: int) -> Array:
        """Return the kernels of all atoms with the atom that has the index `place`."""
        return self.kernel.gram(self.points, self._points[place : place + 1])[:, 0]

    def add(self, i: int) -> int:
        """Make x_i, row `i` of the block given to `look_at`, an atom; return its index among the atoms."""
        return self._place(self.next[i], self.gram[i])

    def remove(self, place: int) -> None:
        """Remove the atom with the index `place`; the last atom gets this index."""
        self._size -= 1
        last = self._size
        if place != last:
            self._points[place] = self._points[last]
            self._born[place] = self._born[last]
            self._cross[:, place] = self._cross[:, last]

    def _place(self, x: Array, kernels_ahead: Array) -> int:
        """Make `x` an atom and return its index.

        `kernels_ahead` has the kernels of `x` with the points of the current block.
        """
        place = self._size
        if self.capacity is None and place == len(self._points):
            self._points = np.concatenate([self._points, np.empty_like(self._points)])
            self._born = np.concatenate([self._born, np.empty_like(self._born)])
        self._points[place] = x
        self._born[place] = self._births
        self._cross[:, place] = kernels_ahead
        self._births += 1
        self._size += 1
        return place


class BudgetedSum(AtomStore):
    """A sum of kernels over at most `capacity` atoms.

    >>> from arena.game.kernels import Linear
    >>> f = BudgetedSum(Linear(), dimension=1, capacity=2)
    >>> f.look_at(np.array([[2.0], [3.0]]))
    >>> f.put(0, 0.5); f.shrink(0.5)
    >>> f.value(1), f.at(np.array([[3.0]]))
    (1.5, array([1.5]))
    """

    def __init__(self, kernel: Kernel, dimension: int, capacity: int):
        self._raw = np.empty(capacity)
        self._factor = 1.0
        super().__init__(kernel, dimension, capacity)

    @property
    def weights(self) -> Array:
        """The coefficients of the atoms, in the order of the array `points`."""
        return np.asarray(self._factor * self._raw[: self._size])

    def part(self, place: int) -> tuple[Array, Array]:
        """Return the coefficient and the point of the atom with the index `place`, as arrays of one row."""
        one = slice(place, place + 1)
        return np.asarray(self._factor * self._raw[one]), self._points[one].copy()

    def at(self, X: Array) -> Array:
        """Return the function's values at the rows of `X`."""
        if not self._size:
            return np.zeros(len(X))
        return np.asarray(self._factor * (self.kernel.gram(X, self.points) @ self._raw[: self._size]))

    def value(self, i: int) -> float:
        """Return the function's value at x_i, row `i` of the block given to `look_at`."""
        return self._factor * float(self._cross[i, : self._size] @ self._raw[: self._size])

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .) as a new atom, where x_i is row `i` of the block given to `look_at`."""
        self._raw[self.add(i)] = weight / self._factor

    def put_point(self, x: Array, weight: float) -> None:
        """Add weight * k(x, .) as a new atom, whether or not `x` is in the block given to `look_at`."""
        place = self._place(x, self.kernel.gram(x[np.newaxis], self.next)[0])
        self._raw[place] = weight / self._factor

    def remove(self, place: int) -> None:
        super().remove(place)
        self._raw[place] = self._raw[self._size]

    def shrink(self, factor: float) -> None:
        """Multiply the function by `factor`."""
        self._factor *= factor
        if not RESCALE_BELOW < abs(self._factor) < 1.0 / RESCALE_BELOW:
            self._raw[: self._size] *= self._factor
            self._factor = 1.0

    def cap(self, largest: float) -> tuple[Array, Array]:
        """Clip every coefficient to [-largest, largest]; return the excesses and the points of the clipped atoms.

        An excess is the coefficient minus the clipped coefficient.
        """
        limit, raw = largest / self._factor, self._raw[: self._size]
        places = np.flatnonzero(np.abs(raw) > limit)
        kept = np.copysign(limit, raw[places])
        excess = self._factor * (raw[places] - kept)
        raw[places] = kept
        return excess, self.points[places]

    def lightest(self, sizes: Array, slack: float = 0.0) -> int:
        """Return the index of the atom with the smallest of `sizes`; `sizes` has one number for each atom.

        Of all atoms whose sizes exceed the smallest by at most `slack`, or by rounding, the oldest is chosen.
        """
        tied = sizes <= sizes.min() * (1.0 + TIE) + slack
        return int(np.where(tied, self.born, self._births).argmin())

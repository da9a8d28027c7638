"""The span of a growing dictionary: orthonormal coordinates of points, and functions in the span (theory B0).

Let K be the kernel matrix of the atoms z_j, k(x) the vector of their kernels with x, and K = L L' the Cholesky factor
(here L is not a slope). The coordinates of x are L^-1 k(x). A new atom adds one coordinate and does not change the
earlier ones. A point in the span is not added.

A point x is also not added if rounding would dominate its coordinate. Let sum_j b_j k(z_j, .) be the projection of
k(x, .) onto the span. The rounding error of the new coordinate is proportional to

    reach = (sqrt(k(x, x)) + sum_j |b_j| sqrt(k(z_j, z_j))) / (distance of k(x, .) to the span),

and a point is added only if its reach is at most `REACH`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray
from arena.game.kernels import Kernel
from arena.linalg.cholesky import GrowingCholesky

INDEPENDENT = 1e-10  # a point whose residual is below this times k(x, x) lies in the span
REACH = 1e7  # the largest reach (module docstring); the squared distance then has a relative error of about one percent


class Span:
    """The span of a dictionary of points, with orthonormal coordinates.

    >>> from arena.game.kernels import Linear
    >>> span = Span(Linear(), dimension=2)
    >>> span.add(np.array([3.0, 4.0])), span.add(np.array([6.0, 8.0]))
    (True, False)
    >>> span.coordinates(np.array([[3.0, 4.0]]))
    array([[5.]])
    """

    def __init__(self, kernel: Kernel, dimension: int):
        self.kernel = kernel
        self.atoms = GrowingArray((dimension,))
        self.cholesky = GrowingCholesky(floor=0.0)

    def __len__(self) -> int:
        return len(self.atoms)

    def coordinates(self, X: Array) -> Array:
        """Return, in one row for each row x of `X`, the coordinates of the projection of k(x, .) onto the span."""
        if not len(self):
            return np.zeros((len(X), 0))
        return np.asarray(self.cholesky.solve(self.kernel.gram(self.atoms.view(), X)).T)

    def residual(self, X: Array, coordinates: Array) -> Array:
        """Return k(x, x) - |coordinates|^2, the squared distance of k(x, .) to the dictionary's span, for each row x.

        `coordinates` has one row for each x: the coordinates of the projection of k(x, .) onto the span.
        """
        return np.asarray(np.maximum(self.kernel.diagonal(X) - np.einsum("ij,ij->i", coordinates, coordinates), 0.0))

    def add(self, x: Array) -> bool:
        """Add `x` to the dictionary, unless it lies in or very near the dictionary's span; return whether it was added.

        Very near means that rounding would dominate the new coordinate (module docstring).
        """
        X = x[np.newaxis]
        coordinates = self.coordinates(X)
        diagonal = float(self.kernel.diagonal(X)[0])
        if not self._can_add(coordinates[0], float(self.residual(X, coordinates)[0]), diagonal):
            return False
        self.append(x, coordinates[0], diagonal)
        return True

    def add_rows(self, X: Array, joins: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
        """Add the rows of `X` that `joins` marks to the dictionary, one after the other.

        A row is not added if it lies in the dictionary's span or very near it. Return (coordinates, added): `added` is
        a mask of the rows that were added. `coordinates` has a row for each row x of `X`, and a column for each atom of
        the final dictionary: the coordinates of the projection of k(x, .) onto the span of the atoms before x. The
        columns of x itself and of later atoms are 0.

        >>> from arena.game.kernels import Linear
        >>> rows, everyone = np.array([[3.0, 4.0], [0.0, 5.0], [6.0, 8.0]]), np.full(3, True)
        >>> coordinates, grew = Span(Linear(), dimension=2).add_rows(rows, everyone)
        >>> coordinates.tolist(), grew.tolist()
        ([[0.0, 0.0], [4.0, 0.0], [10.0, 0.0]], [True, True, False])
        """
        known = self.coordinates(X)
        left, diagonal = self.residual(X, known), self.kernel.diagonal(X)
        grew = np.zeros(len(X), dtype=bool)
        columns = np.zeros((len(X), int(joins.sum())))
        count, row = 0, -1
        while (ready := joins[row + 1 :] & (left[row + 1 :] > INDEPENDENT * diagonal[row + 1 :])).any():
            row += 1 + int(ready.argmax())
            own = np.concatenate([known[row], columns[row, :count]])
            if not self._can_add(own, float(left[row]), float(diagonal[row])):
                continue
            self.append(X[row], own, float(diagonal[row]))
            pivot = float(left[row]) ** 0.5
            # a new coordinate does not change the other ones, so those of the whole block could be computed before
            column = self.kernel.gram(X[row : row + 1], X[row + 1 :])[0]
            column -= known[row + 1 :] @ known[row] + columns[row + 1 :, :count] @ columns[row, :count]
            column /= pivot
            left[row + 1 :] -= np.square(column)
            columns[row + 1 :, count] = column
            grew[row] = True
            count += 1
        return np.hstack([known, columns[:, :count]]), grew

    def append(self, x: Array, coordinates: Array, diagonal: float) -> None:
        """Add the point `x`, which must lie outside the dictionary's span, to the dictionary.

        `coordinates` are those of the projection of k(x, .) onto the span, and `diagonal` is k(x, x).
        """
        self.cholesky.append(coordinates, diagonal)
        self.atoms.append(x)

    def newest(self) -> Array:
        """Return the coordinates, in the dictionary's span, of the dictionary's newest point."""
        return np.asarray(self.cholesky.rows(len(self) - 1, len(self))[0])

    def _can_add(self, coordinates: Array, residual: float, diagonal: float) -> bool:
        """Return whether a point x is so far from the dictionary's span that its new coordinate is not mostly rounding.

        `coordinates` are those of the projection of k(x, .) onto the span, `residual` is the squared distance of
        k(x, .) to the span, and `diagonal` is k(x, x).
        """
        if residual <= INDEPENDENT * diagonal:
            return False
        combination = np.abs(self.cholesky.solve_transposed(coordinates))
        mass = diagonal**0.5 + float(combination @ np.sqrt(self.kernel.diagonal(self.atoms.view())))
        return bool(mass <= REACH * residual**0.5)


class SpanFunction:
    """A function in the span of a few atoms, given by its orthonormal coordinates."""

    def __init__(self, kernel: Kernel, dimension: int):
        self.span = Span(kernel, dimension)
        self.weights = np.empty(0)
        self._coefficients: Array | None = None
        self.look_at(np.empty((0, dimension)))

    def __len__(self) -> int:
        return len(self.span)

    def at(self, X: Array) -> Array:
        """Return the function's values at the rows of `X`."""
        if not len(self):
            return np.zeros(len(X))
        if self._coefficients is None:
            self._coefficients = self.span.cholesky.solve_transposed(self.weights)
        return np.asarray(self.span.kernel.gram(X, self.span.atoms.view()) @ self._coefficients)

    def __getstate__(self) -> dict[str, Any]:
        # `at` caches the coefficients; a prediction must not change the pickled state
        return {**self.__dict__, "_coefficients": None}

    def look_at(self, X: Array) -> None:
        """Make the rows of `X` the current block.

        Compute their kernel matrix, their coordinates in the span of the atoms, and the function's values there.
        """
        self.next, self.gram = X, self.span.kernel.gram(X, X)
        # spare columns, for coordinates of points of the block that become atoms
        self._coordinates = np.empty((len(X), len(self) + len(X)))
        self._coordinates[:, : len(self)] = self.span.coordinates(X)
        self._values = self._coordinates[:, : len(self)] @ self.weights

    def value(self, i: int) -> float:
        """Return the function's value at x_i, row `i` of the block given to `look_at`."""
        return self._values.item(i)

    def coordinates(self, i: int) -> Array:
        """Return the coordinates of x_i, row `i` of the block given to `look_at`, in the span of the atoms."""
        return self._coordinates[i, : len(self)]

    def put_projected(self, i: int, weight: float) -> None:
        """Add `weight` times the projection of k(x_i, .) onto the span of the atoms to the function.

        x_i is row `i` of the block given to `look_at`.
        """
        step = weight * self.coordinates(i)
        self.weights = self.weights + step
        self._values += self._coordinates[:, : len(self)] @ step
        self._coefficients = None

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .) to the function, and make x_i an atom; x_i is row `i` of the block given to `look_at`.

        The point must not lie in the span of the atoms.
        """
        size, own = len(self), self.coordinates(i).copy()
        residual = self.gram[i, i] - own @ own
        self.put_projected(i, weight)
        new = (self.gram[i] - self._coordinates[:, :size] @ own) / residual**0.5
        self._coordinates[:, size] = new
        self.span.append(self.next[i], own, self.gram.item(i, i))
        self.weights = np.append(self.weights, weight * residual**0.5)
        self._values += weight * residual**0.5 * new

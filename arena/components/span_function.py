"""A function in the span of a growing dictionary, for learners that project onto it."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.arrays import Array
from arena.components.span import Span
from arena.game.kernels import Kernel


class SpanFunction:
    """A function in the span of few atoms, by its orthonormal coordinates, with the coordinates of what comes next."""

    def __init__(self, kernel: Kernel, dimension: int):
        self.span = Span(kernel, dimension)
        self.weights = np.empty(0)
        self._coefficients: Array | None = None
        self.look_at(np.empty((0, dimension)))

    def __len__(self) -> int:
        return len(self.span)

    def at(self, X: Array) -> Array:
        """The values at these rows: the coefficients of the kernels are solved for once and kept."""
        if not len(self):
            return np.zeros(len(X))
        if self._coefficients is None:
            self._coefficients = self.span.cholesky.solve_transposed(self.weights)
        return np.asarray(self.span.kernel.gram(X, self.span.atoms.view()) @ self._coefficients)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_coefficients": None}  # what was solved for to predict is no part of the state

    def look_at(self, X: Array) -> None:
        """These points come next: compute their kernels, coordinates and values together."""
        self.next, self.gram = X, self.span.kernel.gram(X, X)
        self._coordinates = np.empty((len(X), len(self) + len(X)))  # room for those of them that become atoms
        self._coordinates[:, : len(self)] = self.span.coordinates(X)
        self._values = self._coordinates[:, : len(self)] @ self.weights

    def value(self, i: int) -> float:
        """The value at x_i, the i-th of the points that come next."""
        return self._values.item(i)

    def coordinates(self, i: int) -> Array:
        """Those of x_i."""
        return self._coordinates[i, : len(self)]

    def put_projected(self, i: int, weight: float) -> None:
        """Add weight times the projection of k(x_i, .) onto the span."""
        step = weight * self.coordinates(i)
        self.weights = self.weights + step
        self._values += self._coordinates[:, : len(self)] @ step
        self._coefficients = None

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .) with x_i as a new atom, which must not lie in the span."""
        size, own = len(self), self.coordinates(i).copy()
        residual = self.gram[i, i] - own @ own
        self.put_projected(i, weight)
        new = (self.gram[i] - self._coordinates[:, :size] @ own) / residual**0.5
        self._coordinates[:, size] = new
        self.span.append(self.next[i], own, self.gram.item(i, i))
        self.weights = np.append(self.weights, weight * residual**0.5)
        self._values += weight * residual**0.5 * new

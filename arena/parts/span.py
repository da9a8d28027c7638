"""Coordinates in the span of a growing dictionary: the triangular (Cholesky) embedding of theory B0.

With K_I = L L' for the dictionary's points, the coordinates of x are L^-1 k_I(x): their inner products are those of the
projections onto the span. A new point appends one coordinate and leaves the old ones as they are, and a point that
lies in the span already (a repeated one, above all) appends none.
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.cholesky import GrowingCholesky
from arena.kernels import Kernel

INDEPENDENT = 1e-10  # a point whose residual is below this times k(x, x) lies in the span


class Span:
    """The span of a dictionary of points, with orthonormal coordinates.

    >>> from arena.kernels import Linear
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
        """One row of coordinates for each row of X."""
        if not len(self):
            return np.zeros((len(X), 0))
        return np.asarray(self.cholesky.solve(self.kernel.gram(self.atoms.view(), X)).T)

    def residual(self, X: Array, coordinates: Array) -> Array:
        """The squared distance of each point to the span, k(x, x) - |coordinates|^2."""
        return np.asarray(np.maximum(self.kernel.diagonal(X) - np.einsum("ij,ij->i", coordinates, coordinates), 0.0))

    def add(self, x: Array) -> bool:
        """Add a point; whether the span grew, and so got one more coordinate."""
        X = x[np.newaxis]
        coordinates = self.coordinates(X)
        diagonal = float(self.kernel.diagonal(X)[0])
        if self.residual(X, coordinates)[0] <= INDEPENDENT * diagonal:
            return False
        self.append(x, coordinates[0], diagonal)
        return True

    def append(self, x: Array, coordinates: Array, diagonal: float) -> None:
        """Add a point outside the span, given its coordinates so far and k(x, x)."""
        self.cholesky.append(coordinates, diagonal)
        self.atoms.append(x)

    def newest(self) -> Array:
        """The coordinates of the point that was added last, the new one included."""
        return np.asarray(self.cholesky.rows(len(self) - 1, len(self))[0])

"""Coordinates in the span of a growing dictionary: the triangular (Cholesky) embedding of theory B0.

With K_I = L L' for the dictionary's points, the coordinates of x are L^-1 k_I(x): their inner products are those of the
projections onto the span. A new point appends one coordinate and leaves the old ones as they are, and a point that
lies in the span already (a repeated one, above all) appends none.

So does a point whose own coordinate rounding would spoil. It is (k(x, .) - sum_j b_j k(z_j, .)) / distance for the
combination b of the atoms that comes nearest to the point, so its values are off by rounding times the reach
(k(x, x)^1/2 + sum_j |b_j| k(z_j, z_j)^1/2) / distance. Points that come in order along a line have large
combinations, which would grow from one to the next without end.
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.game.kernels import Kernel
from arena.linalg.cholesky import GrowingCholesky

INDEPENDENT = 1e-10  # a point whose residual is below this times k(x, x) lies in the span
REACH = 1e7  # the largest that is allowed; the squared distance is then known to about a hundredth of itself


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
        if not self.grows(coordinates[0], float(self.residual(X, coordinates)[0]), diagonal):
            return False
        self.append(x, coordinates[0], diagonal)
        return True

    def grows(self, coordinates: Array, residual: float, diagonal: float) -> bool:
        """Whether a point with these coordinates, residual and k(x, x) is far enough away to get its own coordinate."""
        if residual <= INDEPENDENT * diagonal:
            return False
        combination = np.abs(self.cholesky.solve_transposed(coordinates))
        mass = diagonal**0.5 + float(combination @ np.sqrt(self.kernel.diagonal(self.atoms.view())))
        return bool(mass <= REACH * residual**0.5)

    def append(self, x: Array, coordinates: Array, diagonal: float) -> None:
        """Add a point outside the span, given its coordinates so far and k(x, x)."""
        self.cholesky.append(coordinates, diagonal)
        self.atoms.append(x)

    def newest(self) -> Array:
        """The coordinates of the point that was added last, the new one included."""
        return np.asarray(self.cholesky.rows(len(self) - 1, len(self))[0])

"""Points with weights in an RKHS, and the variance of ridge regression on them.

The points x_i with the weights D_i^2 represent the covariance M = sum_i D_i^2 phi_i phi_i'. D is the diagonal matrix of
all D_i, K the kernel matrix of the points, and k(x) the vector of their kernels with x. L is the Cholesky factor of
D K D + ridge I (it is not a slope here). The coordinates of x are z(x) = L^-1 D k(x), and

    ridge phi(x)' (M + ridge I)^-1 phi(x') = k(x, x') - z(x)' z(x').

At x' = x this is the variance at x, the part of k(x, x) that the points leave unexplained.

Points may be equal or arbitrarily close to each other. Each point has a row of L; the rows of equal points are merged
from time to time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.arrays import Array, GrowingArray, point_key
from arena.game.kernels import Kernel
from arena.linalg.cholesky import GrowingCholesky

SPARE_ROWS = 32  # surplus rows of repeated points; with fewer, `fold` costs more than it saves
BLOCK = 64  # rows that may be added before `_inflation` is computed again
ROUNDING = float(np.finfo(float).eps)


class WeightedPoints:
    """A growing number j of weighted points, with the Cholesky factor L of D K D + ridge I.

    K is the kernel matrix of the points, and D the diagonal matrix of the square roots of their weights. Computing the
    variance of ridge regression at another point costs O(j^2), and so does adding a point.

    >>> from arena.game.kernels import Linear
    >>> points = WeightedPoints(Linear(), dimension=1, ridge=1.0)
    >>> X = np.ones((1, 1))
    >>> round(points.append(X[0], 3.0, points.coordinates(X)[:, 0], 1.0), 12)  # sqrt(3 + 1)
    2.0
    >>> points.unexplained(X, points.coordinates(X)).round(12)  # 1 - 3 / (3 + 1)
    array([0.25])
    """

    def __init__(self, kernel: Kernel, dimension: int, *, ridge: float):
        self.kernel, self.ridge = kernel, ridge
        self.weights: dict[bytes, float] = {}  # total weight of each different point
        self._rows = GrowingArray((dimension,))  # the point of each row of L ...
        self._roots = GrowingArray()  # ... and the square root of its weight
        self._cholesky = GrowingCholesky(floor=ridge)

    def __len__(self) -> int:
        """Return the number of points; equal points count separately until they are merged."""
        return len(self._rows)

    def coordinates(self, X: Array) -> Array:
        """Return the coordinates z(x) = L^-1 D k(x) of each row x of `X`, in one column each.

        k(x) is the vector of the kernels of the weighted points with x, K is the kernel matrix of the weighted points,
        D is the diagonal matrix of the square roots of the weights, and L is the Cholesky factor of D K D + ridge I.
        """
        if not len(self):
            return np.empty((0, len(X)))
        cross = self.kernel.gram(self._rows.view(), X)
        cross *= self._roots.view()[:, np.newaxis]
        return self._cholesky.solve(cross)

    def unexplained(self, X: Array, coordinates: Array) -> Array:
        """Return k(x, x) - |z(x)|^2, the variance of ridge regression on the weighted points, for each row x of `X`.

        z(x) is the column of x in `coordinates`, which the method `coordinates` returned for `X`.
        """
        explained = np.einsum("ij,ij->j", coordinates, coordinates)
        return np.asarray(np.maximum(self.kernel.diagonal(X) - explained, 0.0))

    def covariance(self, X: Array, coordinates: Array) -> Array:
        """Return k(x, x') - z(x)' z(x'), the covariance of ridge regression, for all pairs of rows x, x' of `X`.

        z(x) is the column of x in `coordinates`, which the method `coordinates` returned for `X`.
        """
        return np.asarray(self._gram(X) - coordinates.T @ coordinates)

    def append(self, x: Array, weight: float, coordinates: Array, diagonal: float) -> float:
        """Add the point `x` with this weight; return the new last diagonal entry of the Cholesky factor L.

        L is the factor of D K D + ridge I, where K is the kernel matrix of the points, and D the diagonal matrix of the
        square roots of their weights. `coordinates` are what the method `coordinates` returns for `x`, and `diagonal`
        is k(x, x).
        """
        pivot = self._cholesky.append(weight**0.5 * coordinates, weight * self._inflation() * diagonal + self.ridge)
        self._enlist(x, weight)
        return pivot

    def extend(self, X: Array, weights: Array, coordinates: Array, covariance: Array) -> tuple[Array, GrowingCholesky]:
        """Add each row of `X` as a point; return the new rows of the Cholesky factor L as a pair (left, right).

        L is the factor of D K D + ridge I, where K is the kernel matrix of the points, and D the diagonal matrix of the
        square roots of their weights. `left` has the columns that L had before, and `right` is the triangle in the new
        columns. `coordinates` and `covariance` are the results of the methods of these names for `X`.
        """
        roots = np.sqrt(weights)
        before = roots[:, np.newaxis] * coordinates.T
        corner = GrowingCholesky(floor=self.ridge)
        corner.extend(np.empty((0, len(X))), self._scaled(covariance, roots))
        triangle, diagonal = corner.dense(), weights * self._inflation() * self.kernel.diagonal(X) + self.ridge
        for i, (x, weight) in enumerate(zip(X, weights.tolist(), strict=True)):
            self._cholesky.append(np.concatenate([before[i], triangle[i, :i]]), float(diagonal[i]))
            self._enlist(x, weight)
        return before, corner

    def fold(self) -> bool:
        """Merge equal points and add up their weights, but only if many are equal; return whether any were merged."""
        different = len(self.weights)
        if len(self) <= different + max(SPARE_ROWS, different // 4):
            return False
        points = np.frombuffer(b"".join(self.weights)).reshape(different, -1)
        roots = np.sqrt(np.array(list(self.weights.values())))
        gram = self._gram(points)
        for array, values in ((self._rows, points), (self._roots, roots)):
            array.shrink(0)
            array.extend(values)
        self._cholesky = GrowingCholesky(floor=self.ridge)
        self._cholesky.extend(np.empty((0, different)), self._scaled(gram, roots))
        return True

    def values(self, function: Callable[[Array], Array]) -> Array:
        """Return L^-1 D v, where v has the values of `function` at the weighted points.

        D is the diagonal matrix of the square roots of the weights, K is the kernel matrix of the points, and L is the
        Cholesky factor of D K D + ridge I.
        """
        return self._cholesky.solve(self._roots.view() * function(self._rows.view()))

    def _enlist(self, x: Array, weight: float) -> None:
        self._rows.append(x)
        self._roots.append(weight**0.5)
        key = point_key(x)
        self.weights[key] = self.weights.get(key, 0.0) + weight

    def _gram(self, X: Array) -> Array:
        gram = self.kernel.gram(X, X)
        gram.flat[:: len(X) + 1] *= self._inflation()
        return gram

    def _scaled(self, gram: Array, roots: Array) -> Array:
        """Return D K D + ridge I, where K is the kernel matrix `gram`, and D the diagonal matrix of `roots`."""
        scaled: Array = gram * roots[:, np.newaxis] * roots
        scaled.flat[:: len(roots) + 1] += self.ridge
        return scaled

    def _inflation(self) -> float:
        """Return a factor slightly above 1, by which the diagonal of the kernel matrix K is multiplied.

        It keeps D K D + ridge I positive definite in spite of rounding, so that the Cholesky factor exists.
        """
        return 1.0 + ROUNDING * (BLOCK + len(self))

"""Online Newton steps in an RKHS, in kernel form: nothing but kernel values, a growing factor and coefficients.

In the one-shot form of KONS (theory B7) u_t = A_{t-1}^-1 sum_s c_s phi_s, and A holds the gradients of the rounds I
with weights D_s^2 = eta_s g_s^2. With D K_I D + alpha I = L L', z(x) = L^-1 D k_I(x), f = sum_s c_s k(x_s, .) and
zeta = L^-1 D f(x_I),

    phi(x)' A^-1 phi(x') = (k(x, x') - z(x)' z(x')) / alpha,    phi(x)' u = (f(x) - z(x)' zeta) / alpha.

A block of rounds needs these for its own points alone. Afterwards L and zeta get a row for each gradient that A keeps.
Gradients at one point are multiples of each other: they share a row, and the cost follows the number of different
points.
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray, point_key
from arena.components.expansion import KernelExpansion
from arena.components.newton import BLOCK, Derivative, Keep, clipped, newton_block
from arena.components.weighted_points import WeightedPoints
from arena.game.kernels import Kernel


class KernelNewton:
    """Online Newton steps in an RKHS, with predictions clipped to [-bound, bound].

    >>> from arena.game.kernels import Linear
    >>> slope = lambda prediction, label: 2 * (prediction - label)
    >>> newton = KernelNewton(slope, Linear(), dimension=1, ridge=1.0, bound=1.0)
    >>> newton.play(np.ones((3, 1)), np.array([1.0, 1.0, 1.0]), np.full(3, 0.125))
    array([0., 1., 1.])
    """

    def __init__(self, derivative: Derivative, kernel: Kernel, dimension: int, *, ridge: float, bound: float):
        self.derivative, self.kernel = derivative, kernel
        self.ridge, self.bound = ridge, bound
        self.function = KernelExpansion(kernel)  # f
        self.gradients = WeightedPoints(kernel, dimension, ridge=ridge)
        self.energies = GrowingArray()
        self._pull: Array = np.empty(0)  # zeta
        self._norm = 0.0

    def predict(self, X: Array) -> Array:
        """The clipped predictions at each row."""
        return clipped(self._ahead(X, self.gradients.coordinates(X)), self.bound)

    def play(self, X: Array, y: Array, steps: Array, *, keep: Keep | None = None) -> Array:
        """Play rounds with these points, labels and steps eta; their predictions.

        `keep` may leave the gradient of a round out of A (theory B8): it is asked once the derivative is known.
        """
        predictions = np.empty(len(X))
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            predictions[rows] = self._play_block(X[rows], y[rows], steps[rows], _shifted(keep, start))
        return predictions

    def _play_block(self, X: Array, y: Array, steps: Array, keep: Keep | None) -> Array:
        coordinates = self.gradients.coordinates(X)
        covariance = self.gradients.covariance(X, coordinates)
        played = newton_block(
            covariance / self.ridge,
            self._ahead(X, coordinates),
            y,
            steps,
            derivative=self.derivative,
            bound=self.bound,
            norm=self._norm,
            keep=keep,
        )
        self._norm = played.norm
        self.energies.extend(played.energies)
        for x, coefficient in zip(X, played.coefficients.tolist(), strict=True):
            self.function.add(x, coefficient)
        self._pull = self._pull + coordinates @ played.coefficients
        kept, weights = each_point_once(X, played.weights)
        if kept:
            self._keep(X[kept], weights, coordinates[:, kept], covariance[np.ix_(kept, kept)])
        return played.predictions

    def _ahead(self, X: Array, coordinates: Array) -> Array:
        return np.asarray((self.function.at(X) - self._pull @ coordinates) / self.ridge)

    def _keep(self, X: Array, weights: Array, coordinates: Array, covariance: Array) -> None:
        """A gets the gradients at these points."""
        before, triangle = self.gradients.extend(X, weights, coordinates, covariance)
        left = np.sqrt(weights) * self.function.at(X) - before @ self._pull
        self._pull = np.concatenate([self._pull, triangle.solve(left)])
        if self.gradients.fold():
            self._pull = self.gradients.values(self.function.at)


def each_point_once(X: Array, weights: Array) -> tuple[list[int], Array]:
    """The rows whose weights are not zero, each point once, and the weights that they bring together."""
    first: dict[bytes, int] = {}
    totals: dict[bytes, float] = {}
    for row in np.flatnonzero(weights).tolist():
        key = point_key(X[row])
        first.setdefault(key, row)
        totals[key] = totals.get(key, 0.0) + float(weights[row])
    return list(first.values()), np.array(list(totals.values()))


def _shifted(keep: Keep | None, start: int) -> Keep | None:
    return None if keep is None else lambda row, slope: keep(start + row, slope)

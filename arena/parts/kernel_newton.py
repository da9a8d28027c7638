"""Online Newton steps in an RKHS, in kernel form: nothing but kernel values, a growing factor and coefficients.

In the one-shot form of KONS (theory B7) u_t = A_{t-1}^-1 sum_s c_s phi_s, and A holds the gradients of the rounds I
with weights D_s^2 = eta_s g_s^2. With D K_I D + alpha I = L L', z(x) = L^-1 D k_I(x), f = sum_s c_s k(x_s, .) and
zeta = L^-1 D f(x_I),

    phi(x)' A^-1 phi(x') = (k(x, x') - z(x)' z(x')) / alpha,    phi(x)' u = (f(x) - z(x)' zeta) / alpha.

A block of rounds needs these for its own points alone. Afterwards L and zeta get a row for each gradient that A keeps.
The ridge alpha keeps every pivot of L away from zero, so points as close to each other as they like do no harm.

Gradients at one point are multiples of each other: now and then their rows are folded into one, exactly, so that the
cost follows the number of different points.
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.cholesky import GrowingCholesky
from arena.kernels import Kernel
from arena.parts.expansion import KernelExpansion
from arena.parts.newton import BLOCK, Derivative, Keep, clipped, newton_block

SPARE_ROWS = 64  # rows of repeated points that are not worth folding
ROUNDING = float(np.finfo(float).eps)


class KernelNewton:
    """Online Newton steps in an RKHS, with predictions clipped to [-bound, bound].

    >>> from arena.kernels import Linear
    >>> slope = lambda prediction, label: 2 * (prediction - label)
    >>> newton = KernelNewton(slope, Linear(), dimension=1, ridge=1.0, bound=1.0)
    >>> newton.play(np.ones((3, 1)), np.array([1.0, 1.0, 1.0]), np.full(3, 0.125))
    array([0., 1., 1.])
    """

    def __init__(self, derivative: Derivative, kernel: Kernel, dimension: int, *, ridge: float, bound: float):
        self.derivative, self.kernel = derivative, kernel
        self.ridge, self.bound = ridge, bound
        self.function = KernelExpansion(kernel)  # f
        self.weights: dict[bytes, float] = {}  # the sum of D^2 at each different point
        self.energies = GrowingArray()
        self._rows, self._roots = GrowingArray((dimension,)), GrowingArray()  # the gradients' points, and D
        self._cholesky = GrowingCholesky(floor=ridge)
        self._pull: Array = np.empty(0)  # zeta
        self._norm = 0.0

    def predict(self, X: Array) -> Array:
        """The clipped predictions at each row."""
        return clipped(self._ahead(X, self._coordinates(X)), self.bound)

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
        coordinates = self._coordinates(X)
        covariance = self._gram(X) - coordinates.T @ coordinates
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
        kept, weights = self._weigh(X, played.weights)
        self._append(X[kept], np.sqrt(weights), coordinates[:, kept], covariance[np.ix_(kept, kept)])
        self._fold()
        return played.predictions

    def _gram(self, X: Array) -> Array:
        gram = self.kernel.gram(X, X)
        gram.flat[:: len(X) + 1] *= self._slack()
        return gram

    def _slack(self) -> float:
        """On the diagonal of K: keeps positive what the rounding of so many rows could make negative."""
        return 1.0 + ROUNDING * (BLOCK + len(self._rows))

    def _coordinates(self, X: Array) -> Array:
        """z(x) for each row of X, one column each."""
        if not len(self._rows):
            return np.empty((0, len(X)))
        cross = self.kernel.gram(self._rows.view(), X)
        cross *= self._roots.view()[:, np.newaxis]
        return self._cholesky.solve(cross)

    def _ahead(self, X: Array, coordinates: Array) -> Array:
        return np.asarray((self.function.at(X) - self._pull @ coordinates) / self.ridge)

    def _weigh(self, X: Array, weights: Array) -> tuple[list[int], Array]:
        """The rows of a block whose gradients are kept, each point once, and the weights that they bring together."""
        first: dict[bytes, int] = {}
        totals: dict[bytes, float] = {}
        for row in np.flatnonzero(weights).tolist():
            key = (X[row] + 0.0).tobytes()  # -0.0 and 0.0 are the same point
            first.setdefault(key, row)
            totals[key] = totals.get(key, 0.0) + float(weights[row])
        for key, weight in totals.items():
            self.weights[key] = self.weights.get(key, 0.0) + weight
        return list(first.values()), np.array(list(totals.values()))

    def _append(self, X: Array, roots: Array, coordinates: Array, covariance: Array) -> None:
        """Rows of L and entries of zeta for these points, weighted with their roots; nothing is solved twice."""
        if not len(X):
            return
        before = roots[:, np.newaxis] * coordinates.T
        corner = GrowingCholesky(floor=self.ridge)
        corner.extend(np.empty((0, len(X))), _plus_ridge(covariance, roots, self.ridge))
        inner, diagonal = corner.dense(), self._slack() * self.kernel.diagonal(X)
        for i, root in enumerate(roots.tolist()):
            solved = np.concatenate([before[i], inner[i, :i]])
            self._cholesky.append(solved, root**2 * float(diagonal[i]) + self.ridge)
        left = roots * self.function.at(X) - before @ self._pull
        self._pull = np.concatenate([self._pull, corner.solve(left)])
        self._rows.extend(X)
        self._roots.extend(roots)

    def _fold(self) -> None:
        """Give each point one row with its whole weight, once the superfluous rows cost more than that."""
        points = len(self.weights)
        if len(self._rows) <= points + max(SPARE_ROWS, points // 4):
            return
        rows = np.frombuffer(b"".join(self.weights)).reshape(points, -1)
        roots = np.sqrt(np.array(list(self.weights.values())))
        for array, values in ((self._rows, rows), (self._roots, roots)):
            array.shrink(0)
            array.extend(values)
        self._cholesky = GrowingCholesky(floor=self.ridge)
        self._cholesky.extend(np.empty((0, points)), _plus_ridge(self._gram(rows), roots, self.ridge))
        self._pull = self._cholesky.solve(roots * self.function.at(rows))


def _plus_ridge(gram: Array, roots: Array, ridge: float) -> Array:
    scaled: Array = gram * roots[:, np.newaxis] * roots
    scaled.flat[:: len(roots) + 1] += ridge
    return scaled


def _shifted(keep: Keep | None, start: int) -> Keep | None:
    return None if keep is None else lambda row, slope: keep(start + row, slope)

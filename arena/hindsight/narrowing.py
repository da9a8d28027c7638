"""Narrowing the interval of a whole sequence by products with the kernel matrix itself, which is never stored.

The method is conjugate gradients on (K + lambda I) a = y, started and preconditioned by ridge regression on features.
Every iterate a gives a bound on either side, since p = K a is known; each side uses its own best multiple of a:

    2 lambda a'y - lambda^2 |a|^2 - lambda a'p  <=  optimum  <=  |y - p|^2 + lambda a'p.

One step costs n^2 kernel values. Rounding: each entry of a product K v is off by at most unit sqrt(k(x, x)) times
sum_s |v_s| sqrt(k(x_s, x_s)). As p is a sum of such products, both ends are widened by the resulting error of p.
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.certificate import CHUNK, WIDTH, affordable
from arena.hindsight.pivots import UNIT, pivots_of_stream
from arena.hindsight.streaming import StreamSums

ROWS = 1024  # of the kernel matrix that are in memory together


def narrowed_interval(
    kernel: Kernel, regularisation: float, X: Array, y: Array, *, steps: int = 2, features: int | None = None
) -> tuple[float, float]:
    """Return the interval of the regularised optimum after `steps` products with the kernel matrix, at least one.

    >>> from arena.game.kernels import Gaussian
    >>> low, high = narrowed_interval(Gaussian(), 1.0, np.eye(2), np.array([1.0, -1.0]), features=1)
    >>> bool(low <= high < low + 1e-9)
    True
    """
    approximate = _Preconditioner(kernel, regularisation, X, features)
    low, high = approximate.interval(y)
    a = approximate.solve(y)
    direction, last = np.zeros(len(y)), 0.0
    product = _times_kernel(kernel, X, a)
    root = np.sqrt(kernel.diagonal(X))
    mass = float(root @ np.abs(a))
    for step in range(max(steps, 1)):
        below, above = _ends(regularisation, X, y, a, product, mass * root)
        low, high = max(low, below), min(high, above)
        residual = y - product - regularisation * a
        if step == max(steps, 1) - 1 or not residual.any():
            break
        preconditioned = approximate.solve(residual)
        size = float(residual @ preconditioned)
        direction = preconditioned + (size / last if last else 0.0) * direction
        image = _times_kernel(kernel, X, direction)
        length = size / float(direction @ (image + regularisation * direction))
        mass += abs(length) * float(root @ np.abs(direction))
        a, product, last = a + length * direction, product + length * image, size
    return min(low, high), high


class _Preconditioner:
    """Solver for F F' + lambda I, where F are the features of some pivots."""

    def __init__(self, kernel: Kernel, regularisation: float, X: Array, features: int | None):
        rank = affordable(len(X)) if features is None else features
        chunks = lambda: ((X[at : at + CHUNK], np.empty(0)) for at in range(0, len(X), CHUNK))
        pivots = pivots_of_stream(kernel, chunks, tolerance=WIDTH * regularisation, rank=rank)
        self.X, self.F = X, pivots.coordinates(X)
        self.sums = StreamSums(pivots, regularisation)

    def interval(self, y: Array) -> tuple[float, float]:
        """Return the interval of the optimum that the features alone prove."""
        for at in range(0, len(y), CHUNK):
            self.sums.take(self.X[at : at + CHUNK], y[at : at + CHUNK])
        end = self.sums.checkpoint()
        return end.lower, end.upper

    def solve(self, v: Array) -> Array:
        """Return (F F' + lambda I)^-1 v."""
        self.sums.ridge.vector = v @ self.F
        return np.asarray((v - self.F @ self.sums.ridge.weights()) / self.sums.regularisation)


def _times_kernel(kernel: Kernel, X: Array, a: Array) -> Array:
    product = np.empty(len(X))
    for at in range(0, len(X), ROWS):
        product[at : at + ROWS] = kernel.gram(X[at : at + ROWS], X) @ a
    return product


def _ends(regularisation: float, X: Array, y: Array, a: Array, product: Array, reach: Array) -> tuple[float, float]:
    """Return the lower and the upper bound on the optimum that a vector a proves with `product` = K a.

    Rounding may have moved each entry of the product by unit times `reach`.
    """
    unit = 2.0 * (len(X) + 4.0 * X.shape[1] + 64.0) * UNIT
    form = float(a @ product) + unit * float(np.abs(a) @ (reach + np.abs(product)))
    scale = float(y @ product) / (float(product @ product) + regularisation * form)
    misses = np.abs(y - scale * product) + unit * abs(scale) * reach
    high = (float(misses @ misses) + regularisation * scale**2 * form) * (1.0 + unit)
    quadratic = (regularisation**2 * float(a @ a) + regularisation * form) * (1.0 + unit)
    linear = regularisation * max(abs(float(a @ y)) - unit * float(np.abs(a) @ np.abs(y)), 0.0)
    return linear**2 / quadratic * (1.0 - unit), high

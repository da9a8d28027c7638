"""The span of a few pivots as a place to look for comparators, with bounds for what lies outside it.

A comparator found there is a function of the RKHS, so its loss bounds the optimum from above; `kernel_form` bounds
a'K a for any dual vector a, and duality then bounds the optimum from below (theory C3 to C6).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.certificate import CHUNK, affordable
from arena.hindsight.pivots import UNIT, Pivots, choose_pivots, pivots_of_stream


@dataclass(frozen=True)
class Comparator:
    """The best function of a class, up to a certified gap.

    The optimum of its objective lies in [lower, upper], and upper is the objective of the function found: its
    `predictions` on the points, its `loss` on the labels and its `squared_norm`.
    """

    lower: float
    upper: float
    loss: float
    squared_norm: float
    regularisation: float
    predictions: Array

    @property
    def gap(self) -> float:
        """Not less than what the function found loses to the best."""
        return self.upper - self.lower


class Space:
    """The features F of a sequence, the residuals, and how far rounding may be from the truth."""

    def __init__(self, pivots: Pivots, X: Array):
        self.pivots, self.X = pivots, X
        self.F = pivots.coordinates(X)
        self.residual, reach = pivots.certified_residual(X, self.F)
        diagonal = pivots.kernel.diagonal(X)
        self.scale = np.sqrt(diagonal)
        self.unit = 4.0 * (len(X) + pivots.unit / UNIT) * UNIT
        self.rounding = 3.0 * pivots.unit * float(reach.sum()) + self.unit * float(diagonal.sum())

    @classmethod
    def of(cls, kernel: Kernel, X: Array, *, features: int | None = None) -> Space:
        """The space of greedy pivots out of the sequence itself."""
        chunks = lambda: ((X[at : at + CHUNK], np.empty(0)) for at in range(0, len(X), CHUNK))
        rank = affordable(len(X)) if features is None else features
        return cls(pivots_of_stream(kernel, chunks, tolerance=0.0, rank=rank), X)

    @classmethod
    def spanned_by(cls, kernel: Kernel, points: Array, X: Array) -> Space:
        """The span of the kernel functions of these points; those that add nothing are left out."""
        return cls(choose_pivots(kernel, points), X)

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """The eigenvalues of F'F and its eigenvectors."""
        values, vectors = np.linalg.eigh(self.F.T @ self.F)
        return np.maximum(values, 0.0), vectors

    def ridge(self, y: Array, regularisation: float) -> Array:
        """The weights of min_w |y - F w|^2 + lambda |w|^2."""
        if not self.F.shape[1]:
            return np.empty(0)
        return np.asarray(scipy.linalg.lapack.dpotrs(self._factor(regularisation), y @ self.F, lower=1)[0])

    def kernel_form(self, a: Array) -> float:
        """Not less than a'K a."""
        product, norm = a @ self.F, float(a @ a)
        beyond = min(float(self.residual.sum()) * norm, float(np.sqrt(self.residual) @ np.abs(a)) ** 2)
        return float((float(product @ product) + beyond) * (1.0 + self.unit) + self.rounding * norm)

    def ridge_from_below(self, y: Array, regularisation: float) -> float:
        """Not more than min_f sum (f(x_t) - y_t)^2 + lambda |f|^2 over the whole RKHS."""
        alpha = y - self.F @ self.ridge(y, regularisation)
        doubt = self.unit * (float(alpha @ alpha) + 2.0 * float(np.abs(alpha) @ np.abs(y)))
        return float(2.0 * alpha @ y - alpha @ alpha - self.kernel_form(alpha) / regularisation - doubt)

    def mass(self, weights: Array) -> float:
        """sum_j |b_j| sqrt k(z_j, z_j) for the function sum_j b_j k(z_j, .) that has these weights.

        Its values differ from F w by at most `unit` sqrt k(x, x) times this, its squared norm from |w|^2 by `unit`
        times the square of this.
        """
        return float(self.pivots.amplification(weights[np.newaxis])[0])

    def off(self, weights: Array) -> Array:
        """By how much the predictions of the function may differ from F w."""
        return np.asarray(self.unit * self.mass(weights) * self.scale)

    def squared_norm(self, weights: Array) -> float:
        """Not less than the squared norm of the function."""
        return float(weights @ weights) * (1.0 + self.unit) + self.unit * self.mass(weights) ** 2

    def _factor(self, regularisation: float) -> Array:
        if self._known is None or self._known[0] != regularisation:
            matrix = self.F.T @ self.F
            matrix.flat[:: len(matrix) + 1] += regularisation
            factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1)
            if failed:
                raise FloatingPointError(f"rounding outweighs lambda = {regularisation:g}")
            self._known = (regularisation, factor)
        return self._known[1]

    _known: tuple[float, Array] | None = None

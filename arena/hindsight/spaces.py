"""The span of a few pivots as a place to look for comparators, with bounds for what lies outside it.

A comparator found there is a function of the RKHS, so its loss bounds the optimum from above; `kernel_form` bounds
a'K a for any dual vector a, and duality then bounds the optimum from below (theory C3 to C6).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.certificate import CHUNK, affordable
from arena.hindsight.pivots import UNIT, Pivots, pivots_of_stream


@dataclass(frozen=True)
class BestFunction:
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

    def kernel_form(self, a: Array) -> float:
        """Not less than a'K a."""
        product, norm = a @ self.F, float(a @ a)
        beyond = min(float(self.residual.sum()) * norm, float(np.sqrt(self.residual) @ np.abs(a)) ** 2)
        return float((float(product @ product) + beyond) * (1.0 + self.unit) + self.rounding * norm)

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

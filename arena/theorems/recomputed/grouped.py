"""A sequence in which equal points are one: what depends on multiplicities alone costs O(m^3) for m different points.

With n_i the number of times that point i came, and the mean of its labels, ridge regression on the whole sequence is
ridge regression on the different points with weights n_i, and the spectrum of K is that of N^1/2 K N^1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel


@dataclass(frozen=True, eq=False)
class Fit:
    """A function's values at the different points, its loss on the whole sequence and its squared norm."""

    values: Array
    loss: float
    squared_norm: float


@dataclass(frozen=True, eq=False)
class Grouped:
    """The different points of a sequence, how often each came, and the labels' sums.

    >>> from arena.game.kernels import Linear
    >>> both = Grouped.of(Linear(), np.array([[1.0], [1.0]]), np.array([1.0, 0.0]))
    >>> round(both.effective_dimension(2.0), 12)
    0.5
    >>> round(both.optimum(2.0), 12)  # min over w of (w - 1)^2 + w^2 + 2 w^2
    0.75
    """

    gram: Array
    counts: Array
    sums: Array
    squares: float

    @classmethod
    def of(cls, kernel: Kernel, X: Array, y: Array) -> Grouped:
        """Group a sequence."""
        points, group = np.unique(X + 0.0, axis=0, return_inverse=True)
        group = group.reshape(-1)
        gram = kernel.gram(points, points)
        gram.flat[:: len(points) + 1] = kernel.diagonal(points)
        counts = np.bincount(group, minlength=len(points)).astype(float)
        sums = np.bincount(group, weights=y, minlength=len(points)).astype(float)
        return cls(gram, counts, sums, float(y @ y))

    @cached_property
    def spectrum(self) -> Array:
        """The eigenvalues of K that are not certainly zero, ascending."""
        roots = np.sqrt(self.counts)
        return np.asarray(np.maximum(np.linalg.eigvalsh(self.gram * roots * roots[:, np.newaxis]), 0.0))

    def effective_dimension(self, ridge: float) -> float:
        """Tr K (K + ridge I)^-1."""
        return float((self.spectrum / (self.spectrum + ridge)).sum())

    def fit(self, regularisation: float) -> Fit:
        """The minimiser of sum (f(x_t) - y_t)^2 + lambda |f|^2."""
        roots = np.sqrt(self.counts)
        matrix = self.gram * roots * roots[:, np.newaxis]
        matrix.flat[:: len(roots) + 1] += regularisation
        weights = roots * np.linalg.solve(matrix, self.sums / roots)
        values = self.gram @ weights
        return Fit(values, self._loss(values), float(weights @ values))

    def optimum(self, regularisation: float) -> float:
        """min_f sum (f(x_t) - y_t)^2 + lambda |f|^2."""
        best = self.fit(regularisation)
        return best.loss + regularisation * best.squared_norm

    def within(self, regularisation: float, bound: float) -> tuple[float, float]:
        """The largest value of the minimiser, and the objective of its largest multiple with values in [-C, C]."""
        best = self.fit(regularisation)
        largest = float(np.abs(best.values).max(initial=0.0))
        scale = min(1.0, bound / largest) if largest else 1.0
        return largest, self._loss(scale * best.values) + regularisation * scale**2 * best.squared_norm

    def _loss(self, values: Array) -> float:
        """Sum over the sequence: the spread of equal points' labels, and how far their means are missed."""
        means = self.sums / self.counts
        spread = self.squares - float(self.sums @ means)
        return max(spread, 0.0) + float(self.counts @ np.square(values - means))

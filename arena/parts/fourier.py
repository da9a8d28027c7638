"""Random Fourier features: coordinates whose inner products are a shift-invariant kernel on average."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.kernels import Gaussian, Kernel, Laplacian, Matern

CHUNK = 64  # rows whose phases stay in the processor's cache


class FourierMap:
    """x -> [cos(w_j'x), sin(w_j'x)] / sqrt(D) for D frequencies w_j drawn from the kernel's spectrum (theory B3).

    Rahimi and Recht 2007. Every point has norm one exactly; E[inner product] is the kernel.

    >>> rng = np.random.default_rng(0)
    >>> features = FourierMap(Gaussian(), dimension=1, frequencies=20_000, rng=rng).features(np.array([[0.0], [1.0]]))
    >>> features.shape, (features @ features.T).round(2)
    ((2, 40000), array([[1.  , 0.61],
           [0.61, 1.  ]]))
    """

    def __init__(self, kernel: Kernel, dimension: int, frequencies: int, rng: np.random.Generator):
        self.frequencies = draw_frequencies(kernel, dimension, frequencies, rng)
        self._halved = self.frequencies.T / 2.0

    def __len__(self) -> int:
        return 2 * len(self.frequencies)

    def features(self, X: Array, out: Array | None = None) -> Array:
        """One row of 2 D coordinates for each row of X, all cosines first.

        Both come from the tangent of half the phase, one vectorised call instead of two slow ones:
        cos = 2 / (1 + tan^2) - 1, sin = 2 tan / (1 + tan^2), exact to rounding even where the tangent is huge.
        """
        count = len(self.frequencies)
        features = np.empty((len(X), 2 * count)) if out is None else out[: len(X)]
        norm = count**-0.5
        for start in range(0, len(X), CHUNK):
            tangent = X[start : start + CHUNK] @ self._halved
            np.tan(tangent, out=tangent)
            cosine = features[start : start + CHUNK, :count]
            np.multiply(tangent, tangent, out=cosine)
            cosine += 1.0
            np.divide(2.0 * norm, cosine, out=cosine)
            np.multiply(tangent, cosine, out=features[start : start + CHUNK, count:])
            cosine -= norm
        return features


def draw_frequencies(kernel: Kernel, dimension: int, count: int, rng: np.random.Generator) -> Array:
    """Frequencies from the kernel's spectrum, one row each."""
    if isinstance(kernel, Gaussian):
        return rng.standard_normal((count, dimension)) / kernel.bandwidth
    if isinstance(kernel, Laplacian):
        return rng.standard_cauchy((count, dimension)) / kernel.bandwidth
    if isinstance(kernel, Matern):  # a multivariate t distribution with 2 smoothness degrees of freedom
        normal = rng.standard_normal((count, dimension)) / kernel.bandwidth
        freedom = 2.0 * kernel.smoothness
        return np.asarray(normal / np.sqrt(rng.chisquare(freedom, size=(count, 1)) / freedom))
    raise ArenaError(
        f"no Fourier features are known for the kernel {kernel.name or type(kernel).__name__}: "
        "use gaussian, laplacian or matern, or a learner that needs no Fourier features"
    )

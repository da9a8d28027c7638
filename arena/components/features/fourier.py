"""Random Fourier features of a shift-invariant kernel: the mean of their inner products is the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.components.features.embedding import Embedding
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian, Kernel, Laplacian, Matern
from arena.specs.parameters import parameter

CHUNK = 64  # rows computed together, so few that their phases stay in the processor's cache


@dataclass(unsafe_hash=True)
class Fourier(Embedding):
    """Cosines and sines of random frequencies drawn from the kernel's spectrum.

    With D frequencies w there are 2 D features, cos(w'x) / sqrt(D) and sin(w'x) / sqrt(D) (theory B3). The inner
    product of the features of x and x' has mean k(x, x'), and the features of every point have norm one. The features
    are not functions in the kernel's RKHS.

    >>> embedding = Fourier(frequencies=9_000).begun(Game(dimension=1), np.random.default_rng(0))
    >>> features = embedding.features(np.array([[0.0], [1.0]]))
    >>> features.shape, (features @ features.T).round(1)  # exp(-1/2) = 0.607
    ((2, 18000), array([[1. , 0.6],
           [0.6, 1. ]]))
    """

    name: ClassVar[str] = "fourier"
    paper: ClassVar[str] = "Rahimi and Recht 2007"
    cost: ClassVar[str] = "O(d D) a point"
    within: ClassVar[bool] = False

    frequencies: int = parameter(100, "D, the number of random frequencies", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.spectrum = draw_frequencies(game.kernel, game.dimension, self.frequencies, rng)

    @property
    def dimension(self) -> int:
        return 2 * self.frequencies

    def features(self, X: Array, out: Array | None = None) -> Array:
        """Return the features of each row of `X`: all cosines, then all sines.

        If `out` is given, the features are written into its first rows.
        """
        # One fast call gives the tangent of half the phase; cos = 2 / (1 + tan^2) - 1 and sin = 2 tan / (1 + tan^2) are
        # exact up to rounding even if the tangent is huge.
        features = np.empty((len(X), self.dimension)) if out is None else out[: len(X)]
        norm = self.frequencies**-0.5
        for start in range(0, len(X), CHUNK):
            tangent = (0.5 * X[start : start + CHUNK]) @ self.spectrum.T
            np.tan(tangent, out=tangent)
            cosine = features[start : start + CHUNK, : self.frequencies]
            np.multiply(tangent, tangent, out=cosine)
            cosine += 1.0
            np.divide(2.0 * norm, cosine, out=cosine)
            np.multiply(tangent, cosine, out=features[start : start + CHUNK, self.frequencies :])
            cosine -= norm
        return features

    def evidence(self) -> Mapping[str, Any]:
        """Return the frequencies, one row each."""
        return {"frequencies": self.spectrum}


def draw_frequencies(kernel: Kernel, dimension: int, count: int, rng: np.random.Generator) -> Array:
    """Return `count` frequencies drawn from the kernel's spectrum, one row each.

    Each spectrum has the scale 1 / bandwidth:

    - Gaussian kernel: a normal distribution;
    - Laplacian kernel: a Cauchy distribution in each coordinate;
    - Matérn kernel: a multivariate t distribution with 2 * smoothness degrees of freedom (Rasmussen and Williams 2006,
      eq. 4.15).

    Raise an `ArenaError` for any other kernel.
    """
    shape = (count, dimension)
    if isinstance(kernel, Gaussian):
        return rng.standard_normal(shape) / kernel.bandwidth
    if isinstance(kernel, Laplacian):
        return rng.standard_cauchy(shape) / kernel.bandwidth
    if isinstance(kernel, Matern):
        freedom = 2.0 * kernel.smoothness
        widths = np.sqrt(freedom / rng.chisquare(freedom, size=(count, 1)))
        return np.asarray(rng.standard_normal(shape) * widths / kernel.bandwidth)
    raise ArenaError(
        "Fourier features know the spectra of gaussian, laplacian, matern, but the game's kernel is "
        f"{kernel.name or type(kernel).__name__}: use one of them, or a learner that needs no Fourier features"
    )

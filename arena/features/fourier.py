"""Random Fourier features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.features.embedding import Embedding
from arena.game import Game
from arena.kernels import Gaussian, Kernel, Laplacian, Matern
from arena.parameters import parameter


@dataclass(unsafe_hash=True)
class Fourier(Embedding):
    """Cosines and sines of random frequencies, drawn from the kernel's spectrum; their inner products are unbiased.

    With D frequencies there are 2 D features, cos(w'x) / sqrt(D) and sin(w'x) / sqrt(D). They are no functions of the
    kernel's own space: regret bounds against the RKHS do not apply, only those against linear functions of the
    features.

    >>> embedding = Fourier(frequencies=50).begun(Game(), np.random.default_rng(0))
    >>> float(np.sum(embedding.features(np.array([[0.5, -0.5]])) ** 2).round(12))
    1.0
    """

    name: ClassVar[str] = "fourier"
    paper: ClassVar[str] = "Rahimi and Recht 2007"
    cost: ClassVar[str] = "O(d D) a point"
    within: ClassVar[bool] = False

    frequencies: int = parameter(100, "D, the number of random frequencies", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Draw the frequencies."""
        super().begin(game, rng)
        draw = SPECTRA.get(type(game.kernel))
        if draw is None:
            known = ", ".join(kernel.name for kernel in SPECTRA)
            raise ArenaError(f"fourier knows the spectra of {known}, but the game's kernel is {game.kernel.name}")
        self.spectrum = draw(game.kernel, rng, (self.frequencies, game.dimension))

    @property
    def dimension(self) -> int:
        """Two features for each frequency."""
        return 2 * self.frequencies

    def features(self, X: Array) -> Array:
        """All cosines, then all sines."""
        phases = X @ self.spectrum.T
        features = np.empty((len(X), self.dimension))
        np.cos(phases, out=features[:, : self.frequencies])
        np.sin(phases, out=features[:, self.frequencies :])
        features *= self.frequencies**-0.5
        return features

    def evidence(self) -> Mapping[str, Any]:
        """The frequencies, one row each."""
        return {"frequencies": self.spectrum}


def _gaussian(kernel: Gaussian, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """A normal distribution of variance 1 / bandwidth^2."""
    return rng.standard_normal(shape) / kernel.bandwidth


def _laplacian(kernel: Laplacian, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """A Cauchy distribution in each coordinate."""
    return rng.standard_cauchy(shape) / kernel.bandwidth


def _matern(kernel: Matern, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """A multivariate t distribution with 2 smoothness degrees of freedom (Rasmussen and Williams 2006, eq. 4.15)."""
    freedom = 2.0 * kernel.smoothness
    widths = np.sqrt(freedom / rng.chisquare(freedom, size=(shape[0], 1)))
    return np.asarray(rng.standard_normal(shape) * widths / kernel.bandwidth)


SPECTRA: dict[type[Kernel], Callable[[Any, np.random.Generator, tuple[int, int]], Array]] = {
    Gaussian: _gaussian,
    Laplacian: _laplacian,
    Matern: _matern,
}

"""Random Fourier features have the spectrum of their kernel."""

import numpy as np
import pytest

from arena.components.features.fourier import Fourier
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian, Laplacian, Linear, Matern
from arena_tests.slow.descent import features as features_of


def fourier(frequencies, kernel, dimension):
    embedding = Fourier(frequencies)
    embedding.begin(Game(dimension=dimension, kernel=kernel), np.random.default_rng(0))
    return embedding


@pytest.mark.parametrize("kernel", [Gaussian(0.6), Laplacian(1.5), *(Matern(0.8, nu) for nu in (0.5, 1.5, 2.5))])
def test_fourier_features_have_the_kernels_spectrum(kernel):
    X = np.random.default_rng(1).uniform(-1, 1, (30, 2))
    features = fourier(40_000, kernel, 2).features(X)
    np.testing.assert_allclose(features @ features.T, kernel.gram(X, X), atol=0.025)
    np.testing.assert_allclose(np.square(features).sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [1e-3, 1.0, 1e3])
def test_the_tangent_gives_cosines_and_sines(bandwidth):
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.uniform(-1, 1, (200, 3)), np.zeros((1, 3)), np.ones((1, 3))])
    mapping = fourier(50, Gaussian(bandwidth), 3)
    np.testing.assert_allclose(mapping.features(X), features_of(X, mapping.spectrum), rtol=0, atol=1e-11)


def test_half_turns_are_exact():
    """At odd multiples of pi the cosine is -1, although the tangent of half the angle is huge there."""
    mapping = fourier(1, Gaussian(), 1)
    X = np.pi * np.arange(-9, 10)[:, np.newaxis] / mapping.spectrum[0, 0]
    np.testing.assert_allclose(mapping.features(X)[:, 0], np.where(np.arange(-9, 10) % 2, -1.0, 1.0), atol=1e-14)


def test_a_kernel_without_spectrum_is_refused():
    with pytest.raises(ArenaError, match=r"spectra of gaussian.*linear.*use one of them"):
        fourier(3, Linear(), 2)

"""Error bars narrowed by products contain the exact predictions, computed by Cholesky factors."""

import numpy as np
import pytest

from arena.game.kernels import Gaussian, Laplacian
from arena.hindsight import certificate, sharpening
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.exact import ridge_hindsight
from arena.hindsight.pivots import choose_features
from arena.hindsight.products import KernelProducts
from arena_tests.sequences import KINDS, points


@pytest.fixture(autouse=True)
def early(monkeypatch):
    monkeypatch.setattr(sharpening, "FIRST", 16)
    monkeypatch.setattr(certificate, "PRECISE", 0.0)


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Laplacian(0.7)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("regularisation", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("features", [1, 30])
def test_the_bars_contain_the_exact_predictions(kernel, kind, regularisation, features):
    rng = np.random.default_rng(0)
    X = points(kind, 300, rng, distinct=40)
    y = np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=300)
    truth = ridge_hindsight(kernel, regularisation, X, y)
    wide = interval_hindsight(kernel, regularisation, X, y, features=features)
    sharp = interval_hindsight(kernel, regularisation, X, y, features=features, sharp=True)
    np.testing.assert_allclose(sharp.mean, wide.mean, rtol=1e-7, atol=1e-9)  # in other blocks
    for awv, exact in ((False, truth.mean), (True, truth.mean / truth.stretch)):
        bars = sharp.error_bars(awv=awv)
        assert (np.abs(sharp.predictions(awv=awv) - exact) <= bars + 1e-13).all()
        assert (bars <= wide.error_bars(awv=awv) * (1 + 1e-9) + 1e-14).all()
    assert (sharp.lower <= truth.optimum * (1 + 1e-12)).all()
    assert (truth.optimum * (1 - 1e-12) <= sharp.upper).all()


def test_the_bars_are_much_smaller():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (800, 3))
    y = np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=800)
    wide, sharp = (interval_hindsight(Gaussian(), 1.0, X, y, features=60, sharp=each) for each in (False, True))
    assert sharp.error_bars()[100:].mean() < 0.1 * wide.error_bars()[100:].mean()


def test_norm_and_excess_against_dense_matrices():
    rng = np.random.default_rng(2)
    X, y, kernel, at = rng.uniform(-1, 1, (200, 2)), rng.normal(size=200), Gaussian(0.4), 0.5
    hindsight = interval_hindsight(kernel, at, X, y, features=12, sharp=True)
    F = choose_features(kernel, X, rank=12, tolerance=0.0)[0].coordinates(X)
    R = kernel.gram(X, X) - F @ F.T
    norm = np.linalg.eigvalsh(R)[-1]
    assert norm <= hindsight.norm <= 10 * norm
    for t in (16, 17, 40, 133, 200):
        b = np.linalg.solve(F[:t] @ F[:t].T + at * np.eye(t), y[:t])
        excess = at * b @ R[:t, :t] @ b
        least = at * y[:t] @ np.linalg.solve(F[:t] @ F[:t].T + at * np.eye(t), y[:t])
        exact = at * y[:t] @ np.linalg.solve(kernel.gram(X[:t], X[:t]) + at * np.eye(t), y[:t])
        assert least - exact <= excess * (1 + 1e-9)
        if t > 16:
            assert excess <= hindsight.excess[t - 1] * (1 + 1e-9) <= 30 * excess
        assert least - excess <= exact * (1 + 1e-9)
        assert hindsight.lower[t - 1] <= exact * (1 + 1e-9)
        assert t == 16 or hindsight.upper[t - 1] - hindsight.lower[t - 1] <= 1.01 * hindsight.excess[t - 1]
    assert np.isinf(hindsight.excess[:16]).all()


def test_features_of_all_rows_find_the_rare_points():
    """Ten points are far from all others, so that a sample would miss most of them."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (9000, 2))
    X[::900] += 50.0 + 10.0 * np.arange(10)[:, np.newaxis]
    hindsight = interval_hindsight(Gaussian(), 1.0, X, rng.normal(size=9000), features=120)
    assert hindsight.residual.max() < 1e-3


def test_bars_that_are_small_already_stay(monkeypatch):
    X = np.random.default_rng(5).uniform(-1, 1, (200, 1))
    monkeypatch.setattr(certificate, "PRECISE", 1e-4)
    assert interval_hindsight(Gaussian(), 1.0, X, np.sin(X[:, 0]), sharp=True).excess is None


def test_short_sequences_and_no_features():
    X = np.random.default_rng(4).uniform(-1, 1, (10, 2))
    assert interval_hindsight(Gaussian(), 1.0, X, np.ones(10), sharp=True).excess is None
    X = np.random.default_rng(4).uniform(-1, 1, (50, 2))
    assert interval_hindsight(Gaussian(), 1.0, X, np.ones(50), features=0, sharp=True).excess is None
    assert KernelProducts(Gaussian(), X).roundings() < 1e4

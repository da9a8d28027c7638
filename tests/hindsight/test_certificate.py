"""Intervals contain the exact hindsight, and error bars the exact predictions, computed in long double."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian, Linear, Matern, Polynomial
from arena.hindsight import certificate
from arena.hindsight.certificate import exact_replay, interval_hindsight
from arena.hindsight.exact import ridge_hindsight
from arena.linalg.feature_ridge import FeatureRidge
from arena_tests import FULL

KERNELS = [Gaussian(1.0), Gaussian(0.05), Laplacian(0.5), Matern(1.0, 2.5), Polynomial(2), Linear(0.0)]


def exact(kernel, regularisation, X, y):
    """Return the optimum of every prefix, and the mean and variance before every round, computed in long double."""
    n = len(X)
    K = kernel.gram(X, X).astype(np.longdouble)
    K[np.diag_indices(n)] = kernel.diagonal(X)
    A = K + np.longdouble(regularisation) * np.eye(n, dtype=np.longdouble)
    L, e = np.zeros_like(A), np.zeros(n, dtype=np.longdouble)
    mean, variance = np.zeros(n, dtype=np.longdouble), np.zeros(n, dtype=np.longdouble)
    for t in range(n):
        for s in range(t):
            L[t, s] = (A[t, s] - L[t, :s] @ L[s, :s]) / L[s, s]
        variance[t] = K[t, t] - L[t, :t] @ L[t, :t]
        L[t, t] = np.sqrt(A[t, t] - L[t, :t] @ L[t, :t])
        mean[t] = L[t, :t] @ e[:t]
        e[t] = (np.longdouble(y[t]) - mean[t]) / L[t, t]
    optimum = regularisation * np.cumsum(e**2)  # kernel values that were rounded may make it exceed that of f = 0
    return np.minimum(optimum, np.cumsum(y.astype(np.longdouble) ** 2)), mean, np.maximum(variance, 0)


def sequence(kind, n, rng):
    X = rng.uniform(-1, 1, (n, 2))
    if kind == "repeated":
        X = X[rng.integers(0, max(n // 5, 1), n)]
    elif kind == "near-duplicate":
        X = X[rng.integers(0, max(n // 4, 1), n)] + 10.0 ** rng.uniform(-12, -3) * rng.normal(size=(n, 2))
    elif kind == "one point":
        X = np.repeat(X[:1], n, axis=0)
    elif kind == "grid":
        X = np.linspace(-1, 1, n)[:, np.newaxis] * np.ones(2)
    return X


def check(kernel, regularisation, X, y, features):
    hindsight = interval_hindsight(kernel, regularisation, X, y, features=features)
    optimum, mean, variance = exact(kernel, regularisation, X, y)
    assert (hindsight.lower <= optimum).all()
    assert (optimum <= hindsight.upper).all()
    assert hindsight.final[0] <= optimum[-1] <= hindsight.final[1]
    assert (hindsight.at_end("unfavourable").leverage <= variance / (variance + regularisation)).all()
    assert (variance / (variance + regularisation) <= hindsight.at_end("favourable").leverage).all()
    assert (np.abs(hindsight.predictions() - mean) <= hindsight.error_bars()).all()
    awv = mean * regularisation / (regularisation + variance)
    assert (np.abs(hindsight.predictions(awv=True) - awv) <= hindsight.error_bars(awv=True)).all()
    return hindsight


@settings(max_examples=600 if FULL else 200)
@given(
    kernel=st.sampled_from(KERNELS),
    kind=st.sampled_from(["random", "repeated", "near-duplicate", "one point", "grid"]),
    labels=st.sampled_from(["random", "alternating", "smooth", "one", "large"]),
    exponent=st.floats(-6, 6),
    size=st.sampled_from([1.0, 1.0, 1e-3, 10.0, 100.0]),
    rounds=st.integers(1, 45),
    features=st.sampled_from([None, None, 0, 1, 3, 10]),
    seed=st.integers(0, 2**31),
)
def test_every_prefix_lies_in_the_interval(kernel, kind, labels, exponent, size, rounds, features, seed):
    rng = np.random.default_rng(seed)
    X = size * sequence(kind, rounds, rng)
    y = {
        "random": rng.uniform(-1, 1, rounds),
        "alternating": (-1.0) ** np.arange(rounds),
        "smooth": np.sin(3 * X[:, 0]),
        "one": np.eye(1, rounds)[0],
        "large": 1e4 * rng.normal(size=rounds),
    }[labels]
    check(kernel, 10.0**exponent, X, y, features)


@pytest.mark.parametrize("features", [0, 5, 20])
def test_the_worst_labels_for_the_interval(features):
    """Labels along the largest eigenvector of the kernel matrix without the features make the interval widest."""
    rng = np.random.default_rng(0)
    kernel, X = Gaussian(0.3), rng.uniform(-1, 1, (60, 2))
    from arena.hindsight.pivots import choose_features

    F = choose_features(kernel, X, rank=features)[0].coordinates(X)
    _, vectors = np.linalg.eigh(kernel.gram(X, X) - F @ F.T)
    for regularisation in (1e-3, 1.0):
        hindsight = check(kernel, regularisation, X, vectors[:, -1], features)
        assert hindsight.relative_width > 0.1 * (features == 0)


@pytest.mark.parametrize("regularisation", [1e3, 1e6])
def test_error_bars_cover_the_rounding_of_all_earlier_rounds(regularisation):
    """At a single point the features of a prefix are those of the whole sequence."""
    X, y = np.full((40, 1), 0.5), (-1.0) ** np.arange(40)
    certified = lambda t: interval_hindsight(Gaussian(1.0), regularisation, X[:t], y[:t], features=1, width=1e-12)
    bars = certified(40).error_bars()
    for t in range(1, 40):
        past = certified(t)
        of_one_row = np.sqrt(past.rounding_of_one * past.rounding)
        assert bars[t] >= of_one_row * np.sqrt(past.final[0]) / regularisation


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Matern(2.0, 2.5)], ids=str)
def test_the_interval_is_as_narrow_as_asked(kernel):
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-1, 1, (3000, 2)), rng.uniform(-1, 1, 3000)
    truth = ridge_hindsight(kernel, 1.0, X, y)
    hindsight = interval_hindsight(kernel, 1.0, X, y)
    assert hindsight.features < 900
    assert hindsight.relative_width <= 2e-4
    assert ((hindsight.upper - hindsight.lower) / hindsight.upper).max() <= 1e-3
    assert (hindsight.lower <= truth.optimum).all()
    assert (truth.optimum <= hindsight.upper).all()
    assert (np.abs(hindsight.mean - truth.mean) <= hindsight.error_bars()).all()
    assert hindsight.error_bars().max() < 2e-3


@pytest.mark.parametrize("features", [60, 150])
def test_the_lower_end_from_the_upper_one_and_from_more_noise(features, monkeypatch):
    rng = np.random.default_rng(8)
    X, y = rng.uniform(-1, 1, (900, 2)), rng.uniform(-1, 1, 900)
    truth = ridge_hindsight(Gaussian(0.5), 1.0, X, y)
    for even in (0.0, np.inf):
        monkeypatch.setattr(certificate, "EVEN", even)
        hindsight = interval_hindsight(Gaussian(0.5), 1.0, X, y, features=features)
        assert (hindsight.lower <= truth.optimum).all()
        assert ((truth.optimum - hindsight.lower) <= 2.0 * hindsight.residual.sum() * truth.optimum + 1e-9).all()


@pytest.mark.parametrize("features", [0, 3, 20])
def test_the_first_rounds_are_sharp_whatever_the_features(features):
    """In the first rounds, a certificate for each single round is better than the one for the whole sequence."""
    rng = np.random.default_rng(7)
    X, y = rng.uniform(-1, 1, (400, 6)), rng.uniform(-1, 1, 400)
    hindsight = interval_hindsight(Laplacian(0.5), 0.5, X, y, features=features)
    truth = ridge_hindsight(Laplacian(0.5), 0.5, X, y)
    assert hindsight.lower[0] == pytest.approx(truth.optimum[0], rel=1e-9)
    assert hindsight.upper[0] == pytest.approx(truth.optimum[0], rel=1e-9)
    assert hindsight.at_end("unfavourable").leverage[0] == pytest.approx(truth.leverage[0], rel=1e-9)
    assert (hindsight.lower <= truth.optimum).all()
    assert (truth.optimum <= hindsight.upper).all()


def test_subsets_of_a_long_sequence():
    """Up to 2,500 rows are drawn from a sequence that resembles a data set."""
    rng = np.random.default_rng(2)
    latent = rng.normal(size=(40_000, 3))
    X = 1 / (1 + np.exp(-latent @ rng.normal(size=(3, 9)) - 0.1 * rng.normal(size=(40_000, 9))))
    y = np.tanh(latent[:, 0]) + 0.3 * rng.normal(size=len(X))
    for size, regularisation in ((50, 1.0), (700, 1e-3), (2500, 1.0)):
        rows = np.sort(rng.choice(len(X), size, replace=False))
        truth = ridge_hindsight(Gaussian(1.0), regularisation, X[rows], y[rows])
        hindsight = interval_hindsight(Gaussian(1.0), regularisation, X[rows], y[rows])
        assert (hindsight.lower <= truth.optimum * (1 + 1e-9)).all()
        assert (truth.optimum <= hindsight.upper * (1 + 1e-9)).all()


def test_exact_replay_and_its_bars():
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-1, 1, (1500, 2)), rng.uniform(-1, 1, 1500)
    truth = ridge_hindsight(Gaussian(0.5), 0.1, X, y)
    for features in (5, 40, None):
        for awv, expected in ((False, truth.mean), (True, truth.mean / truth.stretch)):
            predictions, bars = exact_replay(Gaussian(0.5), 0.1, X, y, awv=awv, features=features)
            assert (np.abs(predictions - expected) <= bars).all()
    predictions, bars = exact_replay(Gaussian(0.5), 0.1, X, y, width=1e-9)
    assert bars.max() < 1e-5
    assert np.abs(predictions - truth.mean).max() < 1e-7


def test_repeated_points_are_exact_whatever_their_number():
    rng = np.random.default_rng(4)
    points = rng.uniform(-1, 1, (30, 2))
    which = rng.integers(0, 30, 12_000)
    y = rng.choice([-1.0, 1.0], 12_000)
    hindsight = interval_hindsight(Laplacian(0.5), 1.0, points[which], y)
    assert hindsight.features == 30
    assert hindsight.relative_width < 1e-8
    truth = ridge_hindsight(Laplacian(0.5), 1.0, points[which][:2000], y[:2000])
    np.testing.assert_allclose(hindsight.upper[:2000], truth.optimum, rtol=1e-8)


def test_features_that_are_not_kept_give_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    X, y = rng.uniform(-1, 1, (9000, 2)), rng.uniform(-1, 1, 9000)
    kept = interval_hindsight(Gaussian(), 1.0, X, y)
    monkeypatch.setattr(certificate, "KEPT", 0)
    again = interval_hindsight(Gaussian(), 1.0, X, y)
    np.testing.assert_array_equal(kept.mean, again.mean)
    assert kept.final == again.final


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("noise", [1e-3, 1.0, 100.0])
def test_feature_ridge_against_one_round_at_a_time(noise, threads):
    rng = np.random.default_rng(6)
    F, y = rng.normal(size=(1300, 7)), rng.normal(size=1300)
    F[600:700] = F[:100]
    ridge = FeatureRidge(7, noise)
    three = (slice(0, 3), slice(3, 900), slice(900, 1300))
    parts = [ridge.play(F[rows], y[rows], threads=threads) for rows in three]
    mean, gain = (np.concatenate(each) for each in zip(*parts, strict=True))
    inverse, vector = np.eye(7) / noise, np.zeros(7)
    for t in range(1300):
        direction = inverse @ F[t]
        assert mean[t] == pytest.approx(direction @ vector, abs=1e-8)
        assert gain[t] == pytest.approx(F[t] @ direction, rel=1e-8)
        inverse -= np.outer(direction, direction) / (1 + F[t] @ direction)
        vector += y[t] * F[t]
    weights = np.linalg.solve(F.T @ F + noise * np.eye(7), F.T @ y)
    np.testing.assert_allclose(ridge.weights(), weights, atol=1e-10)
    value = np.square(y - F @ weights).sum() + noise * weights @ weights
    assert ridge.optimum(float(y @ y)) == pytest.approx(value)


def test_mistakes_are_reported():
    X, y = np.zeros((2, 1)), np.zeros(2)
    with pytest.raises(ArenaError, match="regularisation must be"):
        interval_hindsight(Gaussian(), 0.0, X, y)
    with pytest.raises(ArenaError, match="features must be"):
        interval_hindsight(Gaussian(), 1.0, X, y, features=-1)


def test_no_rounds():
    hindsight = interval_hindsight(Gaussian(), 1.0, np.empty((0, 2)), np.empty(0))
    assert hindsight.final == (0.0, 0.0)
    assert hindsight.relative_width == 0.0
    assert len(hindsight.upper) == len(hindsight.error_bars()) == 0

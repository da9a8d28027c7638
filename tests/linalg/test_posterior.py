"""Ridge regression on a growing past equals the textbook's formulas."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.kernels import Gaussian, Kernel, Linear
from arena.hindsight.exact import ridge_hindsight
from arena.linalg import cholesky
from arena.linalg.gram_factor import shared_factors
from arena.linalg.posterior import RidgePosterior
from arena_tests.slow.ridge import posterior

quick = settings(max_examples=60)
KINDS = ("random", "repeated", "rank one", "near duplicates", "one point")
LABELS = ("random", "alternating", "constant")


def sequence(kind, labels, size, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(size, 2))
    if kind == "repeated":
        X = X[rng.integers(min(size, 4), size=size)]
    elif kind == "rank one":
        X = X[:1] * rng.uniform(0.5, 1.0, size=(size, 1))
    elif kind == "near duplicates":
        X = X[rng.integers(min(size, 3), size=size)]
        X = np.where(rng.random(X.shape) < 0.5, np.nextafter(X, 2.0), X)
    elif kind == "one point":
        X = np.tile(X[0], (size, 1))
    y = {"random": rng.uniform(-1, 1, size), "alternating": (-1.0) ** np.arange(size), "constant": np.ones(size)}
    return X, y[labels]


def kernel_of(kind):
    return Linear() if kind == "rank one" else Gaussian(bandwidth=0.7)


def tolerance(regularisation):
    """Return the allowed difference between blocks and plain formulas, which grows with 1 / lambda."""
    return 1e-12 * max(1.0, 1.0 / regularisation)


def grow(past, X, y, cuts=()):
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(X)}), len(X)]
    for start, stop in itertools.pairwise(edges):
        if stop - start == 1:
            past.append(X[start], y[start])
        else:
            past.extend(X[start:stop], y[start:stop])
    return past


@quick
@given(
    kind=st.sampled_from(KINDS),
    labels=st.sampled_from(LABELS),
    size=st.sampled_from((1, 2, 50, 127, 128, 129, 300)),
    exponent=st.integers(-6, 6),
    cuts=st.lists(st.integers(1, 299), max_size=6),
)
def test_mean_and_variance_are_those_of_a_dense_solve(kind, labels, size, exponent, cuts):
    kernel, regularisation = kernel_of(kind), 10.0**exponent
    X, y = sequence(kind, labels, size)
    Z = np.concatenate([X[:5], np.random.default_rng(9).uniform(-1, 1, size=(5, 2))])
    mean, variance = grow(RidgePosterior(kernel, regularisation), X, y, cuts).at(Z)
    expected_mean, expected_variance = posterior(kernel, regularisation, X, y, Z)
    np.testing.assert_allclose(mean, expected_mean, rtol=0, atol=100 * tolerance(regularisation))
    np.testing.assert_allclose(variance, expected_variance, rtol=0, atol=tolerance(regularisation))
    assert (variance >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("regularisation", [1e-6, 1e-3, 1.0, 1e6])
def test_extend_gives_each_rounds_own_mean_and_variance(kind, regularisation):
    """The mean and variance of a round must not depend on its label, nor on later rounds of the block."""
    kernel = kernel_of(kind)
    X, y = sequence(kind, "random", 150)
    means, variances = RidgePosterior(kernel, regularisation).extend(X, y)
    one_by_one = RidgePosterior(kernel, regularisation)
    for t in range(150):
        mean, variance = one_by_one.at(X[t : t + 1])
        assert means[t] == pytest.approx(mean[0], abs=tolerance(regularisation))
        assert variances[t] == pytest.approx(variance[0], abs=max(tolerance(regularisation), 1e-15 * regularisation))
        one_by_one.append(X[t], y[t])
    expected = posterior(kernel, regularisation, X[:149], y[:149], X[149:])
    assert means[149] == pytest.approx(expected[0][0], abs=100 * tolerance(regularisation))


def test_the_mean_of_a_round_does_not_change_with_its_label_or_later_ones():
    X, y = sequence("repeated", "random", 200)
    other = np.concatenate([y[:77], -y[77:]])
    means = RidgePosterior(Gaussian(), 1e-3).extend(X, y)[0]
    others = RidgePosterior(Gaussian(), 1e-3).extend(X, other)[0]
    np.testing.assert_allclose(means[:78], others[:78], rtol=0, atol=1e-15)
    assert abs(means[78:] - others[78:]).max() > 0.1


@quick
@given(
    kind=st.sampled_from(KINDS),
    labels=st.sampled_from(LABELS),
    size=st.sampled_from((1, 2, 64, 129)),
    exponent=st.integers(-6, 6),
)
def test_optimum_and_dimensions_by_eigenvalues(kind, labels, size, exponent):
    kernel, regularisation = kernel_of(kind), 10.0**exponent
    X, y = sequence(kind, labels, size)
    posterior = grow(RidgePosterior(kernel, regularisation), X, y)
    values, vectors = np.linalg.eigh(kernel.gram(X, X))
    values = np.maximum(values, 0.0)
    coordinates = np.square(vectors.T @ y)
    assert posterior.optimum == pytest.approx(
        (coordinates * regularisation / (values + regularisation)).sum(), rel=1e-6
    )
    dimensions = posterior.effective_dimensions()
    assert dimensions.shape == (size,)
    expected = (values / (values + regularisation)).sum()
    assert dimensions[-1] == pytest.approx(expected, rel=1e-6, abs=1e-12 * size)
    weights = posterior.dual_weights()
    slow = vectors @ ((vectors.T @ y) / (values + regularisation))
    np.testing.assert_allclose(weights, slow, rtol=0, atol=1e-9 * np.abs(slow).max() / min(1.0, regularisation))


@pytest.mark.parametrize("kind", KINDS)
def test_effective_dimension_of_every_prefix(kind):
    X, y = sequence(kind, "random", 140)
    kernel = kernel_of(kind)
    dimensions = grow(RidgePosterior(kernel, 0.1), X, y).effective_dimensions()
    for t in (1, 2, 63, 127, 128, 129, 140):
        K = kernel.gram(X[:t], X[:t])
        assert dimensions[t - 1] == pytest.approx(np.trace(np.linalg.solve(K + 0.1 * np.eye(t), K)), abs=1e-9)


@quick
@given(
    kind=st.sampled_from(KINDS),
    labels=st.sampled_from(LABELS),
    size=st.sampled_from((1, 2, 30, 130)),
    exponent=st.integers(-4, 4),
)
def test_hindsight_of_every_prefix(kind, labels, size, exponent):
    kernel, regularisation = kernel_of(kind), 10.0**exponent
    X, y = sequence(kind, labels, size)
    hindsight = ridge_hindsight(kernel, regularisation, X, y)
    scale = tolerance(regularisation) * size * 10
    for t in sorted({1, size // 2, size} - {0}):
        K = kernel.gram(X[:t], X[:t])
        A = K + regularisation * np.eye(t)
        assert hindsight.optimum[t - 1] == pytest.approx(regularisation * y[:t] @ np.linalg.solve(A, y[:t]), abs=scale)
        determinant = np.linalg.slogdet(np.eye(t) + K / regularisation)[1]
        assert hindsight.log_determinant[t - 1] == pytest.approx(determinant, rel=1e-7, abs=scale)
    weights = np.linalg.solve(A, y)
    f = K @ weights
    np.testing.assert_allclose(hindsight.residuals, y - f, rtol=0, atol=100 * tolerance(regularisation))
    np.testing.assert_allclose(hindsight.plain_losses.sum(), np.square(y - f).sum(), rtol=1e-6, atol=scale)
    loss, norm = np.square(y - f).sum(), weights @ K @ weights
    assert hindsight.optimum[-1] == pytest.approx(loss + regularisation * norm, rel=1e-6, abs=scale)
    assert hindsight.squared_norm == pytest.approx(norm, rel=1e-5, abs=scale / regularisation)


def test_no_function_beats_the_optimum():
    X, y = sequence("random", "random", 40)
    kernel, rng = Gaussian(bandwidth=0.7), np.random.default_rng(4)
    hindsight = ridge_hindsight(kernel, 0.3, X, y)
    K = kernel.gram(X, X)
    best = np.linalg.solve(K + 0.3 * np.eye(40), y)

    def objective(a):
        return np.square(K @ a - y).sum() + 0.3 * a @ K @ a

    assert objective(best) == pytest.approx(hindsight.optimum[-1], abs=1e-10)
    for _ in range(50):
        assert objective(best + rng.normal(scale=0.1, size=40)) > hindsight.optimum[-1]


def test_an_empty_past_knows_nothing():
    past = RidgePosterior(Linear(), 1.0)
    mean, variance = past.at(np.array([[2.0], [3.0]]))
    assert mean.tolist() == [0, 0]
    assert variance.tolist() == [4, 9]
    means, variances = past.extend(np.empty((0, 1)), np.empty(0))
    assert len(means) == len(variances) == past.rounds == 0
    assert past.optimum == 0
    assert past.dual_weights().size == past.effective_dimensions().size == 0


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda past: pickle.loads(pickle.dumps(past))])
def test_copies_go_their_own_way(copier):
    X, y = sequence("random", "random", 140)
    Z = X[130:]
    with shared_factors():
        past, longer = RidgePosterior(Gaussian(), 0.1), RidgePosterior(Gaussian(), 0.1)
        past.extend(X[:130], y[:130])
        longer.extend(X, y)  # the shared factor now holds more rows than `past` does
        before = past.at(Z)
        twin = copier(past)
        twin.extend(X[130:], -y[130:])
        np.testing.assert_array_equal(past.at(Z), before)
        np.testing.assert_allclose(twin.at(Z), posterior(Gaussian(), 0.1, X, np.r_[y[:130], -y[130:]], Z), atol=1e-11)
        past.append(X[3], 1.0)
        assert twin.rounds == 140
        assert past.rounds == 131


def test_a_question_and_the_update_that_follows_cost_one_solve(monkeypatch):
    solves = []
    genuine = cholesky.GrowingCholesky.solve

    def counted(self, B, *, size=None):
        solves.append(np.shape(B))
        return genuine(self, B, size=size)

    monkeypatch.setattr(cholesky.GrowingCholesky, "solve", counted)
    X, y = sequence("random", "random", 30)
    with shared_factors():
        past, comparator = RidgePosterior(Gaussian(), 1.0), RidgePosterior(Gaussian(), 1.0)
        for x, label in zip(X, y, strict=True):
            past.at(x[np.newaxis])
            comparator.at(x[np.newaxis])
            past.append(x, label)
            comparator.append(x, label)
    assert len(solves) == 30
    assert solves == [(t, 1) for t in range(30)] or solves[1:] == [(t, 1) for t in range(1, 30)]


def test_the_last_answer_is_not_given_to_another_question():
    X, y = sequence("random", "random", 10)
    past = RidgePosterior(Gaussian(), 1.0)
    past.extend(X, y)
    asked = X[:2].copy()
    first = past.at(asked)[0].copy()
    asked += 0.25  # the caller reuses the array
    np.testing.assert_allclose(past.at(asked)[0], posterior(Gaussian(), 1.0, X, y, asked)[0], atol=1e-12)
    past.append(X[0], 5.0)  # same rows, longer past
    assert past.at(X[:2])[0] != pytest.approx(first)
    mean, _ = past.at(X[:2])
    mean[:] = 99.0
    np.testing.assert_allclose(past.at(X[:2])[0], posterior(Gaussian(), 1.0, np.r_[X, X[:1]], np.r_[y, 5.0], X[:2])[0])


class Broken(Kernel):
    """A kernel that raises an error in large blocks when `armed` is true."""

    armed = False

    def gram(self, X, Z):
        if self.armed and len(X) > 128:
            raise RuntimeError("no more")
        return X @ Z.T

    def diagonal(self, X):
        return np.einsum("ij,ij->i", X, X)


def test_a_hindsight_goes_on_where_its_posterior_was_stopped():
    X, y = sequence("random", "random", 300)
    kernel = Broken()
    past = RidgePosterior(kernel, 1.0)
    kernel.armed = True
    with pytest.raises(RuntimeError):
        past.extend(X, y)
    kernel.armed = False
    hindsight = ridge_hindsight(kernel, 1.0, X, y, past=past)
    expected = ridge_hindsight(Linear(), 1.0, X, y)
    assert hindsight.mean.shape == (300,)
    np.testing.assert_allclose(hindsight.optimum, expected.optimum, atol=1e-10)

"""Pivoted Cholesky features equal their definition, need few pivots for repeated points, and bound the residuals."""

import numpy as np
import pytest

from arena.game.kernels import Gaussian, Laplacian, Linear, Polynomial
from arena.hindsight.coefficients import Coefficients
from arena.hindsight.pivots import STRIP, UNIT, Pivots, choose_features, pivots_of_stream

KERNELS = [Gaussian(0.7), Laplacian(1.0), Polynomial(3), Linear(0.5)]


def plain_pivoted_cholesky(K, rank):
    """Return the sum of the residual diagonal after each pivot of the textbook's pivoted Cholesky factorisation."""
    rest, sums = K.copy(), []
    for _ in range(rank):
        at = int(rest.diagonal().argmax())
        rest = rest - np.outer(rest[:, at], rest[at]) / rest[at, at]
        rest[at] = rest[:, at] = 0.0
        sums.append(rest.diagonal().sum())
    return sums


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_features_are_those_of_the_projection(kernel):
    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    pivots, _ = choose_features(kernel, X, rank=10)
    F = pivots.coordinates(X)
    K, cross, own = kernel.gram(X, X), kernel.gram(X, pivots.points), kernel.gram(pivots.points, pivots.points)
    assert F.shape[1] == len(pivots) <= 10
    np.testing.assert_allclose(F @ F.T, cross @ np.linalg.pinv(own) @ cross.T, atol=1e-9)
    np.testing.assert_allclose(pivots.residual(X, F), K.diagonal() - np.square(F).sum(axis=1), atol=1e-12)
    combination = np.linalg.lstsq(own, cross.T, rcond=1e-13)[0]
    np.testing.assert_allclose(
        pivots.amplification(F), np.sqrt(own.diagonal()) @ np.abs(combination), rtol=1e-5, atol=1e-8
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_rest_of_the_kernel_matrix_is_positive_and_its_diagonal_is_covered(kernel):
    X = np.random.default_rng(1).uniform(-1, 1, (80, 2))
    X[40:] = X[:40] + 1e-6
    for rank in (0, 3, 12, 80):
        pivots, _ = choose_features(kernel, X, rank=rank)
        F = pivots.coordinates(X)
        rest = kernel.gram(X, X) - F @ F.T
        assert np.linalg.eigvalsh(rest).min() > -1e-10
        residual, reach = pivots.certified_residual(X, F)
        assert (residual >= rest.diagonal() - 1e-13).all()
        assert (reach >= kernel.diagonal(X) - 1e-13).all()


def test_blocks_lose_little_against_the_plain_greedy_rule():
    X = np.random.default_rng(2).uniform(-1, 1, (700, 2))
    kernel = Gaussian(0.5)
    plain = plain_pivoted_cholesky(kernel.gram(X, X), 60)
    for rank in (10, 30, 60):
        pivots, _ = choose_features(kernel, X, rank=rank)
        left = pivots.residual(X, pivots.coordinates(X)).sum()
        assert len(pivots) == rank
        assert left <= 3.0 * plain[rank - 1] + 1e-9


def test_the_first_pivot_is_the_point_with_the_largest_diagonal():
    X = np.array([[1.0, 0.0], [5.0, 0.0], [0.0, 2.0]])
    pivots, _ = choose_features(Linear(), X, rank=1)
    np.testing.assert_array_equal(pivots.points, [[5.0, 0.0]])


@pytest.mark.parametrize("distinct", [1, 7, 150])
def test_repeated_points_give_as_many_features_as_there_are_distinct_ones(distinct):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (distinct, 2))[rng.integers(0, distinct, 20_000)]
    kernel = Laplacian(0.3)
    chunks = lambda: (X[at : at + 3000] for at in range(0, len(X), 3000))
    pivots = pivots_of_stream(kernel, chunks, tolerance=0.0, rank=1000)
    assert len(pivots) == len(np.unique(X, axis=0))
    assert pivots.certified_residual(X, pivots.coordinates(X))[0].max() < 1e-10


def test_more_pivots_leave_the_features_before_them_alone():
    X = np.random.default_rng(4).uniform(-1, 1, (300, 3))
    kernel = Gaussian(1.0)
    few, _ = choose_features(kernel, X[:100], rank=20)
    more, _ = choose_features(kernel, X[100:], rank=50, start=few)
    assert len(more) == 50
    np.testing.assert_array_equal(more.points[:20], few.points)
    np.testing.assert_allclose(more.coordinates(X)[:, :20], few.coordinates(X), atol=1e-12)
    np.testing.assert_allclose(more.factor @ more.factor.T, kernel.gram(more.points, more.points), atol=1e-10)


def test_tolerance_is_met_on_rows_that_no_sample_shows():
    """A few of the points are far away, so that a sample would miss them."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (30_000, 2))
    far = rng.choice(len(X), 5, replace=False)
    X[far] = rng.uniform(50, 100, (5, 2))
    kernel = Gaussian(1.0)
    chunks = lambda: (X[at : at + 4096] for at in range(0, len(X), 4096))
    pivots = pivots_of_stream(kernel, chunks, tolerance=1e-3, rank=500)
    assert pivots.residual(X, pivots.coordinates(X)).sum() <= 1e-3
    assert len(pivots) < 120
    again = pivots_of_stream(kernel, chunks, tolerance=1e-3, rank=500)
    np.testing.assert_array_equal(pivots.points, again.points)


def test_the_rank_is_a_limit():
    X = np.random.default_rng(6).uniform(-1, 1, (10_000, 5))
    chunks = lambda: [X]
    assert len(pivots_of_stream(Laplacian(0.1), chunks, tolerance=0.0, rank=37)) == 37


def test_no_pivots_leave_everything():
    X = np.ones((3, 2))
    nothing, _ = choose_features(Gaussian(), X, rank=0)
    F = nothing.coordinates(X)
    assert isinstance(nothing, Pivots)
    assert F.shape == (3, 0)
    np.testing.assert_allclose(nothing.certified_residual(X, F)[0], 1.0, atol=1e-13)
    assert len(choose_features(Linear(), np.zeros((4, 2)))[0]) == 0


def test_rounding_is_covered_where_it_matters():
    """Computed residuals may be too small; certified residuals are never smaller than the exact ones."""
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, (200, 1))
    kernel = Gaussian(0.8)
    pivots, _ = choose_features(kernel, X)
    F = pivots.coordinates(X)
    A = kernel.gram(pivots.points, pivots.points).astype(np.longdouble)
    L = np.zeros_like(A)
    for t in range(len(A)):
        for s in range(t + 1):
            rest = A[t, s] - L[t, :s] @ L[s, :s]
            L[t, s] = np.sqrt(rest) if s == t else rest / L[s, s]
    cross = kernel.gram(X, pivots.points).astype(np.longdouble)
    exact = np.zeros_like(cross)
    for s in range(len(A)):
        exact[:, s] = (cross[:, s] - exact[:, :s] @ L[s, :s]) / L[s, s]
    left = 1.0 - np.square(exact).sum(axis=1)
    assert (pivots.residual(X, F) < left).any()
    assert (pivots.certified_residual(X, F)[0] >= left).all()


def test_rounding_of_features_stays_within_its_bound():
    X = np.random.default_rng(5).uniform(0, 1, (600, 4))
    pivots, _ = choose_features(Gaussian(), X, rank=300)
    F, L = pivots.coordinates(X).astype(np.longdouble), pivots.factor.astype(np.longdouble)
    cross, own = Gaussian().gram(X, pivots.points), Gaussian().gram(pivots.points, pivots.points)
    assert len(pivots) > 4 * STRIP
    assert pivots.unit < 0.5 * len(pivots) * UNIT
    assert np.abs(F @ L.T - cross).max() <= pivots.unit
    assert np.abs(L @ L.T - own).max() <= pivots.unit
    residual = pivots.residual(X, pivots.coordinates(X))
    assert np.abs(1.0 - np.square(F).sum(axis=1) - residual).max() <= pivots.unit


def test_features_of_nearly_dependent_points_are_certified():
    X = np.linspace(0.0, 1.0, 40)[:, np.newaxis]
    pivots, _ = choose_features(Gaussian(), X, spanned=0.0)
    assert np.isfinite(pivots.factor).all()
    residual, _ = pivots.certified_residual(X, pivots.coordinates(X))
    assert np.isfinite(residual).all()
    assert (residual >= 0.0).all()


def test_features_made_while_pivots_are_chosen_are_those_of_each_row_alone():
    X = np.random.default_rng(8).uniform(0, 1, (1500, 4))
    pivots, F = choose_features(Gaussian(), X, rank=200)
    assert F.shape == (1500, 200)
    np.testing.assert_allclose(F, pivots.coordinates(X), atol=1e-11)
    cross, own = Gaussian().gram(X, pivots.points), Gaussian().gram(pivots.points, pivots.points)
    L = pivots.factor.astype(np.longdouble)
    assert np.abs(F.astype(np.longdouble) @ L.T - cross).max() <= pivots.unit
    assert np.abs(L @ L.T - own).max() <= pivots.unit


@pytest.mark.parametrize("kernel", [Gaussian(0.7), Laplacian(1.0), Polynomial(3)], ids=str)
@pytest.mark.parametrize("size", [1e-12, 1.0, 1e6])
def test_coefficients_in_single_precision_bound_those_in_long_double(kernel, size):
    X = size * np.random.default_rng(9).uniform(-1, 1, (400, 3))
    pivots, _ = choose_features(kernel, X, rank=80)
    F, scales = pivots.coordinates(X), np.sqrt(kernel.diagonal(pivots.points))
    a = np.zeros(F.shape, dtype=np.longdouble)
    L = pivots.factor.astype(np.longdouble)
    for j in reversed(range(len(L))):
        a[:, j] = (F[:, j] - a[:, j + 1 :] @ L[j + 1 :, j]) / L[j, j]
    exact = np.abs(a) @ scales
    found = pivots.amplification(F)
    assert (found >= exact * (1 - 1e-9)).all()
    assert (found <= exact * 1.5 + 0.1 * scales.max(initial=0.0)).all()
    np.testing.assert_allclose(pivots.amplification(F[:5]), exact[:5].astype(float), rtol=1e-6, atol=1e-9)


def test_the_bound_on_coefficients_is_finite_where_the_largest_feature_has_no_reciprocal():
    sizes = Coefficients(np.array([[1.0]], order="F"), np.array([1.0])).sizes(np.full((100, 1), 2e-314))
    assert np.isfinite(sizes).all()
    assert (sizes >= 2e-314).all()

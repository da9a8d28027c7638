"""Inner products of features equal or approximate the kernel, and features equal plain computations."""

import itertools
import math

import numpy as np
import pytest

from arena import ArenaError, Game
from arena.components.features.fourier import Fourier
from arena.components.features.nystrom import Nystrom, PivotedCholesky, spread_evenly
from arena.components.features.taylor import Taylor
from arena.game.kernels import Gaussian, Laplacian, Linear, Matern
from arena.learners.pkawv import PKAWV
from arena.specs.building import build
from arena.specs.registry import entries
from arena.specs.spelling import spec_of


def points(count, dimension, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (count, dimension))


def begun(embedding, game, seed=0):
    return embedding.begun(game, np.random.default_rng(seed))


def every_product(X, degree, bandwidth):
    """Return the Taylor features of the paper: for each degree k all d^k products of k coordinates, over sqrt(k!)."""
    columns = []
    for k in range(degree + 1):
        for factors in itertools.product(range(X.shape[1]), repeat=k):
            columns.append(np.prod(X[:, list(factors)] / bandwidth, axis=1) / math.sqrt(math.factorial(k)))
    return np.exp(-np.square(X).sum(axis=1) / (2 * bandwidth**2))[:, None] * np.array(columns).T


def every_monomial(X, degree, bandwidth):
    """Return the Taylor features with one column for each vector of exponents, computed by the formula."""
    columns = []
    for p in itertools.product(range(degree + 1), repeat=X.shape[1]):
        if sum(p) <= degree:
            scale = bandwidth ** sum(p) * math.sqrt(math.prod(math.factorial(each) for each in p))
            columns.append(np.prod(X ** np.array(p), axis=1) / scale)
    return np.exp(-np.square(X).sum(axis=1) / (2 * bandwidth**2))[:, None] * np.array(columns).T


@pytest.mark.parametrize(
    ("dimension", "degree", "bandwidth"), [(1, 5, 0.7), (2, 4, 1.0), (3, 3, 0.5), (5, 2, 4.0), (4, 0, 1)]
)
def test_taylor_has_the_inner_products_of_the_paper_and_each_monomial_once(dimension, degree, bandwidth):
    game = Game(dimension=dimension, kernel=Gaussian(bandwidth))
    X = points(30, dimension)
    F = begun(Taylor(degree), game).features(X)
    long = every_product(X, degree, bandwidth)
    assert F.shape == (30, math.comb(degree + dimension, dimension))
    np.testing.assert_allclose(F @ F.T, long @ long.T, rtol=1e-12, atol=1e-14)
    for column in every_monomial(X, degree, bandwidth).T:
        assert np.isclose(F.T, column, rtol=1e-10, atol=1e-14).all(axis=1).any()


def test_taylor_converges_to_the_kernel():
    game = Game(dimension=2, kernel=Gaussian(0.8))
    X = points(20, 2)
    K = game.kernel.gram(X, X)
    radius = np.square(X).sum(axis=1).max() / 0.8**2
    for degree in (0, 2, 8, 25):
        F = begun(Taylor(degree), game).features(X)
        assert np.abs(K - F @ F.T).max() <= radius ** (degree + 1) / math.factorial(degree + 1) + 1e-14


def test_taylor_features_far_away_underflow_to_zero_rather_than_overflow():
    embedding = begun(Taylor(20), Game(dimension=2, kernel=Gaussian(1e-3)))
    F = embedding.features(np.array([[1.0, -1.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(F[0], 0.0)
    assert F[1, 0] == 1.0


def test_taylor_refuses_other_kernels_and_absurd_sizes():
    with pytest.raises(ArenaError, match=r"kernel is linear.*take kernel=gaussian"):
        begun(Taylor(2), Game(kernel=Linear()))
    with pytest.raises(ArenaError, match="3108105 features in dimension 8, and 20000 are allowed"):
        begun(Taylor(20), Game(dimension=8))


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.7), Laplacian(1.3), Matern(1.1, 0.5), Matern(0.8, 1.5), Matern(1.0, 2.5)], ids=str
)
def test_fourier_is_unbiased(kernel):
    """The mean over many draws is within 4.5 standard errors of the kernel, for all pairs of points."""
    game = Game(dimension=3, kernel=kernel)
    X = points(8, 3)
    draws = [F @ F.T for F in (begun(Fourier(50), game, seed).features(X) for seed in range(400))]
    mean, error = np.mean(draws, axis=0), np.std(draws, axis=0) / 400**0.5
    assert (np.abs(mean - kernel.gram(X, X)) <= 4.5 * error + 1e-12).all()
    assert np.median(error[np.triu_indices(8, 1)]) < 0.01


def test_fourier_refuses_a_kernel_without_a_spectrum():
    with pytest.raises(ArenaError, match="spectra of gaussian, laplacian, matern"):
        begun(Fourier(3), Game(kernel=Linear()))


@pytest.mark.parametrize("embedding", [Nystrom(30), PivotedCholesky(points=30)], ids=str)
@pytest.mark.parametrize("kernel", [Gaussian(0.4), Matern(1.0), Linear(0.5)], ids=str)
def test_features_of_a_dictionary_are_projections(embedding, kernel):
    game = Game(dimension=2, kernel=kernel)
    basis = begun(embedding, game)
    X, atoms = points(40, 2), basis.span.atoms.view()
    cross, gram = kernel.gram(X, atoms), kernel.gram(atoms, atoms)
    F = basis.features(X)
    np.testing.assert_allclose(F @ F.T, cross @ np.linalg.pinv(gram, rcond=1e-13) @ cross.T, atol=1e-6)
    assert ((game.low <= atoms) & (atoms <= game.high)).all()
    assert basis.dimension == len(atoms) == F.shape[1] <= 30
    if kernel == Linear(0.5):
        assert basis.dimension == 3


def test_pivoted_cholesky_stops_at_its_tolerance_and_takes_the_worst_point_each_time():
    game = Game(dimension=2, kernel=Gaussian(0.7))
    basis = begun(PivotedCholesky(tolerance=1e-3, candidates=500), game)
    candidates = spread_evenly(game, 500)
    assert 1.0 - np.square(basis.features(candidates)).sum(axis=1).min() <= 1e-3 * (1 + 1e-9)
    atoms = basis.span.atoms.view()
    for size in (1, 5, 20, basis.dimension - 1):
        some = atoms[:size]
        cross = game.kernel.gram(candidates, some)
        explained = np.einsum("ij,ji->i", cross, np.linalg.solve(game.kernel.gram(some, some), cross.T))
        worst = candidates[np.argmax(1.0 - explained)]
        np.testing.assert_array_equal(atoms[size], worst)


def test_points_spread_evenly_fill_the_box():
    game = Game(dimension=2, box=[[0.0, 1.0], [-2.0, 6.0]])
    units = (spread_evenly(game, 1024) - game.low) / (game.high - game.low)
    counts = np.histogram2d(units[:, 0], units[:, 1], bins=8, range=[[0, 1], [0, 1]])[0]
    assert counts.min() >= 12  # 16 in the mean; random points leave some cell with 6
    assert counts.max() <= 20


def test_an_embedding_is_part_of_a_spec():
    assert set(entries("embedding")) == {"fourier", "nystrom", "pivoted-cholesky", "taylor"}
    learner = build("learner", "pkawv(embedding=nystrom(points=7))")
    assert learner == PKAWV(embedding=Nystrom(points=7))
    assert str(spec_of(learner)) == "pkawv(embedding=nystrom(points=7))"
    assert str(spec_of(PKAWV(embedding=Taylor(2)))) == "pkawv"
    with pytest.raises(ArenaError, match=r"no embedding named 'tailor'.*'taylor'"):
        build("learner", "pkawv(embedding=tailor)")
    with pytest.raises(ArenaError, match="degree must be a whole number >= 0"):
        build("learner", "pkawv(embedding=taylor(degree=-1))")


def test_learners_do_not_share_the_state_of_an_embedding():
    one, other = PKAWV(embedding=Fourier(5)), PKAWV(embedding=Fourier(5))
    shared = Fourier(5)
    one.embedding = other.embedding = shared
    one.begin(Game(), np.random.default_rng(1))
    first = one.peek(np.zeros((1, 2))), one.basis.spectrum.copy()
    other.begin(Game(), np.random.default_rng(2))
    np.testing.assert_array_equal(one.basis.spectrum, first[1])
    assert not np.array_equal(one.basis.spectrum, other.basis.spectrum)
    assert not hasattr(shared, "spectrum")

"""Kernels equal plain loops, and the distance of equal points is exactly 0."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import ArenaError, Gaussian, Laplacian, Linear, Matern, Polynomial
from arena.game.distances import DIRECT_DIMENSIONS, squared_distances
from arena.game.game import Game, check_kernel_in_box, largest_in_box
from arena.game.kernels import Kernel
from arena.specs.building import build
from arena.specs.registry import entries

quick = settings(max_examples=60)


def distance(x, z):
    return math.sqrt(math.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


def inner(x, z):
    return math.fsum(a * b for a, b in zip(x, z, strict=True))


def matern(smoothness, length):
    def value(x, z):
        r = math.sqrt(2 * smoothness) * distance(x, z) / length
        return {0.5: 1, 1.5: 1 + r, 2.5: 1 + r + r * r / 3}[smoothness] * math.exp(-r)

    return value


FORMULAS = [
    (Gaussian(), lambda x, z: math.exp(-(distance(x, z) ** 2) / 2)),
    (Gaussian(bandwidth=0.3), lambda x, z: math.exp(-(distance(x, z) ** 2) / (2 * 0.3**2))),
    (Laplacian(bandwidth=2.0), lambda x, z: math.exp(-sum(abs(a - b) for a, b in zip(x, z, strict=True)) / 2.0)),
    (Matern(bandwidth=0.7, smoothness=0.5), lambda x, z: math.exp(-distance(x, z) / 0.7)),
    (Matern(bandwidth=0.7, smoothness=0.5), matern(0.5, 0.7)),
    (Matern(bandwidth=0.7, smoothness=1.5), matern(1.5, 0.7)),
    (Matern(bandwidth=0.7, smoothness=2.5), matern(2.5, 0.7)),
    (Linear(), inner),
    (Linear(offset=0.5), lambda x, z: inner(x, z) + 0.5),
    (Polynomial(), lambda x, z: (inner(x, z) + 1) ** 2),
    (Polynomial(degree=3, offset=0.25), lambda x, z: (inner(x, z) + 0.25) ** 3),
]
KERNELS = [kernel for kernel, _ in FORMULAS]


def test_every_registered_kernel_is_tested_here():
    assert {kernel.name for kernel in KERNELS} == set(entries("kernel"))


@pytest.mark.parametrize("dimension", [1, 3, DIRECT_DIMENSIONS, DIRECT_DIMENSIONS + 1, 60])
@pytest.mark.parametrize(
    ("kernel", "formula"), FORMULAS, ids=lambda value: "by-loops" if callable(value) else str(value)
)
def test_the_formula_by_plain_loops(kernel, formula, dimension):
    rng = np.random.default_rng(0)
    X, Z = rng.uniform(-1, 1, size=(6, dimension)), rng.uniform(-1, 1, size=(4, dimension))
    Z[0] = X[0]
    values = kernel.gram(X, Z)
    assert values.shape == (6, 4)
    expected = [[formula(x, z) for z in Z.tolist()] for x in X.tolist()]
    np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), [formula(x, x) for x in X.tolist()], rtol=1e-13)


@quick
@given(
    kernel=st.sampled_from(KERNELS),
    dimension=st.sampled_from((1, 2, 5, 40)),
    scale=st.sampled_from((1e-6, 1.0, 30.0)),
    seed=st.integers(0, 99),
)
def test_symmetric_and_positive_semi_definite(kernel, dimension, scale, seed):
    rng = np.random.default_rng(seed)
    X = scale * rng.uniform(-1, 1, size=(20, dimension))
    X[10:15] = X[:5]
    X[15:] = np.nextafter(X[:5], np.inf)
    K = kernel.gram(X, X)
    np.testing.assert_allclose(K, K.T, rtol=1e-13, atol=0)
    assert np.linalg.eigvalsh((K + K.T) / 2).min() >= -1e-13 * np.trace(K)
    np.testing.assert_allclose(K.diagonal(), kernel.diagonal(X), rtol=1e-13)
    assert (np.abs(K) <= np.sqrt(np.outer(K.diagonal(), K.diagonal())) * (1 + 1e-12)).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_arguments_are_left_as_they_are_and_no_rows_are_fine(kernel):
    X = np.random.default_rng(0).uniform(size=(3, 40))
    kept = X.copy()
    kernel.gram(X, X)
    kernel.diagonal(X)
    assert np.array_equal(X, kept)
    assert kernel.gram(X, X[:0]).shape == (3, 0)
    assert kernel.gram(X[:0], X).shape == (0, 3)
    assert kernel.diagonal(X[:0]).shape == (0,)


@pytest.mark.parametrize("dimension", [2, DIRECT_DIMENSIONS, DIRECT_DIMENSIONS + 1, 100])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6])
@pytest.mark.parametrize(
    "kernel", [Gaussian(bandwidth=1e-3), Laplacian(bandwidth=1e-3), Matern(bandwidth=1e-3)], ids=str
)
def test_equal_rows_have_similarity_one_exactly(kernel, offset, dimension):
    """Far from the origin and with narrow kernels, too, since repeated points must give a matrix of rank one."""
    X = offset + np.random.default_rng(1).uniform(-1, 1, size=(5, dimension))
    again = X[[0, 1, 2, 3, 4, 0, 1, 2, 3, 4]]
    K = kernel.gram(X, again)
    assert (K[np.arange(5), np.arange(5)] == 1.0).all()
    assert (K[np.arange(5), np.arange(5, 10)] == 1.0).all()
    assert np.linalg.matrix_rank(kernel.gram(again, again)) == 5


@quick
@given(
    dimension=st.sampled_from((1, DIRECT_DIMENSIONS, DIRECT_DIMENSIONS + 1, 80)),
    offset=st.sampled_from((0.0, 1.0, 1e5)),
    spread=st.sampled_from((1e-8, 1e-3, 1.0)),
    seed=st.integers(0, 99),
)
def test_distances_keep_ten_digits_in_both_branches(dimension, offset, spread, seed):
    rng = np.random.default_rng(seed)
    X = offset + spread * rng.uniform(-1, 1, size=(7, dimension))
    Z = offset + spread * rng.uniform(-1, 1, size=(6, dimension))
    Z[:3] = X[:3]
    squared = squared_distances(X, Z)
    exact = np.array([[distance(x, z) ** 2 for z in Z.tolist()] for x in X.tolist()])
    assert (squared >= 0).all()
    assert (squared[np.arange(3), np.arange(3)] == 0).all()
    np.testing.assert_allclose(squared, exact, rtol=1e-10, atol=0)


def test_many_close_pairs_go_in_portions():
    X = np.tile(np.random.default_rng(2).uniform(size=DIRECT_DIMENSIONS + 8), (300, 1))
    assert (squared_distances(X, X) == 0).all()  # 90,000 pairs, more than a portion


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gaussian(bandwidth=0)", "bandwidth must be a finite number > 0"),
        ("gaussian(bandwidth=-1)", "but it is -1"),
        ("gaussian(bandwidth=inf)", "finite"),
        ("gaussian(bandwidth=wide)", "'wide'"),
        ("gaussian(width=1)", "no parameter 'width'. Did you mean 'bandwidth'"),
        ("laplacian(bandwidth=0)", "> 0"),
        ("matern(smoothness=2)", "out of 0.5, 1.5, 2.5"),
        ("matern(bandwidth=0)", "> 0"),
        ("linear(offset=-1)", ">= 0"),
        ("polynomial(degree=0)", ">= 1"),
        ("polynomial(degree=1.5)", "a whole number"),
        ("polynomial(offset=-0.5)", ">= 0"),
        ("gausian", "Did you mean 'gaussian'"),
        ("squared", "there is no kernel named 'squared'"),
    ],
)
def test_wrong_parameters_say_what_is_allowed(spec, message):
    with pytest.raises(ArenaError, match="(?s)" + message.replace("(", r"\(")):
        build("kernel", spec)


def test_kernels_are_values():
    assert Gaussian(2) == Gaussian(bandwidth=2.0)
    assert hash(Gaussian(2)) == hash(Gaussian(2.0))
    assert len(set(KERNELS)) == len(KERNELS) - 1  # one stands there twice
    assert all(a != b for a, b in itertools.combinations((Gaussian(), Laplacian(), Matern(), Linear()), 2))
    with pytest.raises(AttributeError):
        Gaussian().bandwidth = 2.0


def test_a_kernel_needs_both_methods():
    class Half(Kernel):
        def gram(self, X, Z):
            return X @ Z.T

    with pytest.raises(TypeError, match="diagonal"):
        Half()


SIDES = [(-1.0, 1.0), (-3.0, 1.0), (-3.0, -2.0), (0.5, 2.0), (-0.1, 0.0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_no_value_in_the_box_is_larger_than_that_at_its_farthest_corner(kernel):
    rng = np.random.default_rng(0)
    for box in itertools.product(SIDES, SIDES):
        X = np.vstack([rng.uniform(*np.transpose(box), (50, 2)), list(itertools.product(*box))])
        largest = largest_in_box(Game(kernel=kernel, box=box))
        assert largest == pytest.approx(kernel.diagonal(X).max(), rel=1e-12)
        assert np.abs(kernel.gram(X, X)).max() <= largest * (1 + 1e-9)


class OfNegativeNumbers(Kernel):
    """The kernel sqrt(-x) sqrt(-z)."""

    def gram(self, X, Z):
        return np.sqrt(-X) @ np.sqrt(-Z).T

    def diagonal(self, X):
        return np.sqrt(-X[:, 0]) ** 2


def test_a_kernel_is_asked_for_its_size_in_the_box_alone():
    game = Game(kernel=OfNegativeNumbers(), dimension=1, box=(-3.0, 0.0))
    assert largest_in_box(game) == pytest.approx(3.0)
    check_kernel_in_box(game)

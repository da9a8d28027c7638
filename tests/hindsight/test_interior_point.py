"""Certified intervals of the best function for other losses contain its loss, and are narrow at any lambda."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian, Laplacian, Linear, Matern, Polynomial
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, SmoothHinge, Squared, SquaredHinge
from arena.hindsight.comparator import Comparator
from arena.hindsight.duals import dual_of
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.spaces import ExactSpace, Space, summed
from arena_tests import FULL
from arena_tests.slow.other_losses import coordinate_ascent

LOSSES = [Hinge(), SmoothHinge(), SquaredHinge(), Logistic(), EpsilonInsensitive(), Absolute(), Squared()]
KERNELS = [Gaussian(0.1), Gaussian(1.0), Gaussian(10.0), Linear(), Linear(1.0), Polynomial(2), Polynomial(5)]
UNIT = 2.0**-53


def sequence(rounds, loss, seed, dimension=2):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-1, 1, (rounds, dimension)), rng.uniform(-1, 1, rounds)
    return X, np.sign(y) if loss.classifies else y


def unavoidable(kernel, loss, X, y, regularisation):
    """Return the width of an interval that rounding of kernel values and losses may explain."""
    roots = np.sqrt(kernel.diagonal(X))
    cost = loss.value(np.zeros(len(y)), y).sum()
    slopes = {"squared": 1.0, "squared-hinge": np.abs(y)}.get(loss.name)
    if slopes is None:
        steepest = np.sum((np.abs(y) if loss.classifies else 1.0) * roots)
    else:
        steepest = np.sqrt(4 * cost * np.sum(np.square(slopes * roots)))
    return 40 * UNIT * (steepest**2 / (4 * regularisation) + np.abs(y).sum())


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("kernel", [Gaussian(0.3), Linear(1.0), Polynomial(3)], ids=str)
@pytest.mark.parametrize("labels", ["signs", "any", "zeros", "large"])
def test_intervals_contain_what_coordinate_ascent_finds(loss, kernel, labels):
    X, y = sequence(7, loss, seed=1)
    X[3] = X[0]
    if labels == "any":
        y = y * np.array([0.1, 3.0, 1.0, 0.5, 2.0, 1.0, 7.0])
    y = {"zeros": np.where(np.arange(7) % 3, y, 0.0), "large": 50.0 * y}.get(labels, y)
    for regularisation in (0.3, 30.0) if labels != "large" else (300.0,):
        low, high, _ = coordinate_ascent(kernel.gram(X, X), y, loss, regularisation=regularisation)
        best = best_for_loss(Space.of(kernel, X), loss, y, regularisation=regularisation)
        tiny = 1e-11 * high
        # Either end of the twin is a bound by itself, converged or not.
        assert best.lower <= high + tiny
        assert low <= best.upper + tiny
        if high - low < 1e-8 * high:
            assert best.lower == pytest.approx(low, rel=1e-6)
            assert best.upper == pytest.approx(high, rel=1e-6)
        assert best.relative_width < 1e-6


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Gaussian(1.0), Linear(), Polynomial(3)], ids=str)
def test_intervals_of_five_hundred_rounds_are_narrow_at_any_lambda(loss, kernel):
    X, y = sequence(500, loss, seed=0)
    space = Space.of(kernel, X)
    widths = {
        power: best_for_loss(space, loss, y, regularisation=10.0**power).relative_width
        for power in (range(-6, 7) if FULL else (-6, -3, 0, 6))
    }
    assert max(widths.values()) < 1e-6, widths


@settings(max_examples=2000 if FULL else 60)
@given(
    st.sampled_from(LOSSES),
    st.sampled_from([*KERNELS, Laplacian(), Matern()]),
    st.floats(-6, 6),
    st.integers(1, 60),
    st.sampled_from([1, 2, 5]),
    st.sampled_from(["plain", "scaled", "each scaled", "zeros", "repeated", "one point"]),
    st.integers(0, 2**32 - 1),
)
def test_intervals_are_as_narrow_as_rounding_allows(loss, kernel, power, rounds, dimension, kind, seed):
    X, y = sequence(rounds, loss, seed, dimension)
    rng = np.random.default_rng(seed)
    if kind == "scaled":
        y = y * 10.0 ** rng.uniform(-8, 8)
    if kind == "each scaled":
        y = y * 10.0 ** rng.uniform(-3, 3, rounds)
    if kind == "zeros":
        y[rng.random(rounds) < 0.4] = 0.0
    if kind in ("repeated", "one point"):
        X = X[rng.integers(0, 1 if kind == "one point" else rounds // 3 + 1, rounds)]
    regularisation = 10.0**power
    best = best_for_loss(Space.of(kernel, X), loss, y, regularisation=regularisation)
    assert 0.0 <= best.lower <= best.upper
    assert best.gap <= 1e-6 * best.upper + unavoidable(kernel, loss, X, y, regularisation)


def test_the_intervals_of_a_narrow_and_a_wide_kernel_matrix_agree():
    """A kernel with features of its own gives the same result with these features and with pivots."""

    class ByPivots(Polynomial):
        pass

    X, y = sequence(80, Hinge(), seed=2)
    for regularisation in (1e-3, 1.0, 1e3):
        for loss in LOSSES:
            exact = best_for_loss(Space.of(Polynomial(3), X), loss, y, regularisation=regularisation)
            pivots = best_for_loss(Space.of(ByPivots(3), X), loss, y, regularisation=regularisation)
            assert exact.lower <= pivots.upper
            assert pivots.lower <= exact.upper
            assert exact.upper == pytest.approx(pivots.upper, rel=1e-6)
    assert isinstance(Space.of(Polynomial(3), X), ExactSpace)
    assert not isinstance(Space.of(ByPivots(3), X), ExactSpace)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_match_of_five_hundred_rounds_has_narrow_intervals_at_any_lambda(loss):
    X, y = sequence(500, loss, seed=5)
    comparator = Comparator(Game(dimension=2, rounds=500, kernel=Gaussian(0.5), loss=loss), X, y, "exact")
    for power in range(-6, 7) if FULL else (4, -2, -6):  # each lambda has features of its own
        for rounds in (3, 200, 500):
            optimum = comparator.optimum(10.0**power, rounds)
            assert optimum.upper - optimum.lower < 1e-6 * optimum.upper


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_first_rounds_share_the_features_of_all(loss):
    X, y = sequence(120, loss, seed=3, dimension=4)
    every = Space.of(Laplacian(), X)
    for rounds in (1, 2, 7, 50, 120):  # fewer rounds than features, too
        shared = best_for_loss(every.first(rounds), loss, y[:rounds], regularisation=0.1)
        own = best_for_loss(Space.of(Laplacian(), X[:rounds]), loss, y[:rounds], regularisation=0.1)
        assert shared.upper == pytest.approx(own.upper, rel=1e-6)
        assert shared.relative_width < 1e-6


def test_a_subclass_of_a_loss_has_no_dual():
    class Steeper(Hinge):
        def of_margin(self, margin):
            return 2.0 * np.maximum(0.0, 1.0 - margin)

    with pytest.raises(ArenaError, match="no dual is known"):
        dual_of(Steeper(), np.ones(2))


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.3), Laplacian(0.5), Matern(0.5, 1.5), Matern(2.0, 2.5), Linear(1.0), Polynomial(5)]
)
@pytest.mark.parametrize("dimension", [1, 3, 40])
def test_the_stated_rounding_of_kernel_values(kernel, dimension):
    if np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("there are no longer numbers here")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, dimension)) / np.sqrt(dimension)
    long = type(kernel).gram
    exact = high_precision(kernel, X)
    size = np.sqrt(np.outer(kernel.diagonal(X), kernel.diagonal(X)))
    error = np.abs(long(kernel, X, X) - exact) / size
    assert float(error.max()) <= kernel.roundings(dimension) * UNIT
    assert kernel.roundings(dimension) <= 100 * max(dimension, 2.0) or dimension > 32


def high_precision(kernel, X):
    """Return the kernel matrix in long double."""
    X = X.astype(np.longdouble)
    difference = X[:, np.newaxis] - X
    inner = np.sum(X[:, np.newaxis] * X, axis=2)
    square = np.sum(np.square(difference), axis=2)
    if isinstance(kernel, Gaussian):
        return np.exp(-square / (2 * np.longdouble(kernel.bandwidth) ** 2))
    if isinstance(kernel, Laplacian):
        return np.exp(-np.sum(np.abs(difference), axis=2) / kernel.bandwidth)
    if isinstance(kernel, Matern):
        r = np.sqrt(square * np.longdouble(2 * kernel.smoothness)) / kernel.bandwidth
        return (1 + r + (r * r / 3 if kernel.smoothness == 2.5 else 0)) * np.exp(-r)
    return (inner + kernel.offset) ** getattr(kernel, "degree", 1)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 64, 1000, 1001])
def test_sums_are_rounded_once(size):
    rng = np.random.default_rng(size)
    terms = rng.normal(size=(3, size)) * 10.0 ** rng.uniform(-8, 8, size=(3, size))
    terms[:, size // 2 :] = -terms[:, : size - size // 2][:, ::-1] * (1 + 1e-15)  # nearly nothing is left
    found = summed(terms.copy())
    for row, total in zip(terms, found, strict=True):
        exact = math.fsum(row)
        assert abs(total - exact) <= UNIT * abs(exact) * (1 + 1e-9) + 1e-9 * UNIT * np.abs(row).sum()


@pytest.mark.parametrize("kernel", [Linear(1.0), Polynomial(2), Polynomial(4)], ids=str)
@pytest.mark.parametrize("pivots", [True, False])
def test_forms_and_functions_are_bounded_in_exact_arithmetic(kernel, pivots):
    """For some of the vectors a, almost all terms of a'K a cancel, which happens with a small lambda."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, (30, 2))
    space = Space.of(kernel, X, features=40) if pivots else Space.of(kernel, X)
    exact = [[Fraction(k) for k in row] for row in exact_gram(kernel, X)]
    _, _, directions = np.linalg.svd(kernel.gram(X, X))
    for a in (directions[-1], directions[0], 1e3 * directions[-3] + 1e-7 * directions[1]):
        form = sum(Fraction(s) * Fraction(t) * exact[i][j] for i, s in enumerate(a) for j, t in enumerate(a))
        assert form <= Fraction(space.kernel_form(a))
        assert form <= Fraction(space.sharp_kernel_form(a))
        assert space.sharp_kernel_form(a) <= 1.01 * float(form) + 1e-13 * np.abs(a).sum() ** 2 * kernel.gram(X, X).max()


def exact_gram(kernel, X):
    rows = [[Fraction(x) for x in row] for row in X]
    power, offset = getattr(kernel, "degree", 1), Fraction(kernel.offset)
    return [[(sum(s * t for s, t in zip(x, z, strict=True)) + offset) ** power for z in rows] for x in rows]


@pytest.mark.parametrize("loss", ["squared-hinge", "smooth-hinge"])
def test_a_lambda_at_which_numbers_underflow_still_gives_an_interval(loss):
    run = play("perceptron", "near-duplicates", rounds=12, kernel="polynomial", loss=loss, regularisation=1e-60)
    low, high = run.final_regret
    assert low <= high <= run.loss

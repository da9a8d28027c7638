"""BSGD equals a plain implementation; merging finds the best point, and its reported error is right."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.components.merging import best_merger, merged_weights, merging_shares
from arena.errors import ArenaError
from arena.game.kernels import Laplacian
from arena.specs.building import build
from arena_tests.playing import assert_every_way
from arena_tests.slow import gaussian
from arena_tests.slow.descent import best_share_by_brute_force, bsgd, merge_by_brute_force

kernel = functools.partial(gaussian, bandwidth=0.7)


sizes = st.floats(-4, 3).map(lambda power: 10.0**power)
signs = st.sampled_from([-1.0, 1.0])
similarities = st.floats(0.02, 1) | st.floats(-9, -1).map(lambda p: 1.0 - 10.0**p) | st.floats(-12, -2).map(np.exp)


@settings(max_examples=200)
@given(st.tuples(sizes, sizes).map(sorted), signs, signs, similarities.map(float))
def test_merging_finds_the_best_point_of_the_line(weights, one, other, kernel):
    a, b = weights[0] * one, weights[1] * other
    share = merging_shares(a, np.array([b]), np.array([kernel]))
    found = abs(merged_weights(a, np.array([b]), np.array([kernel]), share)[0])
    brute = best_share_by_brute_force(a, b, kernel)
    expected = abs(merged_weights(a, np.array([b]), np.array([kernel]), np.array([brute]))[0])
    flat = (
        abs(np.log(kernel) + 2.0) < 0.01 and 0.99 < a / b < 1.01
    )  # a maximum of order four, where shares are less exact
    assert found >= expected * (1 - (1e-8 if flat else 1e-12))
    assert -5.0 <= share[0] <= 0.5 + 1e-9


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, -0.5), (0.3, 2.0), (0.3, -2.0)])
def test_duplicates_merge_by_adding_up(weights):
    merger = best_merger(np.array(weights), 0, np.array([1.0, 1.0]), lambda sizes, _: int(sizes.argmin()))
    assert merger.weight == pytest.approx(sum(weights), abs=1e-12)
    assert merger.lost == pytest.approx(0.0, abs=1e-12)
    assert merger.partner == 1


def test_the_loss_of_merging_is_the_squared_distance():
    rng = np.random.default_rng(8)
    points, weights = rng.uniform(-1, 1, (9, 2)), rng.standard_normal(9)
    lightest = int(np.abs(weights).argmin())
    kernels = gaussian(points, points[[lightest]], 0.7)[:, 0]
    merger = best_merger(weights, lightest, kernels, lambda sizes, _: int(sizes.argmin()))
    z = merger.share * points[lightest] + (1 - merger.share) * points[merger.partner]
    atoms = np.array([points[lightest], points[merger.partner], z])
    change = np.array([weights[lightest], weights[merger.partner], -merger.weight])
    assert change @ gaussian(atoms, atoms, 0.7) @ change == pytest.approx(merger.lost, abs=1e-12)
    for other in set(range(9)) - {lightest}:  # no partner and no point of the line is better
        h = best_share_by_brute_force(weights[lightest], weights[other], kernels[other])
        merged = merged_weights(weights[lightest], weights[[other]], kernels[[other]], np.array([h]))[0]
        both = weights[lightest] ** 2 + weights[other] ** 2 + 2 * weights[lightest] * weights[other] * kernels[other]
        assert both - merged**2 >= merger.lost - 1e-12


def test_bsgd_removes_the_lightest(kind, sequence, game):
    X, y = sequence(kind)
    expected = bsgd(X, y, 0.05, 25, kernel)
    assert_every_way("bsgd(budget=25, maintenance=remove, regularisation=0.05)", X, y, game("hinge"), expected)


@pytest.mark.parametrize("kind", ["random", "contrary"])
def test_bsgd_merges_the_lightest(kind, sequence, game):
    X, y = sequence(kind, learner="bsgd(budget=12)")
    X, y = X[:90], y[:90]
    expected = bsgd(X, y, 0.05, 12, kernel, merge_by_brute_force)
    spec = "bsgd(budget=12, regularisation=0.05)"
    learner = build("learner", spec)
    learner.begin(game("hinge"), np.random.default_rng(0))
    np.testing.assert_allclose(learner.replay(X, y), expected, rtol=0, atol=1e-8)


def test_merging_needs_the_gaussian_kernel(game):
    with pytest.raises(ArenaError, match="maintenance=remove"):
        build("learner", "bsgd").begin(game().replace(kernel=Laplacian()), np.random.default_rng(0))

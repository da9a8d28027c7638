"""BSGD equals a plain transcription of its algorithm; merging finds the best point, and loses what it says."""

import numpy as np
import pytest
from scipy.optimize import brentq

from arena.components.merging import best_merger, merged_weights, merging_shares
from arena.errors import ArenaError
from arena.game.kernels import Laplacian
from arena.specs.building import build


def best_share_by_brute_force(a, b, kernel):
    """The best h on a grid, then the root of the derivative between its neighbours."""
    L = -np.log(max(kernel, 1e-300))
    grid = np.linspace(0.0, 1.0, 4001) if a * b >= 0 else np.linspace(-5.0, 0.0, 20001)
    values = np.abs(a * np.exp(-L * (1 - grid) ** 2) + b * np.exp(-L * grid**2))
    best = int(np.argmax(values))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]

    def slope(h):
        return a * (1 - h) * np.exp(-L * (1 - h) ** 2) - b * h * np.exp(-L * h**2)

    if slope(low) * slope(high) > 0:
        return float(grid[best])
    return brentq(slope, low, high, xtol=1e-15, rtol=1e-15)


def test_merging_finds_the_best_point_of_the_line():
    rng = np.random.default_rng(4)
    for _ in range(300):
        a, b = np.sort(np.abs(rng.standard_normal(2)) * 10.0 ** rng.uniform(-3, 3, 2)) * rng.choice([-1, 1], 2)
        kernel = float(
            rng.choice([rng.uniform(0.02, 1), 1.0 - 10.0 ** rng.uniform(-9, -1), np.exp(-rng.uniform(2, 12))])
        )
        share = merging_shares(a, np.array([b]), np.array([kernel]))
        found = abs(merged_weights(a, np.array([b]), np.array([kernel]), share)[0])
        brute = best_share_by_brute_force(a, b, kernel)
        expected = abs(merged_weights(a, np.array([b]), np.array([kernel]), np.array([brute]))[0])
        assert found >= expected * (1 - 1e-12), (a, b, kernel)
        assert -5.0 <= share[0] <= 0.5 + 1e-9


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, -0.5), (0.3, 2.0), (0.3, -2.0)])
def test_duplicates_merge_by_adding_up(weights):
    merger = best_merger(np.array(weights), 0, np.array([1.0, 1.0]), lambda sizes, _: int(sizes.argmin()))
    assert merger.weight == pytest.approx(sum(weights), abs=1e-12)
    assert merger.lost == pytest.approx(0.0, abs=1e-12)
    assert merger.partner == 1


def test_what_merging_loses_is_the_squared_distance(kernel_matrix):
    rng = np.random.default_rng(8)
    points, weights = rng.uniform(-1, 1, (9, 2)), rng.standard_normal(9)
    lightest = int(np.abs(weights).argmin())
    kernels = kernel_matrix(points, points[[lightest]])[:, 0]
    merger = best_merger(weights, lightest, kernels, lambda sizes, _: int(sizes.argmin()))
    z = merger.share * points[lightest] + (1 - merger.share) * points[merger.partner]
    atoms = np.array([points[lightest], points[merger.partner], z])
    change = np.array([weights[lightest], weights[merger.partner], -merger.weight])
    assert change @ kernel_matrix(atoms, atoms) @ change == pytest.approx(merger.lost, abs=1e-12)
    for other in set(range(9)) - {lightest}:  # no partner and no point of the line is better
        h = best_share_by_brute_force(weights[lightest], weights[other], kernels[other])
        merged = merged_weights(weights[lightest], weights[[other]], kernels[[other]], np.array([h]))[0]
        both = weights[lightest] ** 2 + weights[other] ** 2 + 2 * weights[lightest] * weights[other] * kernels[other]
        assert both - merged**2 >= merger.lost - 1e-12


def plain_bsgd(X, y, strength, budget, kernel, merge=None):
    atoms, predictions = [], []  # (point, coefficient), the oldest first
    for t in range(1, len(X) + 1):
        x, label = X[t - 1], y[t - 1]
        points, a = np.array([p for p, _ in atoms]).reshape(-1, 2), np.array([w for _, w in atoms])
        predictions.append(float(a @ kernel(points, x[np.newaxis])[:, 0]))
        atoms = [(p, w * (1 - 1 / t)) for p, w in atoms]
        if label * predictions[-1] < 1 - 1e-10:
            atoms.append((x, label / (strength * t)))
        if len(atoms) > budget:
            sizes = [abs(w) for _, w in atoms]
            light = next(i for i, size in enumerate(sizes) if size <= min(sizes) * (1 + 1e-9))
            x1, a1 = atoms.pop(light)
            if merge is not None:
                atoms = merge(atoms, x1, a1, kernel)
    return np.array(predictions)


def merge_by_brute_force(atoms, x1, a1, kernel):
    options = []
    for i, (x2, a2) in enumerate(atoms):
        between = float(kernel(x1[np.newaxis], x2[np.newaxis])[0, 0])
        h = best_share_by_brute_force(a1, a2, between)
        weight = float(merged_weights(a1, np.array([a2]), np.array([between]), np.array([h]))[0])
        options.append((max(a1**2 + a2**2 + 2 * a1 * a2 * between - weight**2, 0.0), i, h * x1 + (1 - h) * x2, weight))
    smallest = min(option[0] for option in options)
    _, partner, z, weight = next(option for option in options if option[0] <= smallest * (1 + 1e-9) + 1e-12 * a1**2)
    return [*atoms[:partner], *atoms[partner + 1 :], (z, weight)]


def test_bsgd_removes_the_lightest(kind, sequence, game, assert_all_ways, kernel_matrix):
    X, y = sequence(kind)
    expected = plain_bsgd(X, y, 0.05, 25, kernel_matrix)
    assert_all_ways("bsgd(budget=25, maintenance=remove, regularisation=0.05)", X, y, game("hinge"), expected)


@pytest.mark.parametrize("kind", ["random", "contrary"])
def test_bsgd_merges_the_lightest(kind, sequence, game, kernel_matrix):
    X, y = sequence(kind, learner="bsgd(budget=12)")
    X, y = X[:90], y[:90]
    expected = plain_bsgd(X, y, 0.05, 12, kernel_matrix, merge_by_brute_force)
    spec = "bsgd(budget=12, regularisation=0.05)"
    learner = build("learner", spec)
    learner.begin(game("hinge"), np.random.default_rng(0))
    np.testing.assert_allclose(learner.replay(X, y), expected, rtol=0, atol=1e-8)


def test_merging_needs_the_gaussian_kernel(game):
    with pytest.raises(ArenaError, match="maintenance=remove"):
        build("learner", "bsgd").begin(game().replace(kernel=Laplacian()), np.random.default_rng(0))

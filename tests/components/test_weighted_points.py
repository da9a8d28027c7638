"""The residuals of weighted points, against their definition with an inverse matrix."""

import numpy as np
import pytest

from arena.components.weighted_points import SPARE_ROWS, WeightedPoints
from arena.game.kernels import Gaussian, Polynomial
from arena_tests.sequences import KINDS, moves

RIDGE = 0.3


def left_by_definition(kernel, points, weights, X):
    """Return K(x, x') - k(x)' (K + ridge D^-2)^-1 k(x') for all pairs, where D^2 has the weights of the points."""
    cross = kernel.gram(points, X)
    inner = kernel.gram(points, points) + RIDGE * np.diag(1.0 / weights)
    return kernel.gram(X, X) - cross.T @ np.linalg.solve(inner, cross)


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Polynomial(degree=2)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", [1, 20])
def test_it_is_the_definition_one_by_one_and_in_blocks(kind, kernel, block):
    X = moves(kind, 3 * SPARE_ROWS)[0]
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(X))
    one_by_one, together = (WeightedPoints(kernel, 2, ridge=RIDGE) for _ in range(2))
    for start in range(0, len(X), block):
        rows = slice(start, start + block)
        for x, weight in zip(X[rows], weights[rows].tolist(), strict=True):
            row = x[np.newaxis]
            one_by_one.append(x, weight, one_by_one.coordinates(row)[:, 0], float(kernel.diagonal(row)[0]))
        coordinates = together.coordinates(X[rows])
        together.extend(X[rows], weights[rows], coordinates, together.covariance(X[rows], coordinates))
        assert one_by_one.fold() == together.fold()
    anywhere = np.random.default_rng(2).uniform(-1, 1, (9, 2))
    expected = left_by_definition(kernel, X, weights, anywhere)
    for points in (one_by_one, together):
        coordinates = points.coordinates(anywhere)
        np.testing.assert_allclose(points.covariance(anywhere, coordinates), expected, rtol=0, atol=1e-10)
        np.testing.assert_allclose(points.unexplained(anywhere, coordinates), expected.diagonal(), rtol=0, atol=1e-10)
        assert len(points) <= len(points.weights) + max(SPARE_ROWS, len(points.weights) // 4)

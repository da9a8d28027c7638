"""Coordinates in a growing span equal their definition, also if the points come in sorted order."""

import numpy as np
import pytest

from arena import Gaussian, Linear, play
from arena.adversaries import Replay
from arena.components.span import Span
from arena.record.judging import judge
from arena.theorems.recomputed.points import embed


def sequences():
    rng = np.random.default_rng(0)
    for dimension in (1, 2, 3):
        X = rng.uniform(-1, 1, (200, dimension))
        yield f"random, {dimension}", X
        yield f"sorted, {dimension}", X[np.lexsort(X.T[::-1])]
    t = np.linspace(0, 1, 200)[:, np.newaxis]
    yield "line", np.hstack([2 * t - 1, t])
    yield "spiral", np.hstack([t * np.cos(9 * t), t * np.sin(9 * t)])


@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("name", "X"), list(sequences()), ids=[name for name, _ in sequences()])
def test_the_rest_of_the_kernel_matrix_is_positive(name, X, bandwidth):
    """With sorted points, rounding errors could give inner products of 200 where the largest right value is 1."""
    kernel = Gaussian(bandwidth)
    span = Span(kernel, X.shape[1])
    for x in X:
        span.add(x)
    F = span.coordinates(X)
    left = kernel.gram(X, X) - F @ F.T
    assert np.linalg.eigvalsh(left)[0] >= -1e-3
    assert np.abs(left).max() <= (1e-6 if name.startswith("random") else 0.1)
    _, grew = Span(kernel, X.shape[1]).add_rows(X, np.full(len(X), True))
    assert abs(int(grew.sum()) - len(span)) <= 0.1 * len(span)  # at the edge rounding decides
    found = embed(kernel, X, np.arange(1, len(X) + 1))
    rebuilt = found.coordinates[found.which]
    assert np.linalg.eigvalsh(kernel.gram(X, X) - rebuilt @ rebuilt.T)[0] >= -1e-3


def test_sorted_points_do_not_ruin_a_learner():
    """With every point in the dictionary the learner is Kernel-AWV; rounding errors once moved predictions by 1.3."""
    X = np.sort(np.random.default_rng(0).uniform(-1, 1, 400))[:, np.newaxis]
    y = np.sign(np.sin(7 * X[:, 0]))
    runs = [
        play(learner, Replay(X=X, y=y), rounds=400, kernel="gaussian(bandwidth=0.3)")
        for learner in ("pkawv-kors(beta=1e9)", "kernel-awv")
    ]
    assert np.abs(runs[0].predictions - runs[1].predictions).max() < 0.1
    assert judge(runs[0], "pkawv-growing-sharp").holds


def test_repeated_points_and_exact_combinations():
    span = Span(Linear(), 2)
    assert [span.add(np.array(x)) for x in ([3.0, 4.0], [3.0, 4.0], [-6.0, -8.0], [0.0, 1.0], [9.0, 9.0])] == [
        True,
        False,
        False,
        True,
        False,
    ]
    F = span.coordinates(np.array([[9.0, 9.0]]))
    assert float(F[0] @ F[0]) == pytest.approx(162.0)

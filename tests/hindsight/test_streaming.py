"""Intervals of streams that are never in memory as a whole, and their narrowing by products."""

import tracemalloc

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian, Linear
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.exact import ridge_hindsight
from arena.hindsight.streaming import interval_of_stream


def in_chunks(X, y, size):
    return lambda: ((X[at : at + size], y[at : at + size]) for at in range(0, len(X), size))


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Laplacian(1.0), Linear(1.0)], ids=str)
@pytest.mark.parametrize("regularisation", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("features", [0, 8, None])
def test_every_checkpoint_contains_the_optimum(kernel, regularisation, features):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (900, 2)), rng.uniform(-1, 1, 900)
    X[500:] = X[rng.integers(0, 500, 400)]
    truth = ridge_hindsight(kernel, regularisation, X, y).optimum
    points = interval_of_stream(kernel, regularisation, in_chunks(X, y, 130), features=features, every=250)
    assert [each.rounds for each in points] == [260, 520, 780, 900]
    for each in points:
        assert each.lower <= truth[each.rounds - 1] * (1 + 1e-12)
        assert truth[each.rounds - 1] <= each.upper * (1 + 1e-12)
    if features is None and not isinstance(kernel, Laplacian):
        assert points[-1].relative_width < 1e-3


def test_the_end_agrees_with_the_interval_of_the_whole_sequence():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-1, 1, (5000, 2)), rng.uniform(-1, 1, 5000)
    [end] = interval_of_stream(Gaussian(), 1.0, in_chunks(X, y, 1000))
    whole = interval_hindsight(Gaussian(), 1.0, X, y)
    assert end.upper == pytest.approx(whole.final[1], rel=1e-3)
    assert end.lower == pytest.approx(whole.final[0], rel=1e-3)
    assert max(end.lower, whole.final[0]) <= min(end.upper, whole.final[1])


def test_memory_does_not_grow_with_the_stream():
    def stream(rounds):
        def begin():
            rng = np.random.default_rng(2)
            for _ in range(rounds // 2000):
                yield rng.uniform(-1, 1, (2000, 1)), rng.uniform(-1, 1, 2000)

        return begin

    def peak(rounds):
        tracemalloc.start()
        interval_of_stream(Gaussian(), 1.0, stream(rounds), features=30)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert peak(120_000) < 1.1 * peak(24_000) + 100_000


def test_progress_and_mistakes_are_reported():
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-1, 1, (100, 2)), rng.uniform(-1, 1, 100)
    rows_done = []
    interval_of_stream(Gaussian(), 1.0, in_chunks(X, y, 40), progress=rows_done.append)
    assert rows_done == [40, 80, 100]
    assert interval_of_stream(Gaussian(), 1.0, list) == []
    with pytest.raises(ArenaError, match="regularisation must be"):
        interval_of_stream(Gaussian(), -1.0, in_chunks(X, y, 40))

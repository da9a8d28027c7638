"""Intervals narrowed by products are narrow, and contain the optimum computed in long double."""

import dataclasses
import pickle

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian, Linear, Matern
from arena.hindsight import narrowing
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.conjugate import ConjugateState, FeaturePreconditioner, Systems, improve
from arena.hindsight.exact import ridge_hindsight
from arena.hindsight.narrowing import Effort, narrowed, optima_by_products
from arena.hindsight.products import KernelProducts
from arena_tests.sequences import KINDS, points
from arena_tests.slow.ridge import optimum, precise_optimum

FOREVER = Effort(seconds=np.inf)


def labelled(kind, rounds, seed=0):
    rng = np.random.default_rng(seed)
    return points(kind, rounds, rng, distinct=20), rng.uniform(-1, 1, rounds)


@pytest.mark.parametrize(
    "kernel", [Gaussian(1.0), Gaussian(0.1), Laplacian(0.5), Matern(1.0, 2.5), Linear(1.0)], ids=str
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_contains_the_optimum(kernel, kind):
    X, y = labelled(kind, 90)
    wanted = [(90, 1.0), (90, 1e-3), (90, 1e5), (41, 1.0), (1, 0.1), (90, 1e-7)]
    found = optima_by_products(kernel, X, y, wanted, dataclasses.replace(FOREVER, features=30))
    for (rounds, regularisation), (low, high) in zip(wanted, found, strict=True):
        truth = precise_optimum(kernel, X[:rounds], y[:rounds], regularisation)
        assert low <= truth * (1 + 1e-12), (rounds, regularisation)
        assert truth * (1 - 1e-12) <= high, (rounds, regularisation)
        assert high - low <= 1e-6 * high or regularisation < 1e-6, (rounds, regularisation)


@pytest.mark.parametrize("labels", ["in the span", "beyond the features", "one", "zero", "huge"])
def test_labels_of_every_shape(labels):
    X, y = labelled("random", 80, seed=1)
    K = Gaussian(0.5).gram(X, X)
    _, vectors = np.linalg.eigh(K)
    y = {
        "in the span": vectors[:, -1],
        "beyond the features": vectors[:, 5],
        "one": np.eye(80)[0],
        "zero": np.zeros(80),
        "huge": 1e6 * y,
    }[labels]
    [(low, high)] = optima_by_products(Gaussian(0.5), X, y, [(80, 0.1)], dataclasses.replace(FOREVER, features=10))
    truth = precise_optimum(Gaussian(0.5), X, y, 0.1)
    assert low <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= high <= low * (1 + 1e-6)


def test_it_equals_a_direct_solve():
    X, y = labelled("random", 1000, seed=2)
    effort = Effort(seconds=np.inf, width=1e-10, features=100)
    [(low, high)] = optima_by_products(Gaussian(0.4), X, y, [(1000, 1.0)], effort)
    direct = optimum(Gaussian(0.4).gram(X, X), y, 1.0)
    assert low == pytest.approx(direct, rel=1e-9)
    assert high == pytest.approx(direct, rel=1e-9)


def test_the_curve_is_narrowed_too(monkeypatch):
    monkeypatch.setattr(narrowing, "SHORTEST", 300)
    X, y = labelled("random", 1600, seed=3)
    kernel = Laplacian(0.7)
    wide = interval_hindsight(kernel, 1.0, X, y, features=50)
    narrow = narrowed(wide, kernel, X, dataclasses.replace(FOREVER, features=200))
    truth = ridge_hindsight(kernel, 1.0, X, y).optimum
    for found in (wide, narrow):
        assert (found.lower <= truth * (1 + 1e-12)).all()
        assert (truth * (1 - 1e-12) <= found.upper).all()
    assert narrow.relative_width <= 1e-6 < 0.1 * wide.relative_width
    assert [rounds for rounds, _, _ in narrow.prefixes] == [400, 800, 1600]
    for rounds in (400, 800):
        assert narrow.upper[rounds - 1] - narrow.lower[rounds - 1] < 2e-6 * truth[rounds - 1]
    assert ((narrow.upper - narrow.lower) <= (wide.upper - wide.lower) * (1 + 1e-9)).all()
    between = slice(799, 805)  # soon after a checkpoint, and soon before one
    assert (narrow.upper - narrow.lower)[between].max() < 0.2 * (wide.upper - wide.lower)[between].max()
    assert narrow.upper[797] - truth[797] < 0.1 * (wide.upper[797] - truth[797])
    for side in ("favourable", "unfavourable"):
        assert narrow.at_end(side).increments.sum() == pytest.approx(narrow.final[side == "favourable"], rel=1e-12)


def test_prefixes_with_small_optima_are_narrowed_too(monkeypatch):
    monkeypatch.setattr(narrowing, "SHORTEST", 100)
    X, y = labelled("random", 400, seed=3)
    wide = interval_hindsight(Laplacian(0.7), 1.0, X, 1e-4 * y, features=20)
    narrow = narrowed(wide, Laplacian(0.7), X, dataclasses.replace(FOREVER, features=100))
    assert [rounds for rounds, _, _ in narrow.prefixes] == [100, 200, 400]
    assert (narrow.upper - narrow.lower)[199] <= 2e-6 * narrow.upper[199]


def test_several_lambdas_share_each_product(monkeypatch):
    X, y = labelled("random", 300, seed=4)
    calls, times = [], KernelProducts.times

    def counted(self, V, **options):
        calls.append(V.shape[1])
        return times(self, V, **options)

    monkeypatch.setattr(KernelProducts, "times", counted)
    grid = [(300, 10.0**power) for power in range(-3, 4)]
    together = optima_by_products(Gaussian(0.3), X, y, grid, FOREVER)
    number, columns = len(calls), sum(calls)
    apart = [optima_by_products(Gaussian(0.3), X, y, [each], FOREVER)[0] for each in grid]
    assert columns > 2 * number
    assert number <= max(len(calls) - number, 1)
    for (low, high), (_, other) in zip(together, apart, strict=True):
        assert low <= other * (1 + 1e-6)
        assert high == pytest.approx(other, rel=2e-6)


def test_nothing_is_done_where_the_time_is_too_short():
    X, y = labelled("random", 400, seed=5)
    wide = interval_hindsight(Laplacian(), 1.0, X, y, features=5)
    said = []
    effort = Effort(seconds=1e-9, notice=said.append)
    assert narrowed(wide, Laplacian(), X, effort) is wide
    assert "`Effort(...)` allows" in said[0]
    assert narrowed(wide, Laplacian(), X, Effort()) is wide
    narrow = interval_hindsight(Gaussian(), 1.0, X, y)
    assert narrowed(narrow, Gaussian(), X, dataclasses.replace(FOREVER, width=1.0)) is narrow


def test_the_dual_vector_of_the_features_may_be_enough():
    X, y = labelled("random", 1500, seed=8)
    kernel, wide = (
        Gaussian(0.8),
        interval_hindsight(Gaussian(0.8), 1.0, *labelled("random", 1500, seed=8), features=150),
    )
    said, seen = [], []
    effort = dataclasses.replace(FOREVER, notice=said.append, watch=lambda work, *_: seen.append(work))
    narrow = narrowed(wide, kernel, X, effort)
    assert [rounds for rounds, _ in wide.duals] == [1500]
    assert narrow.relative_width <= 1e-6 < wide.relative_width
    assert narrow.final[0] <= optimum(kernel.gram(X, X), y, 1.0) * (1 + 1e-12)
    assert optimum(kernel.gram(X, X), y, 1.0) * (1 - 1e-12) <= narrow.final[1]
    assert not said
    assert set(seen) == {"product for the certificate"}


class Memory(dict):
    def load(self, key):
        return self.get(key)

    def keep(self, key, arrays):
        self[key] = {name: array.copy() for name, array in arrays.items()}

    def drop(self, key):
        self.pop(key, None)


def test_an_interrupted_iteration_is_continued():
    X, y = labelled("random", 600, seed=6)
    kernel, interval_cache, said = Laplacian(0.3), Memory(), []
    effort = Effort(seconds=np.inf, features=20, interval_cache=interval_cache, notice=said.append)

    def stop(work, *_):
        if work.startswith("product 4"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optima_by_products(kernel, X, y, [(600, 0.1)], dataclasses.replace(effort, watch=stop))
    assert len(interval_cache) == 1
    seen = []
    watch = lambda work, *_: seen.append(work)
    continued = optima_by_products(kernel, X, y, [(600, 0.1)], dataclasses.replace(effort, watch=watch))
    assert "continuing after 3 products" in said[-1]
    assert not any(work.startswith(("product 1 ", "product 2 ", "product 3 ")) for work in seen)
    assert not interval_cache
    fresh = optima_by_products(kernel, X, y, [(600, 0.1)], Effort(seconds=np.inf, features=20))
    np.testing.assert_allclose(continued, fresh, rtol=1e-9)
    with pytest.raises(KeyboardInterrupt):
        optima_by_products(kernel, X, y, [(600, 0.1)], dataclasses.replace(effort, watch=stop))
    optima_by_products(kernel, X, 2 * y, [(600, 0.1)], effort)
    assert "continuing" not in said[-1]  # other labels are another computation


def test_the_preconditioner_against_a_dense_solve():
    X, y = labelled("random", 70, seed=7)
    products = KernelProducts(Gaussian(), X)
    scale = np.random.default_rng(0).uniform(0, 2, (70, 2))
    systems = Systems(scale, np.array([1e-3, 10.0]), np.column_stack([y, y]))
    made = FeaturePreconditioner(products, 15)
    made.prepare(systems)
    F = made.F.astype(float)
    assert F.shape == (70, 15)
    for number in range(2):
        S = np.diag(scale[:, number])
        dense = np.linalg.solve(S @ F @ F.T @ S + systems.noise[number] * np.eye(70), y)
        np.testing.assert_allclose(made.solve(y[:, np.newaxis], np.array([number]))[:, 0], dense, rtol=1e-6, atol=1e-9)


def test_conjugate_gradients_against_a_dense_solve():
    X, y = labelled("random", 70, seed=8)
    products = KernelProducts(Gaussian(), X)
    scale = np.random.default_rng(1).uniform(0, 2, (70, 1))
    systems = Systems(scale, np.array([0.5]), y[:, np.newaxis])
    made = FeaturePreconditioner(products, 10)
    made.prepare(systems)
    at = ConjugateState.start(systems)
    improve(systems, products, made, at, goal=lambda _: np.full(1, 1e-20), single=False)
    K = Gaussian().gram(X, X)
    dense = np.linalg.solve(np.diag(scale[:, 0]) @ K @ np.diag(scale[:, 0]) + 0.5 * np.eye(70), y)
    np.testing.assert_allclose(at.solution[:, 0], dense, rtol=1e-4, atol=1e-6)
    again = ConjugateState.of_arrays(at.arrays())
    assert again.products == at.products
    np.testing.assert_array_equal(again.direction, at.direction)


def test_an_effort_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(Effort(3.0))) == Effort(3.0)


def test_no_rounds_and_no_wishes():
    assert optima_by_products(Gaussian(), np.empty((0, 2)), np.empty(0), [(0, 1.0)], FOREVER) == [(0.0, 0.0)]
    assert optima_by_products(Gaussian(), np.ones((3, 2)), np.ones(3), [], FOREVER) == []


def test_mistakes_are_reported():
    with pytest.raises(ArenaError, match="lambda must be"):
        optima_by_products(Gaussian(), np.ones((3, 2)), np.ones(3), [(3, 0.0)], FOREVER)
    with pytest.raises(ArenaError, match="rounds must be"):
        optima_by_products(Gaussian(), np.ones((3, 2)), np.ones(3), [(4, 1.0)], FOREVER)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.02, "0.02 s"), (7.0, "7 s"), (300.0, "5 minutes"), (7200.0, "2.0 hours")]
)
def test_durations(seconds, words):
    assert narrowing.seconds_in_words(seconds) == words

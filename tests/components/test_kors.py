"""KORS equals its definition, which inverts the matrix of a dictionary that has the new point with weight one."""

import copy
import pickle

import numpy as np
import pytest

from arena.components.kors import Kors
from arena.game.kernels import Gaussian, Linear, Polynomial
from arena_tests.sequences import KINDS, points
from arena_tests.slow.kors import probability as probability_by_definition
from arena_tests.slow.kors import sample

EPSILON = 0.5


@pytest.mark.parametrize(("beta", "ridge", "power"), [(1.0, 0.3, 1), (20.0, 1.0, 1), (1.0, 1e-3, 1), (1.0, 0.3, 2)])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_definition_one_by_one_and_in_blocks(kind, beta, ridge, power):
    X = points(kind, 250, np.random.default_rng(0))
    kernel, coins = Gaussian(bandwidth=0.7), np.random.default_rng(1).random(len(X))
    kept, asked = sample(kernel, X, coins, ridge=ridge, beta=beta, power=power)
    parameters = {"ridge": ridge, "beta": beta, "epsilon": EPSILON, "power": power}
    together, single = Kors(kernel, 2, **parameters), Kors(kernel, 2, **parameters)
    accepted, in_blocks = together.sample(X, coins)
    one_by_one = []
    for x, coin in zip(X, coins, strict=True):
        one_by_one.append(single.probability(x))
        if coin < one_by_one[-1]:
            single.add(x, one_by_one[-1])
    tolerance = 1e-10 / min(ridge, 1.0)
    np.testing.assert_allclose(in_blocks, asked, rtol=0, atol=tolerance)
    np.testing.assert_allclose(one_by_one, asked, rtol=0, atol=tolerance)
    for kors in (together, single):
        assert len(kors) == len(kept)
        np.testing.assert_array_equal(kors.atoms, X[kept])
        np.testing.assert_allclose(kors.probabilities, asked[kept], rtol=0, atol=tolerance)
    assert accepted.sum() == len(kept)


def test_kernels_that_are_not_normalised():
    rng = np.random.default_rng(3)
    X, coins = rng.normal(size=(200, 3)), rng.random(200)
    for kernel in (Linear(), Polynomial(degree=2)):
        kors = Kors(kernel, 3, ridge=1.0, beta=2.0, epsilon=EPSILON)
        _, probabilities = kors.sample(X, coins)
        expected = sample(kernel, X, coins, ridge=1.0, beta=2.0)[1]
        np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-9)


def test_points_with_a_scale():
    rng = np.random.default_rng(4)
    kernel, kors = Gaussian(), Kors(Gaussian(), 1, ridge=0.5, beta=1.0, epsilon=EPSILON)
    scales = np.empty(0)
    for x in rng.choice(3, size=(120, 1)).astype(float):
        scale = rng.uniform(0.1, 2.0)
        expected = probability_by_definition(
            kernel, kors.atoms, kors.probabilities, x, scales, scale, ridge=0.5, beta=1.0
        )  # fmt: skip
        probability = kors.probability(x, scale=scale)
        assert probability == pytest.approx(expected, abs=1e-11)
        if rng.random() < probability:
            kors.add(x, probability, scale=scale)
            scales = np.append(scales, scale)
    assert len(kors) > 10


@pytest.mark.parametrize("beta", [1.0, 46.0])
def test_on_one_point_the_estimate_is_a_recursion_of_one_number(beta):
    """The probability is beta (1 + epsilon) / (W + 1 + ridge), where W is the sum of 1 / p over the accepted rounds."""
    ridge, rounds = 2.0, 20_000
    coins = np.random.default_rng(5).random(rounds)
    kors = Kors(Gaussian(), 1, ridge=ridge, beta=beta, epsilon=EPSILON)
    accepted, probabilities = kors.sample(np.zeros((rounds, 1)), coins)
    weight, expected = 0.0, np.empty(rounds)
    for t in range(rounds):
        expected[t] = min(1.0, beta * (1 + EPSILON) / (weight + 1 + ridge))
        weight += (coins[t] < expected[t]) / expected[t]
    np.testing.assert_allclose(probabilities, expected, rtol=1e-8)
    np.testing.assert_array_equal(accepted, coins < expected)


def test_the_order_of_blocks_does_not_matter():
    rng = np.random.default_rng(6)
    X, coins = rng.uniform(-1, 1, size=(700, 2)), rng.random(700)
    whole, pieces = (Kors(Gaussian(bandwidth=0.2), 2, ridge=0.1, beta=1.0, epsilon=EPSILON) for _ in range(2))
    whole.sample(X, coins)
    for start, stop in ((0, 1), (1, 3), (3, 400), (400, 700)):
        pieces.sample(X[start:stop], coins[start:stop])
    np.testing.assert_array_equal(whole.atoms, pieces.atoms)
    np.testing.assert_allclose(whole.probabilities, pieces.probabilities, rtol=0, atol=1e-10)


@pytest.mark.parametrize("size", [1, 7, 300])
def test_a_limit_ends_the_sampling(size):
    rng = np.random.default_rng(7)
    X, coins = rng.uniform(-1, 1, size=(600, 2)), rng.random(600)
    free, limited = (Kors(Gaussian(bandwidth=0.05), 2, ridge=0.1, beta=1.0, epsilon=EPSILON) for _ in range(2))
    free.sample(X, coins)
    accepted, probabilities = limited.sample(X, coins, limit=size)
    assert len(limited) == accepted.sum() == size < len(free)
    np.testing.assert_allclose(limited.probabilities, free.probabilities[:size], rtol=0, atol=1e-12)
    assert not probabilities[np.flatnonzero(accepted)[-1] + 1 :].any()
    assert not limited.sample(X, coins, limit=size)[0].any()


def test_probabilities_change_nothing_and_copies_are_independent():
    rng = np.random.default_rng(8)
    X = rng.uniform(-1, 1, size=(60, 2))
    kors = Kors(Gaussian(), 2, ridge=0.1, beta=1.0, epsilon=EPSILON)
    kors.sample(X, rng.random(60))
    before, x = pickle.dumps(kors), np.array([0.3, 5.0])
    asked = kors.probability(x)
    kors.unexplained(X)
    assert pickle.dumps(kors) == before
    twin = copy.deepcopy(kors)
    twin.add(x, asked)
    assert twin.probability(x) < asked == kors.probability(x)


@pytest.mark.parametrize(("rounds", "sizes"), [(1_000, (455, 461)), (10_000, (990, 1025)), (100_000, (1690, 1770))])
def test_size_on_one_point_with_the_theorems_beta(rounds, sizes):
    """The size is about b (1 + log(T / b)) with b = (1 + epsilon) beta, and the sum of 1 / p is about T."""
    beta = 3 * np.log(rounds / 0.1) / 0.25
    kors = Kors(Gaussian(), 1, ridge=1.0, beta=beta, epsilon=0.5)
    kors.sample(np.zeros((rounds, 1)), np.random.default_rng(0).random(rounds))
    predicted = 1.5 * beta * (1 + np.log(rounds / (1.5 * beta)))
    assert sizes[0] <= len(kors) <= sizes[1]
    assert abs(len(kors) / predicted - 1) < 0.05
    assert abs(np.sum(1 / kors.probabilities) / rounds - 1) < 0.12

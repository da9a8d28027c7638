"""Posteriors and comparators inside `shared_factors` compute each kernel value once, with unchanged results."""

import contextlib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import Learner, play
from arena.game.kernels import Gaussian, Kernel
from arena.hindsight.exact import ridge_hindsight
from arena.linalg import cholesky
from arena.linalg.gram_factor import shared_factors
from arena.linalg.posterior import RidgePosterior
from arena.players.moves import GivenMoves
from arena_tests.kernels import CountingKernel
from arena_tests.slow.ridge import posterior

quick = settings(max_examples=60)


def sequence(size):
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 1, size=(size, 2)), rng.uniform(-1, 1, size)


@quick
@given(data=st.data(), exponent=st.sampled_from((-3, 0, 3)))
def test_posteriors_that_share_a_factor_answer_like_posteriors_that_do_not(data, exponent):
    """Several posteriors on sequences with common beginnings grow, answer and restart in any order."""
    kernel, regularisation = Gaussian(bandwidth=0.5), 10.0**exponent
    rng = np.random.default_rng(data.draw(st.integers(0, 99), label="points"))
    common = rng.uniform(-1, 1, size=(12, 2))
    paths, forks = [], data.draw(st.lists(st.sampled_from((0, 1, 5, 11, 12)), min_size=2, max_size=3), label="forks")
    for fork in forks:
        paths.append(np.concatenate([common[:fork], rng.uniform(-1, 1, size=(12 - fork, 2))]))
    labels = rng.choice([-1.0, 1.0], size=(len(paths), 12))
    Z = rng.uniform(-1, 1, size=(3, 2))
    with shared_factors():
        shared = [RidgePosterior(kernel, regularisation) for _ in paths]
        for _ in range(data.draw(st.integers(5, 25), label="moves")):
            who = data.draw(st.integers(0, len(paths) - 1))
            past, known = shared[who], shared[who].rounds
            move = data.draw(st.sampled_from(("append", "extend", "ask", "restart")))
            if move == "append" and known < 12:
                past.append(paths[who][known], labels[who][known])
            elif move == "extend":
                stop = data.draw(st.integers(known, 12))
                past.extend(paths[who][known:stop], labels[who][known:stop])
            elif move == "restart":
                shared[who] = RidgePosterior(kernel, regularisation)
            known = shared[who].rounds
            if known:
                got = shared[who].at(Z)
                want = posterior(kernel, regularisation, paths[who][:known], labels[who][:known], Z)
                np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * max(1.0, 1.0 / regularisation))


def test_posteriors_that_agree_evaluate_the_kernel_once_and_those_that_differ_each_for_itself():
    X, y = sequence(20)
    kernel = CountingKernel()

    def asks(action, *arguments):
        before = kernel.questions
        action(*arguments)
        return kernel.questions > before

    with shared_factors():
        one, two, other = (RidgePosterior(kernel, regularisation) for regularisation in (1.0, 1.0, 2.0))
        assert asks(one.extend, X[:10], y[:10])
        assert not asks(two.extend, X[:10], -y[:10])
        assert asks(other.extend, X[:10], y[:10])
        assert asks(one.append, X[10], 1.0)
        assert asks(two.append, -X[10], 1.0)
    alone, outside = RidgePosterior(kernel, 1.0), RidgePosterior(kernel, 1.0)
    assert asks(alone.extend, X, y)
    assert asks(outside.extend, X, y)


class Scaled(Kernel):
    """A kernel whose class is no dataclass."""

    def __init__(self, factor):
        self.factor = factor

    def gram(self, X, Z):
        return self.factor * (X @ Z.T)

    def diagonal(self, X):
        return self.factor * np.einsum("ij,ij->i", X, X)


def test_kernels_that_are_no_dataclasses_do_not_share_by_mistake():
    X, y = sequence(5)
    assert Scaled(1.0) != Scaled(9.0)
    with shared_factors():
        past, other = RidgePosterior(Scaled(1.0), 1.0), RidgePosterior(Scaled(9.0), 1.0)
        past.extend(X, y)
        other.extend(X, y)
        np.testing.assert_allclose(other.at(X), posterior(Scaled(9.0), 1.0, X, y, X), atol=1e-12)


@pytest.mark.parametrize("added", [False, True])
def test_a_shared_factor_that_was_interrupted_is_not_continued(monkeypatch, added):
    """Ctrl-C may leave a factor with missing rows or points; the next posterior must not use these."""
    X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    y = np.sin(3 * X[:, 0])
    expected = ridge_hindsight(Gaussian(1.0), 1.0, X, y)
    extend, calls = cholesky.GrowingCholesky.extend, itertools.count(1)

    def interrupted(self, *rows, **more):
        last = next(calls) == 2
        if added or not last:
            extend(self, *rows, **more)
        if last:
            raise KeyboardInterrupt

    with shared_factors():
        with monkeypatch.context() as patch:
            patch.setattr(cholesky.GrowingCholesky, "extend", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ridge_hindsight(Gaussian(1.0), 1.0, X, y)
        found = ridge_hindsight(Gaussian(1.0), 1.0, X, y)
    np.testing.assert_allclose(found.optimum, expected.optimum, rtol=1e-10)


def test_matches_share_one_factor_between_learner_and_comparator(factorised):
    class Contrary(Learner):
        """A learner that changes the sign of every point, so that it cannot share the comparator's factor."""

        def begin(self, game, rng):
            self.past = RidgePosterior(game.kernel, game.regularisation)

        def peek(self, X):
            return self.past.at(-X)[0]

        def update(self, x, y):
            self.past.append(-x, y)

        def replay(self, X, y):
            return self.past.extend(-X, y)[0]

    play("krr", "repeated(points=7)", rounds=200)
    assert sum(factorised) == 207  # each round once, and the seven points once more when their rounds are folded
    factorised.clear()
    play(Contrary(), "repeated(points=7)", rounds=200)
    assert sum(factorised) == 2 * 207


def test_a_judge_in_the_same_block_uses_the_factor_of_the_match():
    questions, X = [], np.random.default_rng(0).uniform(-1, 1, size=(300, 3))
    for block in (shared_factors(), contextlib.nullcontext()):
        kernel = CountingKernel()
        with block:
            run = play("kernel-awv", GivenMoves(X, np.sign(X[:, 0])), rounds=300, dimension=3, kernel=kernel)
            played = kernel.questions
            assert run.verdict("awv-effective-dimension").holds
            questions.append(kernel.questions - played)
    assert questions[0] == 0 < questions[1]

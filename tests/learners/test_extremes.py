"""Learners on legal input that is hard to compute with: extreme bandwidths and lambdas, corners, long matches.

`tests/quality/test_endurance.py` plays every learner against every adversary, in shorter matches.
"""

import itertools

import numpy as np
import pytest

from arena import Adversary, play
from arena.game.kernels import Gaussian
from arena_tests import FULL

FORECASTERS = [
    "pkawv(embedding=taylor(degree=6))",
    "pkawv(embedding=fourier(frequencies=30))",
    "pkawv(embedding=nystrom(points=60))",
    "pkrr(embedding=pivoted-cholesky(points=60))",
    "pkawv-kors",
    "pkawv-kors(beta=0.01)",
    "pkawv-kors(mu=1e-6, beta=3)",
    "pkawv-beforehand",
    "batch-krr",
    "ewa(of=[pkawv, pkrr, pkawv-kors, zero])",
]
OTHERS = [
    "fgd",
    "fogd(frequencies=20)",
    "nogd(budget=30)",
    "bogd(budget=2)",
    "bsgd",
    "bsgd(maintenance=remove)",
    "dual-sgd(frequencies=20)",
    "perceptron",
    "rbp",
    "forgetron",
    "projectron(threshold=0.01)",
    "projectron-pp(threshold=0.01)",
    *(
        f"dual-svrg(oracle={oracle}, frequencies=12, regularisation={strength})"
        for oracle in ("budget", "coverage", "always-move")
        for strength in (1e-8, 1e8)
    ),
]
ROUNDS = 10_000 if FULL else 1000
FRESH = 2500 if FULL else 200  # here every point may join the dictionary, and a round costs O(t^2)


class Corners(Adversary):
    """An adversary that plays corners of the box, the origin, and points close to these, with random signs."""

    oblivious = True

    def begin(self, game, rng):
        corners = np.array(list(itertools.product(*zip(game.low, game.high, strict=True))))
        near = np.clip(corners * (1 - 1e-7), game.low, game.high)
        self.set = np.vstack([corners, near, np.zeros((1, game.dimension)), np.full((1, game.dimension), 1e-9)])
        self.rng, self.bound = rng, game.label_bound

    def point(self, view):
        return self.set[self.rng.integers(len(self.set))]

    def label(self, view, x, prediction):
        return float(self.rng.choice([-self.bound, self.bound]))


class Scattered(Adversary):
    """An adversary that plays random points and labels."""

    oblivious = True

    def begin(self, game, rng):
        self.game, self.rng = game, rng

    def point(self, view):
        return self.rng.uniform(self.game.low, self.game.high)

    def label(self, view, x, prediction):
        return float(self.rng.choice([-1.0, 1.0]))


@pytest.mark.parametrize("regularisation", [1e-8, 1e8])
@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
@pytest.mark.parametrize("learner", FORECASTERS)
def test_many_rounds_without_nan_or_failure(learner, bandwidth, regularisation):
    game = {"kernel": Gaussian(bandwidth), "regularisation": regularisation, "hindsight": "none"}
    for adversary in (Corners(), Scattered(), "repeated(points=50)", "alternating(at=[1, -1])"):
        rounds = FRESH if isinstance(adversary, Scattered) else ROUNDS
        run = play(learner, adversary, rounds=rounds, **game)
        assert run.forfeit is None
        assert run.rounds == rounds
        assert np.abs(run.predictions).max() < 100.0
    if learner not in ("batch-krr", "pkawv-beforehand"):
        run = play(learner, "repeated(points=20, labels=contrary)", rounds=100, **game)
        assert run.forfeit is None
        assert np.abs(run.predictions).max() < 100.0


@pytest.mark.parametrize("regularisation", [1e-8, 1e8])
@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
@pytest.mark.parametrize("learner", OTHERS)
def test_long_matches_and_full_budgets_leave_predictions_finite(learner, bandwidth, regularisation):
    game = {"kernel": Gaussian(bandwidth), "regularisation": regularisation, "hindsight": "none"}
    rounds = (1000 if learner == "bsgd" else 5000) // (1 if FULL else 4)
    for adversary, length in (("alternating", rounds), ("repeated(points=150, labels=contrary)", rounds // 8)):
        run = play(learner, adversary, rounds=length, **game)
        assert run.ended == "completed"
        assert np.isfinite(run.predictions).all()


@pytest.mark.parametrize("regularisation", [1e-8, 1e-3, 1e8])
@pytest.mark.parametrize(
    "learner", ["pkawv(embedding=fourier(frequencies=8))", "pkawv-kors", "pkawv-beforehand(mu=1e-8)"]
)
def test_one_point_has_a_closed_form_whatever_lambda(learner, regularisation):
    """With k(x, x) = 1, the prediction of round t is the sum of the labels so far divided by lambda + t."""
    run = play(
        learner,
        "alternating(at=[1, -1])",
        rounds=ROUNDS,
        kernel=Gaussian(1e3),
        regularisation=regularisation,
        hindsight="none",
        seed=1,
    )
    before = np.concatenate([[0.0], np.cumsum(run.labels)[:-1]])
    exact = before / (regularisation + np.arange(1, ROUNDS + 1))
    known = slice(None)
    if learner == "pkawv-kors":  # as long as the coins keep the point out, nothing is predicted
        joined = int(run.evidence["accepted_rounds"][0])
        np.testing.assert_array_equal(run.predictions[: joined - 1], 0.0)
        known = slice(joined - 1, None)
    np.testing.assert_allclose(run.predictions[known], exact[known], atol=1e-8)

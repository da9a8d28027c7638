"""Learners that other libraries implement predict what scikit-learn and river predict."""

import numpy as np
import pytest

from arena import play
from arena.learners.newton_steps import projected
from arena.players.moves import GivenMoves
from arena_tests import FULL

SKLEARN, RIVER = "sklearn:linear_model.", "river:linear_model."
SCORES = {"loss": "hinge", "prediction_bound": 1e9}
NO_PENALTY = "penalty=none, fit_intercept=false, "
TWINS = [
    ("sgd(rate=0.01, steps=inverse-scaling, power=0.25, shrinkage=0.0001, halved=true)",
     SKLEARN + "SGDRegressor()", {}),
    ("sgd(rate=0.1, shrinkage=0.3, intercept=false, halved=true)",
     SKLEARN + "SGDRegressor(learning_rate=constant, eta0=0.1, alpha=0.3, fit_intercept=false)", {}),
    ("sgd(rate=3.1622776601683795, steps=inverse, shrinkage=0.01)",
     SKLEARN + "SGDClassifier(loss=log_loss, alpha=0.01)", {"loss": "logistic", "prediction_bound": 1e9}),
    ("sgd(rate=0.01)", RIVER + "LinearRegression()", {}),
    ("adagrad", RIVER + "LinearRegression(optimizer=river:optim.AdaGrad())", {}),
    ("rls(regularisation=1.5)", RIVER + "BayesianLinearRegression(alpha=3, beta=2)", {}),
    ("perceptron", SKLEARN + "Perceptron()", {**SCORES, "kernel": "linear(offset=1)"}),
    ("pa-1(aggressiveness=0.3)", SKLEARN + f"SGDClassifier(loss=hinge, {NO_PENALTY} learning_rate=pa1, eta0=0.3)",
     {**SCORES, "kernel": "linear"}),
    ("pa-2(aggressiveness=0.3)", SKLEARN + f"SGDClassifier(loss=hinge, {NO_PENALTY} learning_rate=pa2, eta0=0.3)",
     {**SCORES, "kernel": "linear"}),
    ("pa-1(task=regression)",
     SKLEARN + f"SGDRegressor(loss=epsilon_insensitive, {NO_PENALTY} learning_rate=pa1, eta0=1.0)",
     {"kernel": "linear"}),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "game"), TWINS, ids=[f"{each[0]} {each[1]}" for each in TWINS])
def test_the_predictions_are_those_of_the_library(ours, theirs, game):
    for seed in range(200 if FULL else 4):
        rng = np.random.default_rng(seed)
        rounds, dimension = 40, int(rng.integers(1, 5))
        signs = np.where(rng.random(rounds) < 0.5, -1.0, 1.0)
        labels = signs if "loss" in game else rng.uniform(-1.0, 1.0, rounds)
        moves = GivenMoves(rng.uniform(-1.0, 1.0, (rounds, dimension)), labels)
        runs = [play(each, moves, rounds=rounds, dimension=dimension, **game) for each in (ours, theirs)]
        np.testing.assert_allclose(runs[0].predictions, runs[1].predictions, rtol=1e-9, atol=1e-12)


def test_ftrl_proximal_solves_its_minimisation_in_every_round():
    """w minimises the sum of the linearised losses, the regularisers at zero, and those at the past iterates."""
    alpha, beta, l1, l2 = 0.5, 0.3, 0.2, 0.1
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1.0, 1.0, (30, 1)), rng.uniform(-1.0, 1.0, 30)
    spec = f"ftrl-proximal(alpha={alpha}, beta={beta}, l1={l1}, l2={l2}, intercept_rate=0)"
    run = play(spec, GivenMoves(X, y), rounds=30, dimension=1)
    gradients = 2.0 * (run.predictions - y) * X[:, 0]
    roots = np.sqrt(np.cumsum(np.square(gradients)))
    sigmas = np.diff(roots, prepend=0.0) / alpha
    grid = np.linspace(-2.0, 2.0, 400_001)
    iterates = np.append(run.predictions / X[:, 0], np.nan)
    for t in (1, 5, 17, 29):
        past = slice(0, t)
        objective = gradients[past].sum() * grid + l1 * np.abs(grid) + 0.5 * (beta / alpha + l2) * np.square(grid)
        for sigma, iterate in zip(sigmas[past], iterates[past], strict=True):
            objective = objective + 0.5 * sigma * np.square(grid - iterate)
        assert iterates[t] == pytest.approx(grid[objective.argmin()], abs=2e-5)


def test_forgetting_solves_weighted_least_squares():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(25, 3)) / 3, rng.uniform(-1.0, 1.0, 25)
    run = play("rls(regularisation=0.2, forgetting=0.9)", GivenMoves(X, y), rounds=25, dimension=3, box=[-9, 9])
    for t in (1, 10, 24):
        weights = 0.9 ** np.arange(t - 1, -1, -1)
        w = np.linalg.solve(
            X[:t].T @ (weights[:, None] * X[:t]) + 0.2 * 0.9**t * np.eye(3), X[:t].T @ (weights * y[:t])
        )
        assert run.predictions[t] == pytest.approx(X[t] @ w, abs=1e-10)


def test_the_projection_is_the_nearest_point_of_the_ball():
    rng = np.random.default_rng(2)
    for _ in range(20):
        root = rng.normal(size=(3, 3))
        A, w = root @ root.T + 0.1 * np.eye(3), 5.0 * rng.normal(size=3)
        nearest = projected(w, *np.linalg.eigh(A), 0.7)
        assert np.linalg.norm(nearest) <= 0.7 * (1 + 1e-12)
        others = rng.normal(size=(500, 3))
        others *= 0.7 * rng.random((500, 1)) ** (1 / 3) / np.linalg.norm(others, axis=1, keepdims=True)
        distances = np.einsum("ij,jk,ik->i", others - w, A, others - w)
        assert (nearest - w) @ A @ (nearest - w) <= distances.min() + 1e-9


def test_eg_and_winnow_keep_positive_weights_that_add_up_to_one():
    moves = GivenMoves(np.eye(3)[np.arange(9) % 3], np.ones(9))
    eg = play("eg(radius=2, rate=0.25)", moves, rounds=9, dimension=3)
    exponents = np.zeros(3)  # of v+ ; v- has the opposite ones
    for t in range(9):
        v = np.exp(exponents) / (np.exp(exponents) + np.exp(-exponents)).sum()
        u = np.exp(-exponents) / (np.exp(exponents) + np.exp(-exponents)).sum()
        assert eg.predictions[t] == pytest.approx(2.0 * (v - u)[t % 3], abs=1e-12)
        exponents[t % 3] -= 0.25 * 2.0 * 2.0 * (eg.predictions[t] - 1.0)
    winnow = play("winnow(rate=0.5)", moves, rounds=9, dimension=3)
    assert winnow.predictions[0] == 0.0  # a mistake, which moves the first weight
    assert winnow.predictions[3] == pytest.approx(np.sinh(0.5) / (3 * np.cosh(0.5)), abs=1e-12)


def test_the_averaged_perceptron_is_the_mean_of_the_perceptrons_weights():
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-1.0, 1.0, (40, 2)), np.where(rng.random(40) < 0.5, -1.0, 1.0)
    run = play("averaged-perceptron", GivenMoves(X, y), rounds=40, kernel="linear")
    w, total = np.zeros(2), np.zeros(2)
    for t in range(40):
        total = total + w
        assert run.predictions[t] == pytest.approx(X[t] @ total / (t + 1), abs=1e-12)
        if y[t] * (X[t] @ w) <= 0:
            w = w + y[t] * X[t]

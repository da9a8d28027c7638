"""The best function for other losses, compared with general-purpose solvers and with other functions."""

import numpy as np
import pytest
from scipy.optimize import minimize

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian, Linear, Polynomial
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Loss, SmoothHinge, Squared, SquaredHinge
from arena.hindsight.exact import ridge_hindsight
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.spaces import Space

KERNELS = [Gaussian(0.5), Polynomial(2), Linear(1.0)]
LOSSES = [
    Hinge(),
    SmoothHinge(0.3),
    SquaredHinge(),
    Logistic(),
    EpsilonInsensitive(0.2),
    Absolute(),
    Squared(),
]


def data(rounds=12, seed=0, repeated=False):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rounds, 2))
    if repeated:
        X = X[rng.integers(0, rounds // 3, rounds)]
    return X, rng.uniform(-1, 1, rounds)


def embedding(kernel, X):
    """Return exact features, computed from the eigenvectors of the kernel matrix."""
    values, vectors = np.linalg.eigh(kernel.gram(X, X))
    kept = values > 1e-10
    return vectors[:, kept] * np.sqrt(values[kept])


def solved(objective, size, constraints=()):
    """Return the least value that SciPy's solver SLSQP finds from two starts."""
    rng = np.random.default_rng(0)
    options = {"maxiter": 2000, "ftol": 1e-14}
    return min(
        (
            minimize(objective, start, method="SLSQP", constraints=constraints, options=options)
            for start in (np.zeros(size), 0.1 * rng.normal(size=size))
        ),
        key=lambda answer: answer.fun if answer.success or answer.status == 8 else np.inf,
    ).fun


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Linear(1.0)], ids=str)
@pytest.mark.parametrize("regularisation", [0.05, 0.5, 20.0])
def test_best_for_a_loss(loss, kernel, regularisation):
    X, y = data(seed=3)
    if loss.classifies:
        y = np.sign(y)
    best = best_for_loss(Space.of(kernel, X), loss, y, regularisation=regularisation)
    F = embedding(kernel, X)
    objective = lambda w: loss.value(F @ w, y).sum() + regularisation * w @ w
    twin = min(
        minimize(objective, start, method=method, options={"maxiter": 20_000}).fun
        for method in ("BFGS", "Powell")
        for start in (np.zeros(F.shape[1]), np.full(F.shape[1], 0.1))
    )
    assert best.lower <= twin + 1e-9
    assert best.upper <= twin + 1e-3
    assert best.gap <= 1e-4 * len(y)
    value = loss.value(best.predictions, y).sum() + regularisation * best.squared_norm
    assert value == pytest.approx(best.upper, rel=1e-8)


def test_squared_loss_agrees_with_ridge_regression():
    X, y = data(200, seed=4)
    best = best_for_loss(Space.of(Gaussian(0.7), X), Squared(), y, regularisation=0.3)
    truth = ridge_hindsight(Gaussian(0.7), 0.3, X, y).optimum[-1]
    assert best.lower <= truth <= best.upper
    assert best.gap < 1e-6


@pytest.mark.parametrize("loss", [Hinge(), Logistic(), EpsilonInsensitive(0.1)], ids=str)
def test_few_features_widen_the_interval_and_never_break_it(loss):
    X, y = data(300, seed=5)
    y = np.sign(y) if loss.classifies else y
    kernel = Laplacian(1.0)
    full = best_for_loss(Space.of(kernel, X), loss, y, regularisation=0.5)
    for features in (0, 5, 40):
        few = best_for_loss(Space.of(kernel, X, features=features), loss, y, regularisation=0.5)
        assert few.lower <= full.upper
        assert full.lower <= few.upper
        assert few.gap >= full.gap
    assert full.gap < 1e-3 * full.upper


@pytest.mark.parametrize("loss", [Hinge(), SmoothHinge(), SmoothHinge(tau=1.5), SquaredHinge(), Logistic()])
def test_a_label_of_zero_costs_every_function_the_same(loss):
    X, y = data(seed=7)
    y = np.sign(y)
    y[::3] = 0.0
    some, every = Space.of(Gaussian(), X[y != 0]), Space.of(Gaussian(), X)
    without = best_for_loss(some, loss, y[y != 0], regularisation=0.5)
    found = best_for_loss(every, loss, y, regularisation=0.5)
    constant = float(loss.value(0.0, 0.0)) * np.sum(y == 0)
    assert found.gap < 1e-4
    assert found.lower - 1e-9 <= without.upper + constant
    assert without.lower + constant <= found.upper + 1e-9


def test_labels_of_any_size_and_mistakes():
    X, y = data(seed=6)
    small = best_for_loss(Space.of(Gaussian(), X), Hinge(), 0.5 * np.sign(y), regularisation=0.4)
    large = best_for_loss(Space.of(Gaussian(), X), Hinge(), np.sign(y), regularisation=1.6)  # f doubled
    assert small.upper == pytest.approx(large.upper, rel=1e-5)
    space = Space.of(Gaussian(), X)
    with pytest.raises(ArenaError, match="regularisation must be"):
        best_for_loss(space, Hinge(), y, regularisation=0.0)

    class Odd(Loss):
        name = "odd"
        value = derivative = lipschitz = smoothness = curvature = None

    with pytest.raises(ArenaError, match="no dual is known"):
        best_for_loss(space, Odd(), y, regularisation=1.0)


@pytest.mark.parametrize("features", [0, 4, 15])
def test_a_space_bounds_the_residual_outside_it(features):
    """The bounds are tightest along the largest eigenvectors of the kernel matrix without the features."""
    X, _ = data(80, seed=8)
    kernel = Gaussian(0.3)
    K = kernel.gram(X, X)
    space = Space.of(kernel, X, features=features)
    _, vectors = np.linalg.eigh(K - space.F @ space.F.T)
    for a in (*vectors.T[-5:], np.ones(80), np.random.default_rng(0).normal(size=80)):
        assert space.kernel_form(a) >= a @ K @ a

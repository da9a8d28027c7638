"""Comparators against general-purpose solvers, and their intervals against what any function achieves."""

import numpy as np
import pytest
from scipy.optimize import minimize

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian, Linear, Polynomial
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Loss, SmoothHinge, Squared, SquaredHinge
from arena.hindsight.comparators import best_clipped, best_in_ball, best_in_subspace, subspace_optimum
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
    """Exact coordinates, by the square root of the kernel matrix."""
    values, vectors = np.linalg.eigh(kernel.gram(X, X))
    kept = values > 1e-10
    return vectors[:, kept] * np.sqrt(values[kept])


def solved(objective, size, constraints=()):
    """The value that SLSQP reaches from several starts."""
    rng = np.random.default_rng(0)
    options = {"maxiter": 2000, "ftol": 1e-14}
    return min(
        (
            minimize(objective, start, method="SLSQP", constraints=constraints, options=options)
            for start in (np.zeros(size), 0.1 * rng.normal(size=size))
        ),
        key=lambda answer: answer.fun if answer.success or answer.status == 8 else np.inf,
    ).fun


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("radius", [0.2, 1.0, 30.0])
def test_best_in_ball(kernel, repeated, radius):
    X, y = data(repeated=repeated)
    best = best_in_ball(Space.of(kernel, X), y, radius=radius)
    F = embedding(kernel, X)
    inside = {"type": "ineq", "fun": lambda w: radius**2 - w @ w}
    twin = solved(lambda w: np.square(F @ w - y).sum(), F.shape[1], [inside])
    assert best.squared_norm <= radius**2 * (1 + 1e-9)
    assert best.lower <= twin + 1e-6
    assert best.loss <= twin + 1e-6
    assert best.gap <= 1e-5 * (1 + radius) * (y @ y)
    assert best.loss == pytest.approx(np.square(best.predictions - y).sum(), abs=1e-8)


def test_a_ball_that_does_not_bind_holds_the_least_squares_solution():
    X, y = data()
    best = best_in_ball(Space.of(Linear(1.0), X), y, radius=100.0)
    design = np.column_stack([X, np.ones(len(X))])
    assert best.loss == pytest.approx(np.linalg.lstsq(design, y, rcond=None)[1][0], rel=1e-8)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("regularisation", [1e-2, 0.3, 10.0])
@pytest.mark.parametrize("bound", [0.1, 0.4, 2.0])
def test_best_clipped(kernel, regularisation, bound):
    X, y = data(seed=1, repeated=True)
    best = best_clipped(Space.of(kernel, X), y, regularisation=regularisation, bound=bound)
    F = embedding(kernel, X)
    inside = [
        {"type": "ineq", "fun": lambda w: bound - F @ w},
        {"type": "ineq", "fun": lambda w: bound + F @ w},
    ]
    objective = lambda w: np.square(F @ w - y).sum() + regularisation * w @ w
    twin = solved(objective, F.shape[1], inside)
    assert np.abs(best.predictions).max() <= bound * (1 + 1e-9)
    assert best.lower <= twin + 1e-7
    assert twin <= best.upper + 1e-5
    assert best.gap <= 1e-3 * (y @ y)
    if bound == 2.0:
        assert best.upper == pytest.approx(ridge_hindsight(kernel, regularisation, X, y).optimum[-1], rel=1e-6)


def test_the_clipped_set_costs_more_than_the_whole_space():
    X, y = data(60, seed=2)
    space = Space.of(Gaussian(0.3), X)
    free = ridge_hindsight(Gaussian(0.3), 0.05, X, y).optimum[-1]
    values = [best_clipped(space, y, regularisation=0.05, bound=bound).lower for bound in (0.05, 0.2, 0.5, 5.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 1.2 * free
    assert values[-1] == pytest.approx(free, rel=1e-4)


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
    with pytest.raises(ArenaError, match="radius must be"):
        best_in_ball(space, y, radius=0.0)
    with pytest.raises(ArenaError, match="bound must be"):
        best_clipped(space, y, regularisation=1.0, bound=-1.0)

    class Odd(Loss):
        name = "odd"
        value = derivative = lipschitz = smoothness = curvature = None

    with pytest.raises(ArenaError, match="no dual is known"):
        best_for_loss(space, Odd(), y, regularisation=1.0)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_best_in_a_subspace(kernel):
    X, y = data(80, seed=7)
    points = np.vstack([X[:4], X[:2], [[0.0, 0.0]]])
    space = Space.spanned_by(kernel, points, X)
    best = best_in_subspace(space, y, regularisation=0.2)
    own, cross = kernel.gram(points, points), kernel.gram(X, points)
    coefficients = np.linalg.lstsq(cross.T @ cross + 0.2 * own, cross.T @ y, rcond=1e-12)[0]
    value = np.square(cross @ coefficients - y).sum() + 0.2 * coefficients @ own @ coefficients
    assert best.lower <= value * (1 + 1e-10)
    assert best.upper == pytest.approx(value, rel=1e-8)
    assert best.gap < 1e-7
    prefixes = subspace_optimum(space, y, regularisation=0.2)
    assert prefixes[-1] == pytest.approx(value, rel=1e-8)
    short = best_in_subspace(Space.spanned_by(kernel, points, X[:30]), y[:30], regularisation=0.2)
    assert prefixes[29] == pytest.approx(short.upper, rel=1e-8)


@pytest.mark.parametrize("features", [0, 4, 15])
def test_a_space_bounds_what_lies_outside_it(features):
    """Along the top eigenvectors of what the features leave, the bounds have least to spare."""
    X, _ = data(80, seed=8)
    kernel = Gaussian(0.3)
    K = kernel.gram(X, X)
    space = Space.of(kernel, X, features=features)
    _, vectors = np.linalg.eigh(K - space.F @ space.F.T)
    for a in (*vectors.T[-5:], np.ones(80), np.random.default_rng(0).normal(size=80)):
        assert space.kernel_form(a) >= a @ K @ a
        for regularisation in (0.01, 1.0, 30.0):
            truth = ridge_hindsight(kernel, regularisation, X, a).optimum[-1]
            assert space.ridge_from_below(a, regularisation) <= truth

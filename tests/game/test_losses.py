"""Values and derivatives of losses, and the constants that theorems use, checked on fine grids."""

import math

import numpy as np
import pytest

from arena import ArenaError, play
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Loss, SmoothHinge, Squared, SquaredHinge
from arena.specs.building import build
from arena.specs.registry import entries

LOSSES = [
    Squared(),
    Hinge(),
    SmoothHinge(),
    SmoothHinge(tau=2.0),
    SquaredHinge(),
    Logistic(),
    Absolute(),
    EpsilonInsensitive(epsilon=0.3),
]
BOUNDS = [(1.0, 1.0), (0.5, 1.0), (2.0, 1.0), (1.0, 0.5), (3.0, 2.0), (0.9, 1.2)]


def plain(loss, z, y):
    """Return the loss of one prediction by the papers' formula."""
    m = y * z
    if isinstance(loss, Squared):
        return (z - y) ** 2
    if isinstance(loss, Absolute):
        return abs(z - y)
    if isinstance(loss, EpsilonInsensitive):
        return max(0.0, abs(z - y) - loss.epsilon)
    if isinstance(loss, Hinge):
        return max(0.0, 1 - m)
    if isinstance(loss, SquaredHinge):
        return max(0.0, 1 - m) ** 2
    if isinstance(loss, Logistic):
        return math.log1p(math.exp(-m))
    if m >= 1:
        return 0.0
    return 1 - m - loss.tau / 2 if m <= 1 - loss.tau else (1 - m) ** 2 / (2 * loss.tau)


def grids(C, B, size=401):
    """Return a grid of predictions within [-C, C], and the labels -B and B, at which the constants are largest."""
    return np.linspace(-C, C, size), (-B, B)


def test_every_registered_loss_is_tested_here():
    assert {loss.name for loss in LOSSES} == set(entries("loss"))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_values_by_the_formula_for_arrays_and_for_numbers(loss):
    z, y = np.meshgrid(np.linspace(-3, 3, 61), [-1.0, -0.3, 0.0, 1.0])
    expected = np.vectorize(lambda a, b: plain(loss, a, b))(z, y)
    np.testing.assert_allclose(loss.value(z, y), expected, rtol=1e-13, atol=1e-15)
    for a, b in ((0.4, 1.0), (-2.0, -1.0), (1.0, 1.0)):
        assert float(loss.value(a, b)) == pytest.approx(plain(loss, a, b))
        assert float(loss.derivative(a, b)) == pytest.approx(float(loss.derivative(np.array([a]), np.array([b]))[0]))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_derivatives_by_finite_differences(loss):
    h = 1e-6
    z, y = np.meshgrid(np.linspace(-2.9, 2.9, 203), [-1.0, -0.3, 1.0])
    kinks = [1 / y, y, y - getattr(loss, "epsilon", 0), y + getattr(loss, "epsilon", 0)]
    smooth = np.min([np.abs(z - kink) for kink in kinks], axis=0) > 1e-3
    numeric = (loss.value(z + h, y) - loss.value(z - h, y)) / (2 * h)
    np.testing.assert_allclose(loss.derivative(z, y)[smooth], numeric[smooth], atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_derivative_is_a_subgradient_at_the_kinks_too(loss):
    w = np.linspace(-3, 3, 301)
    for y in (-1.0, 1.0):
        for u in (-1.0, 0.0, 1.0, y - 0.3, y + 0.3, 1 / y):
            below = loss.value(u, y) + loss.derivative(u, y) * (w - u)
            assert (loss.value(w, y) >= below - 1e-12).all()


def test_the_chosen_subgradients():
    assert Hinge().derivative(1.0, 1.0) == 0
    assert Hinge().derivative(-1.0, -1.0) == 0
    assert Absolute().derivative(0.5, 0.5) == 0
    assert EpsilonInsensitive(epsilon=0.25).derivative(0.75, 0.5) == 0
    assert EpsilonInsensitive(epsilon=0.25).derivative(0.76, 0.5) == 1


@pytest.mark.parametrize(("C", "B"), BOUNDS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_lipschitz_constant_holds_and_is_attained(loss, C, B):
    z, labels = grids(C, B)
    steepest = max(np.abs(loss.derivative(z, y)).max() for y in (*labels, 0.3 * B))
    assert steepest <= loss.lipschitz(C, B) * (1 + 1e-12)
    if isinstance(loss, Logistic):  # attained in the limit of large margins
        assert max(np.abs(loss.derivative(100 * z, y)).max() for y in labels) == pytest.approx(B, rel=1e-6)
    elif not (isinstance(loss, SmoothHinge) and loss.tau > 1 + B * C):
        assert steepest == pytest.approx(loss.lipschitz(C, B))


@pytest.mark.parametrize(("C", "B"), BOUNDS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_smoothness_constant_holds_and_is_attained(loss, C, B):
    M = loss.smoothness(C, B)
    z, labels = grids(C, B, size=2001)
    slopes = [np.abs(np.diff(loss.derivative(z, y))) / np.diff(z) for y in labels]
    if math.isinf(M):
        narrow = np.linspace(-1e-9, 1e-9, 101)
        kinks = (-B - getattr(loss, "epsilon", 0), B + getattr(loss, "epsilon", 0), -1 / B, 1 / B)
        jumps = [np.ptp(loss.derivative(kink + narrow, y)) for kink in kinks for y in labels]
        assert max(jumps) >= min(1.0, B)
    else:
        assert max(map(np.max, slopes)) <= M * (1 + 1e-9)
        if not isinstance(loss, SmoothHinge) or 1 - loss.tau < B * C:
            assert max(map(np.max, slopes)) == pytest.approx(M, rel=1e-3)


def largest_curvature(loss, C, B, size=401):
    """Return the largest sigma with l(w) >= l(u) + l'(u)(w - u) + (sigma / 2)(l'(u)(w - u))^2 on a grid."""
    z, labels = grids(C, B, size)
    best = math.inf
    for y in labels:
        step = loss.derivative(z, y)[:, np.newaxis] * (z[np.newaxis, :] - z[:, np.newaxis])
        gap = loss.value(z, y)[np.newaxis, :] - loss.value(z, y)[:, np.newaxis] - step
        used = np.abs(step) > 1e-3 * C
        best = min(best, float((2 * gap[used] / step[used] ** 2).min()))
    return best


@pytest.mark.parametrize(("C", "B"), BOUNDS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_curvature_holds_and_is_the_largest(loss, C, B):
    sigma, found = loss.curvature(C, B), largest_curvature(loss, C, B)
    if sigma == 0.0:
        assert found <= 1e-9 or (isinstance(loss, SmoothHinge) and loss.tau >= 1 + B * C)
    else:
        assert found >= sigma * (1 - 1e-8)
        assert found == pytest.approx(sigma, rel=0.02)


def test_the_curvature_of_the_squared_hinge_beyond_margin_one():
    """With margins above 1, the usual constant 1 / (2 (1 + C)^2) is too large: 0.0556 instead of 0.0521 at C = 2."""
    loss = SquaredHinge()
    assert loss.curvature(2.0, 1.0) == pytest.approx(5 / 96)
    assert loss.curvature(2.0, 1.0) < 1 / 18
    assert largest_curvature(loss, 2.0, 1.0, size=1201) == pytest.approx(5 / 96, rel=1e-3)
    u, w = -2.0, 2.0  # here the naive constant fails
    step = float(loss.derivative(u, 1.0)) * (w - u)
    assert loss.value(w, 1.0) < loss.value(u, 1.0) + step + (1 / 18 / 2) * step**2
    assert loss.value(w, 1.0) >= loss.value(u, 1.0) + step + (5 / 96 / 2) * step**2 - 1e-12
    assert loss.curvature(1.0, 1.0) == pytest.approx(1 / 8)


def test_the_curvature_of_the_squared_hinge_at_the_largest_bounds_is_zero():
    assert SquaredHinge().curvature(1e100, 1e100) == 0.0
    assert play("kons", "alternating", rounds=3, loss="squared-hinge", label_bound=1e100).forfeit is None


def test_the_squared_loss_keeps_its_curvature_for_every_w():
    loss, (C, B) = Squared(), (1.0, 1.0)
    u, w = np.meshgrid(np.linspace(-C, C, 101), np.linspace(-50, 50, 201))
    for y in (-B, 0.2, B):
        step = loss.derivative(u, y) * (w - u)
        assert (loss.value(w, y) >= loss.value(u, y) + step + loss.curvature(C, B) / 2 * step**2 - 1e-9).all()


def test_the_smooth_hinge_lies_below_the_hinge_by_at_most_half_of_tau():
    z = np.linspace(-3, 3, 1201)
    for tau in (0.1, 0.5, 2.0):
        gap = Hinge().value(z, 1.0) - SmoothHinge(tau=tau).value(z, 1.0)
        assert gap.min() >= -1e-15
        assert gap.max() == pytest.approx(tau / 2)


def test_the_logistic_loss_survives_large_margins():
    loss, z = Logistic(), np.array([-1e4, 1e4])
    assert loss.value(z, 1.0).tolist() == [1e4, 0.0]
    assert loss.derivative(z, 1.0).tolist() == [-1.0, 0.0]


def test_which_losses_classify():
    assert {loss.name for loss in LOSSES if loss.classifies} == {"hinge", "smooth-hinge", "squared-hinge", "logistic"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("smooth-hinge(tau=0)", "> 0"),
        ("epsilon-insensitive(epsilon=-1)", ">= 0"),
        ("absolute(epsilon=1)", "<= 0"),
        ("hinge(tau=1)", "no parameter 'tau'"),
        ("square", "Did you mean 'squared'"),
    ],
)
def test_wrong_parameters_say_what_is_allowed(spec, message):
    with pytest.raises(ArenaError, match=message):
        build("loss", spec)


def test_losses_are_values_and_strangers_are_equal_to_nothing_but_themselves():
    class Own(Loss):
        def __init__(self, power):
            self.power = power

        def value(self, prediction, label):
            return np.abs(prediction - label) ** self.power

        derivative = lipschitz = smoothness = curvature = value

    assert SmoothHinge(0.5) == SmoothHinge()
    assert Own(1) != Own(3)
    own = Own(1)
    assert own == own
    assert len({own, Own(1)}) == 2

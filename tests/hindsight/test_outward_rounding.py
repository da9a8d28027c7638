"""Certified intervals of the least loss contain the least loss in exact arithmetic, also of degenerate sequences."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from arena.comparators.constants import best_constant
from arena.game.kernels import Linear
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, SmoothHinge, SquaredHinge
from arena.hindsight.duals import dual_of
from arena.hindsight.norms import NormPath
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.spaces import Space
from arena_tests import FULL

LOSSES = [Hinge(), SmoothHinge(0.3), SquaredHinge(), Logistic(), Absolute(), EpsilonInsensitive(0.1)]
DIGITS, HALVINGS = 60, 150


def value_and_slope(loss, z, y):
    """Return the loss of the prediction z for the label y, and a subgradient, both as `Decimal`."""
    if isinstance(loss, EpsilonInsensitive):
        excess = abs(z - y) - Decimal(loss.epsilon)
        return (excess, Decimal(1 if z > y else -1)) if excess > 0 else (Decimal(0), Decimal(0))
    m = y * z
    if isinstance(loss, Logistic):
        power = (-abs(m)).exp()
        share = power / (1 + power) if m > 0 else 1 / (1 + power)
        return max(-m, Decimal(0)) + (1 + power).ln(), -y * share
    short = max(1 - m, Decimal(0))
    if isinstance(loss, SquaredHinge):
        return short**2, -2 * y * short
    width = Decimal(loss.tau) if isinstance(loss, SmoothHinge) else Decimal(0)
    if width and short < width:
        return short**2 / (2 * width), -y * short / width
    return short - width / 2, -y if short else Decimal(0)


def least(loss, x, y, regularisation):
    """Return the least sum of losses of a linear function w x plus lambda w^2, to about 40 digits, by bisection."""
    rounds = [(Decimal(a), Decimal(b), int(n)) for (a, b), n in zip(*np.unique(
        np.column_stack([x, y]), axis=0, return_counts=True), strict=True)]  # fmt: skip
    penalty = Decimal(regularisation)

    def at(w):
        found = [(n * value, n * a * slope) for a, b, n in rounds for value, slope in [value_and_slope(loss, a * w, b)]]
        return sum(value for value, _ in found) + penalty * w**2, sum(slope for _, slope in found) + 2 * penalty * w

    low, high = Decimal(-1), Decimal(1)
    while at(low)[1] > 0 or at(high)[1] < 0:
        low, high = 4 * low, 4 * high
        if high > Decimal(10) ** 12:  # a sum of losses that falls without end
            return min(at(low)[0], at(high)[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle)[1] < 0 else (low, middle)
    return min(at(low)[0], at(high)[0])


def sequences(rng):
    """Yield names, points and labels: random ones, ties, labels that are zero or of any size, points at zero."""
    rounds = int(rng.integers(1, 40))
    scale = 10.0 ** rng.uniform(-3, 3)
    x = rng.uniform(-1, 1, rounds)
    yield "random", x, rng.normal(size=rounds)
    yield "signs", x, rng.choice([-1.0, 1.0], rounds)
    yield "one class", np.abs(x), np.ones(rounds)
    yield "ties", rng.integers(-1, 2, rounds) * 1.0, rng.integers(-2, 3, rounds) * 1.0
    yield "scaled", scale * x, scale * rng.choice([-1.0, 0.3, 1.0], rounds)
    yield "zero", 0.0 * x, rng.choice([-1.0, 0.0, 1.0], rounds)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_least_penalised_loss_is_inside(loss):
    rng = np.random.default_rng(1)
    with localcontext(prec=DIGITS):
        for _ in range(20 if FULL else 2):
            for name, x, y in sequences(rng):
                at = 10.0 ** float(rng.uniform(-12, 2))
                best = best_for_loss(Space.of(Linear(), x[:, None]), loss, y, regularisation=at)
                truth = least(loss, x, y, at)
                assert Decimal(best.lower) <= truth <= Decimal(best.upper), (name, at, x, y)


@pytest.mark.parametrize("regularisation", 10.0 ** np.arange(-12, 1, 2.0))
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_a_tiny_logistic_loss_is_inside(size, regularisation):
    """The dual variables are as small as 1e-15, beside which the rounding of 1 - b is large."""
    for rounds in (1, 2, 7, 50):
        x, y = np.full(rounds, size), np.ones(rounds)
        best = best_for_loss(Space.of(Linear(), x[:, None]), Logistic(), y, regularisation=regularisation)
        with localcontext(prec=DIGITS):
            assert Decimal(best.lower) <= least(Logistic(), x, y, regularisation) <= Decimal(best.upper)


def test_the_entropy_of_the_logistic_dual_has_all_digits():
    edge = 2.0 ** -np.arange(1.0, 1075.0)
    b = np.concatenate([edge, 1.0 - edge[:53], [0.3, 1e-16, 3e-16, 1.0]])
    found = dual_of(Logistic(), np.ones(len(b))).values(b)
    with localcontext(prec=400):  # enough for 1 - 2^-1074
        for each, value in zip(map(Decimal, b.tolist()), found.tolist(), strict=True):
            rest = 1 - each
            exact = -(each * each.ln()) - (rest * rest.ln() if rest else 0)
            assert abs(Decimal(value) - exact) <= Decimal("1e-15") * exact + Decimal("5e-324")


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_least_loss_of_a_constant_is_inside(loss):
    rng = np.random.default_rng(2)
    with localcontext(prec=DIGITS):
        for _ in range(40 if FULL else 4):
            for name, _, y in sequences(rng):
                lower, upper, constant = best_constant(loss, y)
                assert Decimal(lower) <= least(loss, np.ones(len(y)), y, 0) <= Decimal(upper), (name, y)
                assert Decimal(upper) >= sum(
                    value_and_slope(loss, Decimal(constant), each)[0] for each in map(Decimal, y.tolist())
                )
                assert upper - lower <= 1e-9 * (len(y) + upper)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_least_loss_of_a_bounded_norm_is_inside(loss):
    """At |f| <= 0 the least loss is that of f = 0."""
    rng = np.random.default_rng(3)
    with localcontext(prec=DIGITS):
        for name, x, y in sequences(rng):
            path = NormPath.of(Space.of(Linear(), x[:, None]), loss, y, np.array([0.1, 1.0]))
            lower, upper = path.least_loss(0.0)
            truth = sum(value_and_slope(loss, Decimal(0), each)[0] for each in map(Decimal, y.tolist()))
            assert Decimal(lower) <= truth <= Decimal(upper), (name, y)

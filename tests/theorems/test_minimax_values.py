"""The value of the game at one point, on which a lower bound rests, equals independent computations."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from arena.components.one_point import comparator_objective, square_weights, value_table
from arena.game.losses import Absolute, Logistic, Squared


def slow_value(loss, bound, rounds, penalty, plus=0, minus=0):
    """Return the value of the game at one point, computed by nested minimisations of one variable."""
    reach = 30.0 if loss.classifies else bound
    if plus + minus == rounds:
        objective = lambda c: plus * loss.value(c, bound) + minus * loss.value(c, -bound) + penalty * c * c
        return -min(
            float(minimize_scalar(objective, bounds=(-reach, reach), method="bounded").fun), float(objective(0.0))
        )
    up = slow_value(loss, bound, rounds, penalty, plus + 1, minus)
    down = slow_value(loss, bound, rounds, penalty, plus, minus + 1)
    worst = lambda z: max(float(loss.value(z, bound)) + up, float(loss.value(z, -bound)) + down)
    return min(worst(z) for z in np.linspace(-reach, reach, 200_001)[:: 1 if rounds < 3 else 20])


@pytest.mark.parametrize("loss", [Squared(), Absolute(), Logistic()])
def test_the_table_is_the_value_of_the_game(loss):
    found = value_table(loss, 1.0, 3, 1.0, 0.7)[0][0]
    assert found == pytest.approx(slow_value(loss, 1.0, 3, 0.7), abs=2e-2 if loss.classifies else 2e-3)


def test_for_squared_loss_the_table_is_the_sum_of_the_weights():
    for rounds, penalty in [(1, 1.0), (7, 0.3), (40, 20.0)]:
        table = value_table(Squared(), 2.0, rounds, 1.0, penalty)
        assert table[0][0] == pytest.approx(4.0 * square_weights(rounds, 1.0, penalty).sum(), rel=1e-9)


def test_for_absolute_loss_the_table_is_the_mean_of_a_random_walk():
    rounds, penalty = 30, 0.2
    plus = np.arange(rounds + 1.0)
    chance = np.array([math.comb(rounds, int(p)) for p in plus]) / 2.0**rounds
    gains = rounds - comparator_objective(Absolute(), 1.0, plus, rounds - plus, 1.0, penalty)
    mean = float(chance @ gains)
    assert value_table(Absolute(), 1.0, rounds, 1.0, penalty)[0][0] == pytest.approx(mean, rel=1e-9)
    assert mean == pytest.approx(math.sqrt(2 * rounds / math.pi), rel=0.1)


def test_it_grows_like_log_t_and_like_root_t():
    squares = [square_weights(rounds, 1.0, 1.0).sum() for rounds in (1000, 10_000, 100_000)]
    assert squares[2] - squares[1] == pytest.approx(math.log(10), rel=0.12)
    roots = [value_table(Absolute(), 1.0, rounds, 1.0, 1.0)[0][0] for rounds in (100, 400)]
    assert roots[1] / roots[0] == pytest.approx(2.0, rel=0.15)

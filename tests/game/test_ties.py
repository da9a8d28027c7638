"""Choices that rounding cannot change, and the grid of a box."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Game
from arena.arrays import TIE, clearly_above, first_best, first_bests

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(
    scores=st.lists(st.integers(-20, 20), min_size=1, max_size=30),
    seed=st.integers(0, 100),
    scale=st.sampled_from([1e-8, 1.0, 1e12]),
)
def test_rounding_errors_change_no_choice(scores, seed, scale):
    """Scores are whole numbers, many of them equal; errors are 1e-10 of the scores, far larger than those of BLAS."""
    exact = scale * np.array(scores, dtype=float)
    noisy = exact + 1e-10 * scale * np.random.default_rng(seed).standard_normal(len(exact))
    assert first_best(noisy) == exact.argmax()
    count = min(5, len(scores))
    assert first_bests(noisy, count).tolist() == np.argsort(-exact, kind="stable")[:count].tolist()


def test_the_first_of_those_that_tie_is_chosen_and_a_better_one_wins():
    assert first_best(np.array([1.0, 1.0 + 0.5 * TIE])) == 0
    assert first_best(np.array([1.0, 1.0 + 2.0 * TIE])) == 1
    assert first_best(np.array([[0.0, 1.0], [3.0, 1e-9]])).tolist() == [1, 0]
    assert first_best(np.array([-np.inf, 2.0, np.inf, np.inf])) == 2
    assert first_best(np.array([0.0, 1e-9]), scale=1.0) == 0
    assert not clearly_above(1.0 + 1e-12, 1.0, scale=1.0)
    assert clearly_above(1.0 + 1e-6, 1.0, scale=1.0)


def test_an_end_that_carries_noise_leads_to_one_point_of_the_grid():
    game = Game(dimension=3, box=[(-1.0, 1.0), (0.0, 40.0), (1e5, 1e5 + 1.0)])
    rng = np.random.default_rng(0)
    X = rng.uniform(game.low, game.high, size=(1000, 3))
    noisy = X + 1e-13 * rng.standard_normal(X.shape) * (game.high - game.low)
    np.testing.assert_array_equal(game.on_grid(X), game.on_grid(noisy))


@given(low=NUMBERS, side=st.floats(1e-6, 1e6), share=st.floats(0, 1))
def test_a_grid_is_fine_and_stays_in_the_box(low, side, share):
    game = Game(dimension=1, box=(low, low + side))
    x = np.clip(np.array([[low + share * side]]), game.low, game.high)
    found = game.on_grid(x)
    assert game.low <= found <= game.high
    assert abs(found - x) <= max(5e-4 * side, 1e-14 * max(abs(low), abs(low + side), 1e-300))
    np.testing.assert_array_equal(game.on_grid(found), found)


@pytest.mark.parametrize("box", [(-1.0, 1.0), (0.0, 3.0), (-1000.0, 0.0)])
def test_corners_and_short_decimals_are_points_of_the_grid(box):
    game = Game(dimension=1, box=box)
    X = np.array([[box[0]], [box[1]], [round(0.123 * box[0] + 0.877 * box[1], 0)]])
    np.testing.assert_array_equal(game.on_grid(X), X)
    assert len(str(float(game.on_grid(np.array([[box[0] + (box[1] - box[0]) / 7]]))[0, 0]))) <= 6

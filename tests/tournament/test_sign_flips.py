"""Tests by sign flips equal counts of all signs, and call exchangeable learners different as seldom as they say."""

import itertools

import numpy as np
import pytest

from arena.tournament.sign_flips import ALL_SIGNS, fewest, holm, p_values, separated

DIFFERENCES = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.integers(-2, 3, shape) * 1.0,
    "equal": lambda _, shape: np.ones(shape),
    "heavy": lambda rng, shape: rng.standard_cauchy(shape),
    "thirds": lambda rng, shape: rng.integers(-2, 3, shape) / 3,
}


@pytest.mark.parametrize("draw", DIFFERENCES.values(), ids=DIFFERENCES)
@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_all_signs_are_counted(draw, count):
    values = draw(np.random.default_rng(count), (count, 3))
    sums = np.array([np.array(signs) @ values for signs in itertools.product([-1, 1], repeat=count)])
    seen, off = values.sum(axis=0), 1e-9 * np.abs(values).sum(axis=0)
    for size in (1.0, 1e-200, 1e200):
        assert p_values(size * values, sides=1)[0] == pytest.approx((sums >= seen - off).mean(axis=0))
        assert p_values(size * values, sides=2)[0] == pytest.approx((np.abs(sums) >= np.abs(seen) - off).mean(axis=0))
    nonzero = np.count_nonzero(values, axis=0)
    assert p_values(values, sides=2)[1] == pytest.approx(np.minimum(1.0, 2.0 ** (1 - nonzero)))


@pytest.mark.parametrize("count", [ALL_SIGNS + 1, 30, 200])
def test_random_signs_are_as_good(count):
    rng = np.random.default_rng(count)
    values = rng.normal(size=(count, 4)) + np.array([0.0, 0.2, -0.5, 3.0])
    found, least = p_values(values, sides=1)
    signs = rng.choice([-1.0, 1.0], (100_000, count))
    expected = (signs @ values >= values.sum(axis=0)).mean(axis=0)
    assert found[:3] == pytest.approx(expected[:3], abs=0.02)
    assert least[3] <= found[3] <= 1e-3
    assert (least == 2.0**-count).all()


def test_differences_that_are_zero_do_not_matter():
    values = np.random.default_rng(0).normal(size=(6, 2)) + 1
    padded = np.vstack([values, np.zeros((5, 2))])
    assert np.array(p_values(padded, sides=2)) == pytest.approx(np.array(p_values(values, sides=2)))
    assert np.array(p_values(np.zeros((4, 1)), sides=2)).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("draw", DIFFERENCES.values(), ids=DIFFERENCES)
@pytest.mark.parametrize("count", [2, 6, 20])
def test_the_level_is_kept_for_every_number_of_differences(draw, count):
    """The signs are random, whatever the sizes; each test alone and ten tests together, at several levels."""
    rng = np.random.default_rng(7)
    trials = 400
    values = draw(rng, (count, 10 * trials)) * rng.choice([-1.0, 1.0], (count, 10 * trials))
    found, least = p_values(values, sides=2)
    for level in (0.05, 0.2, 0.5):
        assert np.mean(found <= level) <= level + 3 * np.sqrt(level / len(found))
        together = [
            any(holm(p.tolist(), q.tolist(), level))
            for p, q in zip(found.reshape(trials, 10), least.reshape(trials, 10), strict=True)
        ]
        assert np.mean(together) <= level + 3 * np.sqrt(level / trials)


def test_tests_that_cannot_be_significant_do_not_weaken_others():
    assert holm([0.03, 0.25, 0.25], [0.03, 0.25, 0.25], 0.05) == [True, False, False]
    assert holm([0.03, 0.25, 0.03], [0.03, 0.25, 0.03], 0.05) == [False] * 3
    assert holm([], [], 0.05) == []


def test_what_moves_together_is_separated_however_much_it_moves():
    common = np.random.default_rng(1).normal(size=(6, 1))
    assert separated([np.hstack([common, common + 0.01])], 0.05)[0].tolist() == [[False, True], [False, False]]
    assert not separated([np.hstack([common, common + 0.01])[:5]], 0.05)[0].any()


def test_one_row_in_each_setting_is_compared_as_it_is():
    rows = [np.array([[1.0, 2.0, 1.0]]), np.array([[3.0, 5.0, 3.0]])]
    assert separated(rows, 0.05)[0].tolist() == [[False, True, False], [False] * 3, [False, True, False]]


def test_settings_weigh_the_same_however_many_seeds_they_have():
    """Column 0 is lower in 9 rows of the first setting, and much higher in the two rows of the second."""
    first, second = np.tile([1.0, 2.0], (9, 1)), np.tile([5.0, 2.0], (2, 1))
    assert separated([first], 0.05)[0][0, 1]
    assert not separated([first, second], 0.05)[0].any()


@pytest.mark.parametrize("learners", range(2, 8))
def test_the_fewest_matches_are_those_from_which_a_difference_shows(learners):
    pairs = learners * (learners - 1) // 2
    needed = fewest(2 * pairs, 0.05)
    rows = np.arange(learners) * np.ones((needed, 1))
    better, smallest = separated([rows], 0.05)
    assert better[0, learners - 1]
    assert smallest == pairs * 2.0 ** (1 - needed) <= 0.05
    better, smallest = separated([rows[:-1]], 0.05)
    assert not better.any()
    assert smallest == pairs * 2.0 ** (2 - needed) > 0.05


def test_pairs_with_ties_leave_more_for_the_others():
    """Six rows are too few for three pairs, but where two of the pairs have a tie, the third one is tested alone."""
    rows = np.array([[1.0, 2.0, 3.0]] * 5 + [[1.5, 3.0, 1.5]])
    better, smallest = separated([rows], 0.05)
    assert not better.any()
    assert smallest > 0.05
    better, smallest = separated([np.array([[1.0, 3.0, 3.0]] * 2 + [[1.0, 3.0, 1.0]] * 4)], 0.05)
    assert better.tolist() == [[False, True, False], [False] * 3, [False] * 3]
    assert smallest == 2.0**-5

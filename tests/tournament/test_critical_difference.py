"""Friedman's and Nemenyi's tests equal published numbers, SciPy, and counts of all permutations."""

import itertools

import numpy as np
import pytest
from scipy.stats import f, friedmanchisquare, rankdata

from arena.tournament.critical_difference import FEW_SETTINGS, critical_difference

DEMSAR = (2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)  # table 5(a), at 0.05, for 3 to 10 learners


@pytest.mark.parametrize(("learners", "q"), [*zip(range(3, 11), DEMSAR, strict=True)])
def test_the_critical_difference_is_that_of_the_table(learners, q):
    ranks = np.array([np.roll(np.arange(1.0, learners + 1), shift) for shift in range(14)])
    expected = q * np.sqrt(learners * (learners + 1) / (6 * 14))
    assert critical_difference(ranks).difference == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("ties", [False, True])
def test_the_statistic_is_that_of_scipy(ties):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 3 if ties else 10**9, size=(25, 4)) + np.array([0, 0, 0, 1])
    chi_square = friedmanchisquare(*values.T).statistic
    expected = f.sf(24 * chi_square / (75 - chi_square), 3, 72)
    assert critical_difference(rankdata(values, axis=1)).p_value == pytest.approx(expected)


def test_few_settings_are_judged_by_permutations():
    ranks = np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2.5, 2.5]])
    statistics, ranges = [], []
    for orders in itertools.product(itertools.permutations(range(3)), repeat=4):
        average = np.mean([row[list(order)] for row, order in zip(ranks, orders, strict=True)], axis=0)
        statistics.append(np.square(average - 2).sum())
        ranges.append(np.ptp(average))
    seen = np.square(ranks.mean(axis=0) - 2).sum()
    exact = np.mean(np.array(statistics) >= seen - 1e-9)
    least = min(value for value in ranges if np.mean(np.array(ranges) >= value - 1e-9) <= 0.05)
    found = critical_difference(ranks)
    assert found.p_value == pytest.approx(exact, abs=0.01)
    assert found.difference == pytest.approx(least, abs=1e-6)


def test_two_settings_show_nothing_however_clear_they_are():
    found = critical_difference(np.array([[1.0, 2.0], [1.0, 2.0]]))
    assert found.p_value == pytest.approx(0.5, abs=0.02)
    assert found.difference == np.inf
    assert found.groups == ((0, 1),)


@pytest.mark.parametrize(("row", "orders"), [([1.0, 2.0], 2), ([1.0, 2.0, 3.0], 6), ([1.5, 1.5, 3.0, 4.0], 12)])
def test_the_same_order_everywhere_has_the_smallest_p_value(row, orders):
    """It is not 0: the first setting may have any order, and each of the others agrees with it by chance."""
    assert critical_difference(np.tile(row, (11, 1))).p_value == pytest.approx(orders**-10.0)


@pytest.mark.parametrize("settings", [6, FEW_SETTINGS + 5])
def test_equal_learners_are_seldom_called_different(settings):
    rng = np.random.default_rng(settings)
    means = [
        np.array([rankdata(rng.normal(size=(3, 4)), axis=1).mean(axis=0) for _ in range(settings)]) for _ in range(200)
    ]
    assert sum(critical_difference(ranks).differ for ranks in means) <= 20


def test_learners_are_grouped_where_they_are_close():
    pairs = [[1.0, 2.0], [2.0, 1.0]]
    ranks = np.array([pairs[setting % 2] + [3.0 + setting % 2, 4.0 - setting % 2] for setting in range(30)])
    assert critical_difference(ranks).groups == ((0, 1), (2, 3))


def test_groups_may_overlap():
    rows = [[1.0, 2, 3], [2, 1, 3], [1, 3, 2]]
    found = critical_difference(np.array(rows * 5))
    assert found.difference == pytest.approx(0.856, abs=1e-3)
    assert found.groups == ((0, 1), (1, 2))


@pytest.mark.parametrize("ranks", [np.ones((5, 1)), np.array([[1.0, 2.0, 3.0]])])
def test_one_learner_or_one_setting_cannot_be_tested(ranks):
    assert critical_difference(ranks) is None


@pytest.mark.parametrize("settings", [5, 20])
def test_equal_ranks_everywhere_are_no_difference(settings):
    found = critical_difference(np.full((settings, 3), 2.0))
    assert found.p_value == 1.0
    assert found.groups == ((0, 1, 2),)

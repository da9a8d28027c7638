"""Verdicts over many seeds, which are tests by betting, rarely call a true statement violated."""

import math

import numpy as np
import pytest
from scipy import stats

from arena.record.betting import CAPITAL, STAKES, chance, enough, log_wealth, lower_limit
from arena_tests import FULL

MATCHES = 200
LEVEL, SERIES = (0.001, 50_000) if FULL else (0.01, 2_000)


def centred(values, mean, least):
    """Return values with the given mean and least value, shifted to the mean 0 and scaled to the least value -1."""
    return (values - mean) / (mean - least)


def skewed(rng, probability):
    """Return draws with the mean 0: -1 with the given probability, and a small positive value otherwise."""
    gain = probability / (1 - probability)
    return np.where(rng.random(MATCHES) < probability, -1.0, gain)


DRAWS = {  # of the mean 0, at least -1
    "bernoulli, seldom": lambda rng: centred(rng.random(MATCHES) < 0.01, 0.01, 0.0),
    "bernoulli, one in ten": lambda rng: centred(rng.random(MATCHES) < 0.1, 0.1, 0.0),
    "bernoulli, even": lambda rng: centred(rng.random(MATCHES) < 0.5, 0.5, 0.0),
    "bernoulli, often": lambda rng: centred(rng.random(MATCHES) < 0.9, 0.9, 0.0),
    "skewed: +1 / 9 in nine of ten, else -1": lambda rng: skewed(rng, 0.1),
    "more skewed": lambda rng: skewed(rng, 0.01),
    "exponential": lambda rng: centred(rng.exponential(size=MATCHES), 1.0, 0.0),
    "exponential below": lambda rng: centred(-np.minimum(rng.exponential(size=MATCHES), 8.0), math.exp(-8) - 1, -8.0),
    "lognormal": lambda rng: centred(rng.lognormal(size=MATCHES), math.exp(0.5), 0.0),
    "lognormal below": lambda rng: centred(-np.minimum(rng.lognormal(size=MATCHES), 9.0), -CAPPED, -9.0),
    "normal, cut off": lambda rng: np.clip(rng.normal(size=MATCHES), -1.0, 1.0),
}
# the mean of min(L, 9) for a lognormal L
CAPPED = math.exp(0.5) * stats.norm.cdf(math.log(9) - 1) + 9 * stats.norm.sf(math.log(9))


def students(values):
    """Return the p-value of Student's one-sided test that the mean is at most 0."""
    mean, error = values.mean(), values.std(ddof=1) / math.sqrt(len(values))
    return float(stats.t.sf(mean / error, len(values) - 1)) if error > 1e-9 else float(mean <= 0)


def share_of_alarms(draw, p_value, level=LEVEL, series=SERIES):
    rng = np.random.default_rng(5)
    return np.mean([p_value(draw(rng)) <= level for _ in range(series)])


@pytest.mark.parametrize("kind", DRAWS)
def test_a_true_statement_is_called_violated_as_seldom_as_promised_if_one_looks_after_every_match(kind):
    """The largest wealth of 200 matches decides, so the alarm may come after any of them."""
    assert share_of_alarms(DRAWS[kind], chance) <= LEVEL + 3 * math.sqrt(LEVEL / SERIES)


def test_the_simulation_would_notice_a_test_that_takes_draws_for_normal():
    """Student's test often gives a false alarm for ten skewed draws, which are often all equal."""

    def ten(rng):
        return skewed(rng, 0.1)[:10]

    assert share_of_alarms(ten, students, 1e-3, 300) > 0.25
    assert share_of_alarms(ten, chance, 1e-3, 300) == 0.0


def test_a_false_statement_is_found_out():
    rng = np.random.default_rng(6)
    for mean, values, least in ((0.3, 120, 0.95), (0.1, 1500, 0.95)):
        found = np.mean([chance(rng.uniform(mean - 1, mean + 1, values) / (1 - mean)) <= 1e-3 for _ in range(60)])
        assert found > least, mean


def test_the_wealth_is_that_of_gamblers_played_one_by_one():
    values = np.random.default_rng(7).uniform(-1, 3, 50)
    wealths = CAPITAL.copy()
    for value, found in zip(values, log_wealth(values), strict=True):
        wealths = np.array([wealth * (1 + stake * value) for wealth, stake in zip(wealths, STAKES, strict=True)])
        assert found == pytest.approx(math.log(wealths.sum()))
    assert CAPITAL.sum() == pytest.approx(1)
    assert (STAKES > 0).all()
    assert (STAKES <= 1).all()


def test_infinite_values_and_total_losses():
    assert chance(np.array([math.inf])) < 1e-290
    assert chance(np.array([-1.0, math.inf])) < 1e-290
    assert log_wealth(np.full(3, -1.0))[-1] == pytest.approx(math.log(np.dot(CAPITAL, (1 - STAKES) ** 3)))


def test_enough_is_the_first_number_of_values_that_refutes():
    for value in (9.0, 1.0, 0.3):
        needed = enough(np.array([value]), 1e-3)
        assert chance(np.full(needed, value)) <= 1e-3 < chance(np.full(needed - 1, value))


def test_the_limit_lies_below_the_mean_with_its_probability():
    rng = np.random.default_rng(8)
    draws = [np.where(rng.random(60) < 0.7, 1.0, -1.0) for _ in range(200)]
    limits = np.array([lower_limit(each, 0.05) for each in draws])
    assert np.mean(limits > 0.4) <= 0.05
    assert np.median(limits) > 0.0

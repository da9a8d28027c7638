"""Intervals over seeds contain the true value as often as promised, and equal a plain bootstrap."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from arena.tournament.resampling import resample
from arena_tests import FULL

NORMAL = lambda rng, shape: rng.normal(size=shape)
SKEWED = lambda rng, shape: rng.exponential(size=shape) - 1
COIN = lambda rng, shape: (rng.random(shape) < 0.3) - 0.3


def coverage(draw, settings, seeds, *, trials=4000 if FULL else 400):
    """Return the share of 95 % intervals that contain the true mean 0."""
    rng = np.random.default_rng(settings * 100 + seeds)
    hits = 0
    for _ in range(trials):
        low, high = resample([draw(rng, (seeds, 1)) for _ in range(settings)], resamples=400).interval()
        hits += low[0] <= 1e-12 and high[0] >= -1e-12
    return hits / trials


@pytest.mark.parametrize("draw", [NORMAL, SKEWED, COIN], ids=["normal", "skewed", "coin"])
@pytest.mark.parametrize(("settings", "seeds"), [(6, 3), (6, 5)])
def test_intervals_contain_the_true_mean_as_often_as_they_say(draw, settings, seeds):
    assert 0.90 <= coverage(draw, settings, seeds) <= 0.99


def test_in_one_setting_five_seeds_are_needed():
    assert coverage(NORMAL, 1, 10) >= 0.91
    assert coverage(NORMAL, 1, 5) >= 0.87
    assert coverage(NORMAL, 1, 3) < 0.85  # no interval leaves the range of three seeds; this is marked as few


def test_it_is_the_bootstrap_written_out():
    rng = np.random.default_rng(4)
    strata = [rng.normal(size=(seeds, 2)) * [1.0, 3.0] for seeds in (3, 6, 1, 4)]
    found = resample(strata, resamples=4000)
    slow = []
    for _ in range(4000):
        means = []
        for values in strata:
            drawn = [values[rng.integers(len(values))] for _ in range(max(len(values) - 1, 1))]
            means.append(sum(drawn) / len(drawn))
        slow.append(sum(means) / len(means))
    slow = np.array(slow)
    assert found.mean == pytest.approx(np.mean([values.mean(axis=0) for values in strata], axis=0))
    assert found.draws.mean(axis=0) == pytest.approx(slow.mean(axis=0), abs=0.06)
    assert found.draws.std(axis=0) == pytest.approx(slow.std(axis=0), rel=0.05)
    for share in (0.05, 0.5, 0.95):
        assert np.quantile(found.draws, share, axis=0) == pytest.approx(np.quantile(slow, share, axis=0), abs=0.1)
    assert found.errors**2 == pytest.approx(slow.var(axis=0), rel=0.1)


def test_variances_and_degrees_of_freedom_are_those_of_a_t_test():
    values = np.random.default_rng(0).normal(size=(7, 3))
    found = resample([values])
    assert found.errors**2 == pytest.approx(values.var(axis=0, ddof=1) / 7)
    assert found.freedoms == pytest.approx(np.full(3, 6.0))
    assert found.mean / found.errors == pytest.approx(ttest_1samp(values, 0).statistic)


def test_what_never_varies_has_an_interval_of_no_width():
    found = resample([np.tile([0.1, 0.3, 0.1], (5, 1)), np.tile([0.7, 0.9, 0.7], (5, 1))])
    low, high = found.interval()
    assert low.tolist() == high.tolist() == found.mean.tolist()


def test_one_seed_has_no_spread():
    assert not resample([np.array([[1.0, 2.0]]), np.array([[3.0, 5.0]])]).spread_is_known


@pytest.mark.parametrize("size", [1e-200, 1e-90, 1e90, 1e200])
def test_results_have_the_unit_of_the_data(size):
    rng = np.random.default_rng(3)
    strata = [rng.normal(size=(4, 2)) for _ in range(2)]
    plain, found = resample(strata), resample([size * each for each in strata])
    assert found.errors / size == pytest.approx(plain.errors)
    assert found.freedoms == pytest.approx(plain.freedoms)
    assert np.array(found.interval()) / size == pytest.approx(np.array(plain.interval()))

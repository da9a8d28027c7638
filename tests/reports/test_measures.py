"""Measures on a page other than the regret: dimensions, leverages, times, and the growth of curves."""

import numpy as np
import pytest

from arena import play
from arena.reports.growth_curves import growth_of, prefixes
from arena.reports.measures import measure_chart, measures_of
from arena.testing import assert_growth


@pytest.fixture(scope="module")
def run():
    return play("pkawv-kors", "realisable", rounds=60)


def lines_of(run):
    return {line.label: line.values for measure in measures_of(run) for line in measure.lines}


def test_dimensions_and_leverages_equal_their_definitions(run):
    lines, at = lines_of(run), run.game.regularisation
    K = run.game.kernel.gram(run.points, run.points)
    for t in (1, 17, 60):
        ratio = np.linalg.solve(K[:t, :t] + at * np.eye(t), K[:t, :t])
        assert lines["effective dimension"][t - 1] == pytest.approx(np.trace(ratio))
        determinant = np.linalg.slogdet(np.eye(t) + K[:t, :t] / at)[1]
        assert lines["log det(I + K/lambda)"][t - 1] == pytest.approx(determinant)
        assert lines["leverage of the round’s point"][t - 1] == pytest.approx(ratio[-1, -1])  # noqa: RUF001
    assert lines["online effective dimension"] == pytest.approx(np.cumsum(lines["leverage of the round’s point"]))  # noqa: RUF001


def test_the_dictionary_is_a_step_curve_and_times_are_the_record(run):
    lines = lines_of(run)
    for start, size in run.sizes:
        assert lines["elements that the learner keeps"][int(start) - 1] == size
    assert lines["learner’s time"] == pytest.approx(1e6 * run.seconds)  # noqa: RUF001


def test_charts_hold_the_same_numbers_and_their_extremes():
    run = play("zero", "drift", rounds=3000, dimension=1)
    run.seconds = np.where(np.arange(3000) == 1234, 1.0, 1e-6 * (1 + np.arange(3000)))
    (times,) = (each for each in measures_of(run) if each.name == "seconds")
    chart = measure_chart(times, 10)
    assert len(chart["round"]) <= 42
    assert max(chart["values"][0]) == 1e6
    assert chart["round"][chart["values"][0].index(1e6)] == 1235


@pytest.mark.parametrize(("power", "name"), [(0.5, "t^0.50"), (1.0, "t^1.00"), (0.0, "log t")])
def test_the_growth_of_a_power_is_named_and_drawn(power, name):
    t = np.arange(1.0, 401)
    curve = 3.0 * (t**power if power else np.log(t)) + 5.0
    growth = growth_of(curve, 10.0)
    assert growth.name == f"grows like {name}"
    assert (growth.factor, growth.constant) == pytest.approx((3.0, 5.0), rel=1e-3)


def test_the_growth_is_that_of_assert_growth():
    fit = assert_growth("kernel-awv", "alternating", at_most="log", rounds=512, seeds=2)
    growth = growth_of(play("kernel-awv", "alternating", rounds=512).regret, 512.0, limits=True)
    assert prefixes(512) == fit.horizons
    assert growth.exponent == (0.0 if abs(fit.exponent) < 0.02 else pytest.approx(fit.exponent))
    assert f"exponent {fit.low:.2f} to {fit.high:.2f}" in growth.name


def test_curves_without_a_law_have_no_growth():
    assert growth_of(np.arange(20.0), 1.0) is None
    assert growth_of(np.full(200, np.inf), 1.0) is None
    assert growth_of(np.ones(200), 1.0).factor is None


def test_a_curve_known_at_checkpoints_is_fitted_there():
    t = np.arange(1, 401)
    held = np.sqrt(2.0 ** np.floor(np.log2(t)))
    assert growth_of(held, 10.0).name == "grows like t^0.50"

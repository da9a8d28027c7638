"""`run.figure()` draws the transcript's curve, names the bounds at their curves, and marks a violation."""

import numpy as np
import pytest

from arena import ArenaError, play
from arena.record.figure import rounds_drawn


def lines_of(drawn):
    """Return the measured curves, which have markers, and the bounds, which do not."""
    lines = [each for each in drawn.axes[0].lines if len(each.get_xdata()) > 2]
    return [each for each in lines if each.get_marker() == "o"], [each for each in lines if each.get_marker() != "o"]


def texts_of(drawn):
    return [each.get_text().strip() for each in [*drawn.texts, *drawn.axes[0].texts]]


def test_the_figure_shows_the_regret_and_the_bounds_of_the_transcript():
    run = play("kernel-awv", "alternating", rounds=80)
    drawn = run.figure(["awv-leverage", "awv-logdet"])
    (measured,), bounds = lines_of(drawn)
    assert measured.get_ydata().tolist() == run.regret.tolist()
    allowed = [run.verdict(name).allowed_curve.tolist() for name in ("awv-leverage", "awv-logdet")]
    assert [each.get_ydata().tolist() for each in bounds] == allowed
    names = " ".join(texts_of(drawn))
    assert "awv-leverage" in names
    assert "kernel-awv against alternating" in names
    assert f"it uses {run.verdict('awv-leverage').tightness:.0%} of the bound awv-leverage" in names
    assert drawn.axes[0].get_xlabel() == "Round"
    assert drawn.axes[0].get_ylabel() == "Regret"


def test_the_first_round_beyond_a_bound_is_marked():
    run = play("krr", "alternating", rounds=40)
    verdict = run.verdict("awv-logdet")
    drawn = run.figure("awv-logdet")
    rings = [each for each in drawn.axes[0].lines if each.get_marker() == "o" and len(each.get_xdata()) == 1]
    assert [(each.get_xdata()[0], each.get_ydata()[0]) for each in rings] == [
        (verdict.round, run.regret[verdict.round - 1])
    ]
    assert f"first beyond awv-logdet in round {verdict.round}" in texts_of(drawn)


def test_an_interval_is_a_band_with_the_transcripts_ends():
    run = play("kernel-awv", "realisable", rounds=60, hindsight="interval")
    (band,) = run.figure("none").axes[0].collections
    heights = band.get_paths()[0].vertices[:, 1]
    low, high = run.regret_interval
    assert heights.min() == low.min()
    assert heights.max() == high.max()


def test_one_end_of_an_interval_is_not_named_as_the_regret():
    run = play("kernel-awv", "repeated(points=20)", rounds=60, hindsight="interval")
    run.comparator.interval(features=9)
    assert {each.outcome for each in run.verdicts()[:3]} == {"undecided"}
    texts = texts_of(run.figure())
    assert any("between 10.1 and 25.8 at the end" in each for each in texts)
    assert "regret at most 25.8" in texts
    run.comparator.interval(features=16)
    assert any("it uses at most 95% of the bound" in each for each in texts_of(run.figure()))


def test_a_far_bound_makes_the_axis_logarithmic_and_log_chooses():
    run = play("kernel-awv", "realisable", rounds=60)
    assert run.figure("none").axes[0].get_yscale() == "linear"
    assert run.figure("none", log="xy").axes[0].get_xscale() == "log"
    far = play("zero", "alternating", rounds=30)
    assert far.figure("at-most(regret=1e6)").axes[0].get_yscale() == "log"


def test_other_quantities_have_figures_too():
    run = play("perceptron", "drift", rounds=60, loss="hinge")
    verdict = run.verdict("perceptron-mistakes")
    drawn = run.figure()
    assert drawn.axes[0].get_ylabel() == verdict.quantity.capitalize()
    (measured,), _ = lines_of(drawn)
    assert measured.get_ydata().tolist() == verdict.measured_curve.tolist()
    with pytest.raises(ArenaError, match="no bounded quantity 'height'"):
        run.figure(quantity="height")


def test_infinite_losses_are_drawn_at_the_edge():
    run = play("zero", "alternating", rounds=30)
    run.predictions = np.where(np.arange(30) > 20, 1e200, run.predictions)
    assert run.figure("at-most(regret=5)").content("png").startswith(b"\x89PNG")


def test_long_matches_are_downsampled_for_both_kinds_of_axes():
    rounds = rounds_drawn(1_000_000)
    assert len(rounds) <= 600
    assert rounds[0] == 1
    assert rounds[-1] == 1_000_000
    assert np.sum(rounds <= 1000) > 100


def test_a_match_without_a_round_has_no_figure():
    class Lost:
        def point(self, view):
            raise RuntimeError("nowhere to go")

        def label(self, view, x, prediction):
            return 0.0

    with pytest.raises(ArenaError, match="no figure"):
        play("zero", Lost(), rounds=10).figure()


def test_a_regret_to_other_functions_has_no_band_of_the_regrets_interval():
    run = play("nogd", "drawn", rounds=600, kernel="gaussian(bandwidth=0.05)", hindsight="interval")
    verdict = run.verdict("ogd-features")
    assert verdict.measured < run.regret_interval[0][-1] - 100
    assert not run.figure("ogd-features").axes[0].collections


def test_a_lower_bound_forces_a_part_of_the_regret_and_is_not_used_up():
    run = play("zero", "greedy", rounds=60)
    drawn = run.figure("greedy-labels")
    assert "seed 0: greedy-labels forces 3% of it" in " ".join(texts_of(drawn))

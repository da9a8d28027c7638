"""Lower and upper bounds of the same regret are compared, also if they are about different comparators."""

import math

import numpy as np
import pytest

from arena import Tournament, play
from arena.record.both_sides import both_sides, largest_lower_bound, smallest_upper_bound
from arena.record.series import series_of
from arena.record.verdict import Verdict
from arena.tournament.leaderboard import leaderboard
from arena.tournament.store import Store

FAR_APART = {"kernel": "gaussian(bandwidth=0.005)"}


def sides_of(run):
    return {each.theorem: each for each in both_sides(run.verdicts(), run.lower_verdicts())}


def test_a_bound_is_moved_by_the_difference_of_the_comparators_losses():
    run = play("fgd", "minimax", rounds=101)
    found = sides_of(run)["ogd"]
    eta = 1 / np.sqrt(101)
    at_game, at_theorem = run.regret_against(1.0)[-1], run.regret_against(1 / (2 * eta))[-1]
    (below,) = run.lower_verdicts()
    assert found.moved
    assert found.lower == pytest.approx(below.allowed + at_theorem - at_game)
    assert found.measured == pytest.approx(at_theorem)
    assert "one-point (moved to that comparator)" in str(found)


@pytest.mark.parametrize("regularisation", [0.2, 1.0, 7.0])
def test_at_orthogonal_points_a_moved_bound_is_the_one_for_the_other_lambda(regularisation):
    """The lower bound is B^2 T / (1 + lambda) for every lambda; the theorem of KONS has lambda = alpha / 2 = 1/2."""
    game = {"rounds": 40, "regularisation": regularisation, **FAR_APART}
    run = play("kons", "orthogonal(labels=contrary)", **game)
    assert sides_of(run)["kons-gradients"].lower == pytest.approx(40 / (1 + 0.5), rel=1e-6)


@pytest.mark.parametrize("learner", ["kernel-awv", "kons", "fgd", "hedge", "ewa", "pkawv", "sketched-kons", "con-kons"])
def test_the_measured_value_lies_between(learner):
    for adversary in ("minimax", "greedy(starts=8, polished=0)", "orthogonal(labels=contrary)"):
        for each in both_sides((run := play(learner, adversary, rounds=40)).verdicts(), run.lower_verdicts()):
            assert each.lower <= each.measured * (1 + 1e-6) <= each.upper * (1 + 2e-6), (adversary, each)


def test_what_depends_on_the_learners_own_steps_has_no_lower_bound():
    run = play("sgd", "minimax", rounds=40)
    assert "explains" in run.verdict("sgd").quantity
    assert "sgd" not in sides_of(run)


def test_the_bound_on_the_regret_is_the_smallest_that_follows():
    run = play("fgd", "alternating", rounds=50, regularisation=0.1)
    ogd, ball = run.verdict("ogd"), run.verdict("ogd-ball")
    regret = float(run.regret[-1])
    expected = min(ogd.allowed + regret - ogd.measured, ball.allowed + regret - ball.measured)
    assert smallest_upper_bound([ogd, ball], regret) == pytest.approx(expected)
    assert smallest_upper_bound([run.verdict("awv-logdet")], regret) is None  # it is violated
    assert smallest_upper_bound([], regret) is None


def test_the_largest_lower_bound_counts_and_chance_does_not():
    def below(value, confidence=1.0):
        return Verdict("a", "a", "holds", measured=9.0, allowed=value, lower=True, confidence=confidence)

    assert largest_lower_bound([below(1.0), below(3.0), below(5.0, confidence=0.9)]).allowed == 3.0
    assert largest_lower_bound([]) is None


def test_a_lower_bound_below_zero_is_no_side():
    run = play("bsgd(budget=2)", "repeated(points=6)", rounds=8, regularisation=10.0, **FAR_APART)
    (below,) = run.lower_verdicts()
    assert below.holds
    assert below.allowed < 0
    assert both_sides([run.verdict("at-most(regret=5)")], [below]) == []


def test_the_table_of_all_adversaries_has_both_bounds():
    table = leaderboard("kernel-awv", adversaries=["minimax", "drift"], rounds=30, workers=1)
    rows = {row.adversary: row for row in table.rows}
    regret = rows["minimax"].regret
    assert 0 < rows["minimax"].forced <= regret <= rows["minimax"].allowed
    assert rows["drift"].forced is None
    assert rows["minimax"].judgement.sides[0].lower == rows["minimax"].forced


def test_outcomes_have_the_means_of_both_bounds(tmp_path):
    Tournament(["kernel-awv"], ["minimax", "drift"], [{"rounds": 20}], 2).run(store=tmp_path, workers=0)
    again = Store(tmp_path).tables()
    series = {each.adversary: each for each in series_of(again)}
    minimax, drift = series["minimax"], series["drift"]
    assert minimax.mean("forced") == pytest.approx(
        np.mean([each.forced for each in again if each.adversary == "minimax"])
    )
    assert 0 < minimax.mean("forced") <= minimax.mean("regret_upper") <= minimax.mean("allowed")
    assert minimax.worst.judgement.sides[0].lower_bound == "one-point"
    assert drift.mean("forced") is None
    assert drift.mean("allowed") >= drift.mean("regret_upper")


@pytest.mark.parametrize("adversary", ["minimax", "greedy"])
def test_a_bound_that_is_infinite_does_not_meet_the_lower_bound(adversary):
    run = play("hedge", adversary, rounds=12, label_bound=1e100)
    assert largest_lower_bound(run.lower_verdicts()) is not None
    assert run.verdict("hedge").allowed == math.inf
    assert not [each for each in both_sides(run.verdicts(), run.lower_verdicts()) if each.theorem == "hedge"]

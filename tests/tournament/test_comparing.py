"""Comparisons of stores find changes, rarely report a change where there is none, and check the user's limits."""

import itertools

import numpy as np
import pytest
from scipy.stats import ttest_rel

from arena.errors import ArenaError
from arena.record.verdict import Verdict
from arena.tournament.comparing import compare
from arena.tournament.conditions import Condition, check, read_condition
from arena.tournament.sign_flips import holm
from arena_tests import FULL
from arena_tests.summaries import league, summary


def outcomes(before, after, measure="regret", **options):
    return {each.learner: each.outcome for each in compare(before, after).changes(measure, **options)}


def holds(text, before, after):
    return check(read_condition(text), compare(before, after)).holds


FLAT = {"a": lambda *_: 10.0, "b": lambda *_: 10.0}


def test_what_is_equal_is_equal():
    found = compare(league(FLAT), league(FLAT))
    assert found.common == 30
    assert [each.outcome for each in found.changes("regret")] == ["equal", "equal"]
    assert [each.share for each in found.changes("regret")] == [0.0, 0.0]
    assert found.measures == ("regret", "loss", "time")


def test_a_change_of_all_seeds_alike_is_beyond_doubt():
    before, after = league(FLAT, seeds=10), league({"a": lambda *_: 11.0, "b": lambda *_: 9.0}, seeds=10)
    assert outcomes(before, after) == {"a": "worse", "b": "better"}
    assert set(outcomes(before, after, by_setting=True).values()) == {"worse", "better"}
    worse = compare(before, after).changes("regret")[0]
    assert worse.share == pytest.approx(0.1)
    assert worse.limits == (1.0, 1.0)


def test_rounding_is_no_change():
    assert outcomes(league(FLAT), league({"a": lambda *_: 10.0 + 1e-9, "b": lambda *_: 10.0})) == {
        "a": "equal",
        "b": "equal",
    }


def test_noise_is_no_change_and_pairs_cancel_what_they_share():
    rng = np.random.default_rng(0)
    shared, noise = rng.normal(size=(3, 5)) * 50, rng.normal(size=(3, 5))
    at = lambda adversary, seed: ("xyz".index(adversary), seed)
    before = league({"a": lambda *key: shared[at(*key)]})
    assert outcomes(before, league({"a": lambda *key: shared[at(*key)] + noise[at(*key)]})) == {"a": "unclear"}
    assert outcomes(before, league({"a": lambda *key: shared[at(*key)] + 2 + noise[at(*key)]})) == {"a": "worse"}


def test_one_setting_is_a_paired_t_test():
    rng = np.random.default_rng(1)
    old, new = rng.normal(size=(2, 6))
    before = league({"a": lambda _, seed: old[seed]}, adversaries=("x",), seeds=6)
    after = league({"a": lambda _, seed: new[seed]}, adversaries=("x",), seeds=6)
    (change,) = compare(before, after).changes("regret")
    interval = ttest_rel(new, old).confidence_interval(0.95)
    assert change.limits == pytest.approx((interval.low, interval.high))


def test_equal_learners_are_seldom_called_changed():
    """A change is reported in at most one of twenty comparisons of five learners in three settings."""
    rng = np.random.default_rng(2)
    trials = 1000 if FULL else 100
    alarms = fails = 0
    for _ in range(trials):
        before, after = (league({each: lambda *_: rng.normal() for each in "abcde"}) for _ in range(2))
        found = compare(before, after)
        alarms += any(
            each.outcome != "unclear" for by in (False, True) for each in found.changes("regret", by_setting=by)
        )
        fails += check(Condition("regret"), found).holds
    assert alarms / trials <= 0.1
    assert fails / trials <= 0.1


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_the_closure_of_bonferroni(seed):
    """A hypothesis is rejected if Bonferroni's test rejects each set of hypotheses that contains it."""
    p = np.random.default_rng(seed).uniform(size=5) ** 4
    sets = [each for size in range(1, 6) for each in itertools.combinations(range(5), size)]
    expected = [all(min(p[list(each)]) <= 0.05 / len(each) for each in sets if one in each) for one in range(5)]
    assert holm(list(p), [0.0] * 5, 0.05) == expected
    assert holm([*p, 1.0, 0.2], [0.0] * 5 + [1.0, 0.1], 0.05) == [*expected, False, False]


def test_matches_are_paired_by_learner_adversary_game_and_seed():
    before = [summary("a", "x", 0), summary("a", "x", 1), summary("a", "y", 0)]
    after = [summary("a", "x", 1, regret=5.0), summary("a", "x", 2), summary("a", "y", 0, game={"rounds": 3})]
    found = compare(before, after)
    assert found.common == 1
    assert [(each.setting.adversary, each.seed) for each in found.paired.only_before] == [("x", 0), ("y", 0)]
    assert [(each.setting.adversary, each.seed) for each in found.paired.only_after] == [("x", 2), ("y", 0)]
    assert [(each.before, each.after) for each in found.changes("regret")] == [((1.0, 1.0), (5.0, 5.0))]


def test_intervals_must_not_overlap_for_a_change():
    before = [summary("a", "x", seed, ends=(1.0, 2.0)) for seed in range(6)]
    overlapping = [summary("a", "x", seed, ends=(1.9, 9.0)) for seed in range(6)]
    beyond = [summary("a", "x", seed, ends=(2.3, 2.4)) for seed in range(6)]
    assert outcomes(before, overlapping) == {"a": "unclear"}
    assert outcomes(before, beyond) == {"a": "worse"}
    assert outcomes(beyond, before) == {"a": "better"}
    assert holds("regret:10%", before, beyond)
    assert not holds("regret:20%", before, beyond)


def test_the_same_match_is_no_change_though_an_interval_is_known_only():
    match = [summary("a", "x", seed, ends=(1.0, 2.0), content="same") for seed in range(3)]
    assert outcomes(match, match) == {"a": "equal"}
    assert compare(match, match).paired.identical == 3


def test_forfeits_violations_and_infinite_losses():
    fine = [summary("a", "x", seed) for seed in range(3)]
    foul = [*fine[:2], summary("a", "x", 2, regret=0.0, forfeit="learner")]
    broken = [*fine[:2], summary("a", "x", 2, violated=("awv",))]
    infinite = [*fine[:2], summary("a", "x", 2, regret=np.inf, loss=np.inf)]
    assert outcomes(fine, foul) == outcomes(fine, infinite) == {"a": "worse"}
    assert outcomes(foul, fine) == outcomes(infinite, fine) == {"a": "better"}
    assert outcomes(foul, foul) == outcomes(infinite, infinite) == {"a": "equal"}
    assert [*compare(fine, foul).broken.values()] == ["the learner forfeits in round 3: it predicted NaN"]
    assert [*compare(fine, broken).broken.values()] == ["violates awv"]
    assert [*compare(broken, fine).mended.values()] == ["violates awv"]
    assert not compare(broken, broken).broken
    assert holds("violated", fine, broken)
    assert not holds("violated:1", fine, broken)
    assert not holds("violated", broken, broken)
    assert holds("forfeited", fine, foul)
    assert holds("regret:50%", fine, foul)
    assert not holds("violated", fine, foul)
    assert compare(fine, foul).changes("regret")[0].share is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("regret:9%", True), ("regret:10%", False), ("regret:0.9", True), ("regret:1", False), ("regret", True)],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_limits(text, expected, sign):
    """The limit of a relative change counts from the size of the regret, which may be negative."""
    before = league({"a": lambda *_: 10.0 * sign})
    assert holds(text, before, league({"a": lambda *_: 10.0 * sign + 1})) is expected
    assert not holds(text, before, league({"a": lambda *_: 10.0 * sign - 1}))


def test_a_number_that_equals_its_limit_is_not_above_it():
    """The limit is 0.1, but 1.1 - 1 exceeds 0.1 in floating point."""
    old, new = ([summary("a", "x", seed, seconds=each) for seed in range(5)] for each in (1.0, 1.1))
    assert not holds("time:10%", old, new)
    assert not holds("time:0.1", old, new)
    assert holds("time:9%", old, new)


def test_one_bad_setting_among_good_ones_is_enough():
    better = league({"a": lambda adversary, _: 20.0 if adversary == "x" else 1.0}, seeds=8)
    after = [*better, *league({"b": FLAT["b"]}, seeds=8)]
    found = check(read_condition("regret:10%"), compare(league(FLAT, seeds=8), after))
    assert [(learner, setting and setting.adversary) for learner, setting in found.where] == [("a", "x")]


def test_learners_that_play_as_before_do_not_weaken_a_test():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(3, 5)) + 1.5
    others = {f"other{number}": lambda *_: rng.normal() for number in range(30)}
    unchanged = league(others)
    before = league({"a": lambda *_: 5.0})
    after = league({"a": lambda adversary, seed: 5.0 + noise["xyz".index(adversary), seed]})
    alone, together = (
        check(read_condition("regret"), compare([*before, *more], [*after, *more])) for more in ([], unchanged)
    )
    assert alone.holds
    assert alone.where == together.where


def test_an_excess_within_the_spread_is_named():
    before = [summary("a", "x", seed, regret=10.0) for seed in range(3)]
    after = [summary("a", "x", seed, regret=regret) for seed, regret in enumerate((9.0, 16.0, 12.0))]
    found = check(read_condition("regret:10%"), compare(before, after))
    assert not found.holds
    assert [(learner, setting and setting.adversary) for learner, setting in found.unclear] == [("a", None), ("a", "x")]
    assert not check(read_condition("regret:50%"), compare(before, after)).unclear


@pytest.mark.parametrize("seeds", range(2, 8))
def test_equal_differences_are_a_change_from_six_pairs_on(seeds):
    """Of n equal differences the p-value is 2^(1 - n), and 2^-n where only growth is tested."""
    before, after = ([summary("a", "x", seed, regret=each) for seed in range(seeds)] for each in (1.0, 2.0))
    assert outcomes(before, after) == {"a": "worse" if seeds >= 6 else "unclear"}
    found = compare(before, after)
    assert (found.changes("regret")[0].limits is None) == (seeds < 6)
    checked = check(read_condition("regret"), found)
    assert (checked.holds, checked.tested) == ((True, 1) if seeds >= 5 else (False, 0))
    assert bool(found.too_few("regret", sides=2)) == (seeds < 6)
    smallest = f"{2.0**-seeds:.2g}"
    few = f"{seeds} pairs of matches cannot show a change of the regret: the smallest p-value is {smallest}, and at "
    assert checked.reason == ("" if seeds >= 5 else f"{few}least 5 pairs of a learner are needed")


def test_one_seed_in_some_settings_is_no_fact_about_others():
    """With one seed in each setting a difference is a fact about the matches; here one setting has two seeds."""
    before = [summary("a", "x", seed) for seed in range(2)] + [summary("a", "y")]
    after = [summary("a", "x", seed) for seed in range(2)] + [summary("a", "y", regret=9.0)]
    assert outcomes(before, after) == {"a": "unclear"}
    assert set(outcomes(before, after, by_setting=True).values()) == {"unclear"}
    assert outcomes([before[0], before[2]], [after[0], after[2]]) == {"a": "worse"}


def test_times_need_several_seeds():
    old, new = [summary("a", seconds=1.0)], [summary("a", seconds=9.0)]
    assert outcomes(old, new, "time") == {"a": "unclear"}
    assert not holds("time:50%", old, new)
    old, new = ([summary("a", "x", seed, seconds=base + seed / 10) for seed in range(6)] for base in (1, 9))
    assert outcomes(old, new, "time") == {"a": "worse"}
    assert holds("time:50%", old, new)


def test_tightness_is_that_of_theorems_judged_in_both():
    verdict = lambda name, share: Verdict(name, name, "holds", measured=share, allowed=1.0)
    old = [summary("a", verdicts=(verdict("awv", 0.5),))]
    new = [summary("a", verdicts=(verdict("awv", 0.5), verdict("new", 0.9)))]
    worse = [summary("a", verdicts=(verdict("awv", 0.6), verdict("new", 0.9)))]
    assert outcomes(old, new, "tightness") == {"a": "equal"}
    assert outcomes(old, worse, "tightness") == {"a": "worse"}
    assert holds("tightness:0.05", old, worse)
    assert outcomes(old, [summary("a")], "tightness") == {}


def test_missing_matches():
    before = [summary("a", "x", seed) for seed in range(3)]
    assert holds("missing", before, before[:1])
    assert holds("missing:1", before, before[:1])
    assert not holds("missing:2", before, before[:1])
    assert not holds("missing", before[:1], before)


def test_an_unknown_regret_is_not_compared():
    assert outcomes([summary("a", regret=None)], [summary("a", regret=1.0)]) == {}
    assert outcomes([summary("a", regret=None)], [summary("a", regret=1.0)], "loss") == {"a": "equal"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("regrets:10%", "Did you mean 'regret'"),
        ("regret:ten", "'ten' is not a limit"),
        ("regret:-1", "a number >= 0"),
        ("regret:nan", "a number >= 0"),
        ("regret:inf%", "a number >= 0"),
        ("violated:10%", "a whole number"),
        ("violated:0.5", "a whole number"),
        ("", "Write MEASURE"),
    ],
)
def test_wrong_conditions(text, reason):
    with pytest.raises(ArenaError, match=reason):
        read_condition(text)


@pytest.mark.parametrize("text", ["regret", "regret:10%", "loss:0.25", "violated:3", "time:12.5%"])
def test_conditions_are_printed_as_they_are_read(text):
    assert str(read_condition(text)) == text

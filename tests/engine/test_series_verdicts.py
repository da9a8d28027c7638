"""Verdicts over many matches: true statements are not called violated, and false ones are."""

import dataclasses
import json
import math
import re

import numpy as np
import pytest
from scipy import stats

from arena import ArenaError
from arena.record.judging_seeds import LEVEL, judge_series
from arena.record.verdict import Verdict
from arena_tests.summaries import series, summary

BASE = Verdict("thm(a=1)", "thm", "holds", "", "regret", 1.0, 2.0)


def verdicts_with(excesses, *, allowed=10.0, **kind):
    """Return a verdict for each excess, with the measured value `allowed` plus the excess."""
    return [
        dataclasses.replace(
            BASE, outcome="violated" if each > 0 else "holds", measured=allowed + each, allowed=allowed, **kind
        )
        for each in excesses
    ]


def judged(excesses, **kind):
    return judge_series(range(len(excesses)), verdicts_with(excesses, **kind))


def test_a_deterministic_statement_falls_by_one_match_whose_seed_is_named():
    verdict = judge_series([7, 8, 9], verdicts_with([-1, 2, -3]))
    assert verdict.violated
    assert verdict.violations == (8,)
    assert "with seed 8" in verdict.reason
    assert verdict.closest == 8
    assert judged([-1, -2]).holds
    assert judged([-1, -2]).tightness == 0.9


def test_a_match_in_doubt_leaves_a_deterministic_statement_undecided():
    kept, broken = verdicts_with([-1, 1])
    doubt = dataclasses.replace(kept, outcome="undecided", reason="regret between 1 and 3")
    verdict = judge_series([4, 5, 6], [kept, doubt, kept])
    assert verdict.outcome == "undecided"
    assert verdict.reason == "in 1 of 3 matches; with seed 5, regret between 1 and 3"
    assert judge_series([4, 5], [doubt, broken]).violated


@pytest.mark.parametrize("confidence", [0.9, 0.5, 0.99])
@pytest.mark.parametrize("seeds", [20, 100, 1000])
def test_looking_at_any_time_costs_few_failures_more_than_the_exact_binomial_test(confidence, seeds):
    """The failures are spread evenly over the matches."""
    tail = [stats.binom.sf(failures - 1, seeds, 1 - confidence) for failures in range(seeds + 1)]
    exact = next(failures for failures in range(seeds + 1) if tail[failures] < LEVEL)

    def refuted(failures):
        failed = np.diff(np.floor(np.arange(seeds + 1) * failures / seeds + 0.5)) > 0
        return judged(np.where(failed, 1.0, -1.0), confidence=confidence).violated

    assert not refuted(exact - 1)
    assert refuted(min(exact + max(3, exact // 3), seeds))


def test_the_mean_of_a_lower_bound_is_said_to_lie_below_it():
    kind = {"in_expectation": True, "least_excess": -20.0, "lower": True}
    verdict = judged([-4.0] * 400, **kind)  # 4 below the bound
    assert verdict.violated
    assert "mean regret 6 where at least 10 is forced, 4 below it, and at least 3" in verdict.reason
    assert "of 10 allowed" in judged([4.0] * 400, **kind | {"lower": False}).reason


@pytest.mark.parametrize("lower", [False, True])
def test_a_match_that_ends_with_nan_does_not_hide_the_others(lower):
    kind = {"in_expectation": True, "least_excess": -20.0, "lower": lower}
    assert judged([-4.0 if lower else 4.0] * 400 + [math.nan], **kind).violated


def test_one_unlucky_match_never_refutes():
    for seeds in (1, 2, 5, 20, 200):
        for confidence in (0.5, 0.9, 0.95):
            assert not judged([1.0] + [-1.0] * (seeds - 1), confidence=confidence).violated


def test_too_few_seeds_for_chance_say_so_and_how_many_would_do():
    verdict = judged([1.0] * 3, confidence=0.9)
    assert verdict.outcome == "not applicable"
    assert "3 seeds cannot refute; 4 can" in verdict.reason
    assert judged([1.0] * 4, confidence=0.9).violated
    faint = judged(([1.0] + [-1.0] * 3) * 5, confidence=0.9)
    assert faint.holds
    needed = int(re.search(r"(\d+) seeds with such results would refute it", faint.reason).group(1))
    assert judged(([1.0] + [-1.0] * 3) * (needed // 4 + 1), confidence=0.9).violated
    assert "would refute" not in judged([-1.0] * 20, confidence=0.9).reason


def test_a_statement_that_may_always_fail_cannot_be_refuted():
    verdict = judged([1.0] * 50, confidence=0.0)
    assert verdict.outcome == "not applicable"
    assert "no match can refute it" in verdict.reason


def test_a_mean_is_judged_by_bets():
    rng, kind = np.random.default_rng(1), {"in_expectation": True, "least_excess": -20.0}
    assert judged(rng.normal(-0.1, 5.0, 100), **kind).holds
    assert judged(rng.normal(0.5, 5.0, 100), **kind).holds  # not implausible yet
    assert judged(rng.normal(5.0, 5.0, 100), **kind).violated
    assert judged([20.0] * 11, **kind).violated
    assert judged([0.0] * 20, **kind).holds
    for blown_up in (math.inf, math.nan):
        assert judged([blown_up] * 2, **kind).violated
    few = judged([9.0] * 9, **kind)
    assert few.outcome == "not applicable"
    assert "9 seeds cannot refute; 11 can" in few.reason
    assert "29 seeds with such results would refute it" in judged([6.0] * 12, **kind).reason
    assert judged([6.0] * 29, **kind).violated


def test_the_limit_of_the_mean_is_where_the_bets_stop_winning():
    excess = np.random.default_rng(2).uniform(-1.0, 3.0, 60)
    verdict = judged(excess, in_expectation=True, least_excess=-1.0)
    limit = float(re.search(r"at least (\S+) at confidence 0.999", verdict.reason).group(1))
    for mean, refuted in ((limit - 1e-3, True), (limit + 1e-3, False)):
        assert judged(excess - mean, in_expectation=True, least_excess=-1.0 - mean).violated == refuted


def test_a_mean_without_a_least_excess_is_refused():
    unknown = judged([9.0] * 100, in_expectation=True)
    assert unknown.outcome == "not applicable"
    assert "define least_excess(run) in the theorem" in unknown.reason
    series = [
        *verdicts_with([9.0], in_expectation=True, least_excess=-1.0),
        *verdicts_with([9.0] * 99, in_expectation=True, least_excess=-2.0),
    ]
    assert "differs from match to match" in judge_series(range(100), series).reason


def test_an_interval_that_may_be_beyond_the_bound_leaves_a_mean_undecided():
    kind = {"in_expectation": True, "least_excess": -10.0}
    assert judged([9.0] * 30, other_end=(5.0, 10.0), **kind).outcome == "undecided"
    assert judged([9.0] * 30, other_end=(18.0, 10.0), **kind).violated
    assert judged([-9.0] * 30, other_end=(1.0, 10.0), **kind).holds
    doubts = [dataclasses.replace(each, outcome="undecided") for each in verdicts_with([1.0] * 30, confidence=0.9)]
    assert judge_series(range(30), doubts).outcome == "undecided"


def test_once_refuted_a_statement_stays_refuted():
    excesses = [1.0] * 6 + [-1.0] * 94
    outcomes = [judged(excesses[:seeds], confidence=0.9).outcome for seeds in (3, 4, 6, 50, 100)]
    assert outcomes == ["not applicable"] + ["violated"] * 4


def unfit(**kind):
    return dataclasses.replace(
        BASE, outcome="not applicable", reason="labels too large", measured=None, allowed=None, **kind
    )


def test_matches_to_which_a_deterministic_statement_does_not_apply_count_for_nothing():
    some = judge_series([0, 1, 2], [unfit(), *verdicts_with([-1, -1])])
    assert some.holds
    assert (some.matches, some.applicable) == (3, 2)
    assert some.reason.endswith("it applied to 2 of 3 matches")
    none = judge_series([0], [unfit()])
    assert none.outcome == "not applicable"
    assert none.reason == "in no match: labels too large"
    assert json.loads(json.dumps(none.as_json()))["violations"] == []


@pytest.mark.parametrize("kind", [{"confidence": 0.9}, {"in_expectation": True, "least_excess": -10.0}])
def test_coins_that_decide_whether_a_theorem_applies_cannot_refute_it(kind):
    """The theorem applies only in matches in which it fails; the other matches count as matches in which it holds."""
    seldom = [*verdicts_with([10.0], **kind), *[unfit(**kind)] * 10] * 40
    verdict = judge_series(range(440), seldom)
    assert not verdict.violated
    assert "it applied to 40 of 440 matches, and the others count as kept" in verdict.reason
    often = [*verdicts_with([10.0] * 3, **kind), unfit(**kind)] * 40
    assert judge_series(range(160), often).violated


def test_theorems_of_one_series_share_the_level():
    def of(*theorems):
        columns = [
            [dataclasses.replace(each, theorem=name) for each in verdicts_with(excesses, **kind)]
            for name, excesses, kind in theorems
        ]
        rows = enumerate(zip(*columns, strict=True))
        return series(summary(seed=seed, verdicts=row) for seed, row in rows)

    lucky, kept = [1.0] * 4, [-1.0] * 4
    chance = {"confidence": 0.9}
    assert of(("a", lucky, chance), ("b", kept, {})).verdicts[0].violated
    several = of(("a", lucky, chance), *((name, kept, chance) for name in "bcdefghi"))
    assert not several.verdicts[0].violated
    assert "level 0.000111" in several.verdicts[0].method


def test_each_seed_needs_a_verdict():
    for verdicts in ([], [BASE, BASE]):
        with pytest.raises(ArenaError, match="one verdict a seed"):
            judge_series([0], verdicts)

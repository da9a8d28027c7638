"""The judgement of many matches: right statements survive bad luck, wrong ones are found out."""

import dataclasses
import json
import math

import numpy as np
import pytest
from scipy import stats

from arena import ArenaError
from arena.engine.series_verdicts import LEVEL, judge_series
from arena.record.theorem import Verdict

BASE = Verdict("thm(a=1)", "thm", "holds", "", "regret", 1.0, 2.0)


def matches(excesses, *, allowed=10.0, **kind):
    """One verdict for each excess of what is measured over what is allowed."""
    return [
        dataclasses.replace(
            BASE, outcome="violated" if each > 0 else "holds", measured=allowed + each, allowed=allowed, **kind
        )
        for each in excesses
    ]


def judged(excesses, **kind):
    return judge_series(range(len(excesses)), matches(excesses, **kind))


def test_a_deterministic_statement_falls_by_one_match_whose_seed_is_named():
    verdict = judge_series([7, 8, 9], matches([-1, 2, -3]))
    assert verdict.violated
    assert verdict.violations == (8,)
    assert "with seed 8" in verdict.reason
    assert verdict.closest == 8
    assert judged([-1, -2]).holds
    assert judged([-1, -2]).tightness == 0.9


@pytest.mark.parametrize("confidence", [0.9, 0.5, 0.99])
@pytest.mark.parametrize("seeds", [20, 100, 1000])
def test_a_statement_with_probability_falls_exactly_where_the_binomial_tail_says(confidence, seeds):
    tail = [sum(stats.binom.pmf(range(k, seeds + 1), seeds, 1 - confidence)) for k in range(seeds + 1)]
    for failures in range(0, seeds + 1, max(1, seeds // 50)):
        excesses = [1.0] * failures + [-1.0] * (seeds - failures)
        assert judged(excesses, confidence=confidence).violated == (tail[failures] < LEVEL)


def test_one_unlucky_match_never_refutes():
    for seeds in (1, 2, 5, 20, 200):
        for confidence in (0.5, 0.9, 0.95):
            assert not judged([1.0] + [-1.0] * (seeds - 1), confidence=confidence).violated


def test_too_few_seeds_for_chance_say_so_and_how_many_would_do():
    verdict = judged([1.0] * 2, confidence=0.9)
    assert verdict.outcome == "not applicable"
    assert "2 seeds cannot refute; 3 can" in verdict.reason
    assert judged([1.0] * 4, confidence=0.9).violated


def test_a_true_probability_is_hardly_ever_called_violated():
    rng = np.random.default_rng(0)
    wrong = sum(judged(np.where(rng.random(200) < 0.1, 1.0, -1.0), confidence=0.9).violated for _ in range(500))
    assert wrong <= 3
    doubled = sum(judged(np.where(rng.random(200) < 0.25, 1.0, -1.0), confidence=0.9).violated for _ in range(100))
    assert doubled >= 95


def test_a_mean_is_judged_by_its_interval():
    rng = np.random.default_rng(1)
    assert judged(rng.normal(-0.1, 5.0, 100), in_expectation=True).holds
    assert judged(rng.normal(0.5, 5.0, 100), in_expectation=True).holds  # not implausible yet
    assert judged(rng.normal(5.0, 5.0, 100), in_expectation=True).violated
    assert judged([3.0] * 10, in_expectation=True).violated  # no spread, no doubt
    assert judged([0.0] * 10, in_expectation=True).holds
    assert judged([math.inf] * 10, in_expectation=True).violated
    few = judged([9.0] * 9, in_expectation=True)
    assert few.outcome == "not applicable"
    assert "10 can" in few.reason


def test_the_interval_of_the_mean_is_students():
    excess = np.random.default_rng(2).normal(size=30)
    verdict = judged(excess, in_expectation=True)
    margin = stats.ttest_1samp(excess, 0.0, alternative="greater").confidence_interval(1 - LEVEL)
    assert f"+- {excess.mean() - margin.low:.2g} " in verdict.reason
    assert "Student" in verdict.method


def test_matches_to_which_it_does_not_apply_count_for_nothing():
    unfit = dataclasses.replace(BASE, outcome="not applicable", reason="labels too large", measured=None, allowed=None)
    some = judge_series([0, 1, 2], [unfit, *matches([-1, -1])])
    assert some.holds
    assert (some.matches, some.applicable) == (3, 2)
    assert "it applied to 2 of 3 matches" in some.reason
    none = judge_series([0], [unfit])
    assert none.outcome == "not applicable"
    assert none.reason == "in no match: labels too large"
    assert json.loads(json.dumps(none.as_json()))["violations"] == []


def test_each_seed_needs_a_verdict():
    for verdicts in ([], [BASE, BASE]):
        with pytest.raises(ArenaError, match="one verdict a seed"):
            judge_series([0], verdicts)

"""A series of many seeds has the same result in any order and any number of processes, even if some end."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pytest

from arena import ArenaError, Learner, play
from arena.engine.growth import regret_at
from arena.record.judging import judge
from arena.record.theorem import Theorem, least_regret
from arena.testing import RegretTooLarge, assert_regret
from arena.tournament.series import play_series
from arena_tests.summaries import series, summary

MATCH = {"rounds": 20, "bound": ["awv-logdet"]}


@dataclass(frozen=True)
class Unlucky(Theorem):
    """A theorem that is violated if the last label, which is random, is +1."""

    name: ClassVar[str] = ""
    confidence = 0.6

    def measured(self, run):
        return run.labels

    def allowed(self, run):
        return np.zeros(run.rounds) if run.rounds > 1 else run.labels


class Guesses(Unlucky):
    in_expectation = True
    confidence = 1.0

    def least_excess(self, run):
        return -1.0


def timeless(series):
    """Return the values of a series but for times."""
    return [{**each.as_json(), "seconds": 0.0, "match_seconds": 0.0} for each in series.results], series.missing


def test_the_result_does_not_depend_on_the_processes():
    here, there = (
        play_series("sketched-kons", "repeated(points=5)", seeds=5, seed=3, workers=workers, **MATCH)
        for workers in (1, 2)
    )
    assert timeless(here) == timeless(there)
    assert here.seeds == (3, 4, 5, 6, 7)
    assert here.verdicts == there.verdicts


def test_every_match_is_the_single_match_of_its_seed():
    series = play_series("sketched-kons", "repeated(points=5)", seeds=4, workers=1, **MATCH)
    for result in series.results:
        run = play("sketched-kons", "repeated(points=5)", seed=result.seed, rounds=20)
        verdict = run.verdict("awv-logdet")
        assert result.regret == run.regret[-1]
        assert result.verdicts[0].outcome == verdict.outcome
        assert result.verdicts[0].allowed == verdict.allowed
        assert result.verdicts[0].allowed_curve is None
    np.testing.assert_array_equal(series.numbers("regret"), [each.regret for each in series.results])


def test_a_mistake_has_the_message_of_a_single_match():
    with pytest.raises(ArenaError, match="Did you mean 'zero'"):
        play_series("zeroo", "alternating", seeds=2, workers=2)
    for wrong in ({"seeds": 0}, {"seeds": True}, {"seeds": 2, "workers": 0}):
        with pytest.raises(ArenaError, match="must be a whole number >= 1"):
            play_series("zero", "alternating", **wrong)


def test_forfeits_then_regret_decide_which_match_is_worst():
    def result(seed, regret=0.0, loss=0.0, forfeit=None):
        return summary(seed=seed, regret=regret, loss=loss, forfeit=forfeit)

    assert series([result(0, 1.0), result(1, 3.0), result(2, 2.0)]).worst.seed == 1
    assert series([result(0, None, 5.0), result(1, None, 3.0)]).worst.seed == 0
    assert series([result(0, 9.0), result(1, 1.0, forfeit="learner")]).worst.seed == 1
    assert series([result(0, 9.0), result(1, float("nan"))]).worst.seed == 1


# ---- theorems that leave room for chance


@pytest.mark.parametrize("theorem", [Unlucky(), Guesses()])
def test_one_match_cannot_judge_statements_with_a_probability(theorem):
    for labels in ("alternating", "repeated(points=1)"):
        verdict = play("zero", labels, rounds=3).verdict(theorem)
        assert verdict.outcome == "not applicable"
        assert "one match says nothing" in verdict.reason
        assert "`seeds=...`" in verdict.reason
        assert verdict.tightness is None
        assert (verdict.confidence, verdict.in_expectation) == (theorem.confidence, theorem.in_expectation)
    assert judge(play("zero", "alternating", rounds=3), theorem).violated


def test_many_matches_judge_statements_with_a_probability():
    coin = play_series("zero", "repeated(points=1)", seeds=60, rounds=2, bound=[Unlucky()], workers=1)
    fails = len(coin.verdicts[0].violations)
    assert 15 < fails < 45
    assert coin.verdicts[0].holds
    sure = play_series("zero", "alternating", seeds=20, rounds=2, bound=[Unlucky()], workers=1)
    assert sure.verdicts[0].violated
    assert "anytime-valid binomial test" in sure.verdicts[0].method
    mean = play_series("zero", "repeated(points=1)", seeds=60, rounds=1, bound=[Guesses()], workers=1)
    assert mean.verdicts[0].holds
    assert "cannot refute; 11 can" in mean_of(10).reason
    assert mean_of(11).violated


def mean_of(seeds):
    """Return the verdict of a theorem on the mean whose bound is exceeded as far as possible."""
    return play_series("zero", "alternating", seeds=seeds, rounds=3, bound=[Guesses()], workers=1).verdicts[0]


@pytest.mark.parametrize(
    ("least", "message"),
    [(-0.5, r"gave -0.5, but in this match regret -1 minus the bound 0 is -1"),
     (0.0, "must give a finite number < 0, or None, but it gave 0.0")],
)  # fmt: skip
def test_a_wrong_least_excess_is_an_error_that_names_the_theorem(least, message):
    class Wrong(Guesses):
        def least_excess(self, run):
            return least

    with pytest.raises(ArenaError, match=rf"Wrong.least_excess\(run\) {message}"):
        judge(play("zero", "alternating", rounds=2), Wrong())


def test_the_least_excess_of_a_lower_bound_is_that_of_allowed_minus_measured():
    class Forced(Guesses):
        """The last label is at least 0 on average, which is measured up to 1 above it."""

        lower = True

        def least_excess(self, run):
            return -1.0 if run.game.label_bound == 1.0 else -0.5

    assert judge(play("zero", "alternating", rounds=3), Forced()).least_excess == -1.0  # the last label is 1
    assert judge(play("zero", "alternating", rounds=2), Forced()).least_excess == -1.0
    message = r"gave -0.5, but in this match the bound 0 minus regret 2 is -2"
    with pytest.raises(ArenaError, match=message):
        judge(play("zero", "alternating", rounds=3, label_bound=2.0), Forced())
    assert judge(play("zero", "alternating", rounds=2, label_bound=2.0), Forced()).least_excess == -0.5


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic", "absolute"])
def test_no_regret_is_less_than_the_least(loss):
    """A learner that knows all labels has the least regret if the best function is nearly zero."""
    game = {"rounds": 4, "label_bound": 3.0, "loss": loss}
    lucky = play(Foresees(), "alternating", regularisation=1e9, **game)
    least, (regret,) = least_regret(lucky), regret_at(lucky, [4])
    assert least <= regret
    if loss in ("squared", "absolute"):
        assert regret == pytest.approx(least, rel=1e-6)
    assert least <= regret_at(play("zero", "alternating", **game), [4])[0]


class Foresees(Learner):
    """A learner that knows and predicts the labels of the adversary `alternating`."""

    def begin(self, game, rng):
        self.next = play("zero", "alternating", game=game).labels.tolist()

    def predict(self, x):
        return self.next[0]

    def update(self, x, y):
        self.next.pop(0)


def test_assert_regret_over_many_seeds():
    worst = assert_regret("zero", "repeated(points=1)", rounds=2, theorem=Unlucky(), seeds=60)
    series = play_series("zero", "repeated(points=1)", seeds=60, rounds=2, workers=1)
    assert worst.seed == series.worst.seed
    with pytest.raises(RegretTooLarge, match=r"\S*Unlucky is violated\n  exceeded in 20 of 20 .*\n  judged over 20"):
        assert_regret("zero", "alternating", rounds=2, theorem=Unlucky(), seeds=20)
    with pytest.raises(RegretTooLarge, match=r"awv-logdet is violated[\s\S]*with seed 5[\s\S]*--seed 5"):
        assert_regret("krr", "alternating", rounds=60, theorem="awv-logdet", seeds=2, seed=5)
    with pytest.raises(ArenaError, match="nothing was checked"):
        assert_regret("zero", "alternating", rounds=2, theorem=Unlucky(), seeds=2)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_regret_of_other_losses_over_many_seeds(loss):
    match = {"rounds": 30, "loss": loss}
    regrets = play_series("fgd", "repeated(points=3)", seeds=2, workers=1, **match).numbers("regret")
    run = play("fgd", "repeated(points=3)", seed=1, **match)
    assert regrets[1] == pytest.approx(run.loss - run.comparator.best().upper, abs=1e-5)
    assert_regret("fgd", "repeated(points=3)", at_most=regrets.mean() + 1e-6, seeds=2, **match)
    with pytest.raises(RegretTooLarge, match="the mean regret of 2 seeds exceeds"):
        assert_regret("fgd", "repeated(points=3)", at_most=regrets.mean() - 1e-6, seeds=2, **match)
    assert play_series("fgd", "alternating", seeds=2, workers=1, hindsight="none", **match).numbers("regret") is None


WIDE = {"rounds": 60, "loss": "hinge", "regularisation": 1e-11}  # the kernel's own rounding leaves an interval


def test_an_interval_that_is_wide_is_not_its_middle():
    series = play_series("fgd", "repeated(points=7, labels=contrary)", seeds=3, workers=1, **WIDE)
    assert series.numbers("regret") is None
    for result, (low, high) in zip(series.results, series.regret_ends, strict=True):
        run = play("fgd", "repeated(points=7, labels=contrary)", seed=result.seed, **WIDE)
        assert (low, high) == result.regret_ends == run.final_regret
        assert high - low > 1e-3
        assert result.badness[-1] == high
    low, high = series.regret_ends.mean(axis=0)
    asserted = partial(assert_regret, "fgd", "repeated(points=7, labels=contrary)", seeds=3, **WIDE)
    asserted(at_most=high)
    with pytest.raises(ArenaError, match=r"at_most \S+ is undecided: the mean regret of 3 seeds lies between"):
        asserted(at_most=(low + high) / 2)
    with pytest.raises(RegretTooLarge, match="the mean regret of 3 seeds exceeds"):
        asserted(at_most=low - 1e-6)


def test_a_known_regret_has_equal_ends():
    series = play_series("fgd", "alternating", seeds=2, workers=1, rounds=9)
    np.testing.assert_array_equal(series.regret_ends, np.stack([series.numbers("regret")] * 2, axis=1))
    assert play_series("fgd", "alternating", seeds=2, workers=1, rounds=9, hindsight="none").regret_ends is None


class Explodes(Learner):
    """A learner whose squared predictions are beyond double precision."""

    def predict(self, x):
        return -1e200

    def update(self, x, y):
        pass


@pytest.mark.filterwarnings("error")
def test_an_infinite_regret_has_equal_ends():
    series = play_series(Explodes(), "alternating", seeds=2, workers=1, rounds=5, loss="squared-hinge")
    assert [result.regret_ends for result in series.results] == [(np.inf, np.inf)] * 2
    assert series.numbers("regret").tolist() == [np.inf, np.inf]


def test_at_most_over_many_seeds_bounds_the_mean():
    match = {"rounds": 30, "seeds": 6}
    regrets = play_series("fgd", "repeated(points=3)", seeds=6, rounds=30, workers=1).numbers("regret")
    assert_regret("fgd", "repeated(points=3)", at_most=regrets.mean() * 1.001, **match)
    with pytest.raises(RegretTooLarge, match="the mean regret of 6 seeds exceeds"):
        assert_regret("fgd", "repeated(points=3)", at_most=regrets.mean() * 0.999, **match)
    with pytest.raises(ArenaError, match="at_most needs the regret, but over seeds it is not known"):
        assert_regret("fgd", "alternating", at_most=1.0, hindsight="none", **match)

    class Broken:
        def predict(self, x):
            return "one"

        def update(self, x, y):
            pass

    with pytest.raises(RegretTooLarge, match="forfeits"):
        assert_regret(Broken(), "alternating", at_most=1.0, **match)


def interrupts_after(count):
    """Return a progress function that raises `KeyboardInterrupt` after `count` matches."""

    def progress(done):
        if done == count:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_was_played(workers):
    series = play_series("zero", "alternating", seeds=8, rounds=5, workers=workers, progress=interrupts_after(2))
    assert series.interrupted
    assert len(series.results) == 2
    assert all(result.ended == "completed" for result in series.results)


@pytest.mark.parametrize("bound", ["none", ["none"], ("none",)])
def test_nothing_is_judged_by_the_bound_none(bound):
    series = play_series("kernel-awv", "greedy", seeds=2, rounds=8, bound=bound, workers=1)
    assert (series.verdicts, series.lower_bounds) == ((), ())
    assert play_series("kernel-awv", "greedy", seeds=2, rounds=8, workers=1).lower_bounds

"""`assert_regret(at_most=..., comparator=...)` limits the regret to the named comparator."""

import pytest

from arena import ArenaError, play
from arena.specs.spelling import spec_text
from arena.testing import RegretTooLarge, assert_regret
from arena.testing.session import RunSettings, run_settings

MATCH = {"rounds": 30, "theorem": "none"}


@pytest.fixture(autouse=True)
def unkept():
    token = run_settings.set(RunSettings(failures=None, shrinking=2.0))
    yield
    run_settings.reset(token)


@pytest.mark.parametrize("comparator", ["constant", "last-label", "baseline(model=zero)"])
def test_the_limit_is_on_the_regret_to_the_comparator(comparator):
    regret = play("krr", "alternating", rounds=30).regret_to(comparator).regret[0]
    assert_regret("krr", "alternating", at_most=regret + 1e-4, comparator=comparator, **MATCH)
    with pytest.raises(RegretTooLarge, match="exceeds what is allowed in round 30") as failure:
        assert_regret("krr", "alternating", at_most=regret - 1e-4, comparator=comparator, **MATCH)
    message = str(failure.value)
    assert f"regret to {comparator}" in message.replace("()", "")
    assert f"--comparator {comparator}" in message.replace("'", "")
    assert failure.value.verdict.measured == pytest.approx(regret)


def test_a_failure_is_shrunk():
    with pytest.raises(RegretTooLarge) as failure:
        assert_regret("krr", "greedy(starts=4)", rounds=40, at_most=2.0, comparator="constant", theorem="none")
    small = failure.value.shrunk
    assert small.rounds < 20
    assert small.smallest.regret_to("constant").regret[0] > 2.0


def test_over_seeds_the_mean_counts():
    adversary, ends = "repeated(points=3)", []
    for seed in range(3):
        ends.append(play("krr", adversary, rounds=30, seed=seed).regret_to("constant").regret[0])
    mean = sum(ends) / 3
    assert_regret("krr", adversary, at_most=mean + 1e-6, comparator="constant", seeds=3, **MATCH)
    with pytest.raises(RegretTooLarge, match="mean regret to constant"):
        assert_regret("krr", adversary, at_most=mean - 1e-6, comparator="constant", seeds=3, **MATCH)


def test_a_comparator_needs_a_limit():
    with pytest.raises(ArenaError, match="give at_most"):
        assert_regret("krr", "alternating", comparator="constant", **MATCH)


def test_other_comparators_of_the_match_are_kept():
    options = {"at_most": 100.0, "comparator": "constant", "comparators": ["last-label", "constant"], **MATCH}
    for seeds in (None, 2):
        run = assert_regret("krr", "alternating", seeds=seeds, **options)
        assert [spec_text(each) for each in run.comparators] == ["last-label", "constant"]


@pytest.mark.parametrize("option", [{"exact": True}, {"effort": None}])
def test_an_option_for_a_single_match_is_refused_over_seeds(option):
    (name,) = option
    with pytest.raises(ArenaError, match=f"{name}=... is for a single match, but 2 seeds are asked for"):
        assert_regret("kernel-awv", "alternating", rounds=5, seeds=2, **option)


@pytest.mark.parametrize("seeds", [None, 2])
def test_an_unknown_regret_does_not_pass(seeds):
    refused = {"loss": "hinge", "at_most": 100.0, "comparator": "linear(penalty=0)", "seeds": seeds}
    with pytest.raises(ArenaError, match=r"at_most needs the regret, but .*write linear\(penalty=0.001\)"):
        assert_regret("fgd", "alternating", **refused, **MATCH)


def test_a_misspelt_comparator():
    with pytest.raises(ArenaError, match="Did you mean 'constant'"):
        assert_regret("krr", "alternating", at_most=1.0, comparator="constan", **MATCH)

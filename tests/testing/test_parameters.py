"""Checks and hunts find mistakes that a learner makes only with other values of its parameters."""

from dataclasses import dataclass
from typing import Literal

import pytest

from arena import ArenaError
from arena.hunt import hunt
from arena.learners import KernelAWV
from arena.specs.parameters import parameter
from arena.testing import assert_no_violation, check_learner
from arena.testing.failure import RegretTooLarge


@dataclass
class WrongInHaste(KernelAWV):
    """A learner that is wrong with pace "haste", in single rounds alone, and correct with the default pace."""

    name = ""
    pace: Literal["steady", "haste"] = parameter("steady", "how fast")

    def peek(self, X):
        return -super().peek(X) if self.pace == "haste" else super().peek(X)


@dataclass
class OverconfidentAtSmallRidges(KernelAWV):
    """A learner that is correct by default, and predicts three times the mean if lambda is given."""

    name = ""

    def peek(self, X):
        return 3.0 * self.past.at(X)[0] if self.regularisation else super().peek(X)

    def replay(self, X, y):
        return 3.0 * self.past.extend(X, y)[0] if self.regularisation else super().replay(X, y)


def bad(results):
    return {result.name: result.message for result in results if result.bad}


def test_a_check_sees_a_mistake_that_one_parameter_hides():
    caught = bad(check_learner(WrongInHaste))
    assert "pace=haste" in caught["replay-equals-rounds"]
    assert not bad(check_learner(WrongInHaste, parameters="given"))


def test_promises_are_checked_with_other_parameters():
    assert "regularisation=" in bad(check_learner(OverconfidentAtSmallRidges))["promised-theorems-hold"]
    assert not bad(check_learner(OverconfidentAtSmallRidges, parameters="given"))


def test_what_was_given_is_not_varied():
    assert not bad(check_learner(WrongInHaste(pace="steady", regularisation=2.0), parameters="given"))
    caught = bad(check_learner(WrongInHaste(pace="haste"), parameters="given"))
    assert "replay-equals-rounds" in caught


def test_a_hunt_finds_the_parameters_with_which_a_promise_breaks():
    found = hunt(OverconfidentAtSmallRidges, matches=200, workers=0)
    assert found.violation.kind == "bound"
    assert set(found.violation.parameters) == {"regularisation"}
    assert found.parameters == ("regularisation",)
    failing = found.violation.failing(OverconfidentAtSmallRidges)
    assert failing.regularisation == found.violation.parameters["regularisation"]
    assert f"regularisation={failing.regularisation:g}" in found.violation.transcript.learner
    assert hunt(OverconfidentAtSmallRidges, matches=120, workers=0, parameters="given").violation is None


def test_a_theorem_that_is_named_is_held_against_the_given_parameters_alone():
    found = hunt(OverconfidentAtSmallRidges, "awv-logdet", matches=120, workers=0)
    assert found.violation is None
    assert found.parameters == ()


def test_the_assertion_shrinks_a_violation_with_other_parameters():
    with pytest.raises(RegretTooLarge, match="regularisation=") as failure:
        assert_no_violation(OverconfidentAtSmallRidges, matches=200, workers=0)
    assert failure.value.shrunk.rounds <= 4
    assert_no_violation(OverconfidentAtSmallRidges, matches=60, workers=0, parameters="given")


@pytest.mark.parametrize("wrong", [lambda: check_learner("zero", parameters="all"), lambda: hunt("krr", parameters="")])
def test_other_words_are_refused(wrong):
    with pytest.raises(ArenaError, match="parameters must be given or varied"):
        wrong()

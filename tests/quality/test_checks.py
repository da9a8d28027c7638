"""Each planted mistake is found by the checks meant for it and by no others; correct players pass all checks."""

import random

import numpy as np
import pytest

from arena import ArenaError, Game
from arena.testing import ChecksFailed, check_adversary, check_learner, raise_on_failure
from arena.testing.checks import ADVERSARY_CHECKS, LEARNER_CHECKS
from arena_tests.planted.contract import ADVERSARIES, LEARNERS
from arena_tests.planted.contract.adversaries import UsesTheGlobalCoin
from arena_tests.planted.contract.asking import CountsQuestions
from arena_tests.planted.contract.coins import BringsItsOwnEntropy, SeedsTheWorld
from arena_tests.planted.contract.correct import Averaging, Coin, Contrary, Mean, Neighbour, Single


def bad_checks(results):
    return {result.name for result in results if result.bad}


def outcome(results, name):
    return next(result for result in results if result.name == name)


def assert_caught(results, caught_by, checks):
    """Assert that every check ran, and that exactly the checks `caught_by` did not pass, each with a message."""
    assert bad_checks(results) == caught_by, "\n".join(map(str, results))
    assert [result.name for result in results] == [check.name for check in checks]
    assert all(result.message for result in results if result.outcome != "passed")


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize(("mistake", "caught_by"), LEARNERS)
def test_a_wrong_learner_is_caught_by_the_check_meant_for_it(mistake, caught_by):
    assert_caught(check_learner(mistake), caught_by, LEARNER_CHECKS)


@pytest.mark.parametrize(("mistake", "caught_by"), ADVERSARIES)
def test_a_wrong_adversary_is_caught_by_the_check_meant_for_it(mistake, caught_by):
    assert_caught(check_adversary(mistake), caught_by, ADVERSARY_CHECKS)


def test_every_check_catches_something():
    for checks, mistakes in ((LEARNER_CHECKS, LEARNERS), (ADVERSARY_CHECKS, ADVERSARIES)):
        caught = set().union(*(mistake.values[1] for mistake in mistakes))
        assert {check.name for check in checks} == caught


def test_a_promise_whose_evidence_is_missing_is_broken():
    class Silent(Averaging):
        theorems = ("kors-identity",)

    result = outcome(check_learner(Silent), "promised-theorems-hold")
    assert result.outcome == "failed"
    assert "as evidence" in result.message


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("learner", [Averaging, Single, Mean, Neighbour])
def test_no_false_alarm_on_correct_learners(learner, seed):
    results = check_learner(learner, seed=seed, game=Game(dimension=1 + seed % 4, box=(-1.0, 2.0 + seed)))
    raise_on_failure(results)
    assert not {result.name for result in results if result.outcome == "expected failure"}


@pytest.mark.parametrize(("error", "expected"), [(1e-7, "passed"), (1e-4, "failed")])
def test_single_precision_may_round_many_rows_in_another_way_than_one(error, expected):
    class Rounded(Averaging):
        def predict(self, x):
            return float(np.float32(super().peek(x[np.newaxis])[0]))

        def peek(self, X):
            factor = 1.0 + error if len(X) > 1 else 1.0
            return (factor * super().peek(X)).astype(np.float32).astype(float)

    assert outcome(check_learner(Rounded), "peek-equals-predict").outcome == expected


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("adversary", [Coin, Contrary])
def test_no_false_alarm_on_correct_adversaries(adversary, seed):
    raise_on_failure(check_adversary(adversary, seed=seed))


def test_a_declared_failure_is_expected_and_one_that_passes_is_an_error():
    expected = {"predict-is-pure": "it counts how often it is asked"}
    result = outcome(check_learner(CountsQuestions, expected_failures=expected), "predict-is-pure")
    assert result.outcome == "expected failure"
    assert "how often" in result.message
    assert "asked" in result.message
    results = check_learner(Mean, expected_failures=expected)
    assert outcome(results, "predict-is-pure").outcome == "unexpected pass"
    with pytest.raises(ChecksFailed, match=r"1 of \d+ checks need attention\n  predict-is-pure: unexpected pass"):
        raise_on_failure(results)


@pytest.mark.parametrize(
    ("declared", "message"),
    [({"predict-is-pur": "why"}, "there is no check 'predict-is-pur'. Did you mean 'predict-is-pure'"),
     ({"predict-is-pure": " "}, "say why 'predict-is-pure' is expected to fail")],
)  # fmt: skip
def test_a_declaration_that_makes_no_sense_is_refused(declared, message):
    with pytest.raises(ArenaError, match=message):
        check_learner(Mean, expected_failures=declared)


def test_checks_that_need_a_failed_check_are_skipped_with_a_reason():
    results = check_learner(BringsItsOwnEntropy)
    assert outcome(results, "predict-is-pure").message == "needs same-seed-same-run, which failed"


def test_the_global_random_states_are_put_back():
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    check_learner(SeedsTheWorld)
    check_adversary(UsesTheGlobalCoin)
    here = random.random(), np.random.random()  # noqa: NPY002
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    assert here == (random.random(), np.random.random())  # noqa: NPY002


def test_an_object_is_checked_in_a_copy():
    learner = Mean()
    learner.update(None, 2.0)
    raise_on_failure(check_learner(learner))
    assert (learner.sum, learner.count) == (2.0, 2)


def test_an_object_that_cannot_be_copied_is_refused_with_a_way_out():
    learner = Mean()
    learner.stream = (number for number in range(3))
    with pytest.raises(ArenaError, match="give its class, its spec or a function that makes it"):
        check_learner(learner)


def test_a_game_in_which_it_cannot_play_is_the_callers_mistake():
    class OnlyTwo(Single):
        def begin(self, game, rng):
            if game.dimension != 2:
                raise ArenaError("two dimensions are needed")
            super().begin(game, rng)

    with pytest.raises(ArenaError, match="two dimensions"):
        check_learner(OnlyTwo)
    raise_on_failure(check_learner(OnlyTwo, game=Game(dimension=2)))


@pytest.mark.parametrize("check", [check_learner, check_adversary])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed": -1}, "seed must be a whole number >= 0, but it is -1"),
        ({"seed": None}, "seed must be a whole number >= 0, but it is None"),
        ({"game": "hinge"}, "game must be a Game, but it is a str"),
        ({"expected_failures": ["plays"]}, "expected_failures must map names of checks to reasons, but it is a list"),
    ],
)
def test_a_wrong_argument_is_not_blamed_on_the_subject(check, wrong, message):
    with pytest.raises(ArenaError, match=message):
        check("krr" if check is check_learner else "alternating", **wrong)


@pytest.mark.parametrize(("learner", "loss"), [("perceptron", "hinge"), ("kons", "logistic")])
def test_promises_are_checked_in_games_that_an_adversary_of_the_check_refuses(learner, loss):
    results = check_learner(learner, game=Game(loss=loss), parameters="given")
    raise_on_failure(results)
    assert outcome(results, "promised-theorems-hold").outcome == "passed"


def test_a_lambda_too_small_for_the_long_horizon_of_one_check_ends_no_other_check():
    results = check_learner("krr", game=Game(regularisation=1.5e-11), parameters="given")
    assert outcome(results, "promised-theorems-hold").outcome == "passed"
    memory = outcome(results, "memory-grows-as-declared")
    assert memory.outcome == "skipped"
    assert "the smallest that works is 2e-11" in memory.message

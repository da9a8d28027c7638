"""The state machine finds planted mistakes within the usual number of examples, and correct learners pass."""

import unittest

import numpy as np
import pytest
from hypothesis import Phase, settings

from arena import ArenaError, Game, play
from arena.specs.building import build
from arena.specs.registry import entries
from arena.testing import CheckFailed, RegretTooLarge
from arena.testing.stateful import learner_machine
from arena_tests import FULL
from arena_tests.planted.contract.asking import (
    DriftsWhenAsked,
    LearnsAtTheLastQuestion,
    LearnsFromPeeks,
    LearnsFromTheLastAnswer,
)
from arena_tests.planted.contract.correct import Mean
from arena_tests.planted.forecasters import (
    Forecaster,
    KeepsTheLastLabel,
    NewestAlone,
    Overconfident,
    ShrinksTheWrongWay,
    Unsigned,
)
from arena_tests.planted.misbehaviour import (
    CannotBeCopied,
    DividesByDistance,
    Listless,
    OutsideAtTheCorner,
    PeeksBackwards,
    SharesItsState,
    Singular,
    StopsAtTwenty,
)

USUAL = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    phases=[Phase.generate, Phase.target, Phase.shrink],
)
FOUND = settings(USUAL, phases=[Phase.generate, Phase.target])
GAME = Game(dimension=1, rounds=50)


def run(learner, how=FOUND, **arguments):
    case = learner_machine(learner, **{"game": GAME, **arguments})
    case.settings = how
    test = case()
    test.runTest()


ONLINE = [name for name in entries("learner") if not build("learner", name).foresight]


@pytest.mark.parametrize("learner", [Forecaster, *(ONLINE if FULL else ["clipped-krr"])])
def test_a_correct_learner_raises_no_alarm(learner):
    how = FOUND if FULL else settings(FOUND, max_examples=20)
    run(learner, how, theorem="awv-logdet" if learner is Forecaster else "auto")
    if FULL:
        run(learner, game=Game(dimension=2, rounds=50, regularisation=0.1, label_bound=2.0))


@pytest.mark.parametrize(
    "learner",
    ["fgd", "kons", "pkawv-kors", Mean, Mean(), lambda: Mean(), "river:linear_model.LinearRegression()",
     "sklearn:linear_model.SGDRegressor(random_state=1)"],
)  # fmt: skip
def test_user_learners_and_coins_raise_no_alarm(learner):
    run(learner, settings(FOUND, max_examples=10 if FULL else 5))


BREAK_THEIR_BOUND = [Overconfident, ShrinksTheWrongWay, Unsigned, KeepsTheLastLabel, NewestAlone]


BREAK_THE_CONTRACT = {
    Singular: "raised LinAlgError|is (nan|inf)|asked again|asked twice|peek and predict",
    DividesByDistance: "the prediction is (nan|-?inf)",
    OutsideAtTheCorner: "is inf",
    DriftsWhenAsked: "asked twice at one point it says",
    LearnsFromPeeks: "asked again after a peek it says|peek and predict give|differ",
    PeeksBackwards: "peek and predict give",
    LearnsFromTheLastAnswer: "with questions and copies in between differ",
    LearnsAtTheLastQuestion: "with questions and copies in between differ",
    SharesItsState: "its copy predicts otherwise once the original has learnt",
    CannotBeCopied: "cannot be copied: TypeError: it holds a lock",
    StopsAtTwenty: "update raised OverflowError: its table is full",
    Listless: r"must be one number, but it has shape \(1,\)",
}


@pytest.mark.parametrize("learner", BREAK_THEIR_BOUND)
def test_a_broken_bound_is_found(learner):
    with pytest.raises(RegretTooLarge, match="awv-logdet is violated in round"):
        run(learner, theorem="awv-logdet")


@pytest.mark.parametrize("learner", BREAK_THE_CONTRACT)
def test_a_broken_contract_is_found(learner):
    with pytest.raises(CheckFailed, match=BREAK_THE_CONTRACT[learner]):
        run(learner)


def test_a_failure_shrinks_to_two_rounds_at_zero_and_its_command_repeats_it():
    with pytest.raises(RegretTooLarge) as failure:
        run(Overconfident, USUAL, theorem="awv-logdet")
    broken, message = failure.value.transcript, str(failure.value)
    assert broken.points.tolist() == [[0.0], [0.0]]
    assert sorted(broken.labels.tolist()) == [-1.0, 1.0]
    assert "--bound awv-logdet" in message
    assert "the largest margin among all examples so far: " in message
    again = play(Overconfident, broken.adversary, game=broken.game)
    np.testing.assert_allclose(again.predictions, broken.predictions)
    notes = "\n".join(failure.value.__notes__)
    assert "state.teardown()" in notes
    assert notes.count("state.") <= 3


def test_the_class_is_a_test_case_that_unittest_runs():
    case = learner_machine("zero", theorem="none", game=GAME)
    case.settings = settings(FOUND, max_examples=5)
    assert issubclass(case, unittest.TestCase)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun == 1
    assert result.wasSuccessful()


def test_a_machine_that_could_see_nothing_is_refused():
    with pytest.raises(ArenaError, match="must know the whole sequence beforehand"):
        learner_machine("libsvm")
    with pytest.raises(ArenaError, match="nothing was checked"):
        learner_machine("kernel-awv", theorem="awv-logdet", game=Game(loss="hinge"))

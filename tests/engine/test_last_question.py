"""The referee checks at some rounds that `update` does not depend on the last point of `predict`."""

import numpy as np
import pytest

from arena import play
from arena.players.learner import UserLearner
from arena.players.referee import QUESTIONED
from arena.specs.building import build
from arena.specs.registry import entries
from arena_tests.planted.contract.asking import LearnsAtTheLastQuestion, LearnsFromTheLastAnswer
from arena_tests.planted.contract.correct import Averaging, Mean, Neighbour

ADVERSARIES = ("drift", "contrarian(source=drift)")  # in blocks, and round by round
ONLINE = [name for name in entries("learner") if not build("learner", name).foresight]


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("learner", [LearnsFromTheLastAnswer, LearnsAtTheLastQuestion])
def test_an_update_that_uses_the_last_prediction_is_a_foul(learner, adversary):
    run = play(learner, adversary, rounds=40)
    assert run.forfeit is not None
    assert run.forfeit.side == "learner"
    assert run.forfeit.round == QUESTIONED
    assert "update uses what the last predict left behind" in run.forfeit.reason


class KeepsWhatItAnswered(Averaging):
    """Correct: it keeps the last point of `predict`, and uses it in `update` only if the label is for this point."""

    asked = None

    def predict(self, x):
        self.asked = x.copy()
        return super().predict(x)

    def update(self, x, y):
        super().update(self.asked if np.array_equal(self.asked, x) else x, y)


class TossesAGlobalCoin(Mean):
    """A learner whose copies differ, but because of global random numbers, not because of the last question."""

    def update(self, x, y):
        super().update(x, y + 0.1 * np.random.normal())  # noqa: NPY002


class RefusesToBeCopied(LearnsFromTheLastAnswer):
    def __deepcopy__(self, memo):
        raise TypeError("it holds a connection")


class IsItsOwnCopy(LearnsFromTheLastAnswer):
    def __deepcopy__(self, memo):
        return self


THIRD_PARTY = [
    "river:linear_model.LinearRegression()",
    "river:linear_model.PARegressor()",
    "river:linear_model.BayesianLinearRegression()",
    "river:neighbors.KNNRegressor()",
    "river:tree.HoeffdingTreeRegressor(grace_period=5)",
    "river:tree.HoeffdingAdaptiveTreeRegressor(grace_period=5)",
    "river:forest.ARFRegressor(n_models=2)",
    "river:rules.AMRules()",
    "sklearn:linear_model.SGDRegressor()",
    "sklearn:linear_model.PassiveAggressiveRegressor()",
    "sklearn:neural_network.MLPRegressor(hidden_layer_sizes=[4])",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize(
    "learner",
    [*ONLINE, *THIRD_PARTY, Mean, Neighbour, KeepsWhatItAnswered, TossesAGlobalCoin, RefusesToBeCopied, IsItsOwnCopy],
)
def test_a_correct_learner_is_not_accused(learner, adversary):
    assert play(learner, adversary, rounds=40, hindsight="none").forfeit is None


def test_the_learner_itself_is_neither_asked_nor_taught_by_the_check():
    calls = []

    class Diary:
        def __init__(self, own):
            self.own = own

        def __deepcopy__(self, memo):
            return Diary([])

        def predict(self, x):
            self.own.append("predict")
            return 0.0

        def update(self, x, y):
            self.own.append("update")

    learner = UserLearner(Diary([]))
    learner.given.own = calls
    play(
        learner, "repeated(points=3, labels=contrary)", rounds=9, kernel="linear"
    )  # under other kernels the last function is looked at
    twice = ["predict", "predict", "update"]
    assert calls == [each for t in range(9) for each in (twice if t in (0, 1, 3, 7) else twice[1:])]


def test_a_prediction_that_changes_a_little_is_told_apart_from_the_first_one():
    class Drifts:
        questions = 0

        def update(self, x, y):
            pass

        def predict(self, x):
            self.questions += 1
            return 0.25 + 1e-8 * self.questions

    reason = play(Drifts(), "alternating", rounds=3).forfeit.reason
    assert reason.endswith("asked twice at one point it says 0.25000001, then 0.25000002")

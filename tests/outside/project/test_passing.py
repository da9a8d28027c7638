"""Tests of a project that pass, with each kind of test that the arena offers."""

import pytest
from hypothesis import given, settings
from models import RunningMean
from theorems import BoundedPredictions, LogarithmicRegret

from arena.testing import assert_growth, assert_regret, parametrize_with_checks
from arena.testing.stateful import learner_machine
from arena.testing.strategies import matches

MODELS = [
    RunningMean,
    "./models.py:RunningMean",
    "sklearn:linear_model.SGDRegressor(random_state=0)",
    "river:linear_model.LinearRegression()",
]
QUICK = settings(max_examples=15, deadline=None, derandomize=True, database=None)


@parametrize_with_checks(MODELS)
def test_contract(check):
    check()


@pytest.mark.parametrize("model", MODELS)
def test_it_does_not_get_worse(model):
    assert_regret(model, "alternating", rounds=100, at_most=30.0)


@pytest.mark.parametrize("model", MODELS)
def test_no_adversary_makes_it_explode(model, assert_no_violation):
    assert_no_violation(model, theorem=BoundedPredictions(), matches=10, rounds=60, dimension=2)


def test_a_theorem_of_ours():
    assert_regret(RunningMean, "alternating", theorem=LogarithmicRegret(), rounds=100)


def test_its_regret_grows_like_a_logarithm():
    assert_growth(RunningMean, "alternating", at_most="log", rounds=512)


@QUICK
@given(matches(dimension=1, rounds=10, label_bound=1.0, kernel="gaussian", regularisation=1.0))
def test_any_sequence_keeps_predictions_bounded(match):
    assert_regret(RunningMean, match.moves, game=match.game, theorem=BoundedPredictions(times=1.0))


TestRunningMean = learner_machine(RunningMean, theorem=BoundedPredictions(times=1.0))
TestRunningMean.settings = QUICK


def test_nothing_has_failed(arena_failures):
    assert arena_failures.kept() == []

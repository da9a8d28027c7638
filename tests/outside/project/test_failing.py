"""Tests of a project that fail."""

from models import Careless, Eager
from theorems import LogarithmicRegret

from arena.testing import assert_growth, assert_regret, parametrize_with_checks


def test_theorem():
    assert_regret(Eager, "alternating", theorem=LogarithmicRegret(constant=1.0), rounds=50)


def test_foul():
    assert_regret(Careless, "repeated(points=3, labels=alternating)", at_most=100.0, rounds=50)


def test_number():
    assert_regret("sklearn:linear_model.SGDRegressor(random_state=0)", "alternating", rounds=100, at_most=0.01)


def test_growth():
    assert_growth(Eager, "alternating", at_most="sqrt", rounds=512)


@parametrize_with_checks([Eager], expected_failures={"predict-is-pure": "we thought so"})
def test_declared_failure(check):
    if check.name == "predict-is-pure":
        check()

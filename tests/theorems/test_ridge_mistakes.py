"""Theorems are violated by mistakes planted in ridge regression, Kernel-AWV and gradient descent."""

from functools import partial

import numpy as np
import pytest

from arena_tests import judging
from arena_tests.planted.around import WrongWay
from arena_tests.planted.forecasters import (
    BlowsUp,
    Forecaster,
    IgnoresTheSecondLabel,
    NoShrinkage,
    OneRoundLate,
    ShrinksTheWrongWay,
    StartsAgainAfterTen,
    WrongKernel,
    WrongLambda,
    WrongSign,
)

ADVERSARIES = [
    "alternating",
    "repeated(points=6)",
    "repeated(points=6, labels=alternating)",
    "repeated(points=6, labels=contrary)",
    "greedy(starts=32, polished=1, steps=3)",
]


MISTAKES = [NoShrinkage, ShrinksTheWrongWay, OneRoundLate, WrongLambda, IgnoresTheSecondLabel]
MISTAKES += [WrongSign, WrongKernel, StartsAgainAfterTen, BlowsUp]


caught = partial(judging.caught, adversaries=ADVERSARIES, rounds=120)


def test_the_forecaster_written_out_once_more_is_correct():
    for theorem in ("awv-leverage", "awv-logdet", "awv-effective-dimension"):
        assert caught(Forecaster(), theorem) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_violates_the_sharp_theorem(mistake):
    adversaries = caught(mistake(), "awv-leverage", kernel="gaussian(bandwidth=0.5)")
    assert adversaries, mistake.__name__


@pytest.mark.parametrize("bound", [1e-5, 1.0, 1e5])
def test_mistakes_are_seen_at_every_scale_of_the_labels(bound):
    """The allowance for rounding is proportional to the size of the labels' squares."""
    assert caught(NoShrinkage(), "awv-leverage", label_bound=bound) != []
    assert caught(Forecaster(), "awv-leverage", label_bound=bound) == []


@pytest.mark.parametrize(
    "mistake", [OneRoundLate, WrongLambda, IgnoresTheSecondLabel, WrongSign, WrongKernel, Forecaster]
)
def test_the_identity_of_ridge_regression_sees_every_other_predictor(mistake):
    class Ridge(mistake):
        def peek(self, X):
            return self.past.at(X)[0]

    correct = mistake is Forecaster
    adversaries = caught(Ridge(), "ridge-identity", kernel="gaussian(bandwidth=0.5)")
    assert (adversaries == []) if correct else (len(adversaries) >= 4)


@pytest.mark.parametrize("mistake", [WrongSign, OneRoundLate, IgnoresTheSecondLabel])
def test_clipping_does_not_hide_a_mistake(mistake):
    class Clipped(mistake):
        def peek(self, X):
            return np.clip(3 * self.past.at(X)[0], -1, 1)

    adversaries = caught(Clipped(), "clipped-krr", kernel="gaussian(bandwidth=0.5)")
    assert adversaries, mistake.__name__


def test_gradient_descent_with_another_step_or_the_wrong_sign():
    assert caught("fgd(rate=0.3)", "ogd(rate=0.3)") == []
    assert caught("fgd(rate=0.3)", "ogd(rate=0.1)") != []
    assert caught(WrongWay("fgd(rate=0.3)"), "ogd(rate=0.3)") != []

"""Mistakes planted in ridge regression, the forecaster built on it and gradient descent: theorems notice."""

from dataclasses import dataclass

import numpy as np
import pytest

from arena import Learner, play
from arena.linalg.posterior import RidgePosterior
from arena.specs.building import build

ADVERSARIES = [
    "alternating",
    "repeated(points=6)",
    "repeated(points=6, labels=alternating)",
    "repeated(points=6, labels=contrary)",
    "greedy(starts=32, polished=1, steps=3)",
]


@dataclass
class Correct(Learner):
    """The forecaster, written out once more so that mistakes can be planted in it."""

    def begin(self, game, rng):
        self.past = RidgePosterior(game.kernel, game.regularisation)

    def peek(self, X):
        mean, variance = self.past.at(X)
        return mean / (1 + variance / self.past.regularisation)

    def update(self, x, y):
        self.past.append(x, y)


class NoShrinkage(Correct):
    """The mean of ridge regression, plain."""

    def peek(self, X):
        return self.past.at(X)[0]


class ShrinksTheWrongWay(Correct):
    def peek(self, X):
        mean, variance = self.past.at(X)
        return mean * (1 + variance / self.past.regularisation)


class OneRoundLate(Correct):
    """Learns each label a round later: at the point of the round after."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.label = 0.0

    def update(self, x, y):
        self.past.append(x, self.label)
        self.label = y


class WrongLambda(Correct):
    """A hundredth of the regularisation that it says it has."""

    def begin(self, game, rng):
        self.past = RidgePosterior(game.kernel, game.regularisation / 100)


class IgnoresRepeatedPoints(Correct):
    """Keeps the first label of a point for good."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.seen = set()

    def update(self, x, y):
        if x.tobytes() not in self.seen:
            self.seen.add(x.tobytes())
            self.past.append(x, y)


class WrongSign(Correct):
    def update(self, x, y):
        self.past.append(x, -y)


class WrongKernel(Correct):
    """A bandwidth of its own."""

    def begin(self, game, rng):
        self.past = RidgePosterior(build("kernel", "gaussian(bandwidth=20)"), game.regularisation)


class Forgets(Correct):
    """Starts anew every ten rounds."""

    def update(self, x, y):
        super().update(x, y)
        if len(self.past) == 10:
            self.past = RidgePosterior(self.past.kernel, self.past.regularisation)


class BlowsUp(Correct):
    def peek(self, X):
        return super().peek(X) + (1e200 if len(self.past) == 20 else 0.0)


MISTAKES = [NoShrinkage, ShrinksTheWrongWay, OneRoundLate, WrongLambda, IgnoresRepeatedPoints]
MISTAKES += [WrongSign, WrongKernel, Forgets, BlowsUp]


def caught(learner, theorem, **game):
    with np.errstate(over="ignore"):
        return [
            adversary
            for adversary in ADVERSARIES
            if play(learner, adversary, rounds=120, **game).verdict(theorem).violated
        ]


def test_the_forecaster_written_out_once_more_is_correct():
    for theorem in ("awv-leverage", "awv-logdet", "awv-effective-dimension"):
        assert caught(Correct(), theorem) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_violates_the_sharp_theorem(mistake):
    adversaries = caught(mistake(), "awv-leverage", kernel="gaussian(bandwidth=0.5)")
    assert adversaries, mistake.__name__


@pytest.mark.parametrize("bound", [1e-5, 1.0, 1e5])
def test_mistakes_are_seen_at_every_scale_of_the_labels(bound):
    """The allowance for rounding grows and shrinks with the labels."""
    assert caught(NoShrinkage(), "awv-leverage", label_bound=bound) != []
    assert caught(Correct(), "awv-leverage", label_bound=bound) == []


@pytest.mark.parametrize("mistake", [OneRoundLate, WrongLambda, IgnoresRepeatedPoints, WrongSign, WrongKernel, Correct])
def test_the_identity_of_ridge_regression_sees_every_other_predictor(mistake):
    class Ridge(mistake):
        def peek(self, X):
            return self.past.at(X)[0]

    correct = mistake is Correct
    adversaries = caught(Ridge(), "ridge-identity", kernel="gaussian(bandwidth=0.5)")
    assert (adversaries == []) if correct else (len(adversaries) >= 4)


@pytest.mark.parametrize("mistake", [WrongSign, OneRoundLate, IgnoresRepeatedPoints])
def test_clipping_does_not_hide_a_mistake(mistake):
    class Clipped(mistake):
        def peek(self, X):
            return np.clip(3 * self.past.at(X)[0], -1, 1)

    adversaries = caught(Clipped(), "clipped-krr", kernel="gaussian(bandwidth=0.5)")
    assert adversaries, mistake.__name__


class TooLargeSteps(Learner):
    """Gradient descent whose step is three times what it says."""

    def begin(self, game, rng):
        self.inner = build("learner", "fgd(rate=0.3)")
        self.inner.begin(game, rng)

    def peek(self, X):
        return self.inner.peek(X)

    def update(self, x, y):
        self.inner.update(x, y)


class WrongWay(TooLargeSteps):
    def update(self, x, y):
        self.inner.update(x, 2 * self.inner.predict(x) - y)


def test_gradient_descent_with_another_step_or_the_wrong_sign():
    assert caught(TooLargeSteps(), "ogd(rate=0.3)") == []
    assert caught(TooLargeSteps(), "ogd(rate=0.1)") != []
    assert caught(WrongWay(), "ogd(rate=0.3)") != []

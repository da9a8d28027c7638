"""Mistakes planted in forecasters on features and dictionaries: theorems notice."""

import numpy as np
import pytest

from arena import Learner, play
from arena.components.features.taylor import Taylor
from arena.components.linear_ridge import LinearRidge
from arena.components.span import Span
from arena.specs.building import build

ADVERSARIES = [
    "alternating(at=[0.6, 0.9])",
    "repeated(points=12)",
    "repeated(points=6, labels=contrary)",
    "greedy(starts=16, polished=0)",
]


class Features(Learner):
    """The forecaster on three Taylor features, written out once more so that mistakes can be planted in it."""

    def begin(self, game, rng):
        self.basis = Taylor(1).begun(game, rng)
        self.past = LinearRidge(self.basis.dimension, game.regularisation)

    def peek(self, X):
        mean, surprise = self.past.at(self.basis.features(X))
        return mean / (1 + surprise)

    def update(self, x, y):
        self.past.append(self.basis.features(x[np.newaxis])[0], y)

    def evidence(self):
        return {"taylor_degree": 1}


class NoShrinkage(Features):
    def peek(self, X):
        return self.past.at(self.basis.features(X))[0]


class WrongLambda(Features):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.past = LinearRidge(self.basis.dimension, game.regularisation / 50)


class LosesAFeature(Features):
    """Its second feature is gone, though it says otherwise."""

    def update(self, x, y):
        f = self.basis.features(x[np.newaxis])[0]
        f[1] = 0.0
        self.past.append(f, y)


class WrongSign(Features):
    def update(self, x, y):
        super().update(x, -y)


class LastRoundTwice(Features):
    def update(self, x, y):
        super().update(x, y)
        super().update(x, y)


def caught(learner, theorem, rounds=150, **game):
    game = {"kernel": "gaussian(bandwidth=1.5)", **game}
    return [a for a in ADVERSARIES if play(learner, a, rounds=rounds, **game).verdict(theorem).violated]


NAMES = ["pkawv-identity", "pkawv-features", "pkawv-features-logdet", "pkawv-subspace-sharp", "pkawv-subspace"]


def test_the_forecaster_written_out_once_more_is_correct():
    for name in NAMES:
        assert caught(Features(), name) == [], name


@pytest.mark.parametrize("mistake", [NoShrinkage, WrongLambda, LosesAFeature, WrongSign, LastRoundTwice])
def test_the_identity_sees_every_mistake(mistake):
    assert len(caught(mistake(), "pkawv-identity")) == len(ADVERSARIES)


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_mistake_breaks_each_bound(name):
    assert caught(WrongSign(), name, regularisation=0.5) != []


@pytest.mark.parametrize("name", ["pkawv-features", "pkawv-subspace-sharp"])
def test_plain_ridge_regression_breaks_the_sharp_bounds(name):
    assert caught(NoShrinkage(), name) != []


def test_the_identity_of_projected_ridge_regression():
    assert caught(NoShrinkage(), "pkrr-identity") == []
    for mistake in (Features, WrongLambda, WrongSign, LosesAFeature):
        assert len(caught(mistake(), "pkrr-identity")) >= 3


class EnoughFeatures(WrongSign):
    """The degree that Theorem 4 asks for, and a mistake."""

    def begin(self, game, rng):
        self.basis = Taylor(16).begun(game, rng)
        self.past = LinearRidge(self.basis.dimension, game.regularisation)

    def evidence(self):
        return {"taylor_degree": 16}


def test_enough_taylor_features():
    far = {"kernel": "gaussian(bandwidth=1.5)", "regularisation": 0.5}
    for adversary in ADVERSARIES:
        run = play("pkawv(embedding=taylor(degree=16))", adversary, rounds=150, **far)
        assert run.verdict("pkawv-taylor").holds
    assert caught(EnoughFeatures(), "pkawv-taylor", regularisation=0.5) != []


class ForgetsTheOldDictionary(Learner):
    """PKAWV whose past rounds do not get the coordinate of a newcomer."""

    def begin(self, game, rng):
        self.span = Span(game.kernel, game.dimension)
        self.at = game.regularisation
        self.F, self.y, self.accepted = [], [], []

    def reveal(self, x):
        if len(self.y) % 3 == 0:
            self.accepted.append(len(self.y) + 1)
            self.span.add(x)

    def peek(self, X):
        size = len(self.span)
        F = np.array([np.pad(f, (0, size - len(f))) for f in self.F]).reshape(-1, size)
        A = self.at * np.eye(size) + F.T @ F
        b = F.T @ np.array(self.y)
        return np.array([f @ np.linalg.solve(A + np.outer(f, f), b) for f in self.span.coordinates(X)])

    def update(self, x, y):
        self.F.append(self.span.coordinates(x[np.newaxis])[0])
        self.y.append(y)

    def evidence(self):
        return {"accepted_rounds": np.array(self.accepted, dtype=float)}


def test_a_newcomer_that_old_rounds_do_not_hear_of():
    runs = [play(ForgetsTheOldDictionary(), a, rounds=40, regularisation=0.1) for a in ADVERSARIES]
    assert any(run.verdict("pkawv-identity").violated for run in runs)


class Contrarian(Learner):
    """Predicts the opposite of what its dictionary of all points would."""

    def begin(self, game, rng):
        self.inner = build("learner", "pkawv-kors(beta=1e9)")
        self.inner.begin(game, rng)

    def reveal(self, x):
        self.inner.reveal(x)

    def peek(self, X):
        return -self.inner.peek(X)

    def update(self, x, y):
        self.inner.update(x, y)

    def evidence(self):
        return self.inner.evidence()


@pytest.mark.parametrize(
    "name", ["pkawv-growing-sharp", "pkawv-growing", "pkawv-growing-printed", "pkawv-kors-regret(mu=0.001)"]
)
def test_a_mistake_breaks_the_growing_bounds(name):
    run = play(Contrarian(), "repeated(points=3)", rounds=300, regularisation=0.1)
    assert run.verdict(name).violated
    assert play("pkawv-kors(beta=1e9)", "repeated(points=3)", rounds=300, regularisation=0.1).verdict(name).holds

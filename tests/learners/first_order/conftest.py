"""What learners of first order are held against: sequences, slopes of losses, kernels and features written out."""

import itertools

import numpy as np
import pytest

from arena import play
from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena.specs.building import build

ROUNDS = 200
BANDWIDTH = 0.7
DERIVATIVES = {
    "squared": lambda p, y: 2.0 * (p - y),
    "hinge": lambda p, y: -y if y * p < 1.0 - 1e-10 else 0.0,
    "logistic": lambda p, y: -y / (1.0 + np.exp(y * p)),
    "smooth-hinge": lambda p, y: -y * min(max((1.0 - y * p) / 0.5, 0.0), 1.0),
    "absolute": lambda p, y: float(np.sign(p - y)) if abs(p - y) > 1e-10 else 0.0,
}
SEQUENCES = ("random", "repeated", "rank one", "contrary")


def _sequence(kind, learner="fgd"):
    rng = np.random.default_rng(len(kind))
    X, y = rng.uniform(-1, 1, (ROUNDS, 2)), rng.choice([-1.0, 1.0], ROUNDS)
    if kind == "repeated":
        which = rng.integers(0, 30, ROUNDS)
        return X[which], y[which]
    if kind == "rank one":
        return np.tile(X[0], (ROUNDS, 1)), np.where(np.arange(ROUNDS) % 2, 1.0, -1.0)
    if kind == "contrary":  # labels that contradict the learner itself
        run = play(learner, "repeated(points=25, labels=contrary)", game=_game(), seed=3, hindsight="none")
        return run.points, run.labels
    return X, y


def _game(loss="squared", **fields):
    return Game(rounds=ROUNDS, kernel=Gaussian(BANDWIDTH), loss=loss, **fields)


def _assert_all_ways(spec, X, y, playing, expected, tolerance=1e-8):
    """Replay in uneven chunks, predict with update, and peek, all with the same coins."""
    by_replay, by_round = build("learner", spec), build("learner", spec)
    by_replay.begin(playing, np.random.default_rng(9))
    by_round.begin(playing, np.random.default_rng(9))
    cuts = [0, 1, 131, len(X)]
    replayed = [by_replay.replay(X[a:b], y[a:b]) for a, b in itertools.pairwise(cuts)]
    np.testing.assert_allclose(np.concatenate(replayed), expected, rtol=0, atol=tolerance)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        assert by_round.predict(x) == pytest.approx(expected[t], abs=tolerance)
        if t % 50 == 0:
            np.testing.assert_allclose(by_round.peek(X[t : t + 3])[0], expected[t], rtol=0, atol=tolerance)
            assert by_round.predict(x) == by_round.predict(x)
        by_round.update(x, label)
    np.testing.assert_allclose(by_round.peek(X[:20]), by_replay.peek(X[:20]), rtol=0, atol=tolerance)


def _kernel_matrix(X, Z):
    return np.exp(-((X[:, np.newaxis] - Z[np.newaxis]) ** 2).sum(axis=2) / (2 * BANDWIDTH**2))


def _plain_fgd(X, y, derivative, eta, shrinkage=0.0, radius=None):
    K, a, predictions = _kernel_matrix(X, X), np.zeros(len(X)), []
    for t in range(len(X)):
        predictions.append(a @ K[:, t])
        step = eta(t + 1)
        a *= 1.0 - step * shrinkage
        a[t] -= step * derivative(predictions[-1], y[t])
        norm = np.sqrt(max(a @ K @ a, 0.0))
        if radius is not None and norm > radius:
            a *= radius / norm
    return np.array(predictions)


def _plain_features(X, frequencies):
    rows = [[*np.cos(frequencies @ x), *np.sin(frequencies @ x)] for x in X]
    return np.array(rows) / np.sqrt(len(frequencies))


@pytest.fixture(params=sorted(DERIVATIVES))
def loss(request):
    """Losses, one after the other."""
    return request.param


@pytest.fixture(params=SEQUENCES)
def kind(request):
    """Kinds of sequences, one after the other."""
    return request.param


@pytest.fixture(scope="session")
def derivatives():
    """Of each loss by its prediction."""
    return DERIVATIVES


@pytest.fixture(scope="session")
def sequence():
    """Points and labels of a kind."""
    return _sequence


@pytest.fixture(scope="session")
def game():
    """The game with a loss."""
    return _game


@pytest.fixture(scope="session")
def assert_all_ways():
    """Asserts what a learner predicts, in every way of playing."""
    return _assert_all_ways


@pytest.fixture(scope="session")
def kernel_matrix():
    """The game's kernel between points, written out."""
    return _kernel_matrix


@pytest.fixture(scope="session")
def plain_fgd():
    """Gradient descent in the space of functions, written out."""
    return _plain_fgd


@pytest.fixture(scope="session")
def plain_features():
    """Cosines and sines, written out."""
    return _plain_features

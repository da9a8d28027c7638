"""Helpers that play learners without the engine: in blocks, round by round, and in blocks of uneven sizes."""

import itertools

import numpy as np
import pytest

from arena.specs.building import build


def begun(learner, game, seed=9):
    """Return the learner after `begin`, with random numbers from this seed; `learner` is a spec or an object."""
    learner = build("learner", learner)
    learner.begin(game, np.random.default_rng(seed))
    return learner


def one_by_one(learner, X, y):
    """Return the learner's predictions, made round by round with `reveal`, `predict` and `update`.

    Assert that `peek` gives the same predictions before `reveal`.
    """
    predictions = np.empty(len(X))
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        before = learner.peek(X[[t - 1, t]])
        learner.reveal(x)
        predictions[t] = learner.predict(x)
        assert before[1] == pytest.approx(predictions[t], abs=1e-12)
        learner.update(x, label)
    return predictions


def assert_every_way(spec, X, y, game, expected, *, tolerance=1e-8):
    """Assert that the learner predicts `expected` in blocks of uneven sizes, round by round, and by `peek`.

    `spec` is a text, not an object, since two learners are made of it: the one that plays in blocks, and the one that
    plays round by round. Both are returned.
    """
    chunks, rounds = begun(spec, game), begun(spec, game)
    cuts = [0, 1, 131, len(X)]
    replayed = np.concatenate([chunks.replay(X[a:b], y[a:b]) for a, b in itertools.pairwise(cuts)])
    np.testing.assert_allclose(replayed, expected, rtol=0, atol=tolerance)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        assert rounds.predict(x) == pytest.approx(expected[t], abs=tolerance)
        if t % 50 == 0:
            np.testing.assert_allclose(rounds.peek(X[t : t + 3])[0], expected[t], rtol=0, atol=tolerance)
            assert rounds.predict(x) == rounds.predict(x)
        rounds.update(x, label)
    np.testing.assert_allclose(rounds.peek(X[:20]), chunks.peek(X[:20]), rtol=0, atol=tolerance)
    return chunks, rounds

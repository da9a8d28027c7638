"""Sequences of points and labels of several kinds, with which fast and slow code are compared."""

import numpy as np

from arena import play

KINDS = ("random", "repeated", "one point", "rank one", "near duplicates")


def points(kind, rounds, rng, *, dimension=2, distinct=5, apart=1e-7):
    """Return points of the given kind in [-1, 1]^dimension.

    The kind `repeated` has at most `distinct` different points. The kind `near duplicates` has at most `distinct`
    groups of points, and the points of a group are about `apart` from each other.
    """
    X = rng.uniform(-1, 1, (rounds, dimension))
    if kind == "repeated":
        return X[rng.integers(min(distinct, rounds), size=rounds)]
    if kind == "one point":
        return np.tile(X[0], (rounds, 1))
    if kind == "rank one":
        return np.outer(rng.uniform(-1, 1, rounds), np.linspace(1.0, 0.5, dimension))
    if kind == "near duplicates":
        return X[rng.integers(min(distinct, rounds), size=rounds)] + apart * rng.normal(size=X.shape)
    assert kind == "random", kind
    return X


def noisy_sine(rounds, dimension):
    """Return random points, and labels that are a sine of the first coordinate plus noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (rounds, dimension))
    return X, np.clip(np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=rounds), -1, 1)


def alternating(rounds):
    """Return the labels 1, -1, 1, ..."""
    return np.where(np.arange(rounds) % 2, -1.0, 1.0)


def moves(kind, rounds, *, seed=0, bound=1.0, learner=None, game=None, distinct=5, **shape):
    """Return points and labels of the given kind.

    - `contrary`: the labels are chosen against the predictions of `learner` in `game`, at `distinct` points;
    - `one point`: the labels alternate between `bound` and -`bound`;
    - every other kind of `points`: each label is `bound` or -`bound` at random.
    """
    if kind == "contrary":
        return against(learner, f"repeated(points={distinct}, labels=contrary)", game)
    rng = np.random.default_rng(seed)
    X = points(kind, rounds, rng, distinct=distinct, **shape)
    return X, bound * (alternating(rounds) if kind == "one point" else rng.choice([-1.0, 1.0], rounds))


def against(learner, adversary, game):
    """Return the points and labels that an adversary plays against a learner."""
    run = play(learner, adversary, game=game, hindsight="none")
    return run.points, run.labels

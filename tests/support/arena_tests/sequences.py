"""Points and labels by kind: the shapes on which fast and slow code must agree."""

import numpy as np

from arena import play

KINDS = ("random", "repeated", "one point", "rank one", "near duplicates")


def points(kind, rounds, rng, *, dimension=2, distinct=5, apart=1e-7):
    """Points in [-1, 1]^d; `repeated` has so many different ones, `near duplicates` so many groups this far apart."""
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
    """Random points, and labels that follow a sine of the first coordinate, with noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (rounds, dimension))
    return X, np.clip(np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=rounds), -1, 1)


def alternating(rounds):
    """The labels 1, -1, 1, ..."""
    return np.where(np.arange(rounds) % 2, -1.0, 1.0)


def moves(kind, rounds, *, seed=0, bound=1.0, learner=None, game=None, distinct=5, **shape):
    """Points with random signs times the bound, at one point with alternating ones.

    Labels of the kind `contrary` contradict the learner in the game.
    """
    if kind == "contrary":
        return against(learner, f"repeated(points={distinct}, labels=contrary)", game)
    rng = np.random.default_rng(seed)
    X = points(kind, rounds, rng, distinct=distinct, **shape)
    return X, bound * (alternating(rounds) if kind == "one point" else rng.choice([-1.0, 1.0], rounds))


def against(learner, adversary, game):
    """The moves that an adversary makes against a learner."""
    run = play(learner, adversary, game=game, hindsight="none")
    return run.points, run.labels

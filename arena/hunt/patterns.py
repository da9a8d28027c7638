"""Sequences to try, made of a pattern of points and a pattern of labels.

Each pattern is cheap and exposes a kind of mistake. Points that come again, at once or long after, show what was lost
or is stale; points that differ in one coordinate, a coordinate that is ignored; labels of one sign that turns later,
labels that are forgotten.

Second-order learners are caught by whispers (tiny labels) and shouts (the largest label). Their bounds leave room for
the squares of past predictions, which whispers keep small; a wrong prediction then costs in proportion to the label
that follows, so that a single shout shows the faintest mistake.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.hunt.candidates import Script

Points = Callable[[Game, np.random.Generator, int], Array]
Labels = Callable[[Game, np.random.Generator, Array], Array]
WHISPER = 0.03  # of the label bound


def anywhere(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Points at random."""
    return rng.uniform(game.low, game.high, size=(rounds, game.dimension))


def one_point(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """One point, again and again."""
    return np.tile(anywhere(game, rng, 1), (rounds, 1))


def far_corner(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """The corner farthest from the origin, again and again."""
    return np.tile(np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high), (rounds, 1))


def corners(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Corners of the box."""
    return np.where(rng.random((rounds, game.dimension)) < 0.5, game.low, game.high)


def two(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Two points in turn."""
    return anywhere(game, rng, 2)[np.arange(rounds) % 2]


def few(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Three points in turn."""
    return anywhere(game, rng, 3)[np.arange(rounds) % 3]


def several(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """A dozen points in any order."""
    return anywhere(game, rng, 12)[rng.integers(12, size=rounds)]


def pairs(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Every point twice, one time after the other."""
    return np.repeat(anywhere(game, rng, rounds // 2 + 1), 2, axis=0)[:rounds]


def bursts(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Every point many times in a row."""
    length = max(rounds // 4, 2)
    return np.repeat(anywhere(game, rng, 5), length, axis=0)[:rounds]


def returns(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Points that all come a second time, in the same order, in the second half."""
    return np.tile(anywhere(game, rng, (rounds + 1) // 2), (2, 1))[:rounds]


def in_turn(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """A third as many points as rounds, again and again in the same order."""
    return np.tile(anywhere(game, rng, rounds // 3 + 1), (3, 1))[:rounds]


def axes(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Steps along one coordinate after the other, from one place and back to it."""
    start = anywhere(game, rng, 1)[0]
    X = np.tile(start, (rounds, 1))
    for t in range(1, rounds):
        i = (t // 2) % game.dimension
        if t % 2:
            X[t, i] = game.low[i] if start[i] > (game.low[i] + game.high[i]) / 2 else game.high[i]
    return X


def line(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """From one corner to the opposite one."""
    return np.asarray(game.low + (game.high - game.low) * np.linspace(0.0, 1.0, rounds)[:, np.newaxis])


def cluster(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Near one another, in one place of the box."""
    width = 10.0 ** rng.uniform(-3, -0.5) * (game.high - game.low)
    X = anywhere(game, rng, 1) + width * rng.standard_normal((rounds, game.dimension))
    return np.asarray(np.clip(X, game.low, game.high))


POINTS: dict[str, Points] = {
    "one point": one_point,
    "far corner": far_corner,
    "corners": corners,
    "two points": two,
    "few points": few,
    "several points": several,
    "points anywhere": anywhere,
    "pairs of equal points": pairs,
    "bursts of equal points": bursts,
    "points that return": returns,
    "points in turn": in_turn,
    "steps along the axes": axes,
    "points along a line": line,
    "near duplicates": cluster,
}


def constant(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Always B."""
    return np.full(len(X), game.label_bound)


def alternating(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """B and -B in turn."""
    return game.label_bound * np.where(np.arange(len(X)) % 2, -1.0, 1.0)


def turned(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """B for half of the time, then -B."""
    return game.label_bound * np.where(np.arange(len(X)) < len(X) // 2, 1.0, -1.0)


def blocks(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """B and -B in turn, each for the same number of rounds."""
    length = int(rng.integers(2, max(len(X) // 2, 3)))
    return game.label_bound * np.where(np.arange(len(X)) // length % 2, -1.0, 1.0)


def coins(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """-B or B by a coin."""
    return game.label_bound * rng.choice([-1.0, 1.0], size=len(X))


def uniform(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Anything between -B and B."""
    return game.label_bound * rng.uniform(-1.0, 1.0, size=len(X))


def function(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """A function of the RKHS, which varies along every coordinate."""
    atoms = anywhere(game, rng, 2 * game.dimension + 2)
    values = game.kernel.gram(X, atoms) @ rng.standard_normal(len(atoms))
    return np.asarray(game.label_bound * values / max(float(np.abs(values).max()), 1e-12))


def signs_of_function(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """The signs of a function, times B."""
    return np.asarray(game.label_bound * np.where(function(game, rng, X) < 0, -1.0, 1.0))


def outlier(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Small labels, and one of B near the beginning."""
    labels = 0.1 * uniform(game, rng, X)
    labels[min(3, len(X) - 1)] = game.label_bound
    return labels


def whispers(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Whispers of one sign, and at last a shout of the same sign."""
    labels = WHISPER * constant(game, rng, X)
    labels[-1] = game.label_bound
    return labels


def whispers_turned(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Whispers of one sign, and at last a shout of the other."""
    labels = whispers(game, rng, X)
    labels[-1] *= -1.0
    return labels


def echo(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """A whisper and a shout in turn."""
    return game.label_bound * np.where(np.arange(len(X)) % 2, 1.0, WHISPER)


def contrary_echo(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """A whisper and a shout of the other sign in turn."""
    return game.label_bound * np.where(np.arange(len(X)) % 2, -1.0, WHISPER)


LABELS: dict[str, Labels] = {
    "constant labels": constant,
    "alternating labels": alternating,
    "labels that turn": turned,
    "labels in blocks": blocks,
    "labels by a coin": coins,
    "labels of any size": uniform,
    "labels of a function": function,
    "signs of a function": signs_of_function,
    "an outlier": outlier,
    "whispers and a shout": whispers,
    "whispers and a contrary shout": whispers_turned,
    "whisper and shout": echo,
    "whisper and contrary shout": contrary_echo,
}


def script(points: str, labels: str, game: Game, rng: np.random.Generator, rounds: int) -> Script:
    """A script of these patterns."""
    X = np.clip(POINTS[points](game, rng, rounds), game.low, game.high)
    return Script(X, np.clip(LABELS[labels](game, rng, X), -game.label_bound, game.label_bound))


def heckled(points: str, labels: str, game: Game, rng: np.random.Generator, rounds: int, *, after: int = 1) -> Script:
    """The same in whispers; after some rounds every label is a shout whose sign is chosen in view of the prediction."""
    plain = script(points, labels, game, rng, rounds)
    late = np.arange(rounds) >= after
    quiet = np.where(late, game.label_bound, WHISPER * plain.labels)
    return Script(plain.points, quiet, late)

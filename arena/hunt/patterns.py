"""Patterns: functions that make the points, or the labels, of a sequence that a hunt tries.

Each pattern is cheap to play and exposes a kind of mistake:

- Points that are played again, at once or much later, expose lost rounds and stale caches.
- Points that differ in one coordinate expose learners that ignore a coordinate.
- Labels whose sign changes late expose learners that forget labels.
- Whispers (tiny labels) before a shout (a label of the largest size) expose mistakes of learners with Newton steps.
  After whispers, the bounds of these learners are small, and one shout can break them after even a tiny mistake.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.hunt.candidates import Script

Points = Callable[[Game, np.random.Generator, int], Array]
Labels = Callable[[Game, np.random.Generator, Array], Array]
WHISPER = 0.03  # size of a whisper, as a share of the label bound


def anywhere(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Return random points, uniformly distributed in the box."""
    return rng.uniform(game.low, game.high, size=(rounds, game.dimension))


def steps_along_the_axes(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Return one random point in all odd rounds, and in each even round this point with one coordinate moved.

    The coordinate is moved to the farther side of the box. The coordinates take turns.
    """
    start = anywhere(game, rng, 1)[0]
    X = np.tile(start, (rounds, 1))
    for t in range(1, rounds):
        i = (t // 2) % game.dimension
        if t % 2:
            X[t, i] = game.low[i] if start[i] > (game.low[i] + game.high[i]) / 2 else game.high[i]
    return X


def near_duplicates(game: Game, rng: np.random.Generator, rounds: int) -> Array:
    """Return points that all lie close to one random point of the box."""
    width = np.round(10.0 ** rng.uniform(-3, -0.5), 9) * (game.high - game.low)  # decimals that all processors share
    X = anywhere(game, rng, 1) + width * np.round(rng.standard_normal((rounds, game.dimension)), 9)
    return np.asarray(np.clip(X, game.low, game.high))


POINTS: dict[str, Points] = {
    "one point": lambda game, rng, rounds: np.tile(anywhere(game, rng, 1), (rounds, 1)),
    "far corner": lambda game, rng, rounds: np.tile(
        np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high), (rounds, 1)
    ),
    "corners": lambda game, rng, rounds: np.where(rng.random((rounds, game.dimension)) < 0.5, game.low, game.high),
    "two points": lambda game, rng, rounds: anywhere(game, rng, 2)[np.arange(rounds) % 2],
    "few points": lambda game, rng, rounds: anywhere(game, rng, 3)[np.arange(rounds) % 3],
    "several points": lambda game, rng, rounds: anywhere(game, rng, 12)[rng.integers(12, size=rounds)],
    "points anywhere": anywhere,
    "pairs of equal points": lambda game, rng, rounds: np.repeat(anywhere(game, rng, rounds // 2 + 1), 2, axis=0),
    "bursts of equal points": lambda game, rng, rounds: np.repeat(
        anywhere(game, rng, 5), max(rounds // 4, -(-rounds // 5), 2), axis=0
    ),
    "points that return": lambda game, rng, rounds: np.tile(anywhere(game, rng, (rounds + 1) // 2), (2, 1)),
    "points in turn": lambda game, rng, rounds: np.tile(anywhere(game, rng, rounds // 3 + 1), (3, 1)),
    "steps along the axes": steps_along_the_axes,
    "points along a line": lambda game, rng, rounds: np.asarray(
        game.low + (game.high - game.low) * np.linspace(0.0, 1.0, rounds)[:, np.newaxis]
    ),
    "near duplicates": near_duplicates,
}


def constant(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return the label B in every round."""
    return np.full(len(X), game.label_bound)


def in_blocks(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return B for a random number of rounds, then -B for as many rounds, then B again, and so on."""
    length = int(rng.integers(2, max(len(X) // 2, 3)))
    return game.label_bound * np.where(np.arange(len(X)) // length % 2, -1.0, 1.0)


def of_any_size(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return random labels, uniformly distributed in [-B, B]."""
    return game.label_bound * rng.uniform(-1.0, 1.0, size=len(X))


def of_a_function(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return the values of a random function of the RKHS, scaled so that the largest absolute value is B."""
    atoms = anywhere(game, rng, 2 * game.dimension + 2)
    values = game.kernel.gram(X, atoms) @ rng.standard_normal(len(atoms))
    # the digits beyond the ninth decimal depend on the processor
    return np.asarray(game.label_bound * np.round(values / max(float(np.abs(values).max()), 1e-12), 9))


def outlier(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return small random labels, with one label B in round 4 (in the last round, if there are fewer than 4)."""
    labels = 0.1 * of_any_size(game, rng, X)
    labels[min(3, len(X) - 1)] = game.label_bound
    return labels


def whispers_and_a_shout(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return tiny positive labels in all rounds but the last, and B in the last round."""
    labels = WHISPER * constant(game, rng, X)
    labels[-1] = game.label_bound
    return labels


def whispers_and_a_contrary_shout(game: Game, rng: np.random.Generator, X: Array) -> Array:
    """Return tiny positive labels in all rounds but the last, and -B in the last round."""
    labels = whispers_and_a_shout(game, rng, X)
    labels[-1] *= -1.0
    return labels


def in_turn(first: float, second: float) -> Labels:
    """Return the pattern whose labels alternate between `first` and `second`, both in units of B."""
    return lambda game, rng, X: game.label_bound * np.where(np.arange(len(X)) % 2, second, first)


LABELS: dict[str, Labels] = {
    "constant labels": constant,
    "alternating labels": in_turn(1.0, -1.0),
    "labels that turn": lambda game, rng, X: game.label_bound * np.where(np.arange(len(X)) < len(X) // 2, 1.0, -1.0),
    "labels in blocks": in_blocks,
    "labels by a coin": lambda game, rng, X: game.label_bound * rng.choice([-1.0, 1.0], size=len(X)),
    "labels of any size": of_any_size,
    "labels of a function": of_a_function,
    "signs of a function": lambda game, rng, X: game.label_bound * np.where(of_a_function(game, rng, X) < 0, -1.0, 1.0),
    "an outlier": outlier,
    "whispers and a shout": whispers_and_a_shout,
    "whispers and a contrary shout": whispers_and_a_contrary_shout,
    "whisper and shout": in_turn(WHISPER, 1.0),
    "whisper and contrary shout": in_turn(WHISPER, -1.0),
}


def script(points: str, labels: str, game: Game, rng: np.random.Generator, rounds: int) -> Script:
    """Return the sequence made by the pattern of points named `points` and the pattern of labels named `labels`."""
    X = np.clip(POINTS[points](game, rng, rounds)[:rounds], game.low, game.high)
    return Script(X, np.clip(LABELS[labels](game, rng, X), -game.label_bound, game.label_bound))


def with_adaptive_signs(
    points: str, labels: str, game: Game, rng: np.random.Generator, rounds: int, *, after: int = 1
) -> Script:
    """Return a script of the patterns `points` and `labels`, with adaptive signs in all rounds after the first `after`.

    The first `after` rounds have the labels of the pattern, times a small factor. In each later round the label has
    size B, and the adversary chooses its sign after the prediction.
    """
    plain = script(points, labels, game, rng, rounds)
    late = np.arange(rounds) >= after
    labels_in_size = np.where(late, game.label_bound, WHISPER * plain.labels)
    return Script(plain.points, labels_in_size, late)

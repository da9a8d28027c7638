"""Small changes of a sequence, and of its game: the steps of the hunt's local search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.hunt.candidates import Candidate, Script
from arena.hunt.game_space import KERNELS, GameSpace
from arena.hunt.patterns import anywhere
from arena.specs.building import build

LONGEST = 400  # rounds of sequences that are changed: longer ones cost too much for small steps
Change = Callable[[Game, np.random.Generator, Array, Array], tuple[Array, Array]]


def _flip(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    y[rng.integers(len(y))] *= -1.0
    return X, y


def _relabel(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    y[rng.integers(len(y))] = game.label_bound * float(rng.choice([-1.0, 1.0, 0.0, 0.1, -0.1]))
    return X, y


def _whisper(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """All labels but the last become small."""
    y[:-1] *= 10.0 ** rng.uniform(-3, 0)
    y[-1] = game.label_bound * (1.0 if rng.random() < 0.5 else -1.0)
    return X, y


def _shout(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """All labels as large as they may be."""
    return X, game.label_bound * np.where(y < 0, -1.0, 1.0)


def _move(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    width = 10.0 ** rng.uniform(-3, 0) * (game.high - game.low)
    X[rng.integers(len(y))] += width * rng.standard_normal(X.shape[1])
    return X, y


def _nudge(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """One coordinate of one point."""
    i = int(rng.integers(X.shape[1]))
    X[rng.integers(len(y)), i] = rng.uniform(game.low[i], game.high[i])
    return X, y


def _again(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """A point takes the place of another."""
    here, there = rng.integers(len(y), size=2)
    X[here] = X[there]
    return X, y


def _swap(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    here, there = rng.integers(len(y), size=2)
    X[[here, there]], y[[here, there]] = X[[there, here]], y[[there, here]]
    return X, y


def _duplicate(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """A stretch is played twice."""
    start = int(rng.integers(len(y)))
    stop = min(start + int(rng.choice([1, 1, 2, 5, 20])), len(y))
    copies = 1 + int(rng.choice([1, 1, 2, 10]))
    rows = np.concatenate([np.arange(start), np.tile(np.arange(start, stop), copies), np.arange(stop, len(y))])
    return X[rows], y[rows]


def _delete(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    if len(y) < 3:
        return X, y
    start = int(rng.integers(len(y) - 1))
    stop = min(start + int(rng.choice([1, 1, 3, 10])), len(y) - 1)
    rows = np.concatenate([np.arange(start), np.arange(stop, len(y))])
    return X[rows], y[rows]


def _cut(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    size = int(rng.integers(min(2, len(y)), len(y) + 1))
    return X[:size], y[:size]


def _extend(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """A few more rounds, old points or new ones."""
    count = int(rng.choice([1, 1, 2, 5, 20]))
    more = anywhere(game, rng, count) if rng.random() < 0.5 else X[rng.integers(len(y), size=count)]
    return np.concatenate([X, more]), np.concatenate([y, game.label_bound * rng.choice([-1.0, 1.0], size=count)])


def _twice(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """The whole sequence again, perhaps with the opposite labels."""
    sign = 1.0 if rng.random() < 0.5 else -1.0
    return np.concatenate([X, X]), np.concatenate([y, sign * y])


CHANGES: tuple[Change, ...] = (
    _flip,
    _flip,
    _relabel,
    _whisper,
    _shout,
    _move,
    _nudge,
    _again,
    _swap,
    _duplicate,
    _delete,
    _cut,
    _extend,
    _extend,
    _twice,
)


def changed(candidate: Candidate, space: GameSpace, rng: np.random.Generator) -> Candidate:
    """The candidate, a sequence, with one change or a few; now and then in a slightly different game."""
    assert candidate.moves is not None
    game = candidate.game
    X, y = candidate.moves.points.copy(), candidate.moves.labels.copy()
    if rng.random() < 0.15:
        game = neighbouring(game, space, rng)
    for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
        X, y = CHANGES[rng.integers(len(CHANGES))](game, rng, X, y)
        X, y = X[:LONGEST], y[:LONGEST]
    size = space.cut(len(y))
    X = np.clip(X[:size], game.low, game.high)
    y = np.clip(y[:size], -game.label_bound, game.label_bound)
    return candidate.replace(moves=Script(X, y), game=space.sized(game, size), adversary=None)


def neighbouring(game: Game, space: GameSpace, rng: np.random.Generator) -> Game:
    """The same box, but another lambda, kernel or label bound, as far as they are free."""
    fields = sorted(space.free & {"regularisation", "kernel", "label_bound"})
    if not fields:
        return game
    field = fields[rng.integers(len(fields))]
    values = {
        "regularisation": float(np.clip(game.regularisation * 10.0 ** rng.uniform(-0.7, 0.7), 0.05, 2000.0)),
        "kernel": build("kernel", str(rng.choice(KERNELS))),
        "label_bound": float(rng.choice([0.2, 1.0, 3.0])),
    }
    return game.replace(**{field: values[field]})

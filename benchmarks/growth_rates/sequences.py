"""Sequences that are hard for some learners (theory F2, F4, F5, F8), with their least penalised loss in hindsight."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from arena import Game
from arena.adversaries._shared.chosen_points import labelled_points
from arena.arrays import Array
from arena.game.kernels import Gaussian
from arena.game.losses import Squared
from arena.hindsight.exact import ridge_hindsight

COLUMNS = {
    "F2": "one point, labels +1 and -1 in turn",
    "F4": "25 well-separated points in a cycle, each with its own label; budgets and features are fewer",
    "F5": "a corner of the box in 20 dimensions, always labelled +1",
    "F8": "four times an anchor labelled +1, then a fresh point, far from all others, labelled 0, and so on",
    "F1": "the greedy adversary in two dimensions",
}
CYCLE = Game(kernel=Gaussian(0.2))


class Sequence(NamedTuple):
    """A game, and a function that returns the points and labels of a number of rounds."""

    game: Game
    moves: Callable[[int], tuple[Array, Array]]


def one_point(rounds: int, *, block: int = 1) -> tuple[Array, Array]:
    return np.zeros((rounds, 2)), np.where(np.arange(rounds) // block % 2, -1.0, 1.0)


def cycle(rounds: int, *, points: int = 25) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    distinct, signs = labelled_points(CYCLE, points, rng)
    which = np.arange(rounds) % points
    return distinct[which], signs[which]


def far(rounds: int) -> tuple[Array, Array]:
    return np.ones((rounds, 20)), np.ones(rounds)


def forcing(rounds: int) -> tuple[Array, Array]:
    t = np.arange(rounds)
    fresh = t % 5 == 4
    return np.where(fresh, 10.0 * (1 + t // 5), 0.0)[:, np.newaxis], np.where(fresh, 0.0, 1.0)


SEQUENCES = {
    "F2": Sequence(Game(), one_point),
    "F2, blocks of 100": Sequence(Game(), lambda rounds: one_point(rounds, block=100)),
    "F4": Sequence(CYCLE, cycle),
    "F4, 5 points": Sequence(CYCLE, lambda rounds: cycle(rounds, points=5)),
    "F5": Sequence(Game(dimension=20), far),
    "F8": Sequence(Game(dimension=1, box=(0.0, 1e7)), forcing),
}


def best_in_hindsight(column: str, game: Game, X: Array, y: Array) -> float:
    """Return the least loss in hindsight, to which the learner's loss is compared.

    For the squared loss, this is the least penalised loss of a function in the RKHS. For other losses, it is the loss,
    without penalty, of the function whose value at each point is the mean of the point's labels.
    """
    if not isinstance(game.loss, Squared):
        _, which = np.unique(X, axis=0, return_inverse=True)
        means = np.bincount(which.ravel(), y) / np.bincount(which.ravel())
        return float(game.loss.value(means[which.ravel()], y).sum())
    if column == "F8":  # fresh points cost the optimum nothing, and are too many for a matrix
        return float(y.sum()) / (1.0 + float(y.sum()))
    return float(ridge_hindsight(game.kernel, game.regularisation, X, y).optimum[-1])

"""By how much the regret changes in one round, in closed form (theory F1)."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary

HUGE = 1e60  # predictions are clipped to [-HUGE, HUGE], so that their fourth powers do not overflow in L-BFGS-B


def extreme_labels(game: Game) -> Array:
    """Return an array of the labels B and -B."""
    return game.label_bound * np.array([1.0, -1.0])


def regret_change(game: Game, prediction: Array, mean: Array, variance: Array) -> Array:
    """Return by how much each prediction raises the regret (theory F1), in one column for the label B and one for -B.

    `mean` and `variance` are those of the comparator at the points of the predictions.
    """
    columns = (each[:, np.newaxis] for each in (prediction, mean, variance))
    return regret_change_of(game, extreme_labels(game), *columns)


def regret_change_of(game: Game, labels: Array, prediction: Array, mean: Array, variance: Array) -> Array:
    """Return by how much each prediction raises the regret if the round's label is the one in `labels`.

    `mean` and `variance` are those of the comparator at the points of the predictions.
    """
    weight = game.regularisation / (game.regularisation + variance)
    misses = np.square(np.clip(prediction, -HUGE, HUGE) - labels)
    return np.asarray(misses - weight * np.square(labels - mean))


def squared_loss_only(adversary: Adversary, game: Game) -> Game:
    """Return the game; raise an `ArenaError` if its loss is not squared, which the closed form needs."""
    if game.loss.name != "squared":
        raise ArenaError(
            f"{adversary.name} needs the squared loss, but the game's loss is {game.loss.name}: choose an adversary "
            "for any loss, such as contrarian or alternating"
        )
    return game

"""The change of the regret in one round, in closed form (theory F1)."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary

SIGNS = np.array([1.0, -1.0])  # of the labels B and -B, in the order of the columns of `regret_change`
HUGE = 1e60  # predictions are clipped to [-HUGE, HUGE]: squares of their squares must not overflow in L-BFGS-B


def regret_change(game: Game, prediction: Array, mean: Array, variance: Array) -> Array:
    """Return by how much each prediction raises the regret for the labels +B and -B, one column each (theory F1).

    `mean` and `variance` are the comparator's at the points of the predictions.
    """
    columns = (each[:, np.newaxis] for each in (prediction, mean, variance))
    return regret_change_of(game, game.label_bound * SIGNS, *columns)


def regret_change_of(game: Game, labels: Array, prediction: Array, mean: Array, variance: Array) -> Array:
    """Return by how much predictions raise the regret for these labels, element by element.

    `mean` and `variance` are the comparator's at the points of the predictions.
    """
    weight = game.regularisation / (game.regularisation + variance)
    misses = np.square(np.clip(prediction, -HUGE, HUGE) - labels)
    return np.asarray(misses - weight * np.square(labels - mean))


def squared_loss_only(adversary: Adversary, game: Game) -> Game:
    """Return the game; raise `ArenaError` if its loss is not squared, because the closed form needs that loss."""
    if game.loss.name != "squared":
        raise ArenaError(
            f"{adversary.name} needs the squared loss, but the game's loss is {game.loss.name}: choose an adversary "
            "for any loss, such as contrarian or alternating"
        )
    return game

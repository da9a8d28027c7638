"""The change of the regret in one round, in closed form (theory F1)."""

from __future__ import annotations

import numpy as np

from arena.arrays import LABEL_TIE, Array, first_best
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Squared
from arena.players.adversary import Adversary
from arena.players.view import View

SIGNS = np.array([1.0, -1.0])  # of the labels B and -B, in the order of the columns of `regret_change`
HUGE = 1e60  # predictions are clipped to [-HUGE, HUGE], so that their squares do not overflow


def regret_change(game: Game, prediction: Array, mean: Array, variance: Array, labels: Array | None = None) -> Array:
    """Return for each prediction the change of the regret in its round: one column for the label B, one for -B.

    `mean` and `variance` are the comparator's mean and variance at the points of the predictions. If `labels` has a
    label for each prediction, the result has a single column: the change of the regret with these labels.
    """
    y = game.label_bound * SIGNS if labels is None else labels[:, np.newaxis]
    weight = game.regularisation / (game.regularisation + variance[:, np.newaxis])
    misses = np.square(np.clip(prediction[:, np.newaxis], -HUGE, HUGE) - y)
    return np.asarray(misses - weight * np.square(y - mean[:, np.newaxis]))


class ForSquaredLoss(Adversary):
    """Base class of adversaries that need the closed form of the regret's change, known for the squared loss only."""

    def arrange(self, game: Game) -> Game:
        if not isinstance(game.loss, Squared):
            raise ArenaError(
                f"{self.name} needs the squared loss, but the game's loss is {game.loss.name}: choose an adversary "
                "for any loss, such as contrarian or alternating"
            )
        return game


class PlaysGreedyLabels(ForSquaredLoss):
    """Base class of adversaries that answer each prediction with the label, B or -B, that raises the regret more."""

    def label(self, view: View, x: Array, prediction: float) -> float:
        change = regret_change(view.game, np.array([prediction]), *view.posterior(x[np.newaxis]))
        return float(view.game.label_bound * SIGNS[first_best(change[0], tie=LABEL_TIE)])

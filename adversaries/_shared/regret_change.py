"""The change of the regret in one round, in closed form (theory F1)."""

from __future__ import annotations

import numpy as np

from arena.arrays import LABEL_TIE, Array, first_best
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Squared
from arena.players.adversary import Adversary
from arena.players.view import View

SIGNS = np.array([1.0, -1.0])  # of the labels B and -B
HUGE = 1e60  # predictions are clipped to [-HUGE, HUGE], so that their squares do not overflow


def regret_change(
    game: Game,
    prediction: Array,
    mean: Array,
    variance: Array,
    labels: Array | None = None,
    *,
    signs: Array = SIGNS,
) -> Array:
    """Return for each prediction the change of the regret in its round: a column for B times each of the `signs`.

    `mean` and `variance` are the comparator's mean and variance at the points of the predictions. If `labels` has a
    label for each prediction, the result has a single column: the change of the regret with these labels.
    """
    y = game.label_bound * signs if labels is None else labels[:, np.newaxis]
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


def signs_against(game: Game, points: Array, X: Array, y: Array) -> Array:
    """Return, for each of `points`, the signs of B and -B, the preferred one first, if both raise the regret alike.

    The preferred sign is opposite to that of sum_s k(x, x_s) y_s, the past labels around the point; it is 1 if the sum
    is 0. Against Kernel-AWV, whose predictions make both labels raise the regret alike in every round, this forces more
    regret than coins, turns or the sign opposite to the prediction.
    """
    cross = game.kernel.gram(points, X)
    positive = cross @ y > LABEL_TIE * game.label_bound * np.abs(cross).sum(axis=1)
    return np.where(positive[:, np.newaxis], -SIGNS, SIGNS)


class PlaysGreedyLabels(ForSquaredLoss):
    """Base class of adversaries that answer each prediction with the label, B or -B, that raises the regret more.

    If both raise it alike, the label is the one that differs from the labels around the point.
    """

    def label(self, view: View, x: Array, prediction: float) -> float:
        game, X = view.game, x[np.newaxis]
        signs = signs_against(game, X, view.points, view.labels)
        change = regret_change(game, np.array([prediction]), *view.posterior(X), signs=signs)
        return float(game.label_bound * signs[0, first_best(change[0], tie=LABEL_TIE)])

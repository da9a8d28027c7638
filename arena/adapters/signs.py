"""Classifiers' answers as predictions, and labels as their classes.

A classifier answers with scores, with probabilities or with bare classes, and a game asks for a number. Where the loss
is one of the margin (hinge, logistic, ...), a score is the margin that such a classifier is trained for and stays what
it is, and the balance 2p - 1 of a probability is stretched to [-C, C], so that certainty gives the largest
prediction. Where the loss compares numbers (squared, absolute, ...), the classes stand for the labels -B and
+B, and both are multiplied by B: the balance then gives the expected label. A bare class is a probability of 0 or 1.
Everything is clipped to [-C, C].
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game


class Signs:
    """Converts a classifier's answers to predictions in one game.

    >>> Signs(Game(label_bound=10)).of_balance(np.array([0.5]))
    array([5.])
    """

    def __init__(self, game: Game):
        self.clip = game.clip
        self.score_unit = 1.0 if game.loss.classifies else game.label_bound
        self.balance_unit = game.clip if game.loss.classifies else game.label_bound

    def of_score(self, score: Array) -> Array:
        """The prediction for a signed score."""
        return np.clip(self.score_unit * score, -self.clip, self.clip)

    def of_balance(self, balance: Array) -> Array:
        """The prediction for P(+1) - P(-1)."""
        return np.clip(self.balance_unit * balance, -self.clip, self.clip)


def sign_of(label: float) -> int:
    """The class of a label, -1 or +1; 0 for a label of zero, from which a classifier learns nothing."""
    return (label > 0) - (label < 0)

"""Conversion of classifiers' answers to predictions, and of labels to classes (negative or positive).

A classifier answers with a signed score or with the probability p of the positive class; a class counts as p = 0 or
p = 1. A probability is converted to the balance 2p - 1. The prediction is the score or the balance, times a factor,
clipped to [-C, C], where C is the game's bound on predictions. The factor depends on the game's loss:

- If the loss depends on the margin, label times prediction (hinge, logistic, ...), the factor is 1 for scores and C for
  balances. So p = 1 gives the largest prediction.
- If the loss compares numbers (squared, absolute, ...), the factor is B, the bound on labels. The classes stand for the
  labels -B and B, and a balance gives the expected label.
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game


class Signs:
    """Converts a classifier's answers to predictions, and labels to classes, in one game.

    >>> Signs(Game(label_bound=10)).of_balance(np.array([0.5]))
    array([5.])
    """

    def __init__(self, game: Game):
        self.clip, self.classifies = game.clip, game.loss.classifies
        self.score_unit = 1.0 if self.classifies else game.label_bound
        self.balance_unit = game.clip if self.classifies else game.label_bound
        self.labels = self.without_class = 0  # numbers of labels so far, and of zeros among them

    def of_score(self, score: Array) -> Array:
        """Return the predictions for answers that are signed scores."""
        return np.clip(self.score_unit * score, -self.clip, self.clip)

    def of_balance(self, balance: Array) -> Array:
        """Return the predictions for answers that are balances of the two classes, P(+1) - P(-1)."""
        return np.clip(self.balance_unit * balance, -self.clip, self.clip)

    def class_of(self, label: float) -> int:
        """Return the class of a label, -1 or 1; 0 for the label zero, from which a classifier learns nothing.

        Each call counts the label for `remark`.
        """
        sign = (label > 0) - (label < 0)
        self.labels += 1
        self.without_class += not sign
        return sign

    @property
    def remark(self) -> str:
        """A warning if some labels were zero and the game's loss is not for classification; otherwise empty."""
        # where the loss classifies, `arena.record.remarks.notes` warns of zero labels
        if not self.without_class or self.classifies:
            return ""
        return (
            f"the classifier learned nothing from {self.without_class:,} of {self.labels:,} labels, which are 0 and so "
            "of neither class. If 0 is a class, write the classes as -1 and 1 (scale_y=bound in replay), or choose a "
            "loss that classifies, such as logistic"
        )

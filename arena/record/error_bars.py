"""Error bars of predictions, and the least and the largest loss within each bar.

If a learner's exact predictions need too much memory, they are computed through features
(`arena.players.learner.Learner.through_features`). The evidence then has an error bar for each prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss
from arena.hindsight.interval import IntervalHindsight

ERROR_BARS = "error_bars"  # name of the error bars in the evidence


@dataclass(frozen=True)
class Approximation:
    """Predictions computed through features, bounds on their errors, and intervals of the best losses in hindsight."""

    predictions: Array
    error_bars: Array
    features: int
    hindsight: IntervalHindsight


def losses_between(loss: Loss, predictions: Array, bars: Array, labels: Array) -> tuple[Array, Array]:
    """Return the least and the largest loss of each prediction within its error bar.

    >>> from arena.game.losses import Squared
    >>> losses_between(Squared(), np.array([0.5, 0.5]), np.array([0.1, 0.1]), np.array([1.0, 0.45]))
    (array([0.16, 0.  ]), array([0.36  , 0.0225]))
    """
    with np.errstate(over="ignore", invalid="ignore"):
        # a loss is convex in the prediction: it is largest at an end of the bar, and least at an end or at the label
        low, high = predictions - bars, predictions + bars
        ends = loss.value(low, labels), loss.value(high, labels)
        nearest = loss.value(np.clip(labels, low, high), labels)
        return np.minimum(np.minimum(*ends), nearest), np.maximum(*ends)

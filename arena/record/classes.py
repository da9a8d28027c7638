"""Numbers of a match whose labels are two classes: error rate, log loss and F1 score.

Rounds whose label is 0 belong to neither class and are left out. The numbers are None if the game's loss is not a loss
for classification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


def log_loss(run: Transcript) -> float | None:
    """Return the mean of -log P(label), where P(+1) = 1 / (1 + exp(-prediction)).

    Only the sign of the label counts. If all predictions are zero, the log loss is log 2. The result is None if the
    game's loss is not for classification, or if all labels are 0.

    >>> from arena import play
    >>> run = play("zero", "alternating", rounds=4, loss="hinge")
    >>> round(log_loss(run), 6)
    0.693147
    """
    has_class = run.labels != 0
    if not run.game.loss.classifies or not has_class.any():
        return None
    with np.errstate(over="ignore"):
        each = np.logaddexp(0.0, -np.sign(run.labels) * run.predictions)
    return float(np.mean(each[has_class]))


def f1(run: Transcript) -> float | None:
    """Return the F1 score of the positive class, 2 hits / (2 hits + false alarms + misses).

    A prediction above 0 counts as the positive class. Rounds whose label is 0 are left out. The score is None if the
    game's loss is not for classification, or if no prediction and no label is positive.

    >>> from arena import play
    >>> f1(play("zero", "alternating", rounds=4, loss="hinge"))  # both positive labels are missed
    0.0
    """
    if not run.game.loss.classifies:
        return None
    positive, named = run.labels > 0, (run.predictions > 0) & (run.labels != 0)
    total = int(positive.sum() + named.sum())
    return 2.0 * int((positive & named).sum()) / total if total else None

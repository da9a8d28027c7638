"""Counts of a match whose labels are two classes: log loss and F1, beside the error rate.

Rounds whose label is 0, of neither class, are left out. Only losses that classify have these numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


def log_loss(run: Transcript) -> float | None:
    """Return the mean of -log P(label), where P(+1) = 1 / (1 + exp(-prediction)); None unless signs matter.

    It is the mean of the logistic loss at labels of size 1, whatever loss the game has: log 2 for predictions of zero.

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
    """Return the F1 score of the positive class, 2 hits / (2 hits + false alarms + misses); None unless signs matter.

    A prediction above 0 names the positive class. It is None if there is neither such a prediction nor such a label.

    >>> from arena import play
    >>> f1(play("zero", "alternating", rounds=4, loss="hinge"))  # both positive labels are missed
    0.0
    """
    if not run.game.loss.classifies:
        return None
    positive, named = run.labels > 0, (run.predictions > 0) & (run.labels != 0)
    total = int(positive.sum() + named.sum())
    return 2.0 * int((positive & named).sum()) / total if total else None

"""The best constant prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.arrays import Array, delayed
from arena.game.losses import KINK, Loss
from arena.hindsight.checkpoints import checkpoints
from arena.hindsight.pivots import UNIT
from arena.record.comparing import BestLosses, NamedComparator

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

FARTHEST = 1e6  # an interval of constants that reaches this far is not widened
UNDERFLOW = 1e-300  # largest loss of a round where its derivative underflows
HALVINGS = 200  # largest number of halvings of the interval that holds the best constant


@dataclass(frozen=True)
class BestConstant(NamedComparator):
    """The best constant prediction in hindsight, without a penalty.

    For the squared loss the best constant is the mean of the labels, and its loss is known after every round. For other
    losses the least loss is known up to a small interval, after rounds 1, 2, 4, ... and the last.

    >>> from arena import play
    >>> run = play("zero", "alternating", rounds=10)
    >>> round(run.regret_to("constant").regret[1], 9)  # five labels of each sign: no constant is better than zero
    0.0
    """

    name: ClassVar[str] = "constant"
    family: ClassVar[str] = "fixed"
    cost: ClassVar[str] = "O(T) for the squared loss, O(T) for each of log T rounds otherwise"

    @property
    def plainly(self) -> str:
        return "the best constant prediction"

    def best_losses(self, run: Transcript) -> BestLosses:
        y = run.labels
        if run.comparator.closed_form:
            rounds = np.arange(1, len(y) + 1)
            mean = np.cumsum(y) / rounds
            increments = np.square(y - delayed(mean)) * (rounds - 1) / rounds
            return BestLosses.of_increments(increments, f"the mean {mean[-1]:.6g}")
        at = np.array(checkpoints(len(y)))
        found = [best_constant(run.game.loss, y[:t]) for t in at]
        lower, upper, best = (np.array(each) for each in zip(*found, strict=True))
        return BestLosses(at, lower, upper, detail=f"the constant {best[-1]:.6g}")


def best_constant(loss: Loss, y: Array) -> tuple[float, float, float]:
    """Return (lower, upper, constant): bounds on the least sum of losses, and a constant whose sum is at most `upper`.

    The bounds cover rounding. The loss must be convex. If the sum of losses has no minimum, the lower bound is 0.

    >>> from arena.game.losses import Absolute
    >>> [round(each, 9) for each in best_constant(Absolute(), np.array([0.0, 1.0, 5.0]))]  # the median
    [5.0, 5.0, 1.0]
    """
    values, counts = np.unique(y, return_counts=True)

    def total(c: float) -> tuple[float, float]:
        """Return the sum of losses of the constant c, and a bound on its rounding error."""
        off = 8.0 * UNIT * (abs(c) + (np.zeros(len(values)) if loss.classifies else np.abs(values)))
        here, *beside = (np.asarray(loss.value(c + each, values)) for each in (0.0 * off, -off, off))
        most = np.maximum(here, np.maximum(*beside))
        return float(counts @ here), float(counts @ (most - here + (2.0 * len(values) + 64.0) * UNIT * most))

    def slope(c: float) -> float:
        return float(counts @ loss.derivative(np.full(len(values), c), values))

    high = max(1.0, float(np.abs(values).max(initial=0.0)))
    while high < FARTHEST and not slope(-high) <= 0.0 <= slope(high):
        high *= 10.0
    low = -high
    if not slope(low) <= 0.0 <= slope(high):  # the sum of losses falls without end; its lower bound is 0
        end = min(low, high, key=total)
        return 0.0, sum(total(end)), end
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    best = min(low, high, key=total)
    # A convex function lies above its tangents at both ends. But a derivative may be that of a kink nearby, at which
    # the loss of a round is smaller by at most KINK, or it may have underflowed to 0.
    aside = len(y) * (KINK if np.isinf(loss.smoothness(1.0, 1.0)) else UNDERFLOW)
    ends = (low, slope(low) * (high - low)), (high, -slope(high) * (high - low))
    below = max(at - error + fall for (at, error), fall in ((total(end), fall) for end, fall in ends))
    return max(below - aside, 0.0), sum(total(best)), best

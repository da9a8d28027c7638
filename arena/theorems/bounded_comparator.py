"""Theorems about comparators whose predictions stay within [-C, C], judged by one that may not.

The best regularised predictor is known without that constraint: for the squared loss in closed form, for others in a
certified interval. It makes the regret look larger, so a bound that holds against it holds. Where the bound is
exceeded, its largest multiple with predictions in [-C, C] decides: if that one breaks the bound as well the theorem is
violated, and else it says nothing of the match (theory C4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from arena.record.theorem import Assumption, Theorem, labels_within, predictions_within
from arena.record.transcript import Transcript
from arena.theorems.any_loss import comparator_known


class BoundedComparator(Theorem):
    """A theorem whose comparators predict within [-C, C]; predictions and labels are bounded, too."""

    monotone: ClassVar[bool] = True

    def comparator_ridge(self, run: Transcript) -> float:
        """The lambda of the comparator's penalty."""
        return run.game.regularisation

    def regret_within(self, run: Transcript, rounds: int) -> tuple[float, float]:
        """After so many rounds: the largest value of the best predictor, and the regret to its multiple in [-C, C]."""
        raise TypeError(f"{type(self).__name__} must define regret_within(run, rounds)")

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        """What the theorem needs besides the comparator's bound."""
        loss = comparator_known(run, self.comparator_ridge(run))
        return (*loss, labels_within(run, run.game.label_bound), predictions_within(run, run.game.clip))

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """A loss with a known comparator, everything bounded, and a comparator that counts."""
        premises = tuple(self.premises(run))
        if not all(each.holds for each in premises):
            return premises
        return (*premises, self._comparator_counts(run))

    def _comparator_counts(self, run: Transcript) -> Assumption:
        statement = f"the comparator's predictions lie within [-{run.game.clip:g}, {run.game.clip:g}]"
        slack = self.tolerance(run)
        allowed = self.allowed(run)
        with np.errstate(invalid="ignore"):
            excess = np.nan_to_num(self.measured(run) - allowed - slack, nan=np.inf)
        broken = np.flatnonzero(excess > 0)
        if not len(broken):
            return Assumption(statement, True, "none breaks the bound, wherever its predictions lie")
        reached = 0.0
        for t in {int(broken[0]), int(excess.argmax()), int(broken[-1])}:
            largest, regret = self.regret_within(run, t + 1)
            if largest <= run.game.clip or not regret <= allowed[t] + slack[t]:
                return Assumption(statement, True, "one within breaks the bound")
            reached = max(reached, largest)
        return Assumption(
            statement, False, f"the best one's reach {reached:g}, and its multiple within obeys the bound"
        )

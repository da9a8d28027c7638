"""A limit on the regret that a user sets for learners without a theorem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.comparing import NamedComparator
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.specs.spelling import spec_text
from arena.theorems.assumptions import comparator_known


@dataclass(frozen=True)
class AtMost(Theorem):
    """The regret at the end of the match is at most a given number: a limit that a test sets, not a theorem.

    >>> from arena import play
    >>> print(play("krr", "alternating", rounds=100).verdict("at-most(regret=7)"))
    at-most(regret=7.0): holds: regret 4.90549 of 7 allowed (70% of it)

    >>> verdict = play("krr", "alternating", rounds=100).verdict("at-most(regret=0, comparator=last-label)")
    >>> verdict.holds, verdict.quantity, round(verdict.measured)
    (True, 'regret to last-label', -292)

    Without `regret` the limit is the loss of always predicting zero. The regret is measured to the best kernel ridge
    predictor; the parameter `comparator` names another comparator (`arena list comparators`).
    """

    name: ClassVar[str] = "at-most"
    paper: ClassVar[str] = "none: a demand of the user, which no paper proves"
    statement: ClassVar[str] = "R_lambda <= the number, at the end"
    formula: ClassVar[str] = r"$R_\lambda \le$ the number, at the end"
    monotone: ClassVar[bool] = True
    demanded: ClassVar[bool] = True
    at_the_end: ClassVar[bool] = True

    regret: float | None = parameter(None, "the number (none: the loss of always predicting zero)")
    comparator: NamedComparator | None = parameter(
        None, "the regret to which counts (none: the best kernel ridge predictor)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.comparator is not None:
            object.__setattr__(self, "quantity", f"regret to {spec_text(self.comparator)}")
            object.__setattr__(
                self, "statement", f"L_T - the loss of {self.comparator.plainly} <= the number, at the end"
            )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        if self.comparator is not None:
            return ()
        return comparator_known(run, run.game.regularisation)

    def in_intervals(self, run: Transcript) -> bool:
        if self.comparator is None:
            return super().in_intervals(run)
        ends = run.regret_to(self.comparator).regret
        return ends is not None and ends[0] != ends[1]

    def measured(self, run: Transcript) -> Array:
        if self.comparator is None:
            return super().measured(run)
        return run.regret_to(self.comparator).curve(run.comparator.end)

    def allowed(self, run: Transcript) -> Array:
        zero = float(np.sum(run.game.loss.value(np.zeros(run.rounds), run.labels)))
        return np.full(run.rounds, zero if self.regret is None else self.regret)

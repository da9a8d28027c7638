"""A limit on the regret that a user sets for learners without a theorem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Assumption, Theorem
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.assumptions import comparator_known


@dataclass(frozen=True)
class AtMost(Theorem):
    """The regret at the end of the match may not exceed a number; a demand that a test makes, not a theorem.

    >>> from arena import play
    >>> print(play("krr", "alternating", rounds=100).verdict("at-most(regret=7)"))
    at-most(regret=7.0): holds: regret 4.90549 of 7 allowed (70% of it)

    By default the limit is the loss of always predicting zero.
    """

    name: ClassVar[str] = "at-most"
    paper: ClassVar[str] = "none: a demand, which nobody has proved of anybody"
    statement: ClassVar[str] = "R_lambda <= the number, at the end"
    monotone: ClassVar[bool] = True
    demanded: ClassVar[bool] = True
    at_the_end: ClassVar[bool] = True

    regret: float | None = parameter(None, "the number (none: the loss of always predicting zero)")

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return comparator_known(run, run.game.regularisation)

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(run.game.regularisation)

    def allowed(self, run: Transcript) -> Array:
        zero = float(np.sum(run.game.loss.value(np.zeros(run.rounds), run.labels)))
        return np.full(run.rounds, zero if self.regret is None else self.regret)

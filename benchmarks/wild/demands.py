"""The demand that predictions stay finite and within 1,000 times the label bound; breaking it is called divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript

FACTOR = 1000.0


@dataclass(frozen=True)
class StaysNear(Theorem):
    """The absolute value of every prediction is at most 1,000 times the label bound."""

    name: ClassVar[str] = "stays-near"
    statement: ClassVar[str] = "|prediction| <= 1000 B"
    paper: ClassVar[str] = "none: a demand"
    quantity: ClassVar[str] = "|prediction|"
    demanded: ClassVar[bool] = True

    def measured(self, run: Transcript) -> Array:
        return np.abs(run.predictions)

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, FACTOR * run.game.label_bound)


def first_divergence(run: Transcript) -> int | None:
    """Return the first round in which the prediction is too large or not finite; None if there is none."""
    large = np.abs(run.predictions) > FACTOR * run.game.label_bound
    if large.any():
        return int(large.argmax()) + 1
    foul = run.forfeit
    not_finite = foul is not None and foul.side == "learner" and any(word in foul.reason for word in ("nan", "inf"))
    return foul.round if foul is not None and not_finite else None

"""Theorem on the aggregation of experts with exponential weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Theorem, labels_within, loss_is_squared
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.experts import expert_losses, experts_recorded


@dataclass(frozen=True)
class EwaBound(Theorem):
    """The learner's squared loss exceeds the loss of the best of N experts by at most 8 B^2 log N (theory E17).

    The labels and the experts' predictions must lie in [-B, B]. Then exp(-loss / (8 B^2)) is a concave function of the
    prediction, which gives the factor 8 B^2. If labels and predictions lie in [0, B], the factor 2 B^2 suffices.
    """

    name: ClassVar[str] = "ewa"
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, Proposition 3.1; Jezequel et al. 2019, section 3.1"
    statement: ClassVar[str] = "loss <= min_i loss of expert i + 8 B^2 log N"
    formula: ClassVar[str] = r"loss $\le \min_i$ loss of expert $i$ $+\, 8 B^2 \log N$"
    quantity: ClassVar[str] = "loss beyond the best expert's"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        bound = run.game.label_bound
        squared, recorded = loss_is_squared(run), experts_recorded(run)
        if not recorded.holds:
            return (squared, recorded)
        largest = float(np.abs(run.evidence["expert_predictions"][: run.rounds]).max())
        within = largest <= bound * (1 + 1e-12)
        clipped = Assumption(f"experts within [-{bound:g}, {bound:g}]", within, f"largest {largest:g}")
        return (squared, labels_within(run, bound), clipped)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(run.losses[:, np.newaxis] - expert_losses(run), axis=0).max(axis=1))

    def allowed(self, run: Transcript) -> Array:
        experts = run.evidence["expert_predictions"].shape[1]
        return np.full(run.rounds, 8.0 * run.game.label_bound**2 * np.log(experts))

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
from arena.theorems.assumptions import left_as_evidence


@dataclass(frozen=True)
class EwaBound(Theorem):
    """The learner's loss exceeds the loss of the best of N experts by at most 8 B^2 log N if |label| <= B (theory E17).

    The learner records the predictions of its experts as evidence.

    The factor is 8 B^2 because exp(-loss / (8 B^2)) is a concave function of the prediction if predictions and labels
    lie in [-B, B]. If predictions and labels lie in [0, B], the factor 2 B^2 suffices.
    """

    name: ClassVar[str] = "ewa"
    constant: ClassVar[float] = 8.0
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, Proposition 3.1; Jezequel et al. 2019, section 3.1"
    statement: ClassVar[str] = "loss <= min_i loss of expert i + 8 B^2 log N"
    formula: ClassVar[str] = r"loss $\le \min_i$ loss of expert $i$ $+\, 8 B^2 \log N$"
    quantity: ClassVar[str] = "loss beyond the best expert's"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        bound = run.game.label_bound
        squared = loss_is_squared(run)
        advice = run.evidence.get("expert_predictions")
        if advice is None or advice.ndim != 2 or len(advice) < run.rounds:
            return (squared, left_as_evidence(run, "its experts' predictions", False))
        largest = float(np.abs(advice[: run.rounds]).max())
        within = largest <= bound * (1 + 1e-12)
        clipped = Assumption(f"experts within [-{bound:g}, {bound:g}]", within, f"largest {largest:g}")
        return (squared, labels_within(run, bound), clipped)

    def measured(self, run: Transcript) -> Array:
        advice = run.evidence["expert_predictions"][: run.rounds]
        losses = run.game.loss.value(advice, run.labels[:, np.newaxis])
        return np.asarray(np.cumsum(run.losses[:, np.newaxis] - losses, axis=0).max(axis=1))

    def allowed(self, run: Transcript) -> Array:
        experts = run.evidence["expert_predictions"].shape[1]
        return np.full(run.rounds, self.constant * run.game.label_bound**2 * np.log(experts))

"""The quantities of a match that theorems bound, each with its curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import TO_A_COMPARATOR, Verdict


def bounded_quantities(run: Transcript, verdicts: Sequence[Verdict]) -> list[tuple[str, Array, list[Verdict]]]:
    """Return a triple (name, curve, verdicts on its bounds) for each quantity that theorems bound.

    A regret that is known exactly comes first, even if no theorem bounds it. Quantities that compare the learner with
    a comparator are merged into one if their curves are equal, such as the regret and the regret at the game's lambda.
    """
    if not run.rounds:
        return []
    groups: list[tuple[str, Array, list[Verdict]]] = [] if run.regret is None else [("regret", run.regret, [])]
    for verdict in verdicts:
        measured = verdict.measured_curve
        if measured is None:
            continue
        for quantity, curve, judged in groups:
            if _may_be_equal(quantity, verdict.quantity) and np.array_equal(curve, measured, equal_nan=True):
                judged.append(verdict)
                break
        else:
            groups.append((verdict.quantity, measured, [verdict]))
    return groups


def _may_be_equal(quantity: str, other: str) -> bool:
    """Return whether two quantities have the same name, or both compare the learner with a comparator."""
    return quantity == other or (quantity.startswith(TO_A_COMPARATOR) and other.startswith(TO_A_COMPARATOR))

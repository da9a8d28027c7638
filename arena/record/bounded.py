"""The quantities of a match that theorems bound, each with its curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict


def bounded_quantities(run: Transcript, verdicts: Sequence[Verdict]) -> list[tuple[str, Array, list[Verdict]]]:
    """Return a triple (name, curve, verdicts on its bounds) for each quantity that theorems bound.

    A regret that is known exactly comes first, even if no theorem bounds it.
    """
    if not run.rounds:
        return []
    groups: list[tuple[str, Array, list[Verdict]]] = [] if run.regret is None else [("regret", run.regret, [])]
    for verdict in verdicts:
        if verdict.measured_curve is None:
            continue
        same = [group for group in groups if np.array_equal(group[1], verdict.measured_curve, equal_nan=True)]
        if same:
            same[0][2].append(verdict)
        else:
            groups.append((verdict.quantity, verdict.measured_curve, [verdict]))
    return groups

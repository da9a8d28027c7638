"""Curves of a match as plain numbers for the page's script, thinned without losing extremes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.reports.round_figures import bounded_quantities, kept_rounds

POINTS = 40_000  # numbers in all charts of a page together, about
MOST_COLUMNS, FEWEST_COLUMNS = 100, 8  # of a chart, each with up to four rounds


def columns_for(matches: int) -> int:
    """Return how many columns each chart is thinned to, so that the page stays small."""
    return max(FEWEST_COLUMNS, min(MOST_COLUMNS, POINTS // (16 * max(matches, 1))))


def charts_of(run: Transcript, verdicts: Sequence[Verdict], columns: int) -> list[dict[str, Any]]:
    """Return one chart for each quantity that a theorem bounds, that of the regret first.

    Identities have one only if they are violated. `round` holds the rounds that are kept, `measured` the transcript's
    own values in these rounds, `lower` the lower end of the regret's interval if the regret itself is unknown, and
    `bounds` the values that each theorem allows.
    """
    charts = []
    ends = run.regret_interval if run.rounds else None
    if run.regret is None and ends is not None:
        charts.append(_chart("regret, upper end of its interval", ends[1], [], columns, lower=ends[0]))
    for quantity, measured, judged in bounded_quantities(run, verdicts):
        if judged and all(each.exact and each.holds for each in judged):
            continue  # the curve of an identity that holds shows rounding errors only
        charts.append(_chart(quantity, measured, judged, columns))
    return charts


def _chart(
    quantity: str, measured: Array, verdicts: Sequence[Verdict], columns: int, *, lower: Array | None = None
) -> dict[str, Any]:
    first_broken = [each.round - 1 for each in verdicts if each.violated and each.round]
    kept = np.union1d(kept_rounds(measured, columns), np.array(first_broken, dtype=int)).astype(int)
    chart: dict[str, Any] = {
        "quantity": quantity.rstrip(","),
        "round": (kept + 1).tolist(),
        "measured": plain(measured[kept]),
        "bounds": [
            {
                "theorem": each.theorem,
                "outcome": each.outcome,
                "broken": each.round,
                "allowed": plain(each.allowed_curve[kept]),
            }
            for each in verdicts
            if each.allowed_curve is not None
        ],
    }
    if lower is not None:
        chart["lower"] = plain(lower[kept])
    return chart


def plain(values: Array) -> list[float | None]:
    """Return the values as numbers that JSON has, None for infinity and NaN.

    >>> plain(np.array([1.5, np.inf, np.nan]))
    [1.5, None, None]
    """
    return [value if math.isfinite(value) else None for value in values.tolist()]


def script_json(text: str) -> Markup:
    r"""Return JSON for a `<script type="application/json">`, in which no text can end the element.

    >>> script_json('"</script>"')
    Markup('"\\u003c/script\\u003e"')
    """
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)

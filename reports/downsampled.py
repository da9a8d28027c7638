"""Curves of a match as plain numbers for the page's script, at some of the rounds.

The rounds with the largest and smallest values are always kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from arena.arrays import Array
from arena.record.bounded import bounded_quantities
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.reports.growth_curves import growth_of
from arena.reports.round_figures import kept_rounds

POINTS = 40_000  # approximate count of numbers in all charts of a page
DIGITS = 10  # digits of each number; the page shows seven of them
MOST_COLUMNS, FEWEST_COLUMNS = 100, 8  # columns of a chart, each with up to four rounds


def columns_for(matches: int) -> int:
    """Return the number of groups of adjacent rounds in each chart of a page with this number of matches.

    A chart shows up to four rounds of each group. The more matches, the fewer groups.
    """
    return max(FEWEST_COLUMNS, min(MOST_COLUMNS, POINTS // (16 * max(matches, 1))))


def charts_of(
    run: Transcript, verdicts: Sequence[Verdict], columns: int, *, limits: bool = False
) -> list[dict[str, Any]]:
    """Return the charts of the regret, if it is known, and of every quantity that a theorem bounds.

    The regret comes first. An equation that holds has no chart. A chart shows up to four rounds of each of `columns`
    groups of adjacent rounds, and the first round in which each bound is violated. It is a dictionary:

    - `quantity` is the name of the quantity that is measured;
    - `round` has the rounds that are kept, and `measured` the values in these rounds;
    - `lower` has the lower end of the regret's interval, if the regret is known only as an interval;
    - `bounds` has for each theorem the allowed values, and the outcome of the verdict;
    - `growth` says how the measured values grow, such as "grows like t^0.50", if this is known. With `limits`,
      `growth` also has confidence limits of the exponent.
    """
    charts: list[dict[str, Any]] = []

    def add(quantity: str, measured: Array, judged: Sequence[Verdict], lower: Array | None = None) -> None:
        chart = _chart(quantity, measured, judged, columns, lower=lower)
        if found := growth_of(measured, run.loss, limits=limits):
            chart["growth"] = found.as_json()
        charts.append(chart)

    ends = run.regret_interval if run.rounds else None
    if run.regret is None and ends is not None:
        add("regret, upper end of its interval", ends[1], [], ends[0])
    for quantity, measured, judged in bounded_quantities(run, verdicts):
        if judged and all(each.is_deviation and each.holds for each in judged):
            continue  # the curve of an identity that holds shows rounding errors only
        add(quantity, measured, judged)
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
                "lower": each.lower,
                "allowed": plain(each.allowed_curve[kept]),
            }
            for each in verdicts
            if each.allowed_curve is not None
        ],
    }
    if lower is not None:
        chart["lower"] = plain(lower[kept])
    return chart


def plain(values: Array, *, digits: int = DIGITS) -> list[float | None]:
    """Return the values as numbers that JSON allows, with `digits` significant digits; infinity and NaN become None.

    >>> plain(np.array([1.5, np.inf, np.nan, 1 / 3, 7.0]))
    [1.5, None, None, 0.3333333333, 7]
    """
    return [rounded(value, digits) if math.isfinite(value) else None for value in values.tolist()]


def rounded(value: float, digits: int) -> float:
    """Return a finite number rounded to `digits` significant digits; an integer if the result is whole."""
    near = float(f"{value:.{digits}g}")
    return int(near) if abs(near) < 1e9 and near == int(near) else near


def script_json(text: str) -> Markup:
    r"""Return JSON for a `<script type="application/json">` element; no text in it can end the element.

    >>> script_json('"</script>"')
    Markup('"\\u003c/script\\u003e"')
    """
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)

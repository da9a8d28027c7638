"""The matplotlib figure of a match: the regret, or another bounded quantity, with the bounds of the theorems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, number_of
from arena.plotting.curves import Curve, CurvePanel, Mark, curve_figure, number, scale_of
from arena.plotting.sheet import Sheet, plain
from arena.plotting.style import COLOURS, DASHES, Columns, Look
from arena.plotting.values import drawable
from arena.record.bounded import bounded_quantities
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict

if TYPE_CHECKING:
    from arena.record.theorem import Claim

LEARNER = Look(COLOURS[0], "o")
MOST_BOUNDS = 6  # most bounds in one figure; the tightest are drawn
CURVE_POINTS = 600  # number of rounds at which a curve is drawn


def transcript_figure(
    run: Transcript,
    bound: Claim | Sequence[Claim] = "auto",
    *,
    quantity: str = "",
    columns: Columns = "one",
    log: Literal["auto", "", "y", "xy"] = "auto",
) -> Sheet:
    """Return a figure with one quantity of a match and the bounds of theorems on this quantity.

    - `quantity` is the name of a bounded quantity, such as "mistakes". The default is the regret. If theorems bound
      other quantities but not the regret, it is the first of these quantities.
    - `columns` is the figure's width in columns of a page.
    - `log` names the logarithmic axes: "" (none), "y" or "xy". With "auto" the vertical axis is logarithmic if the
      measured curve would look like zero beside the bounds.
    """
    if not run.rounds:
        raise ArenaError("a match without a round has no figure")
    with np.errstate(all="ignore"):
        name, measured, judged = _chosen(run, run.verdicts(bound), quantity)
    shown = sorted(
        (each for each in judged if each.allowed_curve is not None and not each.is_deviation), key=_looseness
    )
    kept = shown[:MOST_BOUNDS]
    bounds = [each.allowed_curve for each in kept if each.allowed_curve is not None]
    x = rounds_drawn(run.rounds)
    at = x - 1
    interval = run.regret_interval if name.startswith("regret") and run.regret is None else None
    if interval is not None and not any(np.array_equal(measured, end) for end in interval):
        interval = None  # the measured regret is another one, such as the regret in the features
    band = None if interval is None else (interval[0][at], interval[1][at])
    least, largest = _between(run, name, measured, judged)
    value = _text(float(measured[-1]), least, largest)
    curves = [Curve(f"{name} {value}", x, measured[at], LEARNER, between=band)]
    for place, (each, values) in enumerate(zip(kept, bounds, strict=True)):
        look = Look(COLOURS[1 + place % (len(COLOURS) - 1)], "", DASHES[1 + place % (len(DASHES) - 1)])
        curves.append(Curve(f"{plain(each.theorem, 24)} {number(values[-1])}", x, values[at], look, "bound"))
    marks = _first_rounds_beyond(measured, kept)
    scale = scale_of([measured], bounds) if log == "auto" else log
    title = f"{plain(run.learner_name)} against {plain(run.adversary_name)}"
    return curve_figure(
        CurvePanel(title, sentence(run, name, (least, largest), kept), name, curves, scale, marks), columns=columns
    )


def _first_rounds_beyond(measured: Array, judged: Sequence[Verdict]) -> list[Mark]:
    """Return marks at the rounds (`Verdict.round`) of the violated verdicts; only the two earliest are marked."""
    names: dict[int, list[str]] = {}
    for each in judged:
        if each.violated and each.round:
            names.setdefault(each.round, []).append(plain(each.theorem, 24))
    return [
        Mark(first, float(drawable(measured[first - 1 : first])[0]), f"first beyond {', '.join(of)} in round {first:,}")
        for first, of in sorted(names.items())[:2]
    ]


def _between(run: Transcript, name: str, measured: Array, judged: Sequence[Verdict]) -> tuple[float, float]:
    """Return the least and the largest possible value of the measured quantity after the last round."""
    last = [float(measured[-1]), *(each.other_end[0] for each in judged if each.other_end)]
    if name == "regret" and run.final_regret is not None:
        last += run.final_regret
    return min(last), max(last)


def _text(value: float, least: float, largest: float) -> str:
    """Return the value as text; if it is an end of an interval, the text says which one."""
    if number(least) == number(largest):
        return number(value)
    return f"at {'most' if value > least else 'least'} {number(value)}"


def sentence(run: Transcript, name: str, between: tuple[float, float], judged: Sequence[Verdict]) -> str:
    """Return the subtitle of the figure: the round of a violation, the tightness of a bound, or the final value.

    `between` has the least and the largest possible final value.
    """
    what = f"{name} over {number_of(run.rounds, 'round')}, seed {run.seed}"
    what = what[:1].upper() + what[1:]
    broken = [each for each in judged if each.violated]
    if broken:
        side = "falls below" if broken[0].lower else "exceeds"
        return f"{what}: it {side} {plain(broken[0].theorem)} in round {broken[0].round:,}"
    shares = [
        (not each.lower, each.tightness, each.theorem) for each in judged if each.tightness is not None and each.holds
    ]
    low, high = map(number, between)
    if not shares:
        return f"{what}: {low if low == high else f'between {low} and {high}'} at the end"
    from_above, share, theorem = max(shares)
    used = f"{share:.0%}" if share >= 0 else "nothing"
    if not from_above:
        return f"{what}: {plain(theorem)} forces {used} of it"
    if low != high and share >= 0:
        used = f"at most {used}"
    return f"{what}: it uses {used} of the bound {plain(theorem)}"


def rounds_drawn(rounds: int) -> Any:
    """Return the rounds, from 1, at which curves are drawn: dense enough for linear and for logarithmic axes."""
    if rounds <= CURVE_POINTS:
        return np.arange(1, rounds + 1)
    even, ratio = np.linspace(1, rounds, CURVE_POINTS // 2), np.geomspace(1, rounds, CURVE_POINTS // 2)
    return np.unique(np.rint(np.concatenate([even, ratio])).astype(int))


def _chosen(run: Transcript, verdicts: Sequence[Verdict], quantity: str) -> tuple[str, Array, list[Verdict]]:
    """Return the name, the curve and the verdicts of the quantity that the figure shows.

    If `quantity` is "", this is the first bounded quantity with a theorem that is not an equation. If there is none, it
    is the first bounded quantity.
    """
    groups = [(name.rstrip(","), curve, judged) for name, curve, judged in bounded_quantities(run, verdicts)]
    ends = run.regret_interval
    if run.regret is None and ends is not None and not any(name == "regret" for name, *_ in groups):
        groups.append(("regret", ends[1], []))
    if quantity:
        groups = [each for each in groups if each[0] == quantity]
        if not groups:
            raise ArenaError(f"the match has no bounded quantity {quantity!r}")
    if not groups:
        raise ArenaError(f"nothing can be drawn: {run.comparator.why_unknown or 'no regret is known'}")
    return next((each for each in groups if any(not verdict.is_deviation for verdict in each[2])), groups[0])


def _looseness(verdict: Verdict) -> tuple[bool, float]:
    share = verdict.tightness
    return not verdict.violated, -share if share is not None and np.isfinite(share) else np.inf

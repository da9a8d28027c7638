"""Figures of the regret to named comparators, over the rounds and over a parameter of the comparator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.plotting.values import drawable
from arena.record.comparing import Comparison, Profile
from arena.record.formatting import interval, number, short
from arena.record.transcript import Transcript
from arena.reports.drawing import Axis, Drawing, Figure, LegendEntry, Panel, Scale, figure
from arena.reports.round_figures import RoundCurve, beyond_note, curves_figure, over_rounds

DASHES = ("", "7 3", "2 2.5", "9 3 2 3")
COLOURS = ("bound-1", "bound-2", "bound-3", "bound-4")


def comparison_figures(run: Transcript, found: Sequence[Comparison], prefix: str = "") -> list[Figure]:
    """Return one figure of the regrets to all named comparators over the rounds, and one figure for each profile.

    A profile is the final regret to a comparator as a function of a parameter of the comparator, such as lambda. The
    names of the figures begin with `prefix`. Comparators to which the regret is not known are left out. The
    first figure also leaves out those for which only the final regret is known.
    """
    known = [each for each in found if each.regret is not None]
    if not known:
        return []
    curves = [each for each in known if len(each.at) > 1 or run.rounds == 1]  # the table has the others' final values
    profiles = [
        _profile_figure(run, each, each.profile, f"{prefix}comparator-profile-{place}")
        for place, each in enumerate(known, start=1)
        if each.profile is not None
    ]
    return [*([_over_the_rounds(run, curves, f"{prefix}comparators")] if curves else []), *profiles]


def _over_the_rounds(run: Transcript, known: Sequence[Comparison], name: str) -> Figure:
    curves = []
    for place, each in enumerate(known):
        assert each.regret is not None
        colour, dashes = COLOURS[place % 4], DASHES[(place // 4 + place) % 4]
        text = f"to {short(each.comparator)}, {interval(*each.regret)} at the end"
        curves.append(RoundCurve(each.curve(), LegendEntry(text, colour, dashes=dashes), 2.0))
        if np.ptp(each.regret):
            entry = LegendEntry(f"to {short(each.comparator)}, at least", colour, dashes="1 3")
            curves.append(RoundCurve(each.curve("favourable"), entry, 1.2))
    partly = [short(each.comparator) for each in known if len(each.at) < run.rounds]
    held = f"Between the rounds in which it is known, the regret to {' and '.join(partly)} is drawn constant."
    note = " ".join(filter(None, (held if partly else "", beyond_note(curves))))
    return curves_figure(run, name, "Regret to other comparators", "regret", curves, heights=(320, 300), note=note)


def _profile_figure(run: Transcript, comparison: Comparison, profile: Profile, name: str) -> Figure:
    x, lower, upper = profile.x, drawable(profile.lower), drawable(profile.upper)
    low, high = min(float(lower.min()), 0.0), max(float(upper.max()), 0.0)
    up = (low, high if high > low else low + 1.0)
    across = (float(x[0]), float(x[-1]) if len(x) > 1 else 2.0 * float(x[0]))

    def draw(drawing: Drawing) -> None:
        panel = Panel(drawing, across, up, margins=(0.0, 0.05))
        panel.x = Axis(*across, panel.left, panel.right, scale=Scale("log"), margin=0.02)
        panel.draw_axes("regret at the end", profile.axis, panel.x.levels(8), panel.y.levels(8))
        panel.band(x, lower, upper, COLOURS[0])
        panel.line(x, upper, COLOURS[0])

    text = f"regret, {interval(float(lower[-1]), float(upper[-1]))} at {number(float(x[-1]))}"
    return figure(
        name,
        f"Regret to {short(comparison.comparator)}, by {profile.axis}",
        draw,
        heights=(280, 280),
        description=f"{over_rounds(run)}: the regret to {comparison.plainly}, by {profile.axis}; {text}.",
        legend=[LegendEntry(text, COLOURS[0])],
    )

"""Figures that plot the regret of learners against their cost.

The cost is the time per round or the size of the dictionary. The regret is shown as an average rank or as a mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.formatting import duration, number
from arena.reports.drawing import Axis, Drawing, Figure, LegendEntry, Panel, Scale, figure
from arena.specs.spelling import Names
from arena.tournament.efficiency import Cost
from arena.tournament.ranking import Standing

APART = 14.0  # height of a line of text in pixels
LETTER = 6.7  # largest mean width of a letter in pixels
DOT = 6.0  # radius of a dot and the space around it


def cost_figures(
    costs: Sequence[Cost], standings: Sequence[Standing], names: Mapping[str, str] | None = None
) -> list[Figure]:
    """Return up to four figures, in which each learner is a dot at its cost and its regret.

    The cost is the time per round or the dictionary size, and the regret an average rank or a mean. A figure is left
    out if its values are known for fewer than two learners. `names` has the learners' names, by
    default their short specs.
    """
    regrets = {each.learner: each.regret for each in standings}
    called = Names() if names is None else names
    found = []
    for cost in ("time", "size"):
        for up in ("rank", "regret"):
            rows = []
            for each in costs:
                across = (each.a_round or None) if cost == "time" else (each.size or None)
                ends = regrets.get(each.learner)
                value = each.rank if up == "rank" else None if ends is None else float(np.mean(ends))
                if across is not None and value is not None and np.isfinite(value):
                    spent = duration(across) + " a round" if cost == "time" else f"{across:,} elements"
                    text = (
                        f"{called[each.learner]}: {spent}, {'rank' if up == 'rank' else 'mean regret'} {number(value)}"
                    )
                    rows.append((called[each.learner], 1e6 * across if cost == "time" else float(across), value, text))
            if len(rows) > 1:
                learners, x, y, texts = zip(*rows, strict=True)
                found.append(_figure(cost, up, np.array(x), np.array(y), learners, texts))
    return found


def _figure(cost: str, up: str, x: Array, y: Array, names: Sequence[str], texts: Sequence[str]) -> Figure:
    """Return the figure of the learners' costs `x` and their ranks or regrets `y`.

    `cost` is "time" or "size", and `up` is "rank" or "regret". `names` and `texts` have the name and the description of
    each learner.
    """
    below = "microseconds a round" if cost == "time" else "elements kept at the end of a match, at most"
    below += " (logarithmic scale)"
    above = "average rank by regret (1 is best)" if up == "rank" else "mean regret"
    beaten, low, high = _beaten(x, y), float(y.min()), float(y.max())
    is_log = up == "regret" and low > 0 and high > 20 * low

    def draw(drawing: Drawing) -> None:
        ends = (low, max(high, 1.01 * low if is_log else low + 0.5))
        panel = Panel(drawing, (0.0, 1.0), ends, margins=(0.0, 0.12), scale=Scale("log") if is_log else None)
        reach = (float(x.min()), max(float(x.max()), 1.01 * float(x.min())))
        panel.x = Axis(*reach, panel.left, panel.right, scale=Scale("log"), margin=0.08)
        title = f"{above} (logarithmic scale)" if is_log else above
        panel.draw_axes(title, below, panel.x.levels(8), panel.y.levels(6), grid="xy")
        front = np.argsort(x)[~beaten[np.argsort(x)]]
        panel.line(x[front], y[front], "learner", width=1.2, dashes="4 3")
        for colour, chosen in (("muted", beaten), ("learner", ~beaten)):
            panel.dots(x[chosen], y[chosen], 5.0, fill=colour)
        _write_names(panel, names, panel.x(x), panel.y(y), beaten)

    legend = [LegendEntry("no learner here is both cheaper and better", "learner", "mark")]
    if beaten.any():
        legend.append(LegendEntry("another learner is both cheaper and better", "muted", "mark"))
    what = "Time" if cost == "time" else "Dictionary size"
    against = "average rank" if up == "rank" else "mean regret"
    meaning = (
        "Time: the learner's own seconds, mean over settings." if cost == "time"
        else "Only learners that report the size of a dictionary are shown."
    )  # fmt: skip
    return figure(
        f"cost-{cost}-{up}",
        f"{what} against {against}: the lower left corner is best",
        draw,
        heights=(360, 340),
        description=f"{above} over {below}. {'; '.join(texts)}.",
        legend=legend,
        note=f"{meaning} Lower is better, further left is cheaper.",
    )


def _beaten(x: Array, y: Array) -> NDArray[np.bool_]:
    """Return for each learner whether another learner beats it.

    Another learner beats it if neither of its values `x` and `y` is larger, and at least one of them is smaller.

    >>> _beaten(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 1.5]))
    array([False, False,  True])
    """
    no_dearer, no_worse = x[:, np.newaxis] <= x, y[:, np.newaxis] <= y
    strictly = (x[:, np.newaxis] < x) | (y[:, np.newaxis] < y)
    return np.asarray((no_dearer & no_worse & strictly).any(axis=0))


def _write_names(panel: Panel, names: Sequence[str], across: Array, up: Array, beaten: NDArray[np.bool_]) -> None:
    """Write the name of each learner near its dot, at the nearest place where it covers no other name and no dot.

    A name that is far from its dot is joined to the dot by a line. A name for which there is no place is left out. The
    dots are at (`across`, `up`), in pixels. `beaten` marks learners that another learner beats; their names are grey.
    """
    dots = list(zip(across.tolist(), up.tolist(), strict=True))
    taken = [Box(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in dots]
    inside = Box(panel.left + 2.0, panel.top - 6.0, panel.right, panel.bottom)
    for at in sorted(range(len(names)), key=lambda each: (bool(beaten[each]), -dots[each][1])):
        (x, y), width = dots[at], LETTER * len(names[at])
        places = [place for place in _places(x, y, width) if inside.holds(place)]
        box = next((place for place in places if not any(map(place.meets, taken))), None)
        if box is None:  # no room: the name is in the description and in the ranking
            continue
        taken.append(box)
        if abs((box.above + box.below) / 2 - y) > APART:
            end = box.left - 2.0 if box.left > x else box.right + 2.0 if box.right < x else (box.left + box.right) / 2
            corners = {"x1": x, "y1": y, "x2": end, "y2": (box.above + box.below) / 2}
            ends = {name: f"{value:.1f}" for name, value in corners.items()}
            panel.drawing.add("line", **ends, stroke="var(--muted)", stroke_width=0.8)
        panel.text(box.left, box.below - 3.0, names[at], colour="muted" if beaten[at] else "text")


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels."""

    left: float
    above: float
    right: float
    below: float

    def meets(self, other: Box) -> bool:
        """Return whether the two rectangles overlap; rectangles that only touch do not."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.below <= other.above or other.below <= self.above)

    def holds(self, other: Box) -> bool:
        """Return whether the other rectangle lies inside this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.above <= other.above <= other.below <= self.below
        )


def _places(x: float, y: float, width: float) -> list[Box]:
    """Return the places around a dot where a name of this width may be written, the nearest first."""
    found = []
    for down in sorted(np.arange(-16, 17) * (APART / 2.0), key=abs):
        middle = y + float(down)
        far = 9.0 + abs(float(down)) / 4.0
        lefts = (x + far, x - far - width) if abs(down) < APART else (x + far, x - far - width, x - width / 2)
        found += [Box(left, middle - APART / 2, left + width, middle + APART / 2) for left in lefts]
    return found

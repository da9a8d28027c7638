"""The figure of two quantities against each other: one point for each name, with the name beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import LogFormatterMathtext, LogLocator, MaxNLocator

from arena.plotting.curves import numbered
from arena.plotting.labels import write_beside
from arena.plotting.sheet import Sheet, placed, plain, sheet, titled
from arena.plotting.style import FAINT, Columns, Look, styled

HEIGHTS = {"one": 2.6, "two": 3.3}  # inches


@dataclass(frozen=True)
class Point:
    """A named point; `between` has the ends of a vertical bar at the point.

    `beaten` means that another point is better; the point is then drawn hollow.
    """

    name: str
    x: float
    y: float
    look: Look
    between: tuple[float, float] | None = None
    beaten: bool = False


def scatter_figure(
    title: str, subtitle: str, across: str, up: str, points: Sequence[Point], *, columns: Columns = "one"
) -> Sheet:
    """Return the figure of these points, with a step line through the best points: those that no other point beats.

    `across` and `up` are the titles of the axes. On both axes less is better. The horizontal axis is logarithmic.
    """
    with styled():
        figure = sheet(columns, HEIGHTS[columns])
        titled(figure, title, subtitle)
        axes = placed(figure, left=0.5, right=0.12, bottom=0.38)
        x, y = (np.array([getattr(each, name) for each in points], dtype=float) for name in "xy")
        axes.set_xscale("log")
        for each in points:
            if each.between:
                axes.plot([each.x, each.x], each.between, color=each.look.colour, lw=1.6, alpha=0.4)
            fill = "white" if each.beaten else each.look.colour
            axes.plot([each.x], [each.y], marker=each.look.marker, ms=5, color=each.look.colour, mfc=fill, ls="")
        best = frontier(x, y)
        axes.step(x[best], y[best], where="post", color=FAINT, lw=0.7, ls=(0, (2, 1.5)), zorder=1)
        axes.set_xlim(float(x.min()) / 1.8, float(x.max()) * 1.8)
        low = min([*y.tolist(), *(each.between[0] for each in points if each.between)])
        high = max([*y.tolist(), *(each.between[1] for each in points if each.between)])
        margin = 0.12 * ((high - low) or 1.0)
        axes.set_ylim(low - margin, high + margin)
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
        axes.xaxis.set_major_formatter(LogFormatterMathtext())
        numbered(axes.yaxis, MaxNLocator(6))
        axes.set_xlabel(f"{across} (log scale)")
        axes.set_ylabel(up)
        figure.draw_without_rendering()
        colours = [FAINT if each.beaten else each.look.colour for each in points]
        corners = np.column_stack([np.repeat(x[best], 2)[1:], np.repeat(y[best], 2)[:-1]])
        names = [plain(each.name, 28) for each in points]
        write_beside(figure, axes, names, x, y, colours, corners)
        return figure


def frontier(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the indices of the points that no other point beats, in the order of x; smaller coordinates are better.

    A point beats another one if it is no worse in both coordinates. Of equal points, only the first one is returned.

    >>> frontier(np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 3.0, 4.0, 1.0])).tolist()
    [0, 1, 3]
    """
    order = np.lexsort((y, x))
    best = np.minimum.accumulate(y[order])
    return order[np.flatnonzero(np.diff(best, prepend=np.inf) < 0)]

"""Figures of curves over the rounds, on linear or logarithmic axes; each curve has its name at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import Locator, LogFormatterMathtext, LogLocator, MaxNLocator

from arena.arrays import Array
from arena.plotting.labels import EndLabel, write_ends
from arena.plotting.sheet import Sheet, placed, plain, sheet, titled, width_of
from arena.plotting.style import BAD, FAINT, GUIDE, SMALL, Columns, Look, styled
from arena.plotting.values import drawable

APART = 0.15  # distance of the markers on a curve, as a share of the axes' diagonal
HEIGHTS = {"one": 2.35, "two": 3.1}  # inches


@dataclass(frozen=True)
class Curve:
    """The values `y` of a curve at the rounds `x`, and the name that is written at the curve's end.

    `kind` is "measured", "bound" (dashed, thin), "fit" (dotted, thin) or "guide" (grey). `between` has the lower and
    the upper edge of a band around the curve, if there is one.
    """

    name: str
    x: Array
    y: Array
    look: Look
    kind: Literal["measured", "bound", "fit", "guide"] = "measured"
    between: tuple[Array, Array] | None = None


@dataclass(frozen=True)
class Mark:
    """A ring drawn at a round and a value, with a text beside it."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class CurvePanel:
    """The content of a figure of curves.

    `quantity` is the title of the vertical axis. `log` names the logarithmic axes: "" (none), "y" or "xy".
    """

    title: str
    subtitle: str
    quantity: str
    curves: Sequence[Curve]
    log: Literal["", "y", "xy"] = ""
    marks: Sequence[Mark] = field(default=())


def curve_figure(panel: CurvePanel, *, columns: Columns = "one") -> Sheet:
    """Return the figure of the curves in `panel`, as wide as one or two columns of a page."""
    with styled():
        named = [each for each in panel.curves if each.name]
        extra = max(0.0, (len(named) - 14) * 1.18 * SMALL / 72)  # extra inches, for the names of many curves
        figure = sheet(columns, HEIGHTS[columns] + extra)
        titled(figure, panel.title, panel.subtitle)
        log = "y" in panel.log
        names = [
            plain(each.name, 27 if columns == "one" else 36) + (" (< 0)" if log and _last(each.y) <= 0 else "")
            for each in named
        ]
        room = 0.22 + max((width_of(figure, each, SMALL) for each in names), default=0.0)
        axes = placed(figure, left=0.5, right=room, bottom=0.36)
        for each in panel.curves:
            _draw(axes, each)
        _scale(axes, panel)
        ends = [
            EndLabel(name, _last(each.y), FAINT if each.kind == "guide" else each.look.colour)
            for name, each in zip(names, named, strict=True)
        ]
        _mark(axes, panel.marks)
        figure.draw_without_rendering()
        write_ends(figure, axes, ends)
        return figure


def scale_of(main: Sequence[Array], others: Sequence[Array]) -> Literal["", "y"]:
    """Return "y" for a logarithmic axis if the curves `main` would look like zero beside `others`, and "" if not.

    The test: the largest absolute value in `others` is more than 12 times as large as the largest in `main`, which is
    not 0.

    >>> scale_of([np.array([1.0, 2.0])], [np.array([3.0, 100.0])]), scale_of([np.array([1.0])], [np.array([3.0])])
    ('y', '')
    """
    own, top = (max((float(np.nanmax(np.abs(drawable(each)), initial=0.0)) for each in group), default=0.0)
                for group in (main, others))  # fmt: skip
    return "y" if top > 12 * own > 0 else ""


def _draw(axes: Axes, curve: Curve) -> None:
    look, y = curve.look, drawable(curve.y)
    if curve.kind == "guide":
        axes.plot(curve.x, y, color=GUIDE, lw=0.7, zorder=1, scalex=False, scaley=False)
    elif curve.kind == "fit":
        axes.plot(curve.x, y, color=look.colour, lw=0.9, ls=(0, (1, 1.5)), zorder=4)
    elif curve.kind == "bound":
        axes.plot(curve.x, y, color=look.colour, lw=0.9, ls=look.dash if look.dash != "-" else (0, (4, 2)), zorder=2.5)
    else:
        style: dict[str, Any] = {"ls": look.dash, "marker": look.marker, "markevery": (0.08, APART)}
        axes.plot(curve.x, y, color=look.colour, mec="white", mew=0.5, zorder=3, **style)
    if curve.between is not None:
        low, high = (drawable(each) for each in curve.between)
        axes.fill_between(curve.x, low, high, color=look.colour, alpha=0.16, lw=0, zorder=2)


def _scale(axes: Axes, panel: CurvePanel) -> None:
    shown = [each for each in panel.curves if each.kind != "guide"]
    values = np.concatenate([drawable(each.y)[np.isfinite(each.y)] for each in shown] or [np.zeros(1)])
    last = max((float(each.x[-1]) for each in panel.curves), default=1.0)
    words = panel.quantity[:1].upper() + panel.quantity[1:]
    positive = values[values > 0]
    if "y" in panel.log and len(positive):
        low, high = _log_limits([each for each in shown if each.kind != "fit"], float(positive.max()))
        axes.set_yscale("log")
        axes.set_ylim(low / 1.25, high * 1.35)
        axes.yaxis.set_major_locator(LogLocator(numticks=6))
        axes.yaxis.set_major_formatter(LogFormatterMathtext())
        words += " (log scale)"
    else:
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        low, high = min(low, 0.0), max(high, 0.0)
        margin = 0.05 * ((high - low) or 1.0)
        axes.set_ylim(low - (margin if low < 0 else 0.0), high + margin)
        numbered(axes.yaxis, MaxNLocator(6))
        if low < 0:
            axes.axhline(0, color=FAINT, lw=0.6, zorder=1.5)
    axes.set_ylabel(words, parse_math=False)
    axes.set_xlabel("Round (log scale)" if "x" in panel.log else "Round")
    if "x" in panel.log and last > 1:
        axes.set_xscale("log")
        axes.set_xlim(1 if last < 30 else max(1.0, min(float(each.x[0]) for each in shown)), last)
        numbered(axes.xaxis, LogLocator(numticks=6))
    else:
        axes.set_xlim(0, max(last, 1.0))
        numbered(axes.xaxis, MaxNLocator(5, integer=True))


def _log_limits(curves: Sequence[Curve], high: float) -> tuple[float, float]:
    """Return the lower and the upper limit of a logarithmic axis; `high` is the largest value to be drawn.

    The lower limit is the least value of the curves in the last nine tenths of the rounds, but at least 1e-9 `high` and
    at most `high` / 10. A curve with a value <= 0 in these rounds is left out.
    """
    least = high / 10
    for each in curves:
        late = each.y[each.x > each.x[-1] / 10]
        if (late > 0).all():
            least = min(least, float(late.min(initial=high)))
    return max(least, high * 1e-9), high


def _mark(axes: Axes, marks: Sequence[Mark]) -> None:
    middle = sum(axes.get_xlim()) / 2
    for place, each in enumerate(marks):
        axes.plot([each.x], [each.y], marker="o", ms=6, mfc="none", mec=BAD, mew=1.1, zorder=6, ls="")
        late = each.x > middle
        axes.annotate(
            each.text, (each.x, each.y), xytext=(-9 if late else 9, -11 - 9 * place), textcoords="offset points",
            color=BAD, size=SMALL, ha="right" if late else "left", parse_math=False, zorder=7,
            bbox={"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 0.8},
        )  # fmt: skip


def numbered(axis: Axis, ticks: Locator) -> None:
    """Place the ticks of an axis by the locator `ticks`, and label them by numbers such as 1,500 and 0.25."""
    axis.set_major_locator(ticks)
    axis.set_major_formatter(lambda value, _: number(value))


def number(value: float) -> str:
    """Return the text of a number, for an axis or a title.

    >>> number(1500), number(0.25), number(-2.0), number(1234567.0), number(0.000012)
    ('1,500', '0.25', '−2', '1.23e+06', '1.2e-05')
    """  # noqa: RUF002
    size = abs(value)
    whole = 1e3 <= size < 1e6 or (size < 1e3 and float(value).is_integer())
    text = f"{value:,.0f}" if whole else f"{value:.3g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text  # noqa: RUF001


def _last(values: Array) -> float:
    finite = drawable(values)[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else float("nan")

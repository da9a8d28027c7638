"""Figures with a row for each name: a matrix of coloured cells, or points with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from arena.plotting.curves import numbered
from arena.plotting.sheet import Sheet, placed, plain, sheet, titled, width_of
from arena.plotting.style import BAD, FAINT, INK, SMALL, Columns, Look, styled

ROW, HEAD = 0.19, 0.5  # heights in inches: of a row, and of the title
SHADES = LinearSegmentedColormap.from_list("shades", ["#f7fafc", "#c9dff0", "#7fb4da", "#2f79b5", "#0b3c6f"])


@dataclass(frozen=True)
class Cell:
    """A cell of a matrix: its text, its shade from 0 to 1 (None: white), and whether it has a red frame (`broken`)."""

    text: str
    shade: float | None = None
    broken: bool = False


def matrix_figure(
    title: str,
    subtitle: str,
    rows: Sequence[str],
    columns_named: Sequence[str],
    cells: Sequence[Sequence[Cell]],
    *,
    columns: Columns = "one",
    key: str = "",
) -> Sheet:
    """Return the figure of a matrix of coloured cells, as wide as one or two columns of a page.

    The text `key` is written below the matrix, and explains shades and frames.
    """
    with styled():
        heads = [plain(each, 30) for each in columns_named]
        names = [plain(each, 24) for each in rows]
        measure = sheet(columns, 1.0)
        left = 0.12 + max(width_of(measure, each, SMALL) for each in names)
        tall = max(width_of(measure, each, SMALL) for each in heads)
        each_width = (measure.get_figwidth() - left - 0.1) / len(heads)
        slanted = tall > 0.9 * each_width
        over = (0.72 * tall if slanted else 0.0) + 0.22
        below = 0.5 if key else 0.1
        figure = sheet(columns, HEAD + over + ROW * len(rows) + below)
        titled(figure, title, subtitle)
        right = 0.1 + (max(0.0, 0.72 * width_of(figure, heads[-1], SMALL) - each_width / 2) if slanted else 0.0)
        axes = placed(figure, left=left, right=right, bottom=below)
        box = axes.get_position()
        axes.set_position((box.x0, box.y0, box.width, ROW * len(rows) / figure.get_figheight()))
        axes.set_xlim(0, len(heads))
        axes.set_ylim(len(rows), 0)
        axes.set_axis_off()
        for up, line in enumerate(cells):
            for across, cell in enumerate(line):
                _cell(axes, across, up, cell)
        axes_text: dict[str, Any] = {"size": SMALL, "parse_math": False}
        for up, name in enumerate(names):
            axes.text(-0.06 / each_width, up + 0.5, name, ha="right", va="center_baseline", **axes_text)
        for across, head in enumerate(heads):
            rotated: dict[str, Any] = (
                {"rotation": 45, "ha": "left", "rotation_mode": "anchor"} if slanted else {"ha": "center"}
            )
            axes.text(across + 0.5, -0.25, head, va="bottom", **rotated, **axes_text)
        if key:
            _key(figure, key, left)
        return figure


def _cell(axes: Axes, across: int, up: int, cell: Cell) -> None:
    shade = SHADES(float(cell.shade)) if cell.shade is not None else "#ffffff"
    axes.add_patch(Rectangle((across + 0.03, up + 0.04), 0.94, 0.92, facecolor=shade, edgecolor="none"))
    if cell.broken:
        axes.add_patch(Rectangle((across + 0.05, up + 0.07), 0.9, 0.86, facecolor="none", edgecolor=BAD, lw=1.3))
    dark = cell.shade is not None and cell.shade > 0.6
    colour = "white" if dark else BAD if cell.broken else INK
    axes.text(
        across + 0.5, up + 0.5, cell.text, ha="center", va="center_baseline", size=SMALL, color=colour,
        weight="bold" if cell.broken else "normal",
    )  # fmt: skip


def _key(figure: Sheet, key: str, left: float) -> None:
    width, height = figure.get_figwidth(), figure.get_figheight()
    bar = figure.add_axes((left / width, 0.3 / height, 0.9 / width, 0.08 / height))
    bar.imshow(np.linspace(0, 1, 64)[None, :], aspect="auto", cmap=SHADES)
    bar.set_axis_off()
    style: dict[str, Any] = {"size": SMALL, "color": FAINT, "va": "center", "parse_math": False}
    figure.text((left - 0.04) / width, 0.34 / height, "0", ha="right", **style)
    figure.text((left + 0.94) / width, 0.34 / height, "100 %", ha="left", **style)
    figure.text(0.07 / width, 0.14 / height, key, ha="left", **style)


@dataclass(frozen=True)
class Interval:
    """A row of a figure of intervals: a name, a value, and the ends of the interval around it, if known.

    `note` is a text at the right end of the row.
    """

    name: str
    value: float
    look: Look
    ends: tuple[float, float] | None = None
    note: str = ""


def interval_figure(
    title: str, subtitle: str, axis: str, rows: Sequence[Interval], *, columns: Columns = "one"
) -> Sheet:
    """Return the figure of values with their intervals, the first row on top; `axis` is the horizontal axis's title."""
    with styled():
        figure = sheet(columns, HEAD + 0.4 + 0.2 * len(rows))
        titled(figure, title, subtitle)
        names = [plain(each.name, 24) for each in rows]
        left = 0.15 + max(width_of(figure, each, SMALL) for each in names)
        right = 0.12 + max(1.12 * width_of(figure, each.note, SMALL) + 0.1 * bool(each.note) for each in rows)
        axes = placed(figure, left=left, right=right, bottom=0.36)
        for up, each in enumerate(rows):
            if each.ends:
                axes.plot(each.ends, [up, up], color=each.look.colour, lw=2.2, alpha=0.45, solid_capstyle="round")
            axes.plot([each.value], [up], color=each.look.colour, marker=each.look.marker, ms=4.6, mec="white", mew=0.5)
            if each.note:
                axes.text(
                    1.02, up, each.note, transform=axes.get_yaxis_transform(), size=SMALL, color=BAD,
                    va="center_baseline", parse_math=False,
                )  # fmt: skip
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), names, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        numbered(axes.xaxis, MaxNLocator(6))
        axes.set_xlabel(axis)
        axes.margins(x=0.06)
        return figure

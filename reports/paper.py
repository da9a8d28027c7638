"""The page of a paper's experiment: tables of the paper's values beside the arena's values, and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.record.formatting import number
from arena.reports.drawing import Drawing, Figure, LegendEntry, Panel, figure, round_numbers
from arena.reports.page import template

COLOURS = ("learner", "bound-1", "bound-2", "bound-3", "bound-4", "time-5", "sign-3", "bad")
DASHES = ("", "7 3", "2 2.5", "9 3 2 3")


def paper_page(paper: Mapping[str, Any]) -> str:
    """Return the page of an experiment as HTML.

    `paper` is a mapping of plain values, made by `arena.papers.reproduction.page.as_json`.
    """
    figures = [each for place, part in enumerate(paper["parts"]) for each in _figures_of_part(f"part-{place}", part)]
    for place, (name, lines) in enumerate(paper["lines"].items()):
        curves = {line["name"]: (np.array(line["x"]), np.array(line["y"])) for line in lines}
        figures.append(_figure(f"lines-{place}", name, curves, paper["axes"][0]))
    return template("paper.html.j2").render(paper=paper, figures=figures)


def _figures_of_part(name: str, part: Mapping[str, Any]) -> list[Figure]:
    """Return two figures of a part of the experiment: the measure over the rounds, and the seconds over the rounds.

    The list is empty if the part has no curves.
    """
    rows = [row for row in part["rows"] if row["curve"]]
    found = []
    for place, quantity in enumerate((part["measure"], "seconds") if rows else ()):
        curves = {row["algorithm"]: (_of(row, "rounds"), _of(row, quantity)) for row in rows}
        if quantity != "seconds":
            for row in rows:
                for bound in (name for name in row["curve"] if name.startswith("bound ")):
                    curves[f"{row['algorithm']}: {bound.removeprefix('bound ')}"] = _of(row, "rounds"), _of(row, bound)
        found.append(_figure(f"{name}-{place}", f"{part['heading']}: {quantity}", curves, "rounds", start=10))
    return found


def _legend(texts: Sequence[str]) -> list[LegendEntry]:
    """Return a legend entry for the name of each curve.

    A name of the form `ALGORITHM: BOUND` stands for the curve of a bound. This curve has the colour of the curve
    `ALGORITHM`, but other dashes.
    """
    owners = list(dict.fromkeys(text.partition(": ")[0] for text in texts))
    entries, bounds = [], dict.fromkeys(owners, 0)
    for text in texts:
        owner, _, bound = text.partition(": ")
        place = owners.index(owner)
        bounds[owner] += bool(bound)
        dashes = place // len(COLOURS) + bounds[owner]
        entries.append(LegendEntry(text, COLOURS[place % len(COLOURS)], dashes=DASHES[dashes % len(DASHES)]))
    return entries


def _of(row: Mapping[str, Any], name: str) -> Array:
    return np.array(row["curve"][name], dtype=float)


def _figure(
    name: str, title: str, curves: Mapping[str, tuple[Array, Array]], below: str, *, start: float = -np.inf
) -> Figure:
    """Return a figure of `curves`, which has arrays (x, y) for each name; the horizontal axis has the title `below`.

    The range of the vertical axis is computed without the values to the left of `start`.
    """
    legend = _legend(list(curves))
    shown = np.concatenate([y[x >= min(start, x[-1])] for x, y in curves.values()])
    shown = shown[np.isfinite(shown)]
    least, largest = (float(shown.min()), float(shown.max())) if len(shown) else (0.0, 1.0)
    least, largest = min(least, 0.0) if least < 0.5 * largest else least, largest if largest > least else least + 1.0
    across = max(float(x.max()) for x, _ in curves.values())

    def draw(drawing: Drawing) -> None:
        panel = Panel(drawing, (0.0, across), (least, largest), margins=(0.0, 0.03))
        most = 4 if drawing.is_narrow else 7
        panel.draw_axes("", below, round_numbers(0.0, across, most), panel.y.levels(6))
        for entry, (x, y) in zip(legend, curves.values(), strict=True):
            inside = np.where((y >= least) & (y <= largest), y, np.nan)
            panel.line(x, inside, entry.colour, dashes=entry.dashes)

    ends = "; ".join(f"{text} ends at {number(float(y[-1]))}" for text, (_, y) in curves.items())
    return figure(name, title, draw, heights=(360, 300), description=f"{title}: {ends}.", legend=legend)

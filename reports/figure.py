"""A figure of the page: a drawing for desks and one for phones, with a title, a legend and a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.reports.drawing import Drawing

WIDTHS = {"wide": 800, "narrow": 344}  # pixels; page.css shows one of the two


@dataclass(frozen=True)
class LegendEntry:
    """What a line, a mark or a colour means; `kind` is line, mark, ring, patch or scale, a colour in `steps` shades."""

    text: str
    colour: str
    kind: str = "line"
    dashes: str = ""
    size: float = 5.0
    steps: int = 0


@dataclass(frozen=True)
class Figure:
    """A figure at both sizes; `name` is unique on the page."""

    name: str
    title: str
    legend: Sequence[LegendEntry]
    drawings: Sequence[Markup]
    note: str = ""


def figure(
    name: str,
    title: str,
    draw: Callable[[Drawing], object],
    *,
    heights: tuple[int, int],
    description: str,
    legend: Sequence[LegendEntry],
    note: str = "",
) -> Figure:
    """The figure with what `draw` draws at both sizes; `description` is for readers who do not see it."""
    drawings = []
    for (kind, width), height in zip(WIDTHS.items(), heights, strict=True):
        drawing = Drawing(width, height)
        draw(drawing)
        drawings.append(drawing.markup(f"{name}-{kind}", kind, title, description))
    return Figure(name, title, legend, drawings, note)

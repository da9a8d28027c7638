"""A picture and the words around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup
from matplotlib.figure import Figure

from arena.reports.frame import WIDTHS, Size
from arena.reports.ink import drawing

Draw = Callable[[Size, Figure], None]


@dataclass(frozen=True)
class Key:
    """What a line, a mark or a colour means; `kind` is line, mark, ring, patch or scale, an ink in `steps` shades."""

    text: str
    ink: str
    kind: str = "line"
    dashes: str = ""
    size: float = 5.0
    steps: int = 0


@dataclass(frozen=True)
class Picture:
    """A picture at both sizes, with the words around it."""

    name: str
    title: str
    note: str
    keys: Sequence[Key]
    drawings: Sequence[Markup]


def picture(
    name: str,
    title: str,
    draw: Draw,
    *,
    heights: tuple[int, int],
    description: str,
    note: str = "",
    keys: Sequence[Key],
) -> Picture:
    """The picture at both sizes; `description` is for those who do not see it."""
    sizes = [Size(which, width, height) for (which, width), height in zip(WIDTHS.items(), heights, strict=True)]
    drawings = [
        drawing(
            partial(draw, size),
            f"{name}-{size.name}",
            size.width,
            size.height,
            title=title,
            description=description,
            style=size.name,
        )
        for size in sizes
    ]
    return Picture(name, title, note, keys, drawings)

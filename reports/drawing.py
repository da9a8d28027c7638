"""Figures of a page: SVG drawings in two sizes, and panels (pairs of axes with curves).

A colour is given by the name of a CSS variable in page.css, so that a drawing suits both light and dark mode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from markupsafe import Markup, escape

from arena.arrays import Array
from arena.guards.disk import release_all
from arena.record.formatting import level

LEFT, RIGHT, ABOVE, BELOW = 54, 14, 28, 44  # margins of a panel in pixels
FONT_SIZE = 12
APART = 24  # least pixels between two levels of a logarithmic axis
WIDTHS = {"wide": 800, "narrow": 344}  # pixels of the two sizes, for desks and for phones; page.css shows one of them


class Drawing:
    """SVG elements in a rectangle of `width` times `height` pixels."""

    def __init__(self, width: int, height: int):
        self.width, self.height = width, height
        self.elements: list[Markup] = []

    @property
    def is_narrow(self) -> bool:
        """True if this drawing has the smaller of the two sizes, which is for phones."""
        return self.width == WIDTHS["narrow"]

    def add(self, tag: str, content: str = "", **attributes: object) -> None:
        """Add an SVG element; `_` in the name of an attribute stands for `-`."""
        self.elements.append(element(tag, content, **attributes))

    def markup(self, label: str, kind: str, title: str, description: str) -> Markup:
        """Return the `<svg>` element of CSS class `kind`; screen readers read out `title` and `description`.

        `label` must be unique on the page: HTML ids begin with it.
        """
        described = (
            element("title", title, id=f"{label}-title"),
            element("desc", description, id=f"{label}-description"),
        )
        return element(
            "svg",
            Markup("").join((*described, *self.elements)),
            xmlns="http://www.w3.org/2000/svg",
            class_=kind,
            viewBox=f"0 0 {self.width} {self.height}",
            role="img",
            aria_labelledby=f"{label}-title",
            aria_describedby=f"{label}-description",
        )


def element(tag: str, content: str = "", **attributes: object) -> Markup:
    """Return an XML element; the content and the attributes are escaped unless they are `Markup`.

    In the name of an attribute, `_` stands for `-`, and `_` at the end is dropped.

    >>> element("text", "a < b", x=1, text_anchor="end")
    Markup('<text x="1" text-anchor="end">a &lt; b</text>')
    """
    # f-strings, since `Markup.format` takes ten times as long and a page has thousands of elements
    pairs = " ".join(f'{name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag} {pairs}>{escape(content)}</{tag}>")


def _css(colour: str) -> str:
    return f"var(--{colour})"


@dataclass(frozen=True)
class Scale:
    """A map from values to positions along an axis: linear, logarithmic, or `symlog`.

    `symlog` is nearly linear between -`linear_to` and `linear_to`, and nearly logarithmic outside this interval.
    """

    name: Literal["linear", "log", "symlog"] = "linear"
    linear_to: float = 1.0

    def positions(self, values: Array) -> Array:
        """Return the positions of these values along the axis, in arbitrary units; `Axis` converts them to pixels.

        On a logarithmic scale, a value <= 0 has the position NaN.
        """
        if self.name == "log":
            return np.log10(np.where(values > 0, values, np.nan))
        return values if self.name == "linear" else np.arcsinh(values / self.linear_to)


class Axis:
    """A map from values to pixels: `low` is drawn near the pixel `start`, and `high` near the pixel `end`.

    `margin` is the gap at each end, as a share of the distance between `low` and `high`.
    """

    def __init__(
        self, low: float, high: float, start: float, end: float, *, scale: Scale | None = None, margin: float = 0.0
    ):
        self.scale = scale or Scale()
        self.low, self.high, self.start, self.end = low, high, start, end
        first, last = self.scale.positions(np.array([low, high])).tolist()
        # if `low` equals `high`, this value is in the middle; beside 1e16 a half would be lost in rounding
        size = max(abs(first), abs(last))
        if last - first <= 1e-12 * max(size, 1e-288):
            reach = max(0.5, 1e-12 * size)
            first, last = first - reach, last + reach
        self._first, self._last = first - margin * (last - first), last + margin * (last - first)

    def __call__(self, values: Array | Sequence[float]) -> Array:
        """Return the pixels of these values."""
        positions = self.scale.positions(np.asarray(values, dtype=float))
        return np.asarray(self.start + (positions - self._first) / (self._last - self._first) * (self.end - self.start))

    def levels(self, most: int, *, whole: bool = False) -> Array:
        """Return the values that are printed beside the axis.

        On a linear scale these are about `most` round numbers, with `whole` only whole ones. On other scales they are
        powers of ten, and on a `symlog` scale also their negatives and zero; `most` and `whole` are not used.
        """
        if self.scale.name == "linear":
            return round_numbers(self._first, self._last, most, whole=whole)
        least = self.low if self.scale.name == "log" else self.scale.linear_to
        largest = max(abs(self.low), abs(self.high))
        powers = 10.0 ** np.arange(math.ceil(math.log10(least)), math.floor(math.log10(largest)) + 1)
        candidates = powers if self.scale.name == "log" else np.concatenate([[0.0], powers, -powers])
        kept: list[float] = []
        for value in sorted(candidates.tolist(), key=abs):
            place = self([value])
            if self.low <= value <= self.high and (np.abs(place - self(kept)) >= APART).all():
                kept.append(value)
        return np.array(sorted(kept))


def round_numbers(low: float, high: float, most: int, *, whole: bool = False) -> Array:
    """Return round numbers in [low, high] at equal distances, with at most `most` steps between them.

    A step is 1, 2 or 5 times a power of ten; with `whole` it is a whole number.

    >>> round_numbers(-1.1, 1.1, 5), round_numbers(0, 3, 8, whole=True)
    (array([-1. , -0.5,  0. ,  0.5,  1. ]), array([0., 1., 2., 3.]))
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= 0.999999 * rough)
    step = max(step, 1.0) if whole else step
    return step * np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1, dtype=float)


class Panel:
    """A horizontal and a vertical axis in a part of a drawing.

    `part` has the left, top, right and bottom edge of the part, as shares of the drawing. `across` has the least and
    the largest value on the horizontal axis, `up` those on the vertical axis. `margins` has the `margin` of the
    horizontal and of the vertical `Axis`.
    """

    def __init__(
        self,
        drawing: Drawing,
        across: tuple[float, float],
        up: tuple[float, float],
        *,
        part: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0),
        scale: Scale | None = None,
        margins: tuple[float, float] = (0.0, 0.0),
    ):
        self.drawing = drawing
        self.left, self.right = part[0] * drawing.width + LEFT, part[2] * drawing.width - RIGHT
        self.top, self.bottom = part[1] * drawing.height + ABOVE, part[3] * drawing.height - BELOW
        self.x = Axis(*across, self.left, self.right, margin=margins[0])
        self.y = Axis(*up, self.bottom, self.top, scale=scale, margin=margins[1])

    def draw_axes(
        self, title: str, below: str, across: Array, up: Array, *, grid: str = "y", numbered: bool = True
    ) -> None:
        """Draw both axes, with numbers at the values `across` (horizontal axis) and `up` (vertical axis).

        `title` is written above the panel, and `below` under it. If `numbered` is false, no numbers are written at the
        values `up`. Each value of `up` gets a grid line. Each value of `across` gets one if `grid` contains "x".
        """
        for value, y in zip(up.tolist(), self.y(up).tolist(), strict=True):
            self._hairline(self.left, y, self.right, y)
            if numbered:
                self.text(self.left - 6, y + 4, level(value), anchor="end")
        for value, x in zip(across.tolist(), self.x(across).tolist(), strict=True):
            if "x" in grid:
                self._hairline(x, self.top, x, self.bottom)
            self.text(x, self.bottom + 17, level(value), anchor="middle")
        self._hairline(self.left, self.top, self.left, self.bottom)
        self._hairline(self.left, self.bottom, self.right, self.bottom)
        self.text(self.left, self.top - 10, title)
        self.text(self.right, self.bottom + 33, below, anchor="end")

    def text(self, x: float, y: float, content: str, *, colour: str = "muted", anchor: str = "start") -> None:
        """Write a text at a place that is given in pixels."""
        self.drawing.add(
            "text", content, x=f"{x:.1f}", y=f"{y:.1f}", font_size=FONT_SIZE, fill=_css(colour), text_anchor=anchor
        )

    def line(self, x: Array, y: Array, colour: str, *, width: float = 2.0, dashes: str = "") -> None:
        """Draw a line through these points.

        Points that are not finite leave gaps, and a single point is drawn as a dot.
        """
        if len(x) == 1:
            self.dots(x, y, 3.0, fill=colour)
            return
        dashed = {"stroke_dasharray": dashes} if dashes else {}
        self.drawing.add("path", d=_path(self.x(x), self.y(y)), fill="none", stroke=_css(colour), stroke_width=width,
                         **dashed)  # fmt: skip

    def band(self, x: Array, low: Array, high: Array, colour: str) -> None:
        """Fill the area between the curves `low` and `high`."""
        across, up = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
        self.drawing.add("path", d=f"{_path(self.x(across), self.y(up))} Z", fill=_css(colour), fill_opacity=0.22)

    def dots(
        self, x: Array, y: Array, radius: float, *, fill: str = "", outline: str = "", outline_width: float = 1.2
    ) -> None:
        """Draw a circle at each finite point; without `fill` the circles are empty."""
        places = [(a, b) for a, b in zip(self.x(x).tolist(), self.y(y).tolist(), strict=True) if math.isfinite(a + b)]
        circles = [element("circle", cx=f"{a:.1f}", cy=f"{b:.1f}", r=f"{radius:.3g}") for a, b in places]
        drawn = {"stroke": _css(outline), "stroke_width": outline_width} if outline else {}
        self.drawing.add("g", Markup("").join(circles), fill=_css(fill) if fill else "none", **drawn)

    def bars(self, edges: Array, lengths: Array, colour: str) -> None:
        """Draw horizontal bars from the left axis.

        Bar i ends at `lengths[i]` on the horizontal axis. It lies between `edges[i]` and `edges[i + 1]` on the vertical
        axis.
        """
        ends, heights = self.x(lengths).tolist(), self.y(edges).tolist()
        for end, low, high in zip(ends, heights[:-1], heights[1:], strict=True):
            if end > self.left:
                gap = 0.075 * (low - high)
                self.drawing.add("rect", x=f"{self.left:.1f}", y=f"{high + gap:.1f}", width=f"{end - self.left:.1f}",
                                 height=f"{low - high - 2 * gap:.1f}", fill=_css(colour))  # fmt: skip

    def _hairline(self, x: float, y: float, to_x: float, to_y: float) -> None:
        self.drawing.add("line", x1=f"{x:.1f}", y1=f"{y:.1f}", x2=f"{to_x:.1f}", y2=f"{to_y:.1f}",
                         stroke=_css("hairline"), stroke_width=0.8)  # fmt: skip


def _path(across: Array, up: Array) -> str:
    """Return the SVG path through points given in pixels; points that are not finite leave gaps."""
    corners, pen = [], "M"
    for x, y in zip(across.tolist(), up.tolist(), strict=True):
        if math.isfinite(x + y):
            corners.append(f"{pen} {x:.1f} {y:.1f}")
        pen = "L" if math.isfinite(x + y) else "M"
    return " ".join(corners)


@dataclass(frozen=True)
class LegendEntry:
    """One line of a legend: a text, and a small picture before it.

    `kind` says what the picture shows: a "line", a "mark" (a filled circle), a "ring", a "patch" (an area), or a
    "scale", which is a row of `steps` shades of the colour.
    """

    text: str
    colour: str
    kind: str = "line"
    dashes: str = ""
    size: float = 5.0
    steps: int = 0


@dataclass(frozen=True)
class Figure:
    """A figure of a page: title, legend, note, and the same drawing in two sizes; `name` is unique on the page."""

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
    """Return a figure; `draw` is called twice, with an empty drawing of each of the two sizes.

    `heights` are the heights of the two drawings in pixels. Screen readers read out the `description`.
    """
    release_all()  # frees the memory of files that earlier figures read
    drawings = []
    for (kind, width), height in zip(WIDTHS.items(), heights, strict=True):
        drawing = Drawing(width, height)
        draw(drawing)
        drawings.append(drawing.markup(f"{name}-{kind}", kind, title, description))
    return Figure(name, title, legend, drawings, note)

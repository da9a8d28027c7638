"""The frame of a picture: its size, its axes and the words on them."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arena.reports.ink import ink
from arena.reports.wording import level

WIDTHS = {"wide": 800, "narrow": 344}
LEFT, RIGHT, ABOVE, BELOW = 54, 14, 28, 44  # margins of axes, in pixels


@dataclass(frozen=True)
class Size:
    """The pixels of a drawing, for a desk or for a phone."""

    name: str
    width: int
    height: int

    @property
    def is_narrow(self) -> bool:
        """Whether it is the one for phones."""
        return self.width < 500


def plain(axes: Axes, title: str, *, below: str = "round") -> None:
    """The frame of every picture: two thin lines, a few levels, words where the eye looks for them."""
    axes.set_facecolor("none")
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(ink("hairline"))
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=ink("hairline"), linewidth=0.8)
    axes.tick_params(which="both", length=0, pad=6, labelcolor=ink("muted"))
    axes.set_title(title, loc="left", color=ink("muted"), pad=10)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: level(value)))
    axes.set_xlabel(below, loc="right", color=ink("muted"), labelpad=4)


def along_rounds(axes: Axes, rounds: int, most: int) -> None:
    """The rounds from the first to the last from left to right, with at most so many of them named."""
    pad = max(0.008 * rounds, 0.5)
    axes.set_xlim(1 - pad, rounds + pad)
    named = [each for each in MaxNLocator(most, integer=True).tick_values(0, rounds) if 1 <= each <= rounds]
    axes.set_xticks(sorted({1.0, *named} - ({2.0} if rounds > 3 else set())))


def place(figure: Figure, size: Size, box: tuple[float, float, float, float] | None = None) -> Axes:
    """Axes with the same margins in pixels in every picture, so that rounds stand below rounds.

    `box` is the part of the drawing to fill, margins included: left, bottom, right and top as shares of it.
    """
    figure.patch.set_visible(False)
    left, bottom, right, top = box or (0.0, 0.0, 1.0, 1.0)
    left, right = left + LEFT / size.width, right - RIGHT / size.width
    bottom, top = bottom + BELOW / size.height, top - ABOVE / size.height
    return figure.add_axes((left, bottom, right - left, top - bottom))

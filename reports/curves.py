"""Lines along the rounds, on a scale that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from arena.arrays import Array
from arena.reports.frame import Size, plain
from arena.reports.ink import ink
from arena.reports.picture import Key
from arena.reports.thinning import kept_rounds

APART = 18  # pixels between levels that have names
LARGEST = 1e150  # values beyond are drawn here: Matplotlib squares them


@dataclass(frozen=True)
class Curve:
    """One line of a picture."""

    values: Array
    key: Key
    width: float = 2.0


def draw_curves(axes: Axes, curves: Sequence[Curve], size: Size) -> None:
    """Draw the lines, the first on top."""
    for curve in reversed(curves):
        values = drawable(curve.values)
        kept = kept_rounds(values, size.width // 2)
        style = (0, tuple(map(float, curve.key.dashes.split()))) if curve.key.dashes else "solid"
        marker = "o" if len(values) == 1 else ""
        axes.plot(kept + 1, values[kept], color=ink(curve.key.ink), linewidth=curve.width, ls=style, marker=marker)
    largest = max((float(np.abs(drawable(curve.values)).max(initial=0)) for curve in curves), default=0.0)
    if largest < 1e-300:
        axes.set_ylim(-0.05, 1)


def drawable(values: Array) -> Array:
    """Nothing that Matplotlib cannot place: gaps for what is not a number, an end to what is too large."""
    return np.asarray(np.clip(values, -LARGEST, LARGEST))


@dataclass(frozen=True)
class Scale:
    """How values become heights; a symmetric logarithmic one is linear up to `linear_to`."""

    name: str = "linear"
    linear_to: float = 1.0

    def frame(self, axes: Axes, label: str) -> None:
        """Give the axes this scale, and say so where it is not the usual one."""
        if self.name == "linear":
            plain(axes, label)
            axes.axhline(0, color=ink("hairline"), linewidth=0.8)
            return
        axes.set_yscale(self.name, **({"linthresh": self.linear_to} if self.name == "symlog" else {}))
        plain(axes, f"{label} (logarithmic scale)")
        axes.minorticks_off()

    def tidy(self, axes: Axes) -> None:
        """When all is drawn: where levels stand too close to be read, around zero, keep some of them."""
        if self.name != "symlog":
            return
        low, high = axes.get_ylim()
        levels = sorted((each for each in axes.get_yticks() if low <= each <= high), key=abs)
        kept: list[float] = []
        for level in levels:
            height = axes.transData.transform((0, level))[1]
            if all(abs(height - axes.transData.transform((0, each))[1]) >= APART for each in kept):
                kept.append(level)
        axes.set_yticks(sorted(kept))


def scale_for(main: Array, *others: Array, factor: float = 12) -> Scale:
    """Linear as long as the main curve can be told from zero beside the others; else logarithmic."""
    own = float(np.nanmax(np.abs(drawable(main)), initial=0.0))
    top = max((float(np.nanmax(np.abs(drawable(each)), initial=0.0)) for each in others), default=0.0)
    if own == 0.0 or max(top, own) <= min(factor * own, 1e100):
        return Scale()
    if all((each[len(each) // 50 :] > 0).all() for each in (main, *others)):
        return Scale("log")
    return Scale("symlog", own / 10)


def beyond(*curves: Array) -> str:
    """A word on values that are not drawn where they are."""
    if any((np.abs(curve) > LARGEST).any() for curve in curves):
        return f"Values beyond {LARGEST:g} are drawn at its level."
    return ""

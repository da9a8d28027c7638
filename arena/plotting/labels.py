"""Names written beside the ends of curves or beside points, so that figures need no legend."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox

from arena.plotting.sheet import Sheet
from arena.plotting.style import FAINT, SMALL

SPACING = 1.18  # least distance of two names, in units of the font size
UPWARDS = sorted((0.8 * at for at in range(-8, 9)), key=abs)  # places of a name above and below its point, in lines


@dataclass(frozen=True)
class EndLabel:
    """A text to be written at the end of a curve; `y` is the curve's last value."""

    text: str
    y: float
    colour: str


def write_ends(figure: Sheet, axes: Axes, labels: Sequence[EndLabel]) -> None:
    """Write the texts to the right of the axes, one below the other, so that none covers another.

    A thin line joins each text to the end of its curve.
    """
    if not labels:
        return
    points = axes.transData.transform([(axes.get_xlim()[1], each.y) for each in labels])[:, 1]
    inside = axes.get_window_extent()
    wanted = np.clip(np.nan_to_num(points, nan=inside.y0), inside.y0, inside.y1)
    spacing = SPACING * SMALL * figure.dpi / 72
    placed = moved_apart(wanted, spacing, inside.y0 - spacing, inside.y1 + spacing)
    gap = 0.13 * figure.dpi  # length of the thin lines
    for each, start, end in zip(labels, wanted, placed, strict=True):
        ends = axes.transAxes.inverted().transform([(inside.x1, start), (inside.x1 + gap, end)])
        axes.plot(ends[:, 0], ends[:, 1], transform=axes.transAxes, clip_on=False, color=each.colour, lw=0.5, alpha=0.7)
        axes.text(
            ends[1, 0], ends[1, 1], f" {each.text}", transform=axes.transAxes, color=each.colour, size=SMALL,
            va="center_baseline", parse_math=False,
        )  # fmt: skip


def moved_apart(wanted: np.ndarray, spacing: float, low: float = -np.inf, high: float = np.inf) -> np.ndarray:
    """Return positions that are at least `spacing` apart, near the wanted positions and in the same order.

    The positions lie between `low` and `high` if there is room. Without these limits, the sum of the squared distances
    from the wanted positions is as small as possible.

    >>> moved_apart(np.array([5.0, 5.0, 20.0]), 2.0).tolist()
    [4.0, 6.0, 20.0]
    >>> moved_apart(np.array([1.0, 1.0, 1.0]), 2.0, low=0.0).tolist()
    [0.0, 2.0, 4.0]
    """
    order = np.argsort(wanted, kind="stable")
    free = wanted[order] - spacing * np.arange(len(wanted))
    blocks: list[list[float]] = []  # sum and number of each block (pool adjacent violators)
    for value in free:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    level = np.concatenate([np.full(int(count), total / count) for total, count in blocks])
    steps = spacing * np.arange(len(wanted))
    placed = np.empty(len(wanted))
    placed[order] = np.maximum(np.minimum(level, high - steps[-1]), low) + steps
    return placed


def write_beside(
    figure: Sheet,
    axes: Axes,
    names: Sequence[str],
    x: np.ndarray,
    y: np.ndarray,
    colours: Sequence[str],
    corners: np.ndarray,
) -> None:
    """Write a name beside each point (x, y); if there is room, no name covers a point, another name or the step line.

    `corners` has the corners of the step line, one row (x, y) each. All its segments are horizontal or vertical.
    """
    points = axes.transData.transform(np.column_stack([x, y]))
    inside = axes.get_window_extent()
    taken = [(px - 4, py - 4, px + 4, py + 4) for px, py in points.tolist()]
    for (ax, ay), (bx, by) in itertools.pairwise(axes.transData.transform(corners).tolist()):
        taken.append((min(ax, bx) - 1, min(ay, by) - 1, max(ax, bx) + 1, max(ay, by) + 1))
    step = SMALL * figure.dpi / 72
    for at in np.argsort(points[:, 1])[::-1]:
        px, py = points[at].tolist()
        drawn = axes.text(0, 0, names[at], size=SMALL, color=colours[at], transform=None, va="center", parse_math=False)
        drawn.set_path_effects([withStroke(linewidth=2.0, foreground="white")])
        width, height = (float(each) for each in drawn.get_window_extent().size)
        spots = [
            (px + side * (0.9 * step) - (1 - side) / 2 * width, py + up * step - height / 2)
            for up in UPWARDS
            for side in ((1, -1, 0) if abs(up) > 1 else (1, -1))
        ]
        within = [spot for spot in spots if _fits(spot, width, height, (), inside)]
        free = [spot for spot in within if _fits(spot, width, height, taken, inside)]
        left, low = (free or within or spots)[0]
        taken.append((left, low, left + width, low + height))
        drawn.set_position((left, low + height / 2))
        if abs(low + height / 2 - py) > 1.2 * step:
            near = left if left > px else left + width if left + width < px else left + width / 2
            ends = axes.transAxes.inverted().transform([(px, py), (near, low + height / 2)])
            axes.plot(ends[:, 0], ends[:, 1], transform=axes.transAxes, color=FAINT, lw=0.4, zorder=1)
        # positions in pixels would be wrong at another resolution
        drawn.set_transform(axes.transAxes)
        x_share, y_share = axes.transAxes.inverted().transform((left, low + height / 2)).tolist()
        drawn.set_position((x_share, y_share))


def _fits(
    spot: tuple[float, float], width: float, height: float, taken: Sequence[tuple[float, ...]], inside: Bbox
) -> bool:
    left, low, right, high = spot[0], spot[1], spot[0] + width, spot[1] + height
    if left < inside.x0 or right > inside.x1 + 0.02 * inside.width or low < inside.y0 or high > inside.y1:
        return False
    return not any(left < other[2] and other[0] < right and low < other[3] and other[1] < high for other in taken)

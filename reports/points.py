"""Where the adversary played: its points, in at most two dimensions, coloured by label and by time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.reports.frame import LEFT, Size, along_rounds, place, plain
from arena.reports.ink import ink
from arena.reports.picture import Key, Picture, picture
from arena.reports.wording import count, number, percent

MOST = 700  # marks in one panel
AREAS = {1: 30.0, 2: 52.0, 10: 90.0, 100: 150.0, 1000: 240.0}  # of a mark that stands for at least so many rounds
SAMPLE = 2000  # rounds that principal components are computed from


@dataclass(frozen=True)
class Plane:
    """The points in two coordinates, what these are called, and the box to be drawn, if they are the game's own."""

    points: Array
    names: tuple[str, str]
    box: tuple[Array, Array] | None
    note: str = ""


@dataclass(frozen=True)
class Marks:
    """Points that fall together, as one mark each."""

    points: Array
    labels: Array
    rounds: Array
    counts: NDArray[np.intp]
    exact: bool


def points_picture(run: Transcript) -> Picture:
    """For one coordinate its course over the rounds and how often each value came; else two coordinates."""
    if run.game.dimension == 1:
        return _line_picture(run)
    plane = plane_of(run)
    marks = gathered(plane.points, run.labels)

    def draw(size: Size, figure: Figure) -> None:
        for number_, axes in enumerate(_two_panels(figure, size)):
            plain(axes, f"{plane.names[1]}, by {('label', 'round')[number_]}", below=plane.names[0])
            _frame(axes, plane)
            levels = _label_levels(marks, run) if number_ == 0 else _time_levels(marks, run.rounds)
            _scatter(axes, marks.points, marks, levels)

    description = f"{plane.names[1]} over {plane.names[0]}. {_told(marks, run)}"
    time = [Key(f"round 1 to {run.rounds:,}", "time", "scale", steps=6)] if run.rounds > 1 else []
    keys = [_label_key(run), *time, *_count_keys(marks)]
    note = f"{plane.note} {_merged(marks)}".strip()
    title = "The adversary’s points"  # noqa: RUF001
    return picture("points", title, draw, heights=(410, 660), description=description, note=note, keys=keys)


def plane_of(run: Transcript) -> Plane:
    """The two coordinates of a plane; of more dimensions the two principal components."""
    if run.game.dimension == 2:
        return Plane(run.points, ("first coordinate", "second coordinate"), (run.game.low, run.game.high))
    sample = run.points[:: -(-run.rounds // SAMPLE)]
    centre = sample.mean(axis=0)
    _, strengths, axes = np.linalg.svd(sample - centre, full_matrices=False)
    axes = np.vstack([axes[:2], np.zeros((2, run.game.dimension))])[:2]
    signs = np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1))
    energy = np.append(np.square(strengths), (0.0, 0.0))
    whole = energy.sum()
    share = (
        f"The two components carry {percent(energy[:2].sum() / whole)} of the variance."
        if whole > 0
        else "All points are the same."
    )
    names = ("first principal component", "second principal component")
    return Plane((run.points - centre) @ (axes * signs).T, names, None, share)


def gathered(points: Array, labels: Array) -> Marks:
    """Equal points as one mark; where that leaves too many marks, points in the same cell of a fine grid."""
    rounds = np.arange(1, len(points) + 1)
    exact, cells = True, None
    if len(points) <= 20_000:
        cells = np.unique(points, axis=0, return_inverse=True)[1].ravel()
    if cells is None or cells.max() >= MOST:
        low, span = points.min(axis=0), np.ptp(points, axis=0)
        side = int(MOST**0.5)
        grid = np.minimum((points - low) / np.where(span > 0, span, 1.0) * side, side - 1).astype(int)
        exact, cells = False, np.unique(grid[:, 0] * side + grid[:, 1], return_inverse=True)[1].ravel()
    counts = np.bincount(cells)
    across, up, mean_labels, mean_rounds = (
        np.bincount(cells, weights=values) / counts for values in (*points.T, labels, rounds)
    )
    return Marks(np.column_stack([across, up]), mean_labels, mean_rounds, counts, exact)


def _line_picture(run: Transcript) -> Picture:
    values = run.points[:, 0]
    over_rounds = np.column_stack([np.arange(1.0, run.rounds + 1), values])
    marks = gathered(over_rounds, run.labels)
    low, high = float(run.game.low[0]), float(run.game.high[0])
    different = len(np.unique(values))

    def draw(size: Size, figure: Figure) -> None:
        left, right = _panel_with_margin(figure, size)
        plain(left, "the point, by label")
        _scatter(left, marks.points, marks, _label_levels(marks, run))
        along_rounds(left, run.rounds, 3 if size.is_narrow else 6)
        plain(right, "how often", below="rounds")
        right.hist(
            values, bins=np.linspace(low, high, 31).tolist(), orientation="horizontal", color=ink("muted"), rwidth=0.85
        )
        right.xaxis.set_major_locator(MaxNLocator(1, integer=True))
        right.tick_params(labelleft=False)
        pad = 0.04 * (high - low)
        for axes in (left, right):
            axes.set_ylim(low - pad, high + pad)

    keys = [_label_key(run), *_count_keys(marks)]
    reach = f"between {number(values.min())} and {number(values.max())}"
    description = f"{_told(marks, run)} {count(different, 'different point')}, {reach}."
    note = f"{count(different, 'different point')}. {_merged(marks)}".strip()
    title = "The adversary’s points"  # noqa: RUF001
    return picture("points", title, draw, heights=(300, 300), description=description, note=note, keys=keys)


def _two_panels(figure: Figure, size: Size) -> tuple[Axes, Axes]:
    """Side by side, or one above the other on a phone."""
    if size.is_narrow:
        return place(figure, size, (0.0, 0.5, 1.0, 1.0)), place(figure, size, (0.0, 0.0, 1.0, 0.5))
    return place(figure, size, (0.0, 0.0, 0.5, 1.0)), place(figure, size, (0.5, 0.0, 1.0, 1.0))


def _panel_with_margin(figure: Figure, size: Size) -> tuple[Axes, Axes]:
    """A panel along the rounds, and a slim one at its side that shares its levels."""
    split = 0.72
    return place(figure, size, (0.0, 0.0, split, 1.0)), place(
        figure, size, (split - 0.4 * LEFT / size.width, 0.0, 1.0, 1.0)
    )


def _frame(axes: Axes, plane: Plane) -> None:
    axes.grid(axis="x", color=ink("hairline"), linewidth=0.8)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    if plane.box is not None:
        (left, bottom), (right, top) = plane.box[0], plane.box[1]
        axes.plot(
            [left, right, right, left, left], [bottom, bottom, top, top, bottom], color=ink("muted"), linewidth=0.8
        )
        axes.set_xlim(left - 0.05 * (right - left), right + 0.05 * (right - left))
        axes.set_ylim(bottom - 0.05 * (top - bottom), top + 0.05 * (top - bottom))
    else:
        axes.margins(0.06)


def _scatter(axes: Axes, places: Array, marks: Marks, levels: list[str]) -> None:
    areas = np.array([_area(int(each)) for each in marks.counts])
    for area in np.unique(areas)[::-1]:
        for name in sorted(set(levels)):
            these = [n for n, each in enumerate(levels) if each == name and areas[n] == area]
            axes.plot(
                *places[these].T,
                linestyle="none",
                marker="o",
                markersize=area**0.5,
                color=ink(name),
                markeredgecolor=ink("paper"),
                markeredgewidth=0.7,
                clip_on=False,
            )


def _area(times: int) -> float:
    return max(area for least, area in AREAS.items() if times >= least)


def _label_levels(marks: Marks, run: Transcript) -> list[str]:
    scaled = marks.labels / _reach(run)
    return [f"sign-{min(int((each + 1) * 2.5), 4)}" for each in np.clip(scaled, -1, 1)]


def _time_levels(marks: Marks, rounds: int) -> list[str]:
    return [f"time-{min(int(6 * (each - 1) / max(rounds - 1, 1)), 5)}" for each in marks.rounds]


def _reach(run: Transcript) -> float:
    return float(np.abs(run.labels).max()) or run.game.label_bound


def _label_key(run: Transcript) -> Key:
    reach = number(_reach(run))
    return Key(f"label −{reach} to +{reach}", "sign", "scale", steps=5)  # noqa: RUF001


def _count_keys(marks: Marks) -> list[Key]:
    levels = sorted({max(least for least in AREAS if each >= least) for each in np.unique(marks.counts)})
    if levels == [1]:
        return []
    texts = {1: "1 round", 2: "2 to 9 rounds", 10: "10 to 99", 100: "100 to 999", 1000: "1,000 and more"}
    return [Key(texts[each], "muted", "mark", size=AREAS[each] ** 0.5 / 2 + 0.5) for each in levels]


def _merged(marks: Marks) -> str:
    if marks.exact:
        return "A point that was played again is drawn larger." if marks.counts.max() > 1 else ""
    return "There are too many points to draw each; those close together share a mark, larger when they are more."


def _told(marks: Marks, run: Transcript) -> str:
    kind = "different points" if marks.exact else "groups of points"
    most = int(marks.counts.max())
    return (
        f"{count(run.rounds, 'round')}, {len(marks.counts):,} {kind}, the most frequent played {count(most, 'time')}."
    )

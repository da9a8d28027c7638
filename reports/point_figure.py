"""The figure of the adversary's points: coordinates or principal components, coloured by label and by round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.errors import number_of
from arena.guards.disk import blocks, on_disk_if_large, release, rows_of
from arena.record.formatting import number, percent
from arena.record.transcript import Transcript
from arena.reports.drawing import LEFT, Drawing, Figure, LegendEntry, Panel, figure
from arena.reports.round_figures import round_levels, round_range

MOST = 700  # largest number of marks in one panel
AREAS = {1: 30.0, 2: 52.0, 10: 90.0, 100: 150.0, 1000: 240.0}  # area of a mark for at least so many rounds
ROWS = 2**18  # rounds that are read at once
SAMPLE = 2000  # number of rounds from which principal components are computed


@dataclass(frozen=True)
class Plane:
    """All points of a match, each with two coordinates, and the names of these coordinates.

    `box` is the game's box; it is None if the coordinates are principal components.
    """

    points: Array
    names: tuple[str, str]
    box: tuple[Array, Array] | None
    note: str = ""


@dataclass(frozen=True)
class Marks:
    """The marks of a figure; a mark stands for all rounds with the same point, or with points close to each other.

    `counts` has the number of rounds of each mark; `labels` and `rounds` have the means over these rounds. `exact` is
    true if all rounds of a mark have the same point.
    """

    points: Array
    labels: Array
    rounds: Array
    counts: NDArray[np.intp]
    exact: bool


def point_figure(run: Transcript, name: str = "points") -> Figure:
    """Return the figure of a match's points.

    In one dimension it shows the points over the rounds, and a histogram. In more dimensions it shows two coordinates
    in two panels: coloured by label, and coloured by round.
    """
    if run.game.dimension == 1:
        return _one_coordinate(run, name)
    plane = plane_of(run)
    marks = gathered(plane.points, run.labels)
    (left, low), (right, high) = plane.box or (plane.points.min(axis=0), plane.points.max(axis=0))

    def draw(drawing: Drawing) -> None:
        halves = ((0, 0, 1, 0.5), (0, 0.5, 1, 1)) if drawing.is_narrow else ((0, 0, 0.5, 1), (0.5, 0, 1, 1))
        for part, what, colours in zip(
            halves, ("label", "round"), (_label_colours(marks, run), _round_colours(marks, run.rounds)), strict=True
        ):
            panel = Panel(drawing, (left, right), (low, high), part=part, margins=(0.05, 0.05))
            panel.draw_axes(
                f"{plane.names[1]}, by {what}", plane.names[0], panel.x.levels(5), panel.y.levels(5), grid="xy"
            )
            if plane.box:
                across, up = [left, right, right, left, left], [low, low, high, high, low]
                panel.line(np.array(across), np.array(up), "muted", width=0.8)
            _scatter(panel, marks, colours)

    rounds = [LegendEntry(f"round 1 to {run.rounds:,}", "time", "scale", steps=6)] if run.rounds > 1 else []
    return figure(
        name,
        "The adversary’s points",  # noqa: RUF001
        draw,
        heights=(410, 660),
        description=f"{plane.names[1]} over {plane.names[0]}. {_counted(marks, run)}",
        note=f"{plane.note} {_merged(marks)}".strip(),
        legend=[_label_entry(run), *rounds, *_count_entries(marks)],
    )


def plane_of(run: Transcript) -> Plane:
    """Return the match's points with two coordinates.

    In a game with more than two dimensions, the coordinates are the first two principal components.
    """
    if run.game.dimension == 2:
        first, second = run.game.features or ("first coordinate", "second coordinate")
        return Plane(run.points, (first, second), (run.game.low, run.game.high))
    sample = sample_of(run.points)
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
    points = rows_of(lambda X: np.asarray((X - centre) @ (axes * signs).T), run.points)
    return Plane(on_disk_if_large(points), names, None, share)


def sample_of(points: Array) -> Array:
    """Return at most `SAMPLE` rows, evenly spaced; an array mapped from a file is read in parts."""
    step = -(-len(points) // SAMPLE)
    return np.concatenate([points[-(-rows.start // step) * step : rows.stop : step].copy() for rows in blocks(points)])


def gathered(points: Array, labels: Array) -> Marks:
    """Return one mark for each set of equal points, with their mean label and their mean round.

    If there are too many points or sets, lay a fine grid over the points, and return one mark for each non-empty cell.
    """
    exact, cells = True, None
    if len(points) <= 20_000:
        cells = np.unique(points, axis=0, return_inverse=True)[1].ravel()
    if cells is None or cells.max() >= MOST:
        return _in_cells(points, labels)
    counts = np.bincount(cells)
    across, up, mean_labels, mean_rounds = (
        np.bincount(cells, weights=values) / counts for values in (*points.T, labels, np.arange(1, len(points) + 1))
    )
    return Marks(np.column_stack([across, up]), mean_labels, mean_rounds, counts, exact)


def _in_cells(points: Array, labels: Array) -> Marks:
    """Lay a grid over the points; return one mark for each cell that contains points."""
    side = int(MOST**0.5)
    parts = [slice(start, min(start + ROWS, len(points))) for start in range(0, len(points), ROWS)]
    low = np.min([points[rows].min(axis=0) for rows in parts], axis=0)
    span = np.max([points[rows].max(axis=0) for rows in parts], axis=0) - low
    counts, sums = np.zeros(side**2, dtype=np.intp), np.zeros((4, side**2))
    for rows in parts:
        grid = np.minimum((points[rows] - low) / np.where(span > 0, span, 1.0) * side, side - 1).astype(int)
        cells = grid[:, 0] * side + grid[:, 1]
        counts += np.bincount(cells, minlength=side**2)
        numbers = np.arange(rows.start + 1, rows.stop + 1)
        for row, values in enumerate((*points[rows].T, labels[rows], numbers)):
            sums[row] += np.bincount(cells, weights=values, minlength=side**2)
        release(points)
        release(labels)
    found = counts > 0
    across, up, mean_labels, mean_rounds = sums[:, found] / counts[found]
    return Marks(np.column_stack([across, up]), mean_labels, mean_rounds, counts[found], exact=False)


def _one_coordinate(run: Transcript, name: str) -> Figure:
    values = run.points[:, 0]
    marks = gathered(np.column_stack([np.arange(1.0, run.rounds + 1), values]), run.labels)
    box = float(run.game.low[0]), float(run.game.high[0])
    edges = np.linspace(*box, 31)
    often = np.histogram(values, edges)[0]
    different = len(np.unique(values))
    rounds = round_range(run.rounds)
    what = run.game.features[0] if run.game.features else "the point"

    def draw(drawing: Drawing) -> None:
        split = 0.72
        panel = Panel(drawing, rounds, box, part=(0, 0, split, 1), margins=(0, 0.04))
        levels = panel.y.levels(8)
        panel.draw_axes(
            f"{what}, by label",
            "round",
            round_levels(drawing, run.rounds, part=split),
            levels,
        )
        _scatter(panel, marks, _label_colours(marks, run))
        beside = (split - 0.4 * LEFT / drawing.width, 0, 1, 1)
        counts = Panel(drawing, (0, often.max()), box, part=beside, margins=(0, 0.04))
        counts.draw_axes("how often", "rounds", np.array([0, often.max()]), levels, numbered=False)
        counts.bars(edges, often, "muted")

    reach = f"between {number(values.min())} and {number(values.max())}"
    return figure(
        name,
        "The adversary’s points",  # noqa: RUF001
        draw,
        heights=(300, 300),
        description=f"{_counted(marks, run)} {number_of(different, 'different point')}, {reach}.",
        note=f"{number_of(different, 'different point')}. {_merged(marks)}".strip(),
        legend=[_label_entry(run), *_count_entries(marks)],
    )


def _scatter(panel: Panel, marks: Marks, colours: list[str]) -> None:
    """Draw the marks, small marks over large ones."""
    areas = np.array([max(area for least, area in AREAS.items() if count >= least) for count in marks.counts.tolist()])
    for area in np.unique(areas)[::-1]:
        for colour in sorted(set(colours)):
            these = (areas == area) & (np.array(colours) == colour)
            x, y = marks.points[these].T
            panel.dots(x, y, area**0.5 / 2, fill=colour, outline="paper", outline_width=0.7)


def _label_colours(marks: Marks, run: Transcript) -> list[str]:
    scaled = marks.labels / _reach(run)
    return [f"sign-{min(int((each + 1) * 2.5), 4)}" for each in np.clip(scaled, -1, 1)]


def _round_colours(marks: Marks, rounds: int) -> list[str]:
    return [f"time-{min(int(6 * (each - 1) / max(rounds - 1, 1)), 5)}" for each in marks.rounds]


def _reach(run: Transcript) -> float:
    return float(np.abs(run.labels).max()) or run.game.label_bound


def _label_entry(run: Transcript) -> LegendEntry:
    reach = number(_reach(run))
    return LegendEntry(f"label −{reach} to +{reach}", "sign", "scale", steps=5)  # noqa: RUF001


def _count_entries(marks: Marks) -> list[LegendEntry]:
    levels = sorted({max(least for least in AREAS if each >= least) for each in np.unique(marks.counts)})
    if levels == [1]:
        return []
    texts = {1: "1 round", 2: "2 to 9 rounds", 10: "10 to 99", 100: "100 to 999", 1000: "1,000 and more"}
    return [LegendEntry(texts[each], "muted", "mark", size=AREAS[each] ** 0.5 / 2 + 0.5) for each in levels]


def _merged(marks: Marks) -> str:
    if marks.exact:
        return "Points that were played more often are drawn larger." if marks.counts.max() > 1 else ""
    return "There are too many points to draw one by one: points close together share a mark, larger if there are more."


def _counted(marks: Marks, run: Transcript) -> str:
    kind = "different points" if marks.exact else "groups of points"
    most = number_of(int(marks.counts.max()), "time")
    return f"{number_of(run.rounds, 'round')}, {len(marks.counts):,} {kind}, the most frequent played {most}."

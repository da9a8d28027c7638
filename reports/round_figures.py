"""Figures of one match whose horizontal axis is the round, and the axes, scales and curves that they need."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.errors import number_of
from arena.guards.disk import release
from arena.plotting.values import LARGEST, drawable
from arena.record.bounded import bounded_quantities
from arena.record.formatting import number, one_end, percent, short
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.reports.drawing import Drawing, Figure, LegendEntry, Panel, Scale, figure, round_numbers

FEW = 240  # largest number of rounds that are drawn one by one
NAME_HEIGHT = 13.0  # height of a curve's name in pixels
LONG = 100_000  # rounds of the longest curve that is copied whole; of a longer curve only extreme values are copied
MANY = 4000  # number of groups of rounds; of each group the extreme values are copied


@dataclass(frozen=True)
class RoundCurve:
    """One curve of a figure, its entry in the legend, and the name that is written at the curve's end."""

    values: Array
    legend: LegendEntry
    width: float = 2.0
    name: str = ""


def regret_figures(
    run: Transcript, verdicts: Sequence[Verdict], name: str = "regret", *, about: Verdict | None = None
) -> list[Figure]:
    """Return the figures of the regret, if it is known exactly, and of every quantity that a theorem bounds.

    The regret comes first. Lower bounds that are infinite in some round are not drawn. If `about` is one of the
    verdicts, only the quantity of its theorem is drawn.
    """
    drawn = [each for each in verdicts if not each.lower or _is_finite(each.allowed_curve)]
    return [
        _bounded_figure(f"{name}-{place}", measured, judged, quantity, run)
        for place, (quantity, measured, judged) in enumerate(bounded_quantities(run, drawn), start=1)
        if about is None or any(each is about for each in judged)
    ]


def _is_finite(curve: Array | None) -> bool:
    return curve is not None and bool(np.isfinite(curve).all())


def _bounded_figure(name: str, measured: Array, verdicts: Sequence[Verdict], quantity: str, run: Transcript) -> Figure:
    """Return the figure of a measured quantity and its bounds; mark the first round in which a bound is violated."""
    quantity = quantity.rstrip(",")
    other = next((each.other_end[0] for each in verdicts if each.other_end), None)
    last = one_end(float(measured[-1]), other)
    entry = LegendEntry(f"{quantity}, {last} at the end", "learner")
    curves = [RoundCurve(measured, entry, 2.4, quantity if verdicts else "")]
    dashes = ("7 3", "2 2.5", "9 3 2 3", "4 2")
    for place, verdict in enumerate(verdicts):
        if verdict.allowed_curve is None:
            continue
        share = "" if verdict.outcome == "undecided" else percent(verdict.tightness)
        used = f" ({share} {'of the regret' if verdict.lower else 'used'})" if share else ""
        text = f"{short(verdict.theorem)} {'forces' if verdict.lower else 'allows'} {number(verdict.allowed)}{used}"
        entry = LegendEntry(text, f"bound-{place % 4 + 1}", dashes=dashes[place % 4])
        curves.append(RoundCurve(verdict.allowed_curve, entry, 1.8, short(verdict.theorem)))
    tolerances = [each.tolerance_curve for each in verdicts if each.tolerance_curve is not None]
    if tolerances and any(not np.any(curve.values) for curve in curves[1:]):
        curves.append(RoundCurve(tolerances[0], LegendEntry("allowed for rounding", "muted", dashes="2 2.5"), 1.2))
    broken = [each for each in verdicts if each.violated and each.round]
    scale = scale_for(measured, *(curve.values for curve in curves[1:]))

    def draw(drawing: Drawing) -> None:
        panel = curve_panel(drawing, quantity, curves, scale)
        for place, first in enumerate(sorted({each.round or 1 for each in broken})[:3]):
            how = next(_how_broken(each) for each in broken if (each.round or 1) == first)
            _mark_violation(panel, first, float(drawable(measured[first - 1 : first])[0]), run.rounds, place, how)

    words = [curve.legend.text for curve in curves] + [
        f"{each.theorem} is {_how_broken(each)} in round {each.round}" for each in broken
    ]
    against = "against what the theorems allow"
    if all(each.lower for each in verdicts):
        against = "above what the adversary forces" if verdicts else "over the rounds"
    title = f"{quantity[:1].upper()}{quantity[1:]} {against}"
    ring = [LegendEntry("first round beyond a bound", "bad", "ring")] if broken else []
    return figure(
        name,
        title,
        draw,
        heights=(340, 300),
        description=f"{over_rounds(run)}: {'; '.join(words)}.",
        note=" ".join(filter(None, (_how_to_read(quantity, verdicts), _which_end(last), beyond_note(curves)))),
        legend=[*(curve.legend for curve in curves), *ring],
    )


def _how_broken(verdict: Verdict) -> str:
    return "undercut" if verdict.lower else "exceeded"


def _how_to_read(quantity: str, verdicts: Sequence[Verdict]) -> str:
    """Return sentences that explain the lines in the figure of the regret; an empty text for other quantities."""
    if quantity != "regret":
        return ""
    about = "Regret: the learner\u2019s loss so far minus the least loss of a fixed predictor, its penalty included."
    if any(not each.lower for each in verdicts):
        about += " A theorem holds as long as the regret stays below its bound."
    if any(each.lower for each in verdicts):
        about += " No learner of its class can stay below a lower bound."
    return about


def _which_end(last: str) -> str:
    """Return a sentence that says of which end of an interval the curves are; `last` is the text of the last value."""
    if not last.startswith("at "):
        return ""
    end = "upper" if last.startswith("at most") else "lower"
    return f"This value is known in an interval only: the curves are those of its {end} end."


def loss_figure(run: Transcript, name: str = "loss") -> Figure:
    """Return the figure of the cumulative losses of the learner, the best function, and the constant prediction 0.

    The best function's loss is left out if it is unknown.
    """
    losses = run.cumulative_losses
    silent = np.cumsum(run.game.loss.value(np.zeros(run.rounds), run.labels))
    curves = [RoundCurve(losses, LegendEntry(f"the learner, {number(losses[-1])}", "learner"), 2.4)]
    if not run.comparator.why_unknown:
        best = np.cumsum(run.hindsight().plain_losses)
        text = f"the best in hindsight, without its penalty, {number(best[-1])}"
        curves.append(RoundCurve(best, LegendEntry(text, "hindsight", dashes="7 3")))
    curves.append(RoundCurve(silent, LegendEntry(f"always zero, {number(silent[-1])}", "muted", dashes="2 2.5"), 1.6))
    scale = scale_for(min((curve.values for curve in curves), key=lambda values: values[-1]), losses, factor=1000)
    quantity, note = f"cumulative {run.game.loss.name} loss", beyond_note(curves[:1])
    return curves_figure(run, name, "Cumulative loss", quantity, curves, heights=(280, 280), scale=scale, note=note)


def curves_figure(
    run: Transcript,
    name: str,
    title: str,
    quantity: str,
    curves: Sequence[RoundCurve],
    *,
    heights: tuple[int, int],
    scale: Scale | None = None,
    note: str = "",
) -> Figure:
    """Return a figure of curves over the rounds; the first curve is drawn over the others.

    `quantity` is written at the vertical axis. The default scale is chosen by `scale_for`.
    """
    scale = scale or scale_for(*(curve.values for curve in curves), factor=1000)
    return figure(
        name,
        title,
        lambda drawing: curve_panel(drawing, quantity, curves, scale),
        heights=heights,
        description=f"{over_rounds(run)}: {'; '.join(curve.legend.text for curve in curves)}.",
        note=note,
        legend=[curve.legend for curve in curves],
    )


def moves_figure(run: Transcript, name: str = "moves") -> Figure:
    """Return the figure of predictions and labels; in a long match they are bands over groups of rounds."""
    few = run.rounds <= FEW
    labels, predictions = _outline(run.labels), _outline(run.predictions)
    scale = scale_for(labels, predictions, factor=100)

    def draw(drawing: Drawing) -> None:
        panel = _round_panel(drawing, "prediction, label", [labels, predictions], scale, run.rounds)
        for values, colour in ((run.labels, "label"), (run.predictions, "learner")):
            if few:
                radius = 1.8 if drawing.is_narrow else 2.3
                fill = "" if colour == "label" else colour
                panel.dots(np.arange(1.0, run.rounds + 1), drawable(values), radius, fill=fill, outline=colour)
            else:
                middle, lowest, means, highest = envelope(values, drawing.width // 4)
                panel.band(middle, lowest, highest, colour)
                panel.line(middle, means, colour, width=1.6)

    description = (
        f"{over_rounds(run)}: labels from {number(run.labels.min())} to {number(run.labels.max())}, "
        f"predictions from {number(run.predictions.min())} to {number(run.predictions.max())}."
    )
    note = "" if few else "A band reaches from the lowest to the highest value of some rounds; its line is their mean."
    legend = (
        LegendEntry("labels", "label", "ring" if few else "patch"),
        LegendEntry("predictions", "learner", "mark" if few else "patch"),
    )
    return figure(
        name, "Predictions and labels", draw, heights=(280, 280), description=description, note=note, legend=legend
    )


def size_figure(run: Transcript, name: str = "sizes") -> Figure:
    """Return the figure of the number of elements, such as atoms, that the learner keeps."""
    rounds, sizes = run.sizes[:, 0], run.sizes[:, 1]
    kept = kept_rounds(sizes, 400)
    x, y = np.append(rounds[kept], run.rounds), np.append(sizes[kept], sizes[-1])

    def draw(drawing: Drawing) -> None:
        up = (0.0, 1.08 * max(float(y.max()), 1.0))
        panel = Panel(drawing, round_range(run.rounds), up)
        panel.draw_axes("elements kept", "round", round_levels(drawing, run.rounds), round_numbers(*up, 5, whole=True))
        if len(sizes) == 1:
            panel.dots(rounds, sizes, 3.0, fill="learner")
        else:
            panel.line(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1], "learner")

    text = f"{number_of(int(sizes[-1]), 'element')} at the end, {int(sizes.max()):,} at most"
    return figure(
        name,
        "Size of the dictionary",
        draw,
        heights=(220, 220),
        description=f"{over_rounds(run)}: {text}.",
        legend=[LegendEntry(text, "learner")],
    )


def round_range(rounds: int) -> tuple[float, float]:
    """Return the two ends of a horizontal axis on which `rounds` rounds are shown."""
    margin = max(0.008 * rounds, 0.5)
    return 1 - margin, rounds + margin


def round_levels(drawing: Drawing, rounds: int, *, part: float = 1.0) -> Array:
    """Return the numbers printed below an axis of rounds: 1, and equally spaced ones such as 20, 40, 60.

    `part` is the width of the axis as a share of the drawing's width.
    """
    most = max(3, round((4 if drawing.is_narrow else 8) * part))
    named = round_numbers(0, rounds, most, whole=True)
    return np.union1d([1.0], named[1:])


def _outline(values: Array) -> Array:
    """Return the values of a curve from which the limits of an axis are computed.

    For a short curve these are all its values. For a long curve they are the first, last, lowest and highest values in
    each of `MANY` groups of rounds. All returned values are clipped to [-`LARGEST`, `LARGEST`].
    """
    return drawable(values if len(values) <= LONG else values[kept_rounds(values, MANY)])


def scale_for(main: Array, *others: Array, factor: float = 12) -> Scale:
    """Return the scale of a vertical axis on which the curves `main` and `others` are drawn.

    The height of a curve is its largest absolute value.

    - The scale is linear if `main` is zero everywhere, or if no curve is more than `factor` times as high as `main`.
    - Otherwise it is logarithmic if every curve is positive, apart from the first two percent of its values.
    - Otherwise it is `symlog`.
    """
    own = float(np.nanmax(np.abs(_outline(main)), initial=0.0))
    top = max((float(np.nanmax(np.abs(_outline(each)), initial=0.0)) for each in others), default=0.0)
    if own == 0.0 or max(top, own) <= min(factor * own, 1e100):
        return Scale()
    if all((each[len(each) // 50 :] > 0).all() for each in (main, *others)):
        return Scale("log")
    return Scale("symlog", own / 10)


def kept_rounds(values: Array, columns: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the indices of the first, last, lowest and highest value in each of `columns` groups of adjacent values.

    If there are at most 4 * `columns` values, return all indices.

    >>> kept_rounds(np.array([0.0, 0.0, 9.0, 0.0, 0.0, 0.0, -9.0, 0.0]), 1)
    array([0, 2, 6, 7])
    """
    size = len(values)
    if size <= 4 * columns:
        return np.arange(size)
    edges = np.linspace(0, size, columns + 1).astype(int)
    kept = [0, size - 1]
    for start, stop in itertools.pairwise(edges.tolist()):
        kept += _extremes(values[start:stop], start)
    release(values)
    return np.unique(kept)


def _extremes(column: Array, start: int) -> list[int]:
    ends = [start, start + len(column) - 1]
    finite = np.flatnonzero(np.isfinite(column))
    if not len(finite):
        return ends
    inside = column[finite]
    return [*ends, start + int(finite[inside.argmin()]), start + int(finite[inside.argmax()])]


def envelope(values: Array, columns: int) -> tuple[Array, Array, Array, Array]:
    """Return the middle round, and the lowest, mean and highest value, of each of `columns` groups of adjacent rounds.

    Rounds are counted from 1. If there are fewer than `columns` rounds, each is a group.
    """
    edges = np.linspace(0, len(values), min(columns, len(values)) + 1).astype(int)
    starts, sizes = edges[:-1], np.diff(edges)
    most = sizes.max()
    parts = [drawable(values[start:stop]) for start, stop in itertools.pairwise(edges.tolist())]
    lowest, highest = np.array([each.min() for each in parts]), np.array([each.max() for each in parts])
    # each value is divided before the sum, which then cannot overflow
    means = np.array([np.add.reduceat(each / most, [0])[0] for each in parts]) * (most / sizes)
    return starts + (sizes + 1) / 2, lowest, means, highest


def _round_panel(drawing: Drawing, title: str, curves: Sequence[Array], scale: Scale, rounds: int) -> Panel:
    """Return a panel whose axes contain `rounds` rounds and all values of `curves`.

    If the scale is linear, the vertical axis also contains zero.
    """
    values = np.concatenate(curves)
    seen = values[values > 0] if scale.name == "log" else values[np.isfinite(values)]
    low, high = float(seen.min(initial=np.inf)), float(seen.max(initial=-np.inf))
    if scale.name == "linear":
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-300:
        high = low + 1.0
    panel = Panel(drawing, round_range(rounds), (low, high), scale=scale, margins=(0.0, 0.05))
    words = title if scale.name == "linear" else f"{title} (logarithmic scale)"
    panel.draw_axes(words, "round", round_levels(drawing, rounds), panel.y.levels(8))
    return panel


def curve_panel(drawing: Drawing, title: str, curves: Sequence[RoundCurve], scale: Scale) -> Panel:
    """Return a panel with these curves; the first curve is drawn over the others."""
    drawn = [_outline(curve.values) for curve in curves]
    panel = _round_panel(drawing, title, drawn, scale, len(curves[0].values))
    for curve, outline in zip(reversed(curves), reversed(drawn), strict=True):
        values = outline if len(outline) == len(curve.values) else curve.values
        kept = kept_rounds(values, drawing.width // 2)
        panel.line(
            np.asarray(kept + 1.0),
            drawable(values[kept]),
            curve.legend.colour,
            width=curve.width,
            dashes=curve.legend.dashes,
        )
    _name_curves(panel, curves, drawn)
    return panel


def _name_curves(panel: Panel, curves: Sequence[RoundCurve], drawn: Sequence[Array]) -> None:
    """Write the names of the curves above or below their right ends; leave out names for which there is no room.

    `drawn` has the values of each curve, as they are drawn.
    """
    ends = [float(y) for y in panel.y([float(values[-1]) for values in drawn])]
    taken: list[float] = []
    for curve, end in zip(curves, ends, strict=True):
        if not curve.name or not np.isfinite(end):
            continue
        others = [each for each in ends if abs(each - end) > 2.0]
        for line in (end - 6.0, end + 15.0):
            free = all(abs(line - each) >= NAME_HEIGHT for each in taken)
            crossed = any(line - NAME_HEIGHT + 2.0 < each < line + 3.0 for each in others)
            if free and not crossed and panel.top + 4.0 <= line <= panel.bottom - 3.0:
                taken.append(line)
                panel.text(panel.right - 3.0, line, curve.name, colour=curve.legend.colour, anchor="end")
                break


def _mark_violation(panel: Panel, first: int, value: float, rounds: int, place: int, how: str) -> None:
    """Mark `first`, the first round in which a bound is violated, by a line, a ring and a text.

    The ring is drawn at the height of `value`. `place` is the number of other texts above this text. `how` is the
    text's first word, "exceeded" or "undercut".
    """
    (x,) = panel.x([first]).tolist()
    late = first > 0.5 * rounds
    panel.drawing.add("path", d=f"M {x:.1f} {panel.bottom} L {x:.1f} {panel.top}", fill="none", stroke="var(--bad)",
                      stroke_dasharray="2 2")  # fmt: skip
    panel.dots(np.array([float(first)]), np.array([value]), 4.5, outline="bad", outline_width=2)
    panel.text(x - 7 if late else x + 7, panel.top + 12 + 16 * place, f"{how} in round {first:,}", colour="bad",
               anchor="end" if late else "start")  # fmt: skip


def beyond_note(curves: Sequence[RoundCurve]) -> str:
    """Return a note that some values exceed `LARGEST` and are drawn at this value; empty if no value exceeds it."""
    if any((np.abs(curve.values) > LARGEST).any() for curve in curves):
        return f"Values beyond {LARGEST:g} are drawn at that level."
    return ""


def over_rounds(run: Transcript) -> str:
    """Return a text that names the players and the number of rounds, for the descriptions of figures."""
    return f"{run.learner_name} against {run.adversary_name} over {number_of(run.rounds, 'round')}"

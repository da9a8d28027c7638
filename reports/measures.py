"""Charts and drawings over the rounds, of everything that is measured in a match besides the regret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from arena.arrays import Array
from arena.guards.disk import on_disk_if_large
from arena.linalg.posterior import RidgePosterior
from arena.record.formatting import number
from arena.record.transcript import Transcript
from arena.reports.downsampled import plain
from arena.reports.drawing import Figure, LegendEntry
from arena.reports.round_figures import RoundCurve, beyond_note, curves_figure, kept_rounds

DIGITS = 7  # digits of each number, as many as the page shows
ALWAYS = ("dimension", "leverage", "seconds", "seconds-of-blocks")  # measures that have charts on large pages, too
MOST_ROUNDS = 2000  # rounds of the longest match whose variances and dimensions are computed if they are not known yet


@dataclass(frozen=True)
class ChartLine:
    """A curve with one value for each round, and its style; the value of a round is NaN if it is not known."""

    label: str
    values: Array
    colour: str
    dashes: str = ""
    kind: Literal["line", "steps", "dots"] = "line"


@dataclass(frozen=True)
class Measure:
    """The content of one chart of a match: curves over the rounds that share a unit, with name, title and note."""

    name: str
    title: str
    unit: str
    lines: tuple[ChartLine, ...]
    note: str = ""


def measures_of(run: Transcript) -> list[Measure]:
    """Return the measures of a match: losses, moves, dictionary sizes, dimensions, leverages and times."""
    return [_losses(run), _moves(run), *_dimensions_leverages_and_times(run)] if run.rounds else []


def measure_figures(run: Transcript, prefix: str = "") -> list[Figure]:
    """Return drawings of a match's dimensions, leverages and times; the names of the figures begin with `prefix`."""
    # losses and moves have figures of their own, in round_figures
    measures = _dimensions_leverages_and_times(run) if run.rounds else []
    return [_figure(run, each, f"{prefix}{each.name}") for each in measures]


def measure_chart(measure: Measure, columns: int) -> dict[str, Any]:
    """Return the chart of a measure: its name, some rounds, the lines' labels, and the lines' values in these rounds.

    The rounds of a match are divided into `columns` groups. From each group the chart has the rounds in which a line
    has its first, last, smallest or largest value.
    """
    kept = np.unique(np.concatenate([kept_rounds(each.values, columns) for each in measure.lines]))
    values = [plain(each.values[kept], digits=DIGITS) for each in measure.lines]
    return {
        "measure": measure.name,
        "round": (kept + 1).tolist(),
        "lines": [each.label for each in measure.lines],
        "values": values,
    }


def measure_style(measure: Measure) -> dict[str, Any]:
    """Return a dictionary with `title`, `unit` and `note` of the measure, and `lines`: the style of each labelled line.

    The style of a line has its `colour`, its `dash` lengths and its `kind`.
    """
    lines = {
        each.label: {
            "colour": each.colour,
            "dash": [float(length) for length in each.dashes.split()],
            "kind": each.kind,
        }
        for each in measure.lines
    }
    return {"title": measure.title, "unit": measure.unit, "note": measure.note, "lines": lines}


def _moves(run: Transcript) -> Measure:
    lines = (
        ChartLine("label", run.labels, "label", kind="dots"),
        ChartLine("prediction", run.predictions, "learner", kind="dots"),
    )
    return Measure("moves", "Predictions and labels", "prediction, label", lines)


def _dimensions_leverages_and_times(run: Transcript) -> list[Measure]:
    variances = _variances(run)
    found = [_dimensions(run, variances), *([] if variances is None else [_leverages(run, variances)]), _seconds(run)]
    return [each for each in found if each.lines]


def _leverages(run: Transcript, variances: Array) -> Measure:
    leverage = variances / (variances + run.game.regularisation)
    return Measure(
        "leverage",
        "How new each point was",
        "leverage",
        (ChartLine("leverage of the round’s point", leverage, "hindsight", kind="dots"),),  # noqa: RUF001
        "Leverage: v / (lambda + v), where v is the variance of ridge regression at the point before the round. "
        "Near 0, earlier points determine the label; a point unlike all earlier ones has the largest leverage.",
    )


def _losses(run: Transcript) -> Measure:
    lines = [ChartLine("the learner", run.cumulative_losses, "learner")]
    if not run.comparator.why_unknown:
        best = on_disk_if_large(np.cumsum(run.hindsight().plain_losses))
        lines.append(ChartLine("the best in hindsight, without its penalty", best, "hindsight", "7 3"))
    silent = on_disk_if_large(np.cumsum(run.game.loss.value(np.zeros(run.rounds), run.labels)))
    lines.append(ChartLine("always zero", silent, "muted", "2 3"))
    return Measure("loss", "Cumulative loss", f"cumulative {run.game.loss.name} loss", tuple(lines))


def _dimensions(run: Transcript, variances: Array | None) -> Measure:
    lines = []
    if len(run.sizes):
        at = np.searchsorted(run.sizes[:, 0], np.arange(1, run.rounds + 1), side="right") - 1
        sizes = np.where(at >= 0, run.sizes[np.maximum(at, 0), 1], np.nan)
        lines.append(ChartLine("elements that the learner keeps", on_disk_if_large(sizes), "learner", kind="steps"))
    note = ""
    if variances is not None:
        share = variances / run.game.regularisation
        lines.append(ChartLine("log det(I + K/lambda)", np.cumsum(np.log1p(share)), "bound-1", "7 3"))
        lines.append(ChartLine("online effective dimension", np.cumsum(share / (1.0 + share)), "hindsight", "9 3 2 3"))
        if run.rounds <= MOST_ROUNDS:
            dimensions = run.comparator.effective_dimensions()
            lines.append(ChartLine("effective dimension", dimensions, "bound-3", "2 3"))
        note = (
            "Effective dimension: tr K (K + lambda I)^-1, about the number of directions that the points so far fill. "
            "Online: the sum of the leverages, at most log det(I + K/lambda). Bounds grow with these."
        )
    named = [("Dictionary", "elements")] * bool(len(run.sizes)) + [("effective dimension", "dimensions")] * bool(note)
    title, unit = (" and ".join(each) for each in zip(*named, strict=True)) if named else ("Dictionary", "elements")
    return Measure("dimension", title[:1].upper() + title[1:], unit, tuple(lines), note)


def _seconds(run: Transcript) -> Measure:
    blocks = run.rounds > 1 and len(np.unique(run.seconds)) < max(run.rounds // 50, 2)
    note = "The learner answered whole blocks of rounds: each has the mean of its block." if blocks else ""
    title = "Learner’s time for each round"  # noqa: RUF001
    times = on_disk_if_large(1e6 * run.seconds)
    line = ChartLine("learner’s time", times, "learner", kind="steps" if blocks else "dots")  # noqa: RUF001
    return Measure("seconds-of-blocks" if blocks else "seconds", title, "microseconds", (line,), note)


def _variances(run: Transcript) -> Array | None:
    """Return the variance of ridge regression at the point of each round, before the round's label is known.

    The result is None if the variances take too long to compute.
    """
    if not run.comparator.why_unknown:
        return run.hindsight().variance
    if run.rounds > MOST_ROUNDS:
        return None
    return RidgePosterior(run.game.kernel, run.game.regularisation).extend(run.points, run.labels)[1]


def _figure(run: Transcript, measure: Measure, name: str) -> Figure:
    curves = [
        RoundCurve(each.values, LegendEntry(f"{each.label}, {number(float(each.values[-1]))} at the end", each.colour,
                                       dashes=each.dashes))
        for each in measure.lines
    ]  # fmt: skip
    note = " ".join(filter(None, (measure.note, beyond_note(curves))))
    return curves_figure(run, name, measure.title, measure.unit, curves, heights=(260, 260), note=note)

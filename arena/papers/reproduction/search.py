"""A search over the choices that a paper leaves open, for the combination that comes closest to a published table.

A combination is played with one row for each published value. Its distance is the mean of |log(measured / published)|
over these rows. Combinations close to the default values are played first, until the time is up. The result is a fit to
the published numbers; the experiment's own tables are still played with the values that are stated there.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena.papers.markdown import table, wrapped
from arena.papers.reproduction.experiment import Chosen, Experiment, Part
from arena.papers.reproduction.published import by_number
from arena.papers.reproduction.running import ExperimentResult, How, reproduce

SEEDS = 2


@dataclasses.dataclass(frozen=True)
class TriedSettings:
    """A combination of values for the settings that a paper leaves open, and its distance from the published values.

    - `distance` is the mean of |log(measured / published)| over the compared rows of the table.
    - `rows` is the number of these rows.
    - `means` has the measured mean of each of these rows; its keys name the row's part and algorithm.
    """

    chosen: Mapping[str, str]
    distance: float
    rows: int
    means: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Search:
    """The tried combinations of values for the settings that a paper leaves open.

    - `tried` is sorted by the distance of the results from the published values.
    - `left` is the number of combinations that were not tried.
    """

    tried: tuple[TriedSettings, ...]
    left: int
    seconds: float


def combinations(experiment: Experiment) -> list[dict[str, str]]:
    """Return all combinations of values for the settings that the paper leaves open (`open_settings`).

    Combinations that differ least from the default values come first.
    """
    names = list(experiment.open_settings)
    chosen = experiment.chosen
    found = [dict(zip(names, values, strict=True)) for values in itertools.product(*experiment.open_settings.values())]
    return sorted(found, key=lambda each: sum(each[name] != chosen[name] for name in names))


def search(experiment: Experiment, folder: Path, how: How, minutes: float) -> Search:
    """Play combinations of values for the settings that the paper leaves open, and compare them with published values.

    No combination is begun after `minutes`, or after an interruption, but at least one is played.
    """
    started = time.monotonic()
    tried: list[TriedSettings] = []
    wanted = combinations(experiment)
    for chosen in wanted:
        if tried and time.monotonic() - started > 60.0 * minutes:
            break
        quiet = dataclasses.replace(how, seeds=how.seeds or SEEDS)
        outcome = reproduce(compared(experiment), folder, quiet, chosen)
        tried.append(judged(outcome))
        if outcome.missing:
            break
    nearest = tuple(sorted(tried, key=lambda each: each.distance))
    return Search(nearest, len(wanted) - len(tried), time.monotonic() - started)


def compared(experiment: Experiment) -> Experiment:
    """Return the experiment with only the rows that have a published value.

    If several rows have the same published number, only the first of these rows is kept.
    """

    def parts(chosen: Chosen) -> list[Part]:
        all_parts = [
            dataclasses.replace(part, rows=list(by_number(part.rows).values())) for part in experiment.parts(chosen)
        ]
        return [part for part in all_parts if part.rows]

    return dataclasses.replace(experiment, parts=parts)


def judged(outcome: ExperimentResult) -> TriedSettings:
    """Return the settings of a played experiment, with the distance of its results from the published values.

    The distance is the mean of |log(measured / published)| over the rows that have both values.
    """
    ratios: list[float] = []
    means = {}
    for part in outcome.parts:
        for each in part.rows:
            if each.published is not None and each.values:
                means[f"{part.part.heading}, {each.row.algorithm}"] = each.mean
                ratios.append(abs(math.log(max(each.mean, 1e-12) / each.published.value)))
    return TriedSettings(outcome.chosen, float(np.mean(ratios)) if ratios else math.inf, len(ratios), means)


def section(experiment: Experiment, found: Search, *, level: str = "###") -> str:
    """Return a section in Markdown about a search over the settings that the paper leaves open.

    `level` is the mark of its heading.
    """
    names = list(experiment.open_settings)
    rows = [
        (*(each.chosen[name] for name in names), f"{math.expm1(each.distance):.1%}", str(each.rows))
        for each in found.tried
    ]
    left = f" For {found.left} further combinations the time did not suffice." if found.left else ""
    about = f"""One setting for all rows of the table, by the mean factor between ours and the published values
        ({len(found.tried)} combinations, {found.seconds / 60:.1f} minutes).{left} This is a fit to the published
        numbers; the tables above are played with the settings that are named there."""
    heads = (*names, "mean factor, above 1", "rows")
    return f"{level} Search over the settings left open\n\n{wrapped(about)}\n\n{table(heads, rows)}"


def from_json(values: Mapping[str, Any]) -> Search:
    """Return the `Search` with these values, which `dataclasses.asdict` made."""
    return Search(tuple(TriedSettings(**each) for each in values["tried"]), values["left"], values["seconds"])

"""Functions that play experiments: they prepare data, play matches into a store, and measure each algorithm."""

from __future__ import annotations

import dataclasses
import importlib.resources
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.data import Data, read_data
from arena.data.registry import read_set
from arena.engine.executors import Cluster
from arena.errors import ArenaError
from arena.guards.whole_files import writing
from arena.papers.reproduction.curves import CurveStore
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Measure, Part, Stream
from arena.papers.reproduction.published import Published
from arena.specs.grammar import format_value
from arena.tournament.plan import PlannedMatch, Tournament
from arena.tournament.running import Report, run

Progress = Callable[[Report], None]
QUICK_SEEDS = 2
FAR = 3.0  # a difference of more published standard deviations needs a note
FAR_SHARE = 0.1  # the same as a share of the published value, if no standard deviation is published
EXTRACT = 240  # rows of each extract that is shipped for the quick variants


@dataclasses.dataclass(frozen=True)
class How:
    """Options for playing an experiment; `data` is the folder of the data sets.

    - `quick` plays small extracts of the data, and few rounds.
    - `only` is a text; parts whose heading does not contain it are left out.
    - `collect` plays nothing; the matches that were played before are measured.
    - `cluster` has the executor that plays the matches; with None, processes of this machine play them.
    - `progress` gets the number of all matches, and returns the function that is called with each `Report`.
    """

    data: Path | None = None
    seeds: int | None = None
    quick: bool = False
    workers: int | None = None
    cluster: Cluster | None = None
    progress: Callable[[int], Progress] | None = None
    only: str = ""
    collect: bool = False


@dataclasses.dataclass(frozen=True)
class Measured:
    """The measured values of a row, one for each finished match, and the curves of the first match.

    - `planned` is the number of the row's matches.
    - `reason` explains why values are missing.
    - `forfeited` is True if a match ended as a forfeit. Then `values` is empty, and `reason` is the foul.
    - `seconds` has the learner's time in each match.
    - `spent` has the whole duration of each match, by the match's key.
    """

    row: AlgorithmRow
    values: tuple[float, ...] = ()
    sizes: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    curves: Mapping[str, Array] = dataclasses.field(default_factory=dict)
    reason: str = ""
    forfeited: bool = False
    planned: int = 0
    spent: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def published(self) -> Published | None:
        """The published number of the row; None if there is none."""
        return self.row.published

    @property
    def mean(self) -> float:
        """The mean of the values; NaN without values."""
        return float(np.mean(self.values)) if self.values else float("nan")

    @property
    def difference(self) -> tuple[float, bool] | None:
        """The pair (measured mean - published value) / unit, and whether the unit is the published standard deviation.

        If no standard deviation is published, the unit is the published value. The difference is None if there is no
        measured or no published value.
        """
        known = self.published
        if known is None or not self.values:
            return None
        return (self.mean - known.value) / (known.std or known.value), bool(known.std)

    @property
    def is_far(self) -> bool:
        """True if the measured mean is far from the published value, so that a note should explain the difference.

        Far means more than three published standard deviations, or, if none is published, 10 % of the published value.
        """
        return self.difference is not None and abs(self.difference[0]) > (FAR if self.difference[1] else FAR_SHARE)

    @property
    def beside(self) -> str:
        """The difference from the published value as a text such as `+2.1 sd (+3%)` or `-4.0%`; "" if it is None."""
        if self.difference is None or self.published is None:
            return ""
        share = self.mean / self.published.value - 1.0
        return f"{self.difference[0]:+.1f} sd ({share:+.0%})" if self.difference[1] else f"{share:+.1%}"


@dataclasses.dataclass(frozen=True)
class PartResult:
    """The measured rows of a part, with a report of how its data set was prepared."""

    part: Part
    prepared: str
    rows: tuple[Measured, ...]


@dataclasses.dataclass(frozen=True)
class ExperimentResult:
    """The measured parts of an experiment.

    - `chosen` has the value that was used for each choice that the paper leaves open, by the choice's name.
    - `missing` is the number of matches that were not played because of an interruption.
    """

    experiment: Experiment
    parts: tuple[PartResult, ...]
    chosen: Mapping[str, str]
    quick: bool
    seconds: float
    missing: int = 0


def reproduce(
    experiment: Experiment, folder: Path, how: How, chosen: Mapping[str, str] | None = None
) -> ExperimentResult:
    """Play the matches of an experiment that are not in the folder yet; return the measured values of all matches.

    `chosen` has values for choices that the paper leaves open, by the choice's name; the default is
    `experiment.chosen`.
    """
    started = time.monotonic()
    values = dict(chosen or experiment.chosen)
    parts = [part for part in experiment.parts(values) if not how.only or how.only in part.heading]
    if how.quick:
        parts = [_shortened(part, experiment.quick_rounds) for part in parts]
    also = sorted({part.stream.training_rows for part in parts if part.stream and part.stream.training_rows})
    bounds = sorted({each for part in parts for row in part.rows for each in row.bounds})
    store = CurveStore(folder / "matches", also=also, bounds=bounds)
    prepared: list[tuple[Part, str, str, list[Tournament]]] = []
    for part in parts:
        table, report, problem = None, "", ""
        if part.stream:
            try:
                table, report = _table(part.stream, folder, how)
            except ArenaError as error:  # a data set is missing; the other parts are still played
                problem = str(error)
        plans = [] if problem else [_planned(part, row, table, experiment, how) for row in part.rows]
        prepared.append((part, report, problem, plans))
    missing = 0
    failures: dict[str, str] = {}
    everything = [plan for _, _, _, plans in prepared for plan in plans]
    if everything and not how.collect:
        joined = Joined(everything)
        progress = how.progress(len(joined.matches)) if how.progress else None
        result = run(joined, store=store, workers=how.workers, cluster=how.cluster, progress=progress)
        missing = result.missing if result.interrupted else 0
        failures = {each.key: each.reason for each in result.failures}
    results = []
    for part, report, problem, plans in prepared:
        if problem:
            rows = [Measured(row, reason=problem) for row in part.rows]
        else:
            rows = [_measured(part, *each, store, failures) for each in zip(part.rows, plans, strict=True)]
        results.append(PartResult(part, report, tuple(rows)))
    return ExperimentResult(experiment, tuple(results), values, how.quick, time.monotonic() - started, missing)


class Joined(Tournament):
    """A tournament with the matches of several tournaments, which may differ only in players, games and seeds."""

    def __init__(self, plans: Sequence[Tournament]):
        vars(self).update(vars(plans[0]))
        self.learners = list({each.full: each for plan in plans for each in plan.learners}.values())
        self.adversaries = list({each.full: each for plan in plans for each in plan.adversaries}.values())
        self.matches = tuple({match.key: match for plan in plans for match in plan.matches}.values())
        self.skipped = tuple(skipped for plan in plans for skipped in plan.skipped)


def _planned(part: Part, row: AlgorithmRow, table: Path | None, experiment: Experiment, how: How) -> Tournament:
    """Return the tournament of one row: one match for each seed.

    The row's learner plays against the part's adversary, or, if the part has a data set, against the adversary that
    plays its rows. `table` is then the file of the prepared data set.
    """
    seeds = how.seeds or (QUICK_SEEDS if how.quick else experiment.seeds)
    seeds = min(seeds, row.seeds or seeds)
    game: dict[str, Any] = {**part.game, **row.game}
    learner, adversary = row.learner, part.adversary
    if part.stream:
        assert table is not None
        training = part.stream.training_rows
        adversary = _adversary(part.stream, table)
        with open(table, "rb") as file:
            np.lib.format.read_magic(file)
            rows, columns = np.lib.format.read_array_header_1_0(file)[0]
        game["rounds"], game["dimension"] = min(row.rounds or rows, rows), columns - 1
        if training:
            learner = learner.replace("TRAINING", str(training))
    elif row.rounds:
        game["rounds"] = min(row.rounds, game["rounds"])
    own = Tournament(
        [learner], [adversary], [game], seeds, bounds="none", isolate=False, grids=False, try_out=False,
        hindsight="none" if part.stream else "auto",
    )  # fmt: skip
    if table is not None:
        names = [each.name for each in dataclasses.fields(PlannedMatch)]
        fields = ({name: getattr(match, name) for name in names} for match in own.matches)
        own.matches = tuple(TableMatch(**each, table=table) for each in fields)
    return own


@dataclasses.dataclass(frozen=True)
class TableMatch(PlannedMatch):
    """A match on the table that was prepared from a data set of an experiment.

    The match's key depends on the table's name and content, but not on its folder, which may be moved or renamed.
    """

    table: Path = Path()

    @property
    def determined(self) -> dict[str, Any]:
        found, path, name = super().determined, self.table.as_posix(), self.table.name
        found["adversary"] = found["adversary"].replace(format_value(path), format_value(name))
        found["content"] = {what.replace(path, name): digest for what, digest in found["content"].items()}
        return found


def _shortened(part: Part, rounds: int) -> Part:
    """Return a copy of the part as `--quick` plays it.

    A part without a data set has at most `rounds` rounds a match. Otherwise a small extract of the data is played; if
    there is a test part, two thirds of the extract's rows are training rounds.
    """
    if part.stream is None:
        return dataclasses.replace(part, game={**part.game, "rounds": min(part.game["rounds"], rounds)})
    training = 2 * EXTRACT // 3 if part.stream.training_rows else None
    return dataclasses.replace(part, stream=dataclasses.replace(part.stream, training_rows=training))


def _adversary(stream: Stream, table: Path) -> str:
    shape = f"shuffled={format_value(stream.shuffled)}"
    if stream.training_rows and not stream.shuffled:
        shape = f"training_rows={stream.training_rows}"
    return f"arena.papers.reproduction.stream:PreparedStream(file={format_value(table.as_posix())}, {shape})"


def _table(stream: Stream, folder: Path, how: How) -> tuple[Path, str]:
    """Return the file of a data set's prepared table, and a report on how the table was prepared.

    The file is written if it does not exist.
    """
    part = "" if stream.rows is None else f"-rows{stream.rows[0]}-{stream.rows[1]}"
    part += "" if stream.columns is None else f"-columns{stream.columns}"
    name = f"{'quick-' if how.quick else ''}{stream.data}{part}-{stream.preparation.short}"
    path, report = folder / "prepared" / f"{name}.npy", folder / "prepared" / f"{name}.txt"
    if path.is_file() and report.is_file():
        return path, report.read_text(encoding="utf-8")
    data, source = _rows(stream, how)
    if stream.columns is not None:
        source += f", the first {stream.columns} of {data.X.shape[1]} columns"
        data = Data(data.X[:, : stream.columns], data.y, data.names and data.names[: stream.columns])
    prepared, words = stream.preparation.apply(data)
    text = f"{source}; {words}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path, lambda head: head.startswith(b"\x93NUMPY")) as file:
        np.save(file, np.column_stack([prepared.X, prepared.y]))
    with writing(report, lambda _: True) as file:
        file.write(text.encode())
    return path, text


def _rows(stream: Stream, how: How) -> tuple[Data, str]:
    if how.quick:
        with importlib.resources.as_file(extracts().joinpath(f"{stream.data}.npz")) as path:
            data = read_data(path)
        return data, f"an extract of {len(data.y)} rows of {stream.data}"
    if how.data is None:
        raise ArenaError("name the folder of the data sets by `data=...` (`fetch(...)`), or play `quick=True`")
    data, found = read_set(stream.data, how.data)
    origin = "the registry's file" if found.registered else f"a file of your own, {found.path.name}"
    if stream.rows is None:
        return data, f"{origin}, {len(data.y):,} rows"
    start, stop = stream.rows
    if stop > len(data.y):
        raise ArenaError(f"{found.path} has {len(data.y):,} rows, and rows up to {stop:,} are played")
    return Data(data.X[start:stop], data.y[start:stop], data.names), f"{origin}, rows {start:,} to {stop:,}"


def extracts() -> Any:
    """Return the folder of the small extracts of data sets that are shipped with the package."""
    return importlib.resources.files("arena.papers.reproduction").joinpath("extracts")


def _measured(
    part: Part, row: AlgorithmRow, plan: Tournament, store: CurveStore, failures: Mapping[str, str]
) -> Measured:
    """Return the measured values of one row, from its finished matches; `failures` has reasons by the matches' keys."""
    matches = plan.matches
    reasons = [
        *(each.reason for each in plan.skipped),
        *(failures[each.key] for each in matches if each.key in failures),
    ]
    kept = [found for match in matches if (found := store.read(match.key)) is not None]
    ends, curves = [entry.values for entry, _ in kept], [each for _, each in kept]
    if not kept:
        return Measured(row, reason=next(iter(reasons), "not played"), planned=len(matches))
    forfeits = [end["forfeit"]["reason"] for end in ends if end["forfeit"]]
    if forfeits:
        return Measured(row, reason=forfeits[0], forfeited=True, planned=len(matches))
    return Measured(
        row,
        tuple(_value(part, *each) for each in zip(ends, curves, strict=True)),
        tuple(end["dictionary_size"] for end in ends if end["dictionary_size"] is not None),
        tuple(end["seconds"] for end in ends),
        curves[0],
        next(iter(reasons), ""),
        planned=len(matches),
        spent={end["key"]: end["match_seconds"] or 0.0 for end in ends},
    )


def _value(part: Part, end: Mapping[str, Any], curves: Mapping[str, Array]) -> float:
    """Return the part's measure in one match, given the columns of the match and its curves.

    The test error is the error in the rounds after the training rounds.
    """
    if part.measure == "average loss":
        return float(end["loss"] / end["rounds"])
    if part.measure == "error %":
        return 100.0 * float(curves["errors"][-1]) / int(end["rounds"])
    if part.measure == "test error %":
        assert part.stream is not None
        assert part.stream.training_rows is not None
        training = part.stream.training_rows
        before = curves["errors"][np.searchsorted(curves["rounds"], training)]
        return 100.0 * float((curves["errors"][-1] - before) / (end["rounds"] - training))
    return float(curves[part.measure][-1])


def curve_of(measure: Measure, curves: Mapping[str, Array]) -> Array:
    """Return this measure of the first t rounds of a match, for each round t at which `curves` are kept.

    For the test error, return the error rate of all t rounds, including the training rounds.
    """
    if measure == "average loss":
        return np.asarray(curves["loss"] / curves["rounds"])
    if "error" in measure:
        return np.asarray(100.0 * curves["errors"] / curves["rounds"])
    return np.asarray(curves[measure])

"""Functions that play experiments: they prepare data, play matches into a store, and measure each algorithm."""

from __future__ import annotations

import dataclasses
import importlib.resources
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from arena.record.tables import Row as MatchRow
from arena.specs.grammar import format_value
from arena.tournament.plan import PlannedMatch, Tournament
from arena.tournament.running import Report, run

Progress = Callable[[Report], None]
QUICK_SEEDS = 2
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
    also = sorted({each for part in parts if (each := training_rounds(part, quick=how.quick))})
    bounds = sorted({each for part in parts for row in part.rows for each in row.bounds})
    store = CurveStore(folder / "matches", also=also, bounds=bounds)
    plans: list[Tournament] = []
    prepared: list[tuple[Part, str, list[tuple[AlgorithmRow, tuple[PlannedMatch, ...], str]]]] = []
    for part in parts:
        try:
            table, report = _table(part.stream, folder, how) if part.stream else (None, "")
        except ArenaError as error:  # a data set is missing; the other parts are still played
            prepared.append((part, "", [(row, (), str(error)) for row in part.rows]))
            continue
        own = [_planned(part, row, table, experiment, how) for row in part.rows]
        reasons = [each.skipped[0].reason if each.skipped else "" for each in own]
        matches = [each.matches for each in own]
        prepared.append((part, report, list(zip(part.rows, matches, reasons, strict=True))))
        plans += own
    missing = 0
    failures: dict[str, str] = {}
    if plans and not how.collect:
        joined = Joined(plans)
        progress = how.progress(len(joined.matches)) if how.progress else None
        result = run(joined, store=store, workers=how.workers, cluster=how.cluster, progress=progress)
        missing = result.missing if result.interrupted else 0
        failures = {each.key: each.reason for each in result.failures}
    results = []
    for part, report, rows in prepared:
        found = []
        for row, planned, why in rows:
            reason = why or next((failures[each.key] for each in planned if each.key in failures), "")
            found.append(_measured(part, row, planned, store, reason, quick=how.quick))
        results.append(PartResult(part, report, tuple(found)))
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
        training = training_rounds(part, quick=how.quick)
        adversary = _adversary(part.stream, table, training)
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
        own.matches = tuple(TableMatch(**_fields(match), table=table) for match in own.matches)
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


def _fields(match: PlannedMatch) -> dict[str, Any]:
    return {each.name: getattr(match, each.name) for each in dataclasses.fields(match)}


def _shortened(part: Part, rounds: int) -> Part:
    """Return a copy of the part with at most `rounds` rounds a match; a part with a data set is not shortened."""
    if part.stream or part.game.get("rounds", 0) <= rounds:
        return part
    return dataclasses.replace(part, game={**part.game, "rounds": rounds})


def training_rounds(part: Part, *, quick: bool) -> int | None:
    """Return the number of training rounds of a part; None if it has no test part.

    With `quick`, a small extract of the data is played, and two thirds of its rows are training rounds.
    """
    training = part.stream.training_rows if part.stream else None
    return 2 * EXTRACT // 3 if training and quick else training


def _adversary(stream: Stream, table: Path, training: int | None) -> str:
    shape = f"shuffled={format_value(stream.shuffled)}"
    if training and not stream.shuffled:
        shape = f"training_rows={training}"
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
    part: Part, row: AlgorithmRow, matches: Sequence[PlannedMatch], store: CurveStore, reason: str, *, quick: bool
) -> Measured:
    """Return the measured values of one row, from its finished matches; `reason` explains why values are missing."""
    kept = list(_kept(matches, store))
    if not kept:
        return Measured(row, reason=reason or "not played", planned=len(matches))
    training = training_rounds(part, quick=quick)
    forfeits = [match.forfeit.reason for match, _ in kept if match.forfeit]
    if forfeits:
        return Measured(row, reason=forfeits[0], forfeited=True, planned=len(matches))
    values = tuple(measured(part.measure, match, curves, training) for match, curves in kept)
    sizes = tuple(match.dictionary_size for match, _ in kept if match.dictionary_size is not None)
    seconds = tuple(match.seconds for match, _ in kept)
    spent = {match.key: match.match_seconds or 0.0 for match, _ in kept}
    return Measured(row, values, sizes, seconds, kept[0][1], reason, planned=len(matches), spent=spent)


def _kept(matches: Sequence[PlannedMatch], store: CurveStore) -> Iterator[tuple[MatchRow, dict[str, Array]]]:
    for match in matches:
        if (found := store.read(match.key)) is not None:
            yield found


def measured(measure: Measure, match: MatchRow, curves: Mapping[str, Array], training: int | None = None) -> float:
    """Return the value of this measure in one match.

    The test error is the error in the rounds after the first `training` rounds.
    """
    if measure == "average loss":
        return float(match.loss / match.rounds)
    if measure == "error %":
        return 100.0 * float(curves["errors"][-1]) / float(match.rounds)
    if measure == "test error %":
        assert training is not None
        before = curves["errors"][np.searchsorted(curves["rounds"], training)]
        return 100.0 * float((curves["errors"][-1] - before) / (match.rounds - training))
    return float(curves[measure][-1])


def curve_of(measure: Measure, curves: Mapping[str, Array]) -> Array:
    """Return this measure of the first t rounds of a match, for each round t at which `curves` are kept.

    For the test error, return the error rate of all t rounds, including the training rounds.
    """
    if measure == "average loss":
        return np.asarray(curves["loss"] / curves["rounds"])
    if "error" in measure:
        return np.asarray(100.0 * curves["errors"] / curves["rounds"])
    return np.asarray(curves[measure])

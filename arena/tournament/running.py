"""`run` plays the matches of a tournament that a store lacks, and writes each match into the store when it ends.

Matches are played by a pool of processes, by an executor, or in this process.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.engine.code_transfer import sources_of
from arena.engine.executors import Cluster, work_off_on, workers_of
from arena.engine.isolation import Isolation
from arena.engine.workers import Event, work_off
from arena.errors import ArenaError
from arena.guards.machine import processors
from arena.players.learner import as_learner, promised_theorems
from arena.players.referee import Foul
from arena.record.notebook import digits, html_table
from arena.record.series import Series, series_of
from arena.record.tables import Entry, Row, Tables
from arena.record.theorem import Theorem
from arena.specs.parameters import is_whole
from arena.specs.spelling import is_unnamed
from arena.tournament.costs import Costs
from arena.tournament.export import frame
from arena.tournament.plan import PlannedMatch, Skipped, Tournament
from arena.tournament.playing import (
    TRIES,
    Failed,
    MatchSettings,
    Played,
    play_in_own_process,
    play_number,
    play_planned,
    too_late,
)
from arena.tournament.queue import Queue
from arena.tournament.ranking import Ranking, ranking
from arena.tournament.store import Store
from arena.tournament.store_files import StoreFiles

if TYPE_CHECKING:
    from arena.plotting.sheet import Sheet
    from arena.plotting.style import Columns

DEATHS = 3  # if so many processes die for each worker before any match is over, the user's script is wrong
EVERY = 0.1  # seconds between two reports


@dataclass(frozen=True)
class Report:
    """The progress of a tournament: numbers of matches, and the predicted number of seconds left.

    Of `total` matches, `kept` were in the store already, `done` were played now, `failed` could not be played, and
    `skipped` were refused by a player or the game. `seconds_left` is None before any match is over. `workers` has the
    number of finished matches of each worker; an executor counts as worker 0.
    """

    total: int
    kept: int
    done: int
    failed: int
    skipped: int
    seconds_left: float | None
    workers: dict[int, int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """The number of matches that are neither kept nor done, failed or skipped."""
        return self.total - self.kept - self.done - self.failed - self.skipped


@dataclass
class TournamentResult:
    """The matches of a tournament by their outcome: played, kept, failed or skipped.

    - `planned` has all matches; `kept` counts those that the store had, and `played` those that were played now.
    - `failures` has the matches that could not be played, now or in an earlier run.
    - `skipped` has the combinations of players and game that a player or the game refuses.
    - `problems` describes files of the store that were damaged, or not written by the arena.
    - `tables` has the rows of the finished matches, in the order in which they were found or played. `rows` has the
      position of each in `tables`, and `commands` the command that plays it again, under its position in `planned`.
    """

    planned: tuple[PlannedMatch, ...]
    store: StoreFiles | None
    kept: int = 0
    played: int = 0
    failures: list[Failed] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    interrupted: bool = False
    problems: list[str] = field(default_factory=list)
    tables: Tables = field(default_factory=Tables)
    rows: dict[int, int] = field(default_factory=dict)
    commands: dict[int, str | None] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """The number of matches that have not been played because the tournament was interrupted."""
        refused = sum(skipped.matches for skipped in self.skipped if skipped.game is not None)
        return len(self.planned) - self.kept - self.played - len(self.failures) - refused

    def summaries(self) -> Iterator[Row]:
        """Yield the row of each finished match, as planned, or with a store in the order of the keys."""
        for number in sorted(
            self.rows, key=lambda number: (self.store is not None and self.planned[number].key, number)
        ):
            yield self.tables[self.rows[number]]

    def series(self) -> list[Series]:
        """Return the matches of each learner against each adversary in each game, judged together."""
        return series_of(self.tables)

    def ranking(self) -> Ranking:
        """Return the learners in the order of their ranks, with confidence intervals over seeds."""
        return ranking(self.tables)

    def figure(self, kind: str = "ranking", *, columns: Columns = "one") -> Sheet:
        """Return a matplotlib figure: "ranking", "tightness" of bounds, or regret against "time" or dictionary "size".

        It is as wide as one or two `columns` of a page. An `ArenaError` is raised if there are too few data for it.
        """
        from arena.tournament.figures import FigureData, tournament_figure

        drawn = tournament_figure(FigureData.of(self.tables), kind, columns=columns)
        if drawn is None:
            raise ArenaError(f"these matches have no figure of {kind}: it compares learners in matches they share")
        return drawn

    def _repr_html_(self) -> str:
        found, names = self.ranking(), self.tables.names
        regrets = [each.regret or (None, None) for each in found.standings]
        places = [each.places for each in found.standings]
        columns: dict[str, Sequence[object]] = {
            "place": [str(first) if first == last else f"{first}-{last}" for first, last in places],
            "learner": [names[each.learner] for each in found.standings],
            "average rank": [f"{each.rank:.2f}" for each in found.standings],
            "mean regret": [
                digits(high) if low == high else f"{digits(low)} to {digits(high)}" for low, high in regrets
            ],
            "violations": [each.violations for each in found.standings],
            "forfeits": [each.forfeits for each in found.standings],
        }
        matches = f"{self.played:,} matches played, {self.kept:,} kept before, {len(self.failures):,} failed"
        return html_table(matches, columns)

    def frame(self) -> dict[str, Any]:
        """Return a mapping from names to columns, for `pandas.DataFrame` or `polars.DataFrame`; each match is a row."""
        return frame(self.summaries())


def run(
    tournament: Tournament,
    *,
    store: StoreFiles | str | Path | None = None,
    workers: int | None = None,
    cluster: Cluster | None = None,
    progress: Callable[[Report], None] | None = None,
    time_limit: float | None = None,
    retry: bool = False,
    strict: bool = False,
    isolate: bool | Isolation | None = None,
    options: Mapping[str, Any] | None = None,
) -> TournamentResult:
    """Play the matches of a tournament that the store lacks, and return the result.

    With `workers=0` the matches are played in this process. If `cluster` is given, its executor plays them. With
    `strict`, an exception in a match is raised, not recorded. `options` are further arguments of `play`, for matches
    that no store keeps. The other arguments are those of `Tournament.run`.
    """
    if workers is not None and not is_whole(workers, at_least=0):
        raise ArenaError(f"workers must be a whole number >= 0, or None, but it is {workers!r}")
    if time_limit is not None and not time_limit > 0:
        raise ArenaError(f"the time limit must be a number of seconds > 0, but it is {time_limit!r}")
    kept_in = Store(store, trust=tournament.places) if isinstance(store, (str, Path)) else store
    settings = MatchSettings(
        tournament.claims,
        None if kept_in is None else kept_in.pack,
        time_limit,
        strict,
        tournament.comparators,
        isolate=isolate or tournament.isolate,
        options=options or {},
    )
    running = _Run(tournament, kept_in, progress, settings)
    try:
        running.look_for_kept(retry=retry)
        if running.waiting:
            running.play(workers, cluster)
        running.report(now=True)
    except KeyboardInterrupt:
        running.result.interrupted = True
    if kept_in is not None:
        running.result.problems = [*kept_in.damaged, *dict.fromkeys(kept_in.foreign)]
    return running.result


class _Run:
    """State of a tournament while it is played."""

    def __init__(
        self,
        tournament: Tournament,
        store: StoreFiles | None,
        progress: Callable[[Report], None] | None,
        settings: MatchSettings,
    ):
        self.tournament, self.matches, self.store, self.progress = tournament, tournament.matches, store, progress
        self.settings = settings
        self.result = TournamentResult(self.matches, store, skipped=list(tournament.skipped))
        self.waiting: list[int] = list(range(len(self.matches)))
        self.costs = Costs()
        self.queue = Queue(self.matches, [], self.costs)
        self.workers, self.by_worker = 1, Counter[int]()
        self.refused = self.deaths = 0
        self.tried: Counter[int] = Counter()
        self.again: list[int] = []
        self.last_report = 0.0
        unnamed = next((name for name in tournament.names if is_unnamed(name)), None)
        if store is not None and unnamed is not None:
            raise ArenaError(
                f"{unnamed} cannot be kept in a store: no spec can name it. Put its class into a file, and give "
                "./file.py:Class"
            )

    def look_for_kept(self, *, retry: bool) -> None:
        """Put the matches that the store lacks into `waiting`, and count the matches that the store has.

        A match counts as failed if its learner cannot be made or, without `retry`, if the store records its failure.
        """
        if self.store is None:
            return
        self.waiting = []
        for number, match in enumerate(self.matches):
            if reason := self.tournament.broken.get(match.learner):  # not stored: the next run may succeed
                self.result.failures.append(Failed.of(match, "died", reason))
            elif self._keep_found(number, match):
                pass
            elif not retry and (failure := self.store.failure(match.key)) is not None:
                self.result.failures.append(failure)
            else:
                self.waiting.append(number)
            self.report()

    def _keep_found(self, number: int, match: PlannedMatch) -> bool:
        """Count and add a match, judged by the tournament's theorems; return False if the store lacks the match."""
        assert self.store is not None
        promised = self._promised(match.learner)
        found = self.store.find(match, self.tournament.claims, self.tournament.comparators, promised)
        if found is not None:
            self._add(number, match, found[0], str(found[1]))
            self.result.kept += 1
        return found is not None

    @functools.cache  # noqa: B019 - a run ends with its tournament
    def _promised(self, learner: str) -> tuple[Theorem, ...]:
        """Return the theorems that a learner promises before its first match; () if it was not built here."""
        built = next(each.built for each in self.tournament.learners if each.full == learner)
        with contextlib.suppress(ArenaError, Foul):
            return promised_theorems(as_learner(built).theorems)
        return ()

    def _add(self, number: int, match: PlannedMatch, entry: Entry, path: str) -> None:
        if match.name:  # a kept match may have been played under another name
            entry = replace(entry, values={**entry.values, "learner_name": match.name})
        self.result.rows[number] = self.result.tables.add(entry, path).at
        seconds = entry.values["match_seconds"]
        self.costs.learn(match.learner, match.adversary, match.game.rounds, seconds)

    def play(self, workers: int | None, cluster: Cluster | None) -> None:
        """Play the waiting matches on the executor of `cluster` if it is given, otherwise in worker processes.

        `workers` is the number of processes; with 0 the matches are played in this process. For an executor, it is the
        number of matches that are handed to the executor at a time.
        """
        if self.store is not None:
            self.store.prepare()
        if cluster is not None:
            self.workers = workers_of(cluster.executor)
            self._follow(self._on_executor(cluster, workers))
        elif workers == 0:
            self._follow(self._here())
        else:
            self.workers = min(workers or processors(), len(self.waiting))
            self._follow(self._on_pool(self.waiting, self.workers))
            if self.again:  # one at a time: if memory is short, innocent processes are killed, too
                again, self.again = self.again, []
                self._follow(self._on_pool(again, 1))

    # ---- places to play

    def _on_pool(self, numbers: Sequence[int], workers: int) -> Generator[Event | None, None, None]:
        task = functools.partial(play_number, self.settings, self.matches)
        numbered, scripted = self._next(numbers), not self.tournament.all_specs
        return work_off(task, numbered, workers=workers, runs_script=scripted, patience=self.settings.patience)

    def _on_executor(self, cluster: Cluster, at_once: int | None) -> Generator[Event | None, None, None]:
        settings = replace(self.settings, sources=sources_of(self.tournament.names))
        play = play_in_own_process if self.tournament.all_specs and settings.time_limit else play_planned

        def job(number: int) -> Callable[[], Any]:
            return functools.partial(play, settings, self.matches[number])

        return work_off_on(cluster, job, self._next(self.waiting), at_once=at_once)

    def _here(self) -> Generator[Event | None, None, None]:
        for number in self._next(self.waiting):
            yield Event("done", number, play_planned(self.settings, self.matches[number]))

    def _next(self, numbers: Sequence[int]) -> Iterable[int]:
        """Yield `numbers`, the positions of the matches to play; the match that should take longest comes first.

        Matches that another run has stored in the meantime are skipped.
        """
        self.queue = Queue(self.matches, numbers, self.costs, shuffled=self.store is not None)
        for number in self.queue:
            match = self.matches[number]
            if self.store is None or not self.store.has(match.key) or not self._keep_found(number, match):
                yield number

    # ---- events

    def _follow(self, events: Generator[Event | None, None, None]) -> None:
        with contextlib.closing(events):
            for event in events:
                if event is None:
                    self.report()
                elif event.kind == "done":
                    self.by_worker[event.worker] += 1
                    self._over(event.number, event.content)
                elif event.kind in ("died", "hung"):
                    self.deaths += event.kind == "died"
                    self._lost(event)
                    if self.deaths == DEATHS * self.workers and not (self.result.played or self.tournament.all_specs):
                        raise ArenaError(
                            "the worker processes die before any match is over: for want of memory, or because the "
                            "script that called this has no `if __name__ == '__main__':`. Try workers=1, or for a "
                            "tournament workers=0, which play in this process."
                        )

    def _over(self, number: int, content: Played | Failed) -> None:
        match = self.matches[number]
        if isinstance(content, Played):
            self._keep(number, match, content)
            self.result.played += 1
        elif content.kind == "refused":
            self.result.skipped.append(Skipped(*match.names, match.game, content.reason))
            self.refused += 1
        else:
            self._fail(match, content)
        self.report(now=self.settings.strict)

    def _keep(self, number: int, match: PlannedMatch, played: Played) -> None:
        self.result.commands[number] = played.command
        if self.store is None:
            self._add(number, match, Entry.read(played.entry), "")
            return
        try:
            entry, path = self.store.add(match, played)
            self._add(number, match, entry, str(path))
        except ArenaError as error:
            kept = self.result.kept + self.result.played
            raise ArenaError(
                f"{error}. {kept:,} matches are kept and none is lost: make room, or make {self.store.folder} "
                "writable, and start the tournament again"
            ) from None

    def _lost(self, event: Event) -> None:
        """Handle a worker that hung or died: record its match as failed, or add it to `again` for another try."""
        match = self.matches[event.number]
        self.tried[event.number] += 1
        tried = self.tried[event.number]
        if event.kind == "hung":
            self._fail(match, Failed.of(match, "late", too_late(self.settings.time_limit), tried))
        elif isinstance(event.content, str):
            self._fail(match, Failed.of(match, "died", event.content, TRIES))
        elif tried < TRIES:
            self.again.append(event.number)
        else:
            reason = f"its process ended {TRIES} times (exit code {event.content}), the last time with no other beside"
            self._fail(match, Failed.of(match, "died", reason, TRIES))

    def _fail(self, match: PlannedMatch, failure: Failed) -> None:
        self.result.failures.append(failure)
        if self.store is not None:
            self.store.add_failure(match, failure)

    # ---- reports

    def report(self, *, now: bool = False) -> None:
        """Call the user's `progress` with a report; without `now`, at most once in `EVERY` seconds."""
        moment = time.monotonic()
        if self.progress is None or (not now and moment - self.last_report < EVERY):
            return
        self.last_report = moment
        result = self.result
        self.progress(
            Report(
                total=len(self.matches),
                kept=result.kept,
                done=result.played,
                failed=len(result.failures),
                skipped=self.refused,
                seconds_left=self.queue.seconds / self.workers if self.costs.learnt else None,
                workers=dict(sorted(self.by_worker.items())),
            )
        )

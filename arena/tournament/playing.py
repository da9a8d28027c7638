"""Functions that play and judge one planned match, in any process, and return the content of its file."""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arena.counterexamples.case import Case, fresh, played
from arena.engine.code_transfer import Sources, unpack
from arena.engine.isolated_learner import Isolated
from arena.engine.isolation import Isolation
from arena.engine.match import play
from arena.engine.workers import Channel, work_off
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.hindsight.narrowing import Effort
from arena.record.commands import play_command
from arena.record.judging import judgement_of
from arena.record.storage import content_digest, game_as_json
from arena.record.tables import Entry, JudgedMatch
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.specs.spelling import is_unnamed
from arena.tournament.plan import PlannedMatch
from arena.tournament.provenance import check

TRIES = 2  # attempts with a match that ends its process, since the machine may have been short of memory
KEY = "key"  # name of the match's key in the header of a kept transcript


@dataclass(frozen=True)
class Played:
    """A match that was played and judged: its entry (`Entry.content`), and the content of its file.

    `file` is None if the tournament has no store. `command` is the command that plays the match again; it is None if a
    player has no spec.
    """

    entry: bytes
    file: bytes | None
    command: str | None


@dataclass(frozen=True)
class Failed:
    """Record of a match that could not be played to its end, after `tries` attempts.

    `kind` is

    - "refused": the game or a player does not allow the match; this is in no store;
    - "late": the match exceeded its time limit;
    - "died": the process that played the match ended before the match did, in each attempt;
    - "error": an exception outside the players ended the match.
    """

    key: str
    learner: str
    adversary: str
    game: dict[str, Any]
    seed: int
    kind: str
    reason: str
    tries: int = 1

    @classmethod
    def of(cls, match: PlannedMatch, kind: str, reason: str, tries: int = 1) -> Failed:
        """Return the record of a planned match."""
        return cls(match.key, *match.names, game_as_json(match.game), match.seed, kind, reason, tries)

    def __str__(self) -> str:
        return f"{self.learner} against {self.adversary}, seed {self.seed}: {self.reason}"


class TimeIsUp(Exception):
    """Raised inside a match that takes longer than its time limit."""


@dataclass(frozen=True)
class MatchSettings:
    """How the matches of a tournament are played and judged; the same for all of them."""

    claims: Any = "auto"
    pack: Callable[[Transcript], Callable[[bytes], bytes]] | None = None  # makes `Played.file` (`StoreFiles.pack`)
    time_limit: float | None = None
    strict: bool = False  # whether exceptions are raised; otherwise they become a `Failed`
    comparators: tuple[Any, ...] = ()  # the result has the regret to each; a kept transcript does not name them
    sources: Sources | None = None  # code that is loaded in place of the files that specs name
    isolate: bool | Isolation = False
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of `play`

    @property
    def patience(self) -> float:
        """The number of seconds after which a match's process is killed."""
        return self.time_limit or math.inf


def play_planned(settings: MatchSettings, match: PlannedMatch) -> Played | Failed:
    """Play a planned match; return its result, or why it was not played."""
    try:
        warm_up()
        if settings.sources:
            unpack(settings.sources)
        check(match.content, ("data", "code"))
        return _play(settings, match)
    except TimeIsUp as late:
        return Failed.of(match, "late", str(late))
    except ArenaError as error:
        if settings.strict:
            raise
        return Failed.of(match, "refused", str(error))
    except Exception as error:
        if settings.strict:
            raise
        return Failed.of(match, "error", describe_error(error, ours=True))


def play_number(
    settings: MatchSettings, matches: Sequence[PlannedMatch], number: int, _channel: Channel
) -> Played | Failed:
    """Play one of the matches in a worker process (`play_planned`)."""
    return play_planned(settings, matches[number])


def play_in_own_process(settings: MatchSettings, match: PlannedMatch) -> Played | Failed:
    """Play a match in a process of its own, which is killed when the match exceeds its time limit.

    The process builds both players from their specs.
    """
    # workers of an executor call this function, since a match that never ends would block them
    ending = None
    for _ in range(TRIES):
        task = functools.partial(play_number, settings, [match])
        events = work_off(task, [0], workers=1, runs_script=False, patience=settings.patience)
        with contextlib.closing(events):
            event = next(event for event in events if event is not None)
        if event.kind == "done":
            found: Played | Failed = event.content
            return found
        if event.kind == "hung":
            return Failed.of(match, "late", too_late(settings.time_limit))
        ending = event.content
    return Failed.of(match, "died", f"its process ended {TRIES} times (exit code {ending})", TRIES)


def too_late(limit: float | None) -> str:
    """Return the reason to record for a match whose process was killed at its time limit of `limit` seconds."""
    return f"it took longer than {limit:g} s, and its process was killed"


def _play(settings: MatchSettings, match: PlannedMatch) -> Played:
    learner, adversary = match.given
    limits = Isolation.of(settings.isolate)
    build("adversary", adversary)  # both players are made before the clock starts, so that imports are not timed
    checked = functools.partial(check, match.content)
    if limits is None:
        build("learner", fresh(learner))
        checked()
        run, begun = _match(settings, match, fresh(learner), adversary)
    else:
        for _ in range(TRIES):
            with Isolated(fresh(learner), limits, name=match.names[0], check=checked) as playing:
                run, begun = _match(settings, match, playing, adversary)
            if not playing.died:
                break
    file: Callable[[bytes], bytes] | None = None
    digest = ""
    if settings.pack:  # before judging, which adds hindsights to the transcript
        run.header = {**run.header, KEY: match.key}  # `Store` compares this key with the one in the file's name
        file, digest = settings.pack(run), content_digest(run)
    run.comparators = settings.comparators
    # a store keeps the verdicts on lower bounds, whatever theorems this run of the tournament names
    judgement = judgement_of(run, settings.claims, lower=True if settings.pack else None)
    # several classes may be called <Mine>
    key = "" if is_unnamed(match.learner) or is_unnamed(match.adversary) else match.key
    judged = JudgedMatch(run, judgement, key, time.perf_counter() - begun, digest)
    entry = Entry.of(judged).content()
    return Played(entry, None if file is None else file(entry), play_command(run, settings.claims))


def _match(settings: MatchSettings, match: PlannedMatch, learner: Any, adversary: Any) -> tuple[Transcript, float]:
    """Return the transcript of a match, and the value of `time.perf_counter()` when the match began."""
    begun = time.perf_counter()
    fields = {name: getattr(match.game, name) for name in game_as_json(match.game)}
    watch = _Watch(begun, settings.time_limit) if settings.time_limit else None
    # With many matches none takes a minute for its interval, unless the user wants it exact.
    options = {
        "hindsight": match.hindsight,
        "progress": watch,
        "effort": Effort(),
        "name": match.name,
        **fields,
        **settings.options,
    }
    return play(learner, adversary, seed=match.seed, **options), begun


class _Watch:
    def __init__(self, begun: float, limit: float):
        self.begun, self.limit = begun, limit

    def __call__(self, rounds: int) -> None:
        if time.perf_counter() - self.begun > self.limit:
            raise TimeIsUp(f"it took longer than {self.limit:g} s and was stopped after round {rounds:,}")


@functools.cache
def warm_up() -> None:
    """Play a small match at the first call in a process, so that the first learner's time includes no imports."""
    played(_Idle, Case(Game(), np.zeros((2, 2)), np.zeros(2)), seed=0, one_by_one=True)


class _Idle:
    def predict(self, x: Any) -> float:
        return 0.0

    def update(self, x: Any, y: float) -> None:
        pass

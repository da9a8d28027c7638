"""Functions that play one planned match, in any process, and return its summary and its transcript as bytes."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from arena.counterexamples.case import Case, fresh, played
from arena.engine.code_transfer import Sources, unpack
from arena.engine.isolated_learner import Isolated
from arena.engine.isolation import Isolate, limits_for
from arena.engine.match import play
from arena.engine.series import reduced
from arena.engine.workers import Channel, work_off
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.hindsight.narrowing import Effort
from arena.record.commands import play_command
from arena.record.judging import judges_nothing, lower_bounds_of, promises_of, theorems_named
from arena.record.storage import content_digest, game_as_json
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.addresses import is_built_in
from arena.specs.building import build
from arena.specs.spelling import is_unnamed, spec_text
from arena.tournament.plan import PlannedMatch
from arena.tournament.provenance import check, file_digest
from arena.tournament.summary import Failed, Summary

TRIES = 2  # attempts with a match that ends its process, since the machine may have been short of memory
KEY = "key"  # name of the match's key in the header of a kept transcript


@dataclass(frozen=True)
class Played:
    """A match that was played: its summary, and the bytes of its transcript's file.

    `file` is None if the tournament has no store. `command` is the command that plays the match again; it is None if a
    player has no spec.
    """

    summary: Summary
    file: bytes | None
    command: str | None


@dataclass(frozen=True)
class Unplayed:
    """A match that was not played to its end.

    `kind` is

    - "refused": the game or a player does not allow the match;
    - "late": the match exceeded its time limit;
    - "died": the process that played the match ended before the match did, in each of `tries` attempts;
    - "error": an exception ended the match.
    """

    kind: Literal["refused", "late", "died", "error"]
    reason: str
    tries: int = 1


class TimeIsUp(Exception):
    """Raised inside a match that takes longer than its time limit."""


@dataclass(frozen=True)
class MatchSettings:
    """How the matches of a tournament are played and judged; the same for all of them."""

    claims: Any = "auto"
    pack: Callable[[Transcript], bytes] | None = None  # turns a transcript into `Played.file`
    time_limit: float | None = None
    strict: bool = False  # whether exceptions are raised; otherwise they become an `Unplayed`
    comparators: tuple[Any, ...] = ()  # the result has the regret to each; a kept transcript does not name them
    sources: Sources | None = None  # code that is loaded in place of the files that specs name
    isolate: Isolate = False


def play_planned(
    settings: MatchSettings, match: PlannedMatch, given: tuple[Any, Any] | None = None
) -> Played | Unplayed:
    """Play a planned match; return its result, or why it was not played.

    `given` has the learner and the adversary; without it both are built from the match's specs.
    """
    try:
        warm_up()
        if settings.sources:
            unpack(settings.sources)
        check(match.content, ("data", "code"))
        return _play(settings, match, given)
    except TimeIsUp as late:
        return Unplayed("late", str(late))
    except ArenaError as error:
        if settings.strict:
            raise
        return Unplayed("refused", str(error))
    except Exception as error:
        if settings.strict:
            raise
        return Unplayed("error", describe_error(error, ours=True))


def play_in_own_process(settings: MatchSettings, match: PlannedMatch) -> Played | Unplayed:
    """Play a match in a process of its own, which is killed when the match exceeds its time limit.

    The process builds both players from their specs.
    """
    # workers of an executor call this function, since a match that never ends would block them
    ending = None
    for _ in range(TRIES):
        events = work_off(
            functools.partial(_play_alone, settings, match), [0], workers=1, runs_script=False,
            patience=settings.time_limit or float("inf"),
        )  # fmt: skip
        with contextlib.closing(events):
            event = next(event for event in events if event is not None)
        if event.kind == "done":
            found: Played | Unplayed = event.content
            return found
        if event.kind == "hung":
            return Unplayed("late", too_late(settings.time_limit))
        ending = event.content
    return Unplayed("died", f"its process ended {TRIES} times (exit code {ending})", TRIES)


def _play_alone(settings: MatchSettings, match: PlannedMatch, _number: int, _channel: Channel) -> Played | Unplayed:
    return play_planned(settings, match)


def too_late(limit: float | None) -> str:
    """Return the reason to record for a match whose process was killed at its time limit of `limit` seconds."""
    return f"it took longer than {limit:g} s, and its process was killed"


def _play(settings: MatchSettings, match: PlannedMatch, given: tuple[Any, Any] | None) -> Played:
    learner, adversary = given or (match.learner, match.adversary)
    limits = limits_for(settings.isolate, learner)
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
    file, digest = None, ""
    if settings.pack:  # before judging, which adds hindsights to the transcript
        run.header = {**run.header, KEY: match.key}  # `Store` compares this key with the one in the file's name
        file, digest = settings.pack(run), content_digest(run)
    theorems = theorems_named(settings.claims, promises_of(run))
    run.comparators = settings.comparators
    # several classes may be called <Mine>
    key = "" if is_unnamed(match.learner) or is_unnamed(match.adversary) else match.key
    # a store keeps the verdicts on lower bounds, whatever theorems this run of the tournament names
    lower = settings.pack is not None or not judges_nothing(settings.claims)
    summary = judged_summary(run, key, theorems, lower=lower, content=digest)
    summary = replace(summary, match_seconds=time.perf_counter() - begun)
    return Played(summary, file, play_command(run, settings.claims))


def _match(settings: MatchSettings, match: PlannedMatch, learner: Any, adversary: Any) -> tuple[Transcript, float]:
    """Return the transcript of a match, and the value of `time.perf_counter()` when the match began."""
    begun = time.perf_counter()
    fields = {name: getattr(match.game, name) for name in game_as_json(match.game)}
    watch = _Watch(begun, settings.time_limit) if settings.time_limit else None
    # With many matches none takes a minute for its interval, unless the user wants it exact.
    options = {"hindsight": match.hindsight, "progress": watch, "effort": Effort(), **fields}
    return play(learner, adversary, seed=match.seed, **options), begun


class _Watch:
    def __init__(self, begun: float, limit: float):
        self.begun, self.limit = begun, limit

    def __call__(self, rounds: int) -> None:
        if time.perf_counter() - self.begun > self.limit:
            raise TimeIsUp(f"it took longer than {self.limit:g} s and was stopped after round {rounds:,}")


def judged_summary(
    run: Transcript, key: str, theorems: Sequence[Theorem], *, lower: bool = True, content: str
) -> Summary:
    """Judge a match by these theorems, and with `lower` by the adversary's lower bounds; return its summary.

    `key` is the match's key in a store, and `content` the digest of the transcript. Two fields of the summary are
    provisional: `path` is empty, and `match_seconds` is the time of the learner alone.
    """
    # judging adds hindsights to the transcript, so its digest is taken before
    result = reduced(run, theorems, lower_bounds_of(run) if lower else ())
    return Summary(
        **vars(result),
        key=key,
        path=Path(),
        game=json.loads(json.dumps(game_as_json(run.game))),  # tuples become lists, as in a file
        hindsight=run.hindsight_mode,
        dictionary_size=int(run.sizes[-1, 1]) if len(run.sizes) else None,
        match_seconds=result.seconds,
        versions={spec_text(each): version_of(each) for each in theorems},
        promised=run.theorems,
        content=content,
    )


def version_of(theorem: Theorem) -> str:
    """Return the version of a theorem, and for a user's own theorem also the digest of its file."""
    if is_built_in(type(theorem)):
        return str(theorem.version)
    return f"{theorem.version}, {_digest_of_module(type(theorem).__module__)[:16]}"


@functools.cache
def _digest_of_module(module: str) -> str:
    file = getattr(sys.modules.get(module), "__file__", None)
    return file_digest(file) if file else hashlib.sha256(module.encode()).hexdigest()


@functools.cache
def warm_up() -> None:
    """Play a small match at the first call in a process, so that the first learner's time includes no imports."""
    played(_Idle, Case(Game(), np.zeros((2, 2)), np.zeros(2)), seed=0, one_by_one=True)


class _Idle:
    def predict(self, x: Any) -> float:
        return 0.0

    def update(self, x: Any, y: float) -> None:
        pass


def failed(match: PlannedMatch, kind: str, reason: str, tries: int) -> Failed:
    """Return the `Failed` record of a match that could not be played to its end."""
    game = game_as_json(match.game)
    return Failed(match.key, *match.names, game, match.seed, kind, reason, tries)

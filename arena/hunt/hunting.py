"""`hunt`: spend some time on finding a match that breaks a theorem."""

from __future__ import annotations

import contextlib
import copy
import math
import os
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.game.game import Game, changed_fields
from arena.hunt.ground import Ground, survey
from arena.hunt.keeping import kept_violation
from arena.hunt.outcome import Closest, Hunt, Violation
from arena.hunt.search import Quarry, Search, Terms
from arena.hunt.sequences import Candidate
from arena.hunt.trial import Clock, play_candidate
from arena.hunt.workers import Pack, can_fork
from arena.players.learner import Learner, as_learner
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.specs.spelling import identity, spec_text

LONGEST = 2100  # rounds of a match, unless it is said otherwise
WORKERS = 2
ASKING = 0.02  # of the budget: who takes longer for a first answer is not asked about games
Progress = Callable[["Standing"], None]


class Standing:
    """Where a hunt stands: filled by what the workers tell."""

    def __init__(self, theorems: Sequence[Theorem]):
        self.closest = [Closest(spec_text(theorem)) for theorem in theorems]
        self.violation: Violation | None = None
        self.varied: tuple[str, ...] = ()
        self.started = time.monotonic()
        self._counts: dict[int, tuple[int, int, list[tuple[int, bool, str]]]] = {}

    def hear(self, kind: str, content: Any) -> None:
        """One message of a worker."""
        if kind == "ground":
            self.varied = content
        elif kind == "violation":
            self.violation = self.violation or content
        elif kind == "closest":
            at, found = content
            if self.closest[at].tightness is None or found.tightness > self.closest[at].tightness:
                self.closest[at] = found
        elif kind == "counted":
            seat, *counts = content
            self._counts[seat] = counts
        elif kind == "refused":
            raise ArenaError(content)
        elif kind == "failed":
            raise RuntimeError(f"the hunt itself has failed:\n{content}")
        elif kind == "hung":
            what, rounds, seconds = content
            where = f"in or after round {rounds + 1} against {what}"
            reason = f"it did not answer within {seconds:.1f} s {where}, and was killed"
            self.violation = self.violation or Violation("hang", reason, what)
        elif kind == "died":
            what, rounds, code = content
            reason = f"its process ended (exit code {code}) in or after round {rounds + 1} against {what}"
            self.violation = self.violation or Violation("death", reason, what)

    @property
    def matches(self) -> int:
        """All that were played."""
        return sum(counts[0] for counts in self._counts.values())

    @property
    def rounds(self) -> int:
        """Of all matches together."""
        return sum(counts[1] for counts in self._counts.values())

    def counted(self) -> tuple[Closest, ...]:
        """What came closest to each theorem, with the matches of all workers."""
        found = []
        for at, closest in enumerate(self.closest):
            each = [counts[2][at] for counts in self._counts.values()]
            matches = sum(number for number, _, _ in each)
            exact = any(exact for _, exact, _ in each)
            reason = "" if matches else next((reason for _, _, reason in each if reason), "")
            found.append(replace(closest, matches=matches, exact=exact, reason=reason))
        return tuple(found)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.started


def hunt(
    learner: Any,
    theorems: Any = None,
    *,
    rounds: int | None = None,
    budget: float = 60.0,
    dimension: int | None = None,
    game: Game | None = None,
    seed: int = 0,
    matches: int | None = None,
    workers: int | None = None,
    kept: str | Path | None = None,
    on_progress: Progress | None = None,
    **fields: Any,
) -> Hunt:
    """Look for a match that breaks one of the theorems, for so many seconds or so many matches.

    The learner is an object, a class or a spec; the theorems are its own unless some are given. Fields of the game that
    are given stay as they are; others are varied as far as the theorems allow. `rounds` is the longest match.

    With `matches` the hunt is reproducible: the same seed finds the same. Seconds are not, since they depend on the
    machine. `workers` is the number of processes; 0 hunts in this one. Failures that are `kept` in a folder are played
    first.

    >>> found = hunt("krr", "awv-leverage", matches=50, workers=0)
    >>> found.violation.kind, found.violation.verdict.violated
    ('bound', True)
    """
    if not 0 < budget < math.inf or (matches is not None and matches < 1):
        raise ArenaError(f"a hunt needs a budget > 0 and matches >= 1, but they are {budget!r} and {matches!r}")
    given = {**fields, **({} if dimension is None else {"dimension": dimension})}
    base = (game or Game()).replace(**given, **({} if rounds is None else {"rounds": rounds}))
    fixed = set(changed_fields(base, Game())) - {"rounds"} | set(given)
    quarry = _quarry(learner, theorems)
    deadline = time.monotonic() + (budget if matches is None else max(budget, 86400.0))
    patience = min(max(budget / 4.0, 2.0), 20.0)
    limit = patience / 2.0
    standing = Standing(quarry.theorems)

    def job(seat: int, tell: Callable[[str, Any], None], alive: Callable[[int], None]) -> None:
        clock = Clock(limit, patience, alive)
        clock.deadline = deadline
        look = partial(_ground, quarry, base, sorted(fixed), rounds or LONGEST, clock, ASKING * budget)
        search = Search(quarry, base, look, Terms(seed, deadline, matches, seat, seats), clock, tell)
        search.run()
        search.report()
        tell("done", None)

    count = WORKERS if workers is None and matches is None else 1 if workers is None else workers
    count = min(count, max(os.cpu_count() or 1, 1))
    seats = max(count, 1)
    interrupted = False
    try:
        if kept is not None:
            names = [spec_text(theorem) for theorem in quarry.theorems]
            standing.violation = kept_violation(learner, names, Path(kept), budget=budget)
        if standing.violation is None and count and can_fork():
            pack = Pack(job, count, deadline=deadline, patience=patience)
            _listen(pack.messages(), standing, on_progress)
        elif standing.violation is None:
            job(0, standing.hear, lambda _rounds: None)
    except KeyboardInterrupt:
        interrupted = True
    return Hunt(
        learner=quarry.name,
        game=base,
        seed=seed,
        violation=standing.violation,
        closest=standing.counted(),
        matches=standing.matches,
        rounds=standing.rounds,
        seconds=standing.seconds,
        interrupted=interrupted,
        varied=standing.varied,
    )


def _listen(
    messages: Generator[tuple[str, Any] | None, None, None], standing: Standing, on_progress: Progress | None
) -> None:
    """Until all is said, or a violation is found."""
    with contextlib.closing(messages):  # whoever still works is ended
        for message in messages:
            if message is not None:
                standing.hear(*message)
                continue
            if on_progress:
                on_progress(standing)
            if standing.violation is not None:
                return


def _quarry(learner: Any, theorems: Any) -> Quarry:
    """What is hunted, and a way to have it fresh for each match."""
    built = build("learner", learner)
    name = identity(learner, built)
    promised = tuple(build("theorem", each) for each in as_learner(built).theorems)
    if theorems is None or theorems == "auto":
        claims = promised
        if not claims:
            raise ArenaError(
                f"{name} promises no theorem, so there is nothing to break: name one that it should obey, "
                "such as --bound awv-logdet (arena list theorems shows all)"
            )
    else:
        named = list(theorems) if isinstance(theorems, (list, tuple)) else [theorems]
        claims = tuple(_claimed(each, promised) for each in named)
    return Quarry(_source(learner, built), name, claims)


def _claimed(claim: Any, promised: Sequence[Theorem]) -> Theorem:
    """The theorem as the learner promises it, if it does."""
    found: Theorem = next((each for each in promised if each.name == claim), None) or build("theorem", claim)
    return found


def _source(learner: Any, built: Any) -> Callable[[], Learner]:
    if isinstance(built, Learner) or hasattr(built, "begin"):
        return lambda: as_learner(built)
    try:
        copy.deepcopy(built)
    except Exception as error:
        if isinstance(learner, (str, type)):
            return lambda: as_learner(build("learner", learner))
        raise ArenaError(
            f"{type(built).__name__} can neither be copied nor told that a match begins: give it a method "
            "begin(game, rng), or pass its class or its spec"
        ) from error
    return lambda: as_learner(built)


def _ground(quarry: Quarry, game: Game, fixed: Sequence[str], longest: int, clock: Clock, patience: float) -> Ground:
    """What `survey` finds out."""

    def play(candidate: Candidate) -> Transcript | None:
        run, ending = play_candidate(candidate, quarry.fresh(), quarry.name, clock)
        return run if ending == "played" else None

    return survey(quarry.fresh(), quarry.theorems, game, fixed, longest, play, patience)

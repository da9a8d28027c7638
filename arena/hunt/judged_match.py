"""One match of the hunt: played within a time limit, and held against the theorems."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Literal

import numpy as np

from arena.engine.match import Interrupted, Match
from arena.errors import ArenaError, describe_error
from arena.hunt.candidates import Candidate, Script
from arena.hunt.target import Target
from arena.linalg.gram_factor import shared_factors
from arena.record.forfeit import Forfeit
from arena.record.theorem import ROUNDING, Theorem, Verdict
from arena.record.transcript import Transcript
from arena.specs.spelling import spec_text

TICK = 0.1  # seconds between looks at the clock
Ending = Literal["played", "cut short", "hung", "unfit"]


class OutOfTime(KeyboardInterrupt):
    """The match takes too long; it ends like one that the user interrupts, so that what was played is kept."""


@dataclass
class JudgedMatch:
    """A candidate's transcript, and for each theorem its verdict.

    `ending` is "unfit" if learner, adversary and game do not fit together; `silence` the seconds since the last round.
    """

    candidate: Candidate
    run: Transcript | None
    ending: Ending
    seconds: float = 0.0
    verdicts: list[Verdict] = field(default_factory=list)
    silence: float = 0.0

    @property
    def forfeit(self) -> Forfeit | None:
        """The learner's foul, if it committed one."""
        found = self.run.forfeit if self.run else None
        return found if found and found.side == "learner" else None

    @property
    def violated(self) -> Verdict | None:
        """The first verdict that refutes a theorem by this match alone."""
        return next((each for each in self.verdicts if each.violated and not by_chance(each)), None)

    @property
    def unlucky(self) -> Verdict | None:
        """The first bound that was exceeded though its theorem leaves room for chance."""
        return next((each for each in self.verdicts if each.violated and by_chance(each)), None)

    @property
    def premise(self) -> Verdict | None:
        """The first theorem all of whose failed assumptions are the learner's to meet."""
        return next((each for each in self.verdicts if _learner_fails_assumptions(each)), None)

    @property
    def closeness(self) -> float:
        """How near it came to a violation; used to compare matches of one hunt."""
        return max((_closeness(each) for each in self.verdicts), default=-1.0)

    @property
    def steepest(self) -> float:
        """The largest step towards the bound in a round after the first, in units of B^2."""
        return max((_steepest(each) for each in self.verdicts), default=-1.0)


def by_chance(verdict: Verdict) -> bool:
    """Whether the theorem leaves room for chance, so that one match cannot refute it."""
    return verdict.confidence < 1 or verdict.in_expectation


def _learner_fails_assumptions(verdict: Verdict) -> bool:
    failed = [each for each in verdict.assumptions if not each.holds]
    return not verdict.applicable and bool(failed) and all(each.learners for each in failed)


def _closeness(verdict: Verdict) -> float:
    """Measured over allowed at the end; of an identity, deviation over what rounding may explain."""
    if not verdict.applicable or verdict.measured is None or verdict.allowed is None:
        return -1.0
    if verdict.exact:
        return min(verdict.measured / ROUNDING, 1.0)
    if not verdict.allowed > 0 or not np.isfinite(verdict.allowed) or not np.isfinite(verdict.measured):
        return 0.0
    return float(np.clip(verdict.measured / verdict.allowed, -1.0, 10.0))


def _steepest(verdict: Verdict) -> float:
    if not verdict.applicable or verdict.measured_curve is None or verdict.allowed_curve is None:
        return -1.0
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.diff(verdict.measured_curve - verdict.allowed_curve)
    steps = steps[np.isfinite(steps)]
    return float(np.clip(steps.max(), -1.0, 10.0)) if len(steps) else -1.0


class Watchdog:
    """Looks at the match under way now and then, reports how many rounds are over, and ends it if it must.

    A match may take `limit` seconds. A learner that does not finish a round within `patience` hangs. Without a main
    thread, or without signals, nothing is interrupted.
    """

    def __init__(self, limit: float, patience: float, deadline: float, notice: Callable[[int], None]):
        self.limit, self.patience, self.deadline, self.notice = limit, patience, deadline, notice
        self.silent = self.fired = False
        self.silence = 0.0
        self.able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self._match: Match | None = None

    @contextlib.contextmanager
    def watching(self, match: Match | None) -> Iterator[None]:
        """Context manager that raises `OutOfTime` in the block when the time is over."""
        self._match, self._played = match, -1
        self._started = self._changed = time.monotonic()
        self.silent, self.fired, self.silence = False, False, 0.0
        if not self.able:
            yield
            return
        before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)

    def _look(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        played = len(self._match.record.predictions) if self._match else 0
        if played != self._played:
            self._played, self._changed = played, now
            self.notice(played)
        self.silence = now - self._changed
        self.silent = self.silence > self.patience
        alive = self.silence < self.limit / 2  # it has answered lately: it is slow, and may be cut short
        if self.silent or now > self.deadline or (now - self._started > self.limit and alive and played > 0):
            self.fired = True
            raise OutOfTime


def play_and_judge(candidate: Candidate, target: Target, watchdog: Watchdog) -> JudgedMatch:
    """Play a candidate and judge it."""
    started = time.perf_counter()
    try:
        run, ending = play_candidate(candidate, target, watchdog)
    except ArenaError:  # the two do not fit: the adversary needs another game, or the learner does
        run, ending = None, "unfit"
    match = JudgedMatch(candidate, run, ending, silence=watchdog.silence)
    if run is not None and run.rounds and ending != "hung":
        try:
            with watchdog.watching(None):
                match.verdicts = judge_all(run, target.theorems)
        except OutOfTime:
            match.ending = "cut short"
    match.seconds = time.perf_counter() - started
    return match


def play_candidate(candidate: Candidate, target: Target, watchdog: Watchdog) -> tuple[Transcript | None, Ending]:
    """The transcript, as far as it came; an `ArenaError` if the learner refuses the game."""
    learner, opponent = target.fresh(), candidate.opponent()
    if learner.foresight and not opponent.oblivious:
        return None, "unfit"
    game = opponent.arrange(candidate.game)
    match = Match(learner, opponent, game, candidate.seed, "exact", None, (target.name, candidate.label))
    try:
        with watchdog.watching(match), shared_factors():
            run = match.run()
    except Interrupted as interruption:
        if not watchdog.fired:  # it was the user
            raise
        return interruption.transcript, "hung" if watchdog.silent else "cut short"
    except OutOfTime:
        return None, "hung" if watchdog.silent else "cut short"
    if run.forfeit is not None and run.forfeit.side == "adversary":
        return None, "unfit"
    return run, "played"


def judge_all(run: Transcript, theorems: Sequence[Theorem]) -> list[Verdict]:
    """Each theorem's verdict on the match, bad luck included."""
    return [_judge(theorem, run) for theorem in theorems]


def _judge(theorem: Theorem, run: Transcript) -> Verdict:
    """In extreme games, or with evidence that makes no sense, a theorem's code may fail: then it does not apply."""
    try:
        with np.errstate(all="ignore"):
            return theorem.judge(run)
    except Exception as error:
        reason = f"it could not be judged: {describe_error(error, ours=True)}"
        return Verdict(spec_text(theorem), theorem.name, "not applicable", reason, theorem.quantity)


def last_label_turned(match: JudgedMatch, theorems: Sequence[Theorem]) -> Candidate | None:
    """The same with the last label's sign turned, if that comes closer; the prediction does not depend on it."""
    run = match.run
    if run is None or match.candidate.moves is None or run.rounds < 2 or match.ending != "played" or run.forfeit:
        return None
    labels = np.array(run.labels)
    labels[-1] = -np.sign(labels[-1] or 1.0) * run.game.label_bound
    verdicts = judge_all(replace(run, labels=labels), theorems)
    closer = max((_closeness(each) for each in verdicts), default=-1.0) > match.closeness
    if not closer and not any(each.violated for each in verdicts):
        return None
    return match.candidate.replace(moves=Script(run.points, labels))

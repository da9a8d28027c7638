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
from arena.hunt.sequences import Candidate, Script
from arena.hunt.transcripts import relabelled
from arena.linalg.gram_factor import shared_factors
from arena.players.learner import Learner
from arena.record.forfeit import Forfeit
from arena.record.theorem import ROUNDING, Theorem, Verdict
from arena.record.transcript import Transcript
from arena.specs.spelling import spec_text

TICK = 0.1  # seconds between looks at the clock
Ending = Literal["played", "cut short", "hung", "unfit"]


class OutOfTime(KeyboardInterrupt):
    """The match takes too long; it ends like one that the user interrupts, so that what was played is kept."""


@dataclass
class Trial:
    """What came of a candidate: the transcript, and for each theorem its verdict and how close it came."""

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
        """The first theorem that does not apply because the learner does not do its part, and for no other reason."""
        return next((each for each in self.verdicts if shirked(each)), None)

    @property
    def score(self) -> float:
        """How near it came to a violation; used to compare matches of one hunt."""
        return max((closeness(each) for each in self.verdicts), default=-1.0)

    @property
    def gain(self) -> float:
        """The largest step towards the bound in a round after the first, in units of B^2."""
        return max((_gain(each) for each in self.verdicts), default=-1.0)


def by_chance(verdict: Verdict) -> bool:
    """Whether one match says nothing of it."""
    return verdict.confidence < 1 or verdict.in_expectation


def shirked(verdict: Verdict) -> bool:
    """Whether all that the theorem lacks is the learner's to bring."""
    failed = [each for each in verdict.assumptions if not each.holds]
    return not verdict.applicable and bool(failed) and all(each.learners for each in failed)


def closeness(verdict: Verdict) -> float:
    """Measured over allowed at the end; of an identity, deviation over what rounding may explain."""
    if not verdict.applicable or verdict.measured is None or verdict.allowed is None:
        return -1.0
    if verdict.exact:
        return min(verdict.measured / ROUNDING, 1.0)
    if not verdict.allowed > 0 or not np.isfinite(verdict.allowed) or not np.isfinite(verdict.measured):
        return 0.0
    return float(np.clip(verdict.measured / verdict.allowed, -1.0, 10.0))


def _gain(verdict: Verdict) -> float:
    if not verdict.applicable or verdict.measured_curve is None or verdict.allowed_curve is None:
        return -1.0
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.diff(verdict.measured_curve - verdict.allowed_curve)
    steps = steps[np.isfinite(steps)]
    return float(np.clip(steps.max(), -1.0, 10.0)) if len(steps) else -1.0


class Clock:
    """Watches the match under way: asks it now and then how many rounds it has played, and ends it if it must.

    A match may take `limit` seconds. A learner that does not finish a round within `patience` hangs. Without a main
    thread, or without signals, nothing is interrupted.
    """

    def __init__(self, limit: float, patience: float, notice: Callable[[int], None]):
        self.limit, self.patience, self.notice = limit, patience, notice
        self.deadline = float("inf")
        self.silent = self.rang = False
        self.silence = 0.0
        self.able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self._match: Match | None = None

    @contextlib.contextmanager
    def watching(self, match: Match | None) -> Iterator[None]:
        """Inside, time runs."""
        self._match, self._played = match, -1
        self._started = self._changed = time.monotonic()
        self.silent, self.rang, self.silence = False, False, 0.0
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
            self.rang = True
            raise OutOfTime


def play_trial(candidate: Candidate, learner: Learner, name: str, theorems: Sequence[Theorem], clock: Clock) -> Trial:
    """Play a candidate and judge it."""
    started = time.perf_counter()
    try:
        run, ending = play_candidate(candidate, learner, name, clock)
    except ArenaError:  # the two do not fit: the adversary needs another game, or the learner does
        run, ending = None, "unfit"
    trial = Trial(candidate, run, ending, silence=clock.silence)
    if run is not None and run.rounds and ending != "hung":
        try:
            with clock.watching(None):
                trial.verdicts = judged(run, theorems)
        except OutOfTime:
            trial.ending = "cut short"
    trial.seconds = time.perf_counter() - started
    return trial


def play_candidate(candidate: Candidate, learner: Learner, name: str, clock: Clock) -> tuple[Transcript | None, Ending]:
    """The transcript, as far as it came; an `ArenaError` if the learner refuses the game."""
    opponent = candidate.opponent()
    if learner.foresight and not opponent.oblivious:
        return None, "unfit"
    game = opponent.arrange(candidate.game)
    match = Match(learner, opponent, game, candidate.seed, "exact", None, (name, candidate.label))
    try:
        with clock.watching(match), shared_factors():
            run = match.run()
    except Interrupted as interruption:
        if not clock.rang:  # it was the user
            raise
        return interruption.transcript, "hung" if clock.silent else "cut short"
    except OutOfTime:
        return None, "hung" if clock.silent else "cut short"
    if run.forfeit is not None and run.forfeit.side == "adversary":
        return None, "unfit"
    return run, "played"


def judged(run: Transcript, theorems: Sequence[Theorem]) -> list[Verdict]:
    """What each theorem says of the match, bad luck included."""
    return [_judged(theorem, run) for theorem in theorems]


def _judged(theorem: Theorem, run: Transcript) -> Verdict:
    """In extreme games, or with evidence that makes no sense, a theorem may fail; then it says nothing."""
    try:
        with np.errstate(all="ignore"):
            return theorem.judge(run)
    except Exception as error:
        reason = f"it could not be judged: {describe_error(error, ours=True)}"
        return Verdict(spec_text(theorem), theorem.name, "not applicable", reason, theorem.quantity)


def other_end(trial: Trial, theorems: Sequence[Theorem]) -> Candidate | None:
    """The same with the last label turned, if that would come closer; the prediction does not depend on it."""
    run = trial.run
    if run is None or trial.candidate.moves is None or run.rounds < 2 or trial.ending != "played" or run.forfeit:
        return None
    labels = np.array(run.labels)
    labels[-1] = -np.sign(labels[-1] or 1.0) * run.game.label_bound
    turned = relabelled(run, labels)
    verdicts = judged(turned, theorems)
    better = max((closeness(each) for each in verdicts), default=-1.0) > trial.score
    if not better and not any(each.violated for each in verdicts):
        return None
    return replace(trial.candidate, moves=Script(run.points, labels))

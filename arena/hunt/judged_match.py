"""One match of the hunt: a target plays a candidate within a time limit, and its theorems judge the transcript."""

from __future__ import annotations

import contextlib
import copy
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FrameType
from typing import Any, Literal

import numpy as np

from arena.engine.match import Interrupted, Match
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.guards.clock import OutOfTime
from arena.guards.guests import is_ctrl_c, tolerated
from arena.hunt.candidates import Candidate, Script
from arena.linalg.gram_factor import shared_factors
from arena.players.adversary import arranged
from arena.players.learner import Learner, as_learner, overrides
from arena.record.forfeit import Forfeit
from arena.record.judging import judge, promises_of, refuse_lower_bounds, theorems_named
from arena.record.theorem import ROUNDING, Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.building import build, makes_players
from arena.specs.spelling import identity, spec_text
from arena.specs.variants import free_parameters, variant, variant_changes

TICK = 0.1  # seconds between checks of the clock
Ending = Literal["played", "cut short", "hung", "unfit"]
Parameters = Literal["given", "varied"]
DIVERGED = 1e6  # size of a prediction, in units of the label bound, from which a learner counts as diverged


@dataclass(frozen=True)
class Target:
    """The learner that is hunted, as a function that makes it for each match; its name; and the theorems to break.

    Theorems that are demands are about the given `game` alone; all others are about every game.
    """

    fresh: Callable[[], Learner]
    name: str
    theorems: Sequence[Theorem]
    game: Game
    built: Any = None  # the configured object of which there are variants
    free: tuple[str, ...] = ()  # its parameters that may be varied
    changes: Mapping[str, Any] = field(default_factory=dict)  # the parameters in which a variant differs

    @property
    def demands(self) -> list[Theorem]:
        """The limits that the user sets."""
        return [theorem for theorem in self.theorems if theorem.demanded]

    @property
    def proved(self) -> list[Theorem]:
        """The theorems that are no demands."""
        return [theorem for theorem in self.theorems if not theorem.demanded]

    def judge(self, run: Transcript) -> list[Verdict]:
        """Return the verdict of each theorem on this match; demands apply in the given game only."""
        return [
            _of_another_game(theorem) if theorem.demanded and run.game != self.game else _judge(theorem, run)
            for theorem in self.theorems
        ]

    @cached_property
    def adaptive(self) -> bool:
        """True if adversaries may look at predictions: the learner does not need all points beforehand."""
        return not self.fresh().foresight

    @cached_property
    def stepwise(self) -> tuple[bool, ...]:
        """The ways to play a sequence: stepwise, by predict and update (True), or in blocks, by `replay` (False)."""
        return (True, False) if self.adaptive and overrides(self.fresh(), "replay") else (False,)

    def variant(self, rng: np.random.Generator, number: int) -> Target | None:
        """Return the target with other parameters, as variant `number`, and with the theorems that it then promises.

        The result is None if it promises none, or if the values do not fit together.
        """
        changes = variant_changes(self.built, self.free, rng, number)
        try:
            built = variant(self.built, changes)
            theorems = tuple(build("theorem", each) for each in as_learner(built).theorems)
        except ArenaError:
            return None
        return (
            Target(lambda: as_learner(built), spec_text(built), theorems, self.game, changes=changes)
            if theorems
            else None
        )


def target_of(learner: Any, theorems: Any, game: Game, parameters: Parameters = "given") -> Target:
    """Return the target in this game with these theorems; None and "auto" mean the learner's own.

    Parameters are varied only if the theorems are those that the learner promises: others need not hold with them.
    """
    built = build("learner", learner)
    name = identity(learner, built)
    promised = tuple(build("theorem", each) for each in as_learner(built).theorems)
    if not promised and (theorems is None or theorems == "auto"):
        raise ArenaError(
            f"{name} promises no theorem, so there is nothing to break: name one that it should obey "
            "(arena list theorems shows all), or demand a regret, such as --bound 'at-most(regret=50)'"
        )
    claims = theorems_named("auto" if theorems is None else theorems, promised)
    refuse_lower_bounds(claims, "a hunt plays adversaries of its own")
    varies = parameters == "varied" and {spec_text(each) for each in claims} == {spec_text(each) for each in promised}
    free = free_parameters(learner, built) if varies else ()
    return Target(_factory(learner, built), name, claims, game, built, free)


def _factory(learner: Any, built: Any) -> Callable[[], Learner]:
    """Return a function that makes the learner; raise an `ArenaError` if no second one can be made."""
    if isinstance(built, Learner) or hasattr(built, "begin"):
        return lambda: as_learner(built)
    with tolerated():
        copy.deepcopy(built)
        return lambda: as_learner(built)
    if makes_players(learner):
        return lambda: as_learner(build("learner", learner))
    raise ArenaError(
        f"{type(built).__name__} cannot be copied, and has no method that begins a match: give it a method "
        "begin(game, rng), or pass its class or its spec"
    )


@dataclass
class JudgedMatch:
    """A candidate's transcript, and the verdict of each theorem.

    `ending` is "unfit" if learner, adversary and game do not fit together. `silence` are the seconds between the last
    round and the end.
    """

    candidate: Candidate
    run: Transcript | None
    ending: Ending
    seconds: float = 0.0
    verdicts: list[Verdict] = field(default_factory=list)
    silence: float = 0.0

    @property
    def forfeit(self) -> Forfeit | None:
        """The learner's foul, if there was one."""
        found = self.run.forfeit if self.run else None
        return found if found and found.side == "learner" else None

    @property
    def diverged(self) -> bool:
        """True if a |prediction| exceeds `DIVERGED` times the label bound, as with a step size that is too large."""
        if self.run is None:
            return False
        sizes = np.abs(self.run.predictions)
        return bool((sizes > DIVERGED * self.run.game.label_bound).any())

    @property
    def violated(self) -> Verdict | None:
        """The first verdict that refutes a theorem by this match alone."""
        return next((each for each in self.verdicts if each.violated and not each.by_chance), None)

    @property
    def unlucky(self) -> Verdict | None:
        """The first verdict on a bound that is exceeded but leaves room for chance."""
        return next((each for each in self.verdicts if each.violated and each.by_chance), None)

    @property
    def premise(self) -> Verdict | None:
        """The first verdict that is not applicable only because the learner fails assumptions that it must meet."""
        promised = {each.name for each in promises_of(self.run)} if self.run else set()

        def owed(verdict: Verdict) -> bool:
            return verdict.theorem in promised or not any(each.promised for each in verdict.failed)

        return next((each for each in self.verdicts if each.unmet and owed(each)), None)

    @property
    def closeness(self) -> float:
        """The largest closeness of the match to a violation, over the theorems; -1 if no theorem applies."""
        return max((_closeness(each) for each in self.verdicts), default=-1.0)

    @property
    def steepest(self) -> float:
        """The largest rise of measured - allowed in one round after the first, over the theorems; from -1 to 10."""
        return max((_steepest(each) for each in self.verdicts), default=-1.0)


def _closeness(verdict: Verdict) -> float:
    """Return measured over allowed at the end, clipped to [-1, 10]; -1 if the theorem does not apply.

    For an identity the result is the deviation over what rounding may explain, at most 1.
    """
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
    """A timer that reports the number of rounds played, and interrupts matches that take too long.

    A match may take `limit` seconds. A learner that does not finish a round within `patience` hangs. Outside the main
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
        """Context manager: raises `OutOfTime` in the block if the match hangs or takes too long, or at the deadline."""
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
        alive = self.silence < self.limit / 2  # such a learner is slow rather than hanging, and may be cut short
        if self.silent or now > self.deadline or (now - self._started > self.limit and alive and played > 0):
            self.fired = True
            raise OutOfTime


def play_and_judge(candidate: Candidate, target: Target, watchdog: Watchdog) -> JudgedMatch:
    """Play a candidate, and return the match with the verdicts of the target's theorems."""
    started = time.perf_counter()
    try:
        run, ending = play_candidate(candidate, target, watchdog)
    except ArenaError:  # the adversary or the learner needs another game
        run, ending = None, "unfit"
    match = JudgedMatch(candidate, run, ending, silence=watchdog.silence)
    if run is not None and run.rounds and ending != "hung":
        try:
            with watchdog.watching(None):
                match.verdicts = target.judge(run)
        except OutOfTime:
            match.ending = "cut short"
    match.seconds = time.perf_counter() - started
    return match


def play_candidate(candidate: Candidate, target: Target, watchdog: Watchdog) -> tuple[Transcript | None, Ending]:
    """Return the rounds played, and how the match ended; raise an `ArenaError` if the learner refuses the game."""
    learner, opponent = target.fresh(), candidate.opponent()
    if learner.foresight and not opponent.oblivious:
        return None, "unfit"
    game = arranged(opponent, candidate.game)
    match = Match(learner, opponent, game, candidate.seed, "exact", None, (target.name, candidate.label))
    try:
        with watchdog.watching(match), shared_factors():
            run = match.run()
    except Interrupted as interruption:
        if not watchdog.fired:  # the user pressed Ctrl-C
            raise
        return interruption.transcript, "hung" if watchdog.silent else "cut short"
    except OutOfTime:
        return None, "hung" if watchdog.silent else "cut short"
    if run.forfeit is not None and run.forfeit.side == "adversary":
        return None, "unfit"
    return run, "played"


def judge_all(run: Transcript, theorems: Sequence[Theorem]) -> list[Verdict]:
    """Return the verdict of each theorem on this match alone, even if the theorem leaves room for chance."""
    return [_judge(theorem, run) for theorem in theorems]


def _judge(theorem: Theorem, run: Transcript) -> Verdict:
    """Return the theorem's verdict; "not applicable" if the theorem raises, as in extreme games or on bad evidence."""
    try:
        with np.errstate(all="ignore"):
            return judge(run, theorem)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        reason = f"it could not be judged: {describe_error(error, ours=True)}"
        return Verdict(spec_text(theorem), theorem.name, "not applicable", reason, theorem.quantity)


def _of_another_game(theorem: Theorem) -> Verdict:
    reason = "a demand is about the given game alone"
    return Verdict(spec_text(theorem), theorem.name, "not applicable", reason, theorem.quantity)


def last_label_turned(match: JudgedMatch, target: Target) -> Candidate | None:
    """Return the candidate with its last label replaced by -B or B, of the opposite sign; None if that is not closer.

    No prediction depends on the last label, so that the changed match is judged without being played.
    """
    run = match.run
    if run is None or match.candidate.moves is None or run.rounds < 2 or match.ending != "played" or run.forfeit:
        return None
    labels = np.array(run.labels)
    labels[-1] = -np.sign(labels[-1] or 1.0) * run.game.label_bound
    verdicts = target.judge(replace(run, labels=labels))
    closer = max((_closeness(each) for each in verdicts), default=-1.0) > match.closeness
    if not closer and not any(each.violated for each in verdicts):
        return None
    return match.candidate.replace(moves=Script(run.points, labels))

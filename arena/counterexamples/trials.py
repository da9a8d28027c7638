"""The trials of shrinking: matches that are played to see whether the learner still fails in the same way.

There are two ways to fail: the learner breaks a bound (`BrokenBound`) or commits a foul (`SameFoul`).
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arena.counterexamples.case import Case, played
from arena.engine.isolation import Isolation, is_outside
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.judging import promises_of, refuse_lower_bounds, theorems_named
from arena.record.theorem import Claim
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.spelling import is_unnamed

FOR_ROUNDING = 0.15  # share of the budget kept for rounding numbers, in case the passes do not end in time
MARGIN = 10.0  # a bound must be exceeded by this multiple of the verdict's tolerance for rounding


@dataclass(frozen=True)
class TrialResult:
    """Result of a trial: whether the learner failed, the first round of the failure, and the excess over the bound.

    - `round` is 0 if the learner did not fail.
    - `excess` is measured - allowed in `round`. If the learner did not fail, it is the largest excess of all rounds.
      It is infinite for a foul, and -infinity if no difference is known.
    """

    fails: bool
    round: int = 0
    excess: float = -np.inf


class Failing(Protocol):
    """Interface of a way in which a learner fails: it breaks a bound (`BrokenBound`) or commits a foul (`SameFoul`)."""

    @property
    def keeps_game(self) -> bool:
        """True if no trial may change the game, since the failure is about the given game only, as with a demand."""

    def outcome(self, run: Transcript) -> TrialResult:
        """Return whether the learner fails in this way in the match, the first round of the failure, and the excess."""


@dataclass
class BrokenBound:
    """A way to fail: the measured value of a theorem exceeds the allowed value.

    The learner fails in a match if two conditions are met: the verdict is "violated"; and in some round, measured -
    allowed is more than `margin` times the verdict's tolerance for rounding.
    """

    theorem: Claim
    margin: float = MARGIN
    keeps_game: bool = False  # True for a demand, which is about the given game

    def outcome(self, run: Transcript) -> TrialResult:
        verdict = run.verdict(self.theorem)
        excess, strength = _beyond(verdict)
        clear = strength > self.margin
        # The verdict counts too: some theorems are judged at the last round alone.
        if not clear.any() or not verdict.violated:
            return TrialResult(False, 0, float(excess.max(initial=-np.inf)))
        first = int(clear.argmax())
        return TrialResult(True, first + 1, float(excess[first]))

    def settle_for(self, run: Transcript) -> None:
        """Lower `margin`, if necessary, so that the match `run` counts as a failure.

        The learner fails if measured - allowed is more than `margin` times the tolerance for rounding.
        """
        strength = _beyond(run.verdict(self.theorem))[1].max(initial=0.0)
        if strength > 1.0:
            self.margin = min(MARGIN, float(np.nextafter(strength, 0.0)))


def _beyond(verdict: Verdict) -> tuple[Any, Any]:
    """Return measured - allowed in each round, and the same differences divided by the tolerance for rounding.

    Both arrays are empty if an assumption of the theorem is not met.
    """
    measured, allowed, tolerance = verdict.measured_curve, verdict.allowed_curve, verdict.tolerance_curve
    if measured is None or allowed is None or tolerance is None:  # an assumption is not met
        return np.empty(0), np.empty(0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        excess = np.where(np.isposinf(allowed), -np.inf, measured - allowed)
        excess = np.where(np.isnan(excess), np.inf, excess)  # NaN counts as a violation
        strength = np.where(np.isposinf(excess), np.inf, excess / tolerance)
    return excess, np.where(np.isnan(strength), -np.inf, strength)


@dataclass(frozen=True)
class SameFoul:
    """A way to fail: the learner commits a foul for whose reason `kind_of_foul` returns `kind`."""

    kind: str
    keeps_game = False

    def outcome(self, run: Transcript) -> TrialResult:
        if run.forfeit is None or run.forfeit.side != "learner" or kind_of_foul(run.forfeit.reason) != self.kind:
            return TrialResult(False)
        return TrialResult(True, max(1, run.forfeit.round), np.inf)


def kind_of_foul(reason: str) -> str:
    """Return the foul's reason with # in place of numbers, and without the name of the method that raised an exception.

    Two fouls by the same mistake have the same kind, even in different rounds.

    >>> kind_of_foul("predict raised ZeroDivisionError: float division by zero (mine.py, line 12)")
    'raised ZeroDivisionError: float division by zero (mine.py, line #)'
    >>> kind_of_foul("the prediction is nan"), kind_of_foul("peek gave -inf")
    ('the prediction is #', 'the prediction is #')
    """
    kind = re.sub(r"-?\b(nan|inf|\d[\d.e+-]*)\b", "#", reason[max(0, reason.find("raised ")) :])
    return kind.replace("peek gave #", "the prediction is #")


def failure_of(run: Transcript, theorem: Claim | None) -> BrokenBound | SameFoul:
    """Return the way in which the learner fails in this match: a broken bound or a foul.

    If `theorem` is None, this is the learner's foul or, without a foul, the first promised theorem that is broken. An
    `ArenaError` is raised if the learner does not fail, if the theorem is a lower bound, or if no single match can
    violate it.
    """
    if theorem is None and run.forfeit:
        if run.forfeit.side != "learner":
            raise ArenaError(f"only a learner's failure can be shrunk, but {run.forfeit}")
        return SameFoul(kind_of_foul(run.forfeit.reason))
    named = "auto" if theorem is None else theorem
    verdicts = run.verdicts(named)
    refuse_lower_bounds(theorems_named(named, promises_of(run)), "nothing can be shrunk")
    broken = next((verdict for verdict in verdicts if verdict.violated), None)
    if broken is not None:
        claim = broken.name if theorem is None else theorem
        return BrokenBound(claim, keeps_game=theorems_named(claim, promises_of(run))[0].demanded)
    for verdict in verdicts:
        if verdict.by_chance:
            raise ArenaError(
                f"{verdict.theorem} leaves room for chance, so no single match violates it and none can be shrunk; "
                "judge many with `seeds=...`"
            )
    outcomes = "; ".join(map(str, verdicts)) or f"{run.learner_name} promises no theorem: name one"
    raise ArenaError(f"there is nothing to shrink: the learner did not fail ({outcomes})")


class BudgetSpent(Exception):
    """Raised when there is no time left for another trial."""


class ShrinkingTrials:
    """State of shrinking: it plays cases with fresh copies of the learner, and keeps the simplest failing case.

    A case is a game with fixed moves. The outcome of each case is remembered.
    """

    def __init__(self, learner: Any, failing: Failing, *, seed: int, budget: float, isolate: bool | Isolation = False):
        self.learner, self.failing, self.seed, self.one_by_one = learner, failing, seed, False
        self.isolate = isolate
        self.best: Case | None = None
        self.run: Transcript | None = None
        self.started, self.budget = time.monotonic(), budget
        self.deadline = self.started + (1.0 - FOR_ROUNDING) * budget
        self.outcomes: dict[tuple[Game, bytes, bytes], TrialResult] = {}
        self.seconds_a_round = 0.0  # in the slowest trial
        self.steps = 0

    @property
    def simplest(self) -> Case:
        """The simplest case so far in which the learner fails."""
        assert self.best is not None
        return self.best

    @property
    def seconds(self) -> float:
        """The number of seconds since shrinking began."""
        return time.monotonic() - self.started

    def begin_with(self, case: Case, *, one_by_one: bool) -> bool:
        """Play the case and return whether the learner fails; if so, shrinking starts from this case or a prefix of it.

        With `one_by_one`, this case and all later ones are played round by round, otherwise in blocks.
        """
        self.one_by_one = one_by_one
        self.outcomes.clear()
        return self._try(case)

    def improve(self, case: Case) -> bool:
        """Play this case if it is simpler than the simplest failing case, and keep it if the learner fails.

        Return whether the case was kept: then this case, or a failing prefix of it, is the simplest failing case. Raise
        `BudgetSpent` if there is no time to play the case.
        """
        known = self.outcomes.get(case.key)
        if case.rounds == 0 or (known and not known.fails) or not case.simpler_than(self.simplest):
            return False
        try:
            return self._try(case)
        except ArenaError:  # the learner refuses this game, such as another dimension than that of its weights
            self.outcomes[case.key] = TrialResult(False)
            return False

    def may_blame(self, case: Case, other: Case) -> bool:
        """Return whether a failure in `other` would be the learner's fault, not the fault of the changed game.

        `other` is `case` with other values in some fields of its game. A user's learner may ignore these fields, while
        the bound depends on them. So the result is

        - True for a built-in learner;
        - False for a user's learner that refuses the game of `other`;
        - True for a user's learner that predicts differently in the two games;
        - for any other user's learner, whether the excess over the bound is the same in the two games.
        """
        assert self.run is not None
        name = self.run.learner
        if not (is_unnamed(name) or is_outside(name)):
            return True
        try:
            (run, outcome), (changed, found) = self._play(case), self._play(other)
        except ArenaError:  # the learner refuses the other game
            return False
        reads = not np.array_equal(run.predictions, changed.predictions, equal_nan=True)
        return reads or bool(np.isclose(outcome.excess, found.excess))

    def outcome(self, case: Case) -> TrialResult:
        """Return whether the learner fails in this case, in which round, and by how much.

        A case whose outcome is known is not played again.
        """
        return self.outcomes[case.key] if case.key in self.outcomes else self._play(case)[1]

    def _try(self, case: Case) -> bool:
        run, outcome = self._play(case)
        if outcome.fails:
            self.best, self.run = case, run
            # Rounds after the failure are not needed. The prefix has another horizon, so it must be played, too.
            if outcome.round < case.rounds:
                self.improve(case.prefix(outcome.round))
        return outcome.fails

    def _play(self, case: Case) -> tuple[Transcript, TrialResult]:
        now = time.monotonic()
        if self.best is not None and now + self.seconds_a_round * case.rounds > self.deadline:
            raise BudgetSpent
        run = played(
            self.learner, case, seed=self.seed, one_by_one=self.one_by_one, watch=self._watch, isolate=self.isolate
        )
        outcome = self.failing.outcome(run)
        self.outcomes[case.key] = outcome
        self.steps += 1
        self.seconds_a_round = max(self.seconds_a_round, (time.monotonic() - now) / max(case.rounds, 10))
        return run, outcome

    def _watch(self, done: int) -> None:
        if self.best is not None and time.monotonic() > self.deadline:
            raise BudgetSpent

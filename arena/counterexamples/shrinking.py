"""The function `shrink`, which makes a match in which a learner failed as short and simple as possible.

It tries fewer rounds first, then fewer points, then rounder numbers. These steps are repeated until none of them makes
the match simpler.

>>> import arena
>>> worst = arena.play("krr", "greedy", rounds=40)
>>> small = shrink("krr", worst, "awv-logdet").smallest
>>> small.rounds, small.labels
(2, array([ 1., -1.]))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.counterexamples.case import Case, moves_of
from arena.counterexamples.data_rows import table_of
from arena.counterexamples.passes import OF_ROWS, PASSES, Passes, round_labels, round_points, try_prefixes
from arena.counterexamples.trials import BrokenBound, BudgetSpent, Failing, ShrinkingTrials, failure_of
from arena.engine.isolation import Isolation
from arena.errors import ArenaError, number_of
from arena.record.theorem import Claim
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.parameters import convert


class NotRepeated(ArenaError):
    """Raised if a match cannot be shrunk because the learner does not fail again on the same moves."""


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Result of `shrink`: the given match (`worst`), and the smallest match that fails in the same way (`smallest`).

    - `points` and `labels` are all moves of the smallest match.
    - `theorem` is the broken theorem, and `verdict` is its verdict on `smallest`. Both are None for a foul.
    - `steps` is the number of trials.
    - `finished` is false if the budget was spent, or if the user pressed Ctrl-C (`interrupted`).
    - `one_by_one` is true if the smallest match is played round by round, and false if in blocks.
    """

    worst: Transcript
    smallest: Transcript
    points: np.ndarray
    labels: np.ndarray
    theorem: str | None
    verdict: Verdict | None
    steps: int
    seconds: float
    finished: bool
    interrupted: bool = False
    one_by_one: bool = False

    @property
    def rounds(self) -> int:
        """The number of moves of the smallest match."""
        return len(self.labels)

    @property
    def before(self) -> int:
        """The number of moves of the given match, including moves to which the learner gave no answer."""
        return len(moves_of(self.worst)[1])

    @property
    def reason(self) -> str:
        """A sentence that describes how the learner fails in the smallest match."""
        return str(self.verdict) if self.verdict else str(self.smallest.forfeit)

    def __str__(self) -> str:
        how = "" if self.finished else ", interrupted" if self.interrupted else ", out of time"
        size = f"{number_of(self.rounds, 'round')} at {number_of(len(np.unique(self.points, axis=0)), 'point')}"
        effort = f"{number_of(self.steps, 'trial')}, {self.seconds:.1f} s{how}"
        return f"{number_of(self.before, 'round')} shrunk to {size} ({effort}): {self.reason}"


def shrink(
    learner: Any,
    transcript: Transcript,
    theorem: Claim | None = None,
    *,
    budget: float = 60.0,
    isolate: bool | Isolation | None = None,
) -> Shrunk:
    """Shrink `transcript`, a match in which the learner failed; return a smaller match in which it still fails.

    - `learner` is a spec, a class, an object, or a function that makes a learner. Each trial plays a fresh
      copy, with the seed of the given match.
    - `theorem` is the bound that the learner broke. None stands for the learner's foul or, if there was no foul, for
      the first promised theorem that the learner broke.
    - `budget` is a number of seconds. When they are spent, or after Ctrl-C, the smallest match so far is returned.
    - `isolate` decides whether trials are played in a process of the learner's own. With None, this is done if the
      given match was isolated, or if the learner's process ended in this match.

    A broken bound counts as a failure in a trial if it is exceeded by more than ten times the tolerance for rounding.
    If the given match exceeds the bound by a smaller multiple of the tolerance, that multiple is enough in the trials,
    too. A foul counts if it is of the same kind as the foul of the given match.

    If the adversary played rows of a data file, rounds are left out, but points and labels are not changed.

    Raise an `ArenaError` if the learner did not fail in the given match, or `NotRepeated` if it does not fail again on
    the same moves.
    """
    seconds = convert(budget, float, label="shrink: budget")
    if seconds <= 0:
        raise ArenaError(f"shrink: budget must be a number of seconds > 0, but it is {budget!r}")
    failing = failure_of(transcript, theorem)
    if isinstance(failing, BrokenBound):
        failing.settle_for(transcript)
    elif not len(moves_of(transcript)[1]):
        raise ArenaError(f"there is nothing to shrink, since no move was played: {transcript.forfeit}")
    ended = transcript.forfeit is not None and transcript.forfeit.of_process
    if isolate is None:  # after a crash without isolation a fork is enough, and ten times as fast as bubblewrap
        isolate = transcript.isolated or (ended and Isolation(bubblewrap=False))
    passes = PASSES if table_of(transcript) is None else OF_ROWS
    trials = ShrinkingTrials(learner, failing, seed=transcript.seed, budget=seconds, isolate=isolate)
    finished = interrupted = False
    try:
        _begin(trials, transcript)
        _reduce(trials, passes)
        _reduce_at_the_horizon(trials, transcript, passes)
        finished = True
    except BudgetSpent:
        interrupted = passes is PASSES and _round_off(trials)
    except KeyboardInterrupt:
        if trials.best is None:
            raise
        interrupted = True
    assert trials.run is not None
    verdict = trials.run.verdict(failing.theorem) if isinstance(failing, BrokenBound) else None
    return Shrunk(
        worst=transcript,
        smallest=trials.run,
        points=trials.simplest.points,
        labels=trials.simplest.labels,
        theorem=verdict.theorem if verdict else None,
        verdict=verdict,
        steps=trials.steps,
        seconds=trials.seconds,
        finished=finished,
        interrupted=interrupted,
        one_by_one=trials.one_by_one,
    )


def _begin(trials: ShrinkingTrials, transcript: Transcript) -> None:
    """Play the moves of the match in up to eight ways (`_beginnings`) until the learner fails again.

    An `ArenaError` is raised if the learner fails in none of them, or if the budget is spent before it fails.
    """
    for case, one_by_one in _beginnings(transcript, trials.failing):
        try:
            if trials.begin_with(case, one_by_one=one_by_one):
                return
        except ArenaError:
            if not one_by_one:  # learners that must know all points beforehand refuse to play round by round
                raise
        if trials.seconds > trials.budget:
            raise ArenaError(
                f"the failure of {transcript.learner_name} did not come again within {trials.budget:g} s: "
                "give a larger budget"
            )
    raise NotRepeated(
        f"the failure of {transcript.learner_name} cannot be shrunk, because it does not come again when the same "
        "moves are played once more: does it depend on chance, on the clock, or on what it was asked in between "
        "(`check_learner(...)`)?"
    )


def _beginnings(transcript: Transcript, failing: Failing) -> Iterator[tuple[Case, bool]]:
    """Yield pairs (case, one_by_one) from which shrinking may start, the preferred ones first.

    A case has the match's moves up to the failure, or all of them. Its horizon is the number of its moves, or the
    match's horizon. It is to be played round by round if `one_by_one` is true, otherwise in blocks.
    """
    points, labels = moves_of(transcript)
    sizes = _sizes(transcript, failing)
    for one_by_one in (False, True):
        for horizon in (transcript.game.rounds,) if failing.keeps_game else (None, transcript.game.rounds):
            for size in sizes:
                yield Case(transcript.game, points[:size], labels[:size], horizon), one_by_one


def _sizes(transcript: Transcript, failing: Failing) -> list[int]:
    """Return the number of moves up to the failure, if the failure's round is known, and the number of all moves."""
    sizes = [failing.outcome(transcript).round, len(moves_of(transcript)[1])]
    return [size for size in sizes if 0 < size <= sizes[1]]


def _reduce(trials: ShrinkingTrials, passes: Passes) -> None:
    """Cut rounds off the end of the simplest failing case; then repeat the passes until none of them simplifies it."""
    try_prefixes(trials)
    before = None
    while trials.best is not before:
        before = trials.best
        for simplify in passes:
            simplify(trials)


def _round_off(trials: ShrinkingTrials) -> bool:
    """Round points and labels of the simplest failing case; return whether Ctrl-C was pressed.

    This is done in the last part of the budget, when the time for all other simplifications is spent.
    """
    trials.deadline = trials.started + trials.budget
    try:
        round_points(trials)
        round_labels(trials)
    except BudgetSpent:
        pass
    except KeyboardInterrupt:
        return True
    return False


def _reduce_at_the_horizon(trials: ShrinkingTrials, transcript: Transcript, passes: Passes) -> None:
    """Shrink the match a second time, with its original horizon, if fewer rounds may remain in this way.

    The first time, the horizon was shortened to the number of moves. With a shorter horizon the learner may need more
    rounds to fail.
    """
    # Fewer may remain if the match failed after fewer moves than are left, or if as many rounds are left as the
    # original horizon. `case.horizon` is None if the horizon was shortened to the number of moves.
    horizon, case = transcript.game.rounds, trials.simplest
    for size in _sizes(transcript, trials.failing):
        shorter_there = size < case.rounds or case.rounds == horizon
        if case.horizon is None and case.rounds > 1 and shorter_there:
            beginning = Case(transcript.game, *moves_of(transcript), horizon).prefix(size)
            if trials.begin_with(beginning, one_by_one=trials.one_by_one):
                _reduce(trials, passes)
                return

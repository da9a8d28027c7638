"""Shrinking: from a long sequence that a learner fails on to a short, round one on which it still fails.

`shrink` tries fewer rounds first, then fewer points, then rounder numbers, again and again until nothing helps.

>>> import arena
>>> worst = arena.play("krr", "greedy", rounds=40)
>>> small = shrink("krr", worst, "awv-logdet").smallest
>>> small.rounds, small.labels
(2, array([ 1., -1.]))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.counterexamples import rounder, shorter
from arena.counterexamples.case import Case, moves_of
from arena.counterexamples.failing import BrokenBound, Failing, way_of
from arena.counterexamples.shrunk import Shrunk
from arena.counterexamples.trials import BudgetSpent, Trials
from arena.errors import ArenaError
from arena.record.transcript import Claim, Transcript
from arena.specs.parameters import convert


def shrink(learner: Any, transcript: Transcript, theorem: Claim | None = None, *, budget: float = 60.0) -> Shrunk:
    """Reduce a match in which the learner failed to a minimal sequence on which it still fails.

    `learner` is a spec, a class, an object, or a function that makes one; each trial is a match of a fresh copy, with
    the same seed. `theorem` is the bound that it broke; without one, its foul, or else the first of its own theorems
    that it broke. A bound must still be exceeded by ten times what counts as rounding. After `budget` seconds, or
    Ctrl-C, the smallest sequence so far is given.
    """
    seconds = convert(budget, float, label="shrink: budget")
    if seconds <= 0:
        raise ArenaError(f"shrink: budget must be a number of seconds > 0, but it is {budget!r}")
    failing = way_of(transcript, theorem)
    if isinstance(failing, BrokenBound):
        failing.settle_for(transcript)
    trials = Trials(learner, failing, seed=transcript.seed, budget=seconds)
    finished, cause = False, None
    try:
        _begin(trials, transcript)
        _reduce(trials)
        _reduce_at_the_horizon(trials, transcript)
        finished = True
    except BudgetSpent:
        pass
    except KeyboardInterrupt as interruption:
        if trials.best is None:
            raise
        cause = interruption
    return _result(trials, transcript, failing, finished=finished, interrupted=cause is not None)


def shrink_if_possible(learner: Any, run: Transcript, theorem: Claim | None, *, budget: float) -> Shrunk | None:
    """The result of `shrink`; None if the failure does not come again: the learner has coins, a clock or a state."""
    try:
        return shrink(learner, run, theorem, budget=budget)
    except ArenaError:
        return None


PASSES = (
    shorter.try_simple_sequences,
    shorter.leave_out_blocks,
    rounder.merge_points,
    shorter.leave_out_blocks,
    rounder.round_labels,
    shorter.try_all_short_sequences,
    shorter.repair,
    rounder.plainer_game,
    rounder.round_points,
)


def _reduce(trials: Trials) -> None:
    shorter.try_prefixes(trials)
    before = None
    while trials.best is not before:
        before = trials.best
        for simplify in PASSES:
            simplify(trials)


def _reduce_at_the_horizon(trials: Trials, transcript: Transcript) -> None:
    """If no other horizon than that of the match will do, or only with more rounds than failed there, keep it."""
    horizon, case = transcript.game.rounds, trials.simplest
    for size in _sizes(transcript, trials.failing):
        shorter_there = size < case.rounds or case.rounds == horizon
        if case.horizon is None and case.rounds > 1 and shorter_there:
            beginning = Case(transcript.game, *moves_of(transcript), horizon).prefix(size)
            if trials.begin_with(beginning, one_by_one=trials.one_by_one):
                _reduce(trials)
                return


def _begin(trials: Trials, transcript: Transcript) -> None:
    """Find the way to play the moves again so that the learner fails again."""
    for case, one_by_one in _beginnings(transcript, trials.failing):
        try:
            if trials.begin_with(case, one_by_one=one_by_one):
                return
        except ArenaError:
            if not one_by_one:  # learners that must know everything beforehand do not play so
                raise
        if trials.seconds > trials.budget:
            break
    raise ArenaError(
        f"the failure of {transcript.learner} cannot be shrunk, because it does not come again when the same moves are "
        "played once more: does it depend on chance, on the clock, or on what it was asked in between (arena check)?"
    )


def _beginnings(transcript: Transcript, failing: Failing) -> Iterator[tuple[Case, bool]]:
    """The moves up to the failure or all of them, with their number or the old one as the horizon, also one by one."""
    points, labels = moves_of(transcript)
    sizes = _sizes(transcript, failing)
    for one_by_one in (False, True):
        for horizon in (None, transcript.game.rounds):
            for size in sizes:
                yield Case(transcript.game, points[:size], labels[:size], horizon), one_by_one


def _sizes(transcript: Transcript, failing: Failing) -> list[int]:
    """How many moves there were up to the failure, and how many in all."""
    sizes = [failing.outcome(transcript).round, len(moves_of(transcript)[1])]
    return [size for size in sizes if 0 < size <= sizes[1]]


def _result(trials: Trials, worst: Transcript, failing: Failing, *, finished: bool, interrupted: bool) -> Shrunk:
    assert trials.run is not None
    verdict = trials.run.verdict(failing.theorem) if isinstance(failing, BrokenBound) else None
    return Shrunk(
        worst=worst,
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

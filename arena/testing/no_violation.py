"""`assert_no_violation`, which asserts that a hunt finds no match that violates a theorem."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from arena.counterexamples.case import fresh
from arena.engine.match import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hunt import Hunt, Violation, hunt
from arena.hunt.target import Parameters
from arena.record.theorem import Claim, Theorem
from arena.record.transcript import Transcript
from arena.specs.spelling import spec_text
from arena.testing.failure import failure_message, hide_arena_frames, violation_message
from arena.testing.known_failures import KnownFailures, theorems_for
from arena.testing.session import conclude, run_settings

EXAMPLE = 20  # rounds of the match that is reported if no match is closest to a bound


@hide_arena_frames
def assert_no_violation(
    learner: Any,
    *,
    theorem: Claim | Sequence[Claim] = "auto",
    budget: float | None = None,
    matches: int | None = None,
    game: Game | None = None,
    seed: int = 0,
    parameters: Parameters = "varied",
    workers: int | None = None,
    name: str | None = None,
    **fields: Any,
) -> Hunt:
    """Hunt for a match that violates one of the theorems, and fail if the hunt finds one; return the hunt's result.

    - `theorem` is `auto` (the learner's promises), a name, a theorem, or several of these.
    - `budget` is the number of seconds of the hunt (default 10, or `--arena-budget`).
    - `matches` replaces the budget by a number of matches; the result is then the same on every machine.
    - `game` and `fields` fix fields of the game; the other fields are varied. `rounds` is the number of rounds of the
      longest match.
    - `parameters`: with "varied", promised theorems are also tried with other values of the learner's declared
      parameters. With "given", they are not.
    - `workers` is the number of processes; with 0 the hunt runs in this process. `name` is the learner's name in
      messages.

    A match that violates a theorem is shrunk. Under pytest it is also kept, and played first in the next run.

    >>> found = assert_no_violation("kernel-awv", theorem="awv-logdet", matches=5, workers=0)
    >>> found.matches
    5
    """
    __tracebackhide__ = True
    theorems = theorems_for(learner, theorem)
    if not theorems:
        raise ArenaError(f"{learner} promises no theorem: name one with theorem=...")
    known_failures = KnownFailures(learner, "hunt", theorems, game=game, fields=fields, name=name)
    again = known_failures.play_again(lambda _: theorems)
    if again is not None:
        _conclude(again.transcript, theorems, again)
    seconds = run_settings.get().budget if budget is None else budget
    found = hunt(
        learner,
        "auto" if theorem == "auto" else theorems,
        budget=seconds,
        matches=matches,
        game=game,
        seed=seed,
        parameters=parameters,
        workers=workers,
        name=name,
        **fields,
    )
    violation, failure = found.violation, None
    if violation is not None:
        if violation.parameters:
            variant = violation.failing(learner)
            theorems = theorems_for(variant, theorem)
            known_failures = KnownFailures(variant, "hunt", theorems, game=game, fields=fields)
        failure = _failure(violation, theorems, known_failures)
    worst = _worst_match(found) or _any_match(learner, found)
    if worst is not None:
        _conclude(worst, theorems, failure, matches=found.matches, rounds=found.rounds)
    elif failure is not None:
        raise failure
    if found.interrupted:
        raise KeyboardInterrupt
    if not found.applied:
        reasons = "; ".join(f"{each.theorem}: {each.reason or 'no match was played'}" for each in found.closest)
        raise ArenaError(f"nothing was checked in {found.matches} matches: {reasons}")
    return found


def _failure(found: Violation, theorems: Sequence[Theorem], known_failures: KnownFailures) -> Exception:
    run = found.transcript
    if run is None:
        return AssertionError(f"the learner fails: {found.reason}")
    theorem = next((each for each in theorems if spec_text(each) == found.theorem), None)
    verdict = None if theorem is None else run.verdict(theorem)
    if verdict is not None and verdict.violated:
        message = violation_message(run, verdict)
    else:
        message = failure_message(run, found.reason, [], bound=found.theorem)
    return known_failures.failure(run, message, theorem, verdict or found.verdict, shrinks=found.single)


def _worst_match(found: Hunt) -> Transcript | None:
    """Return the match that violates a theorem, or the match closest to a bound; None if the hunt kept neither."""
    if found.violation is not None:
        return found.violation.transcript
    closest = [each for each in found.closest if each.transcript is not None]
    return max(closest, key=lambda each: (not each.exact, each.tightness or 0.0)).transcript if closest else None


def _any_match(learner: Any, found: Hunt) -> Transcript | None:
    """Play and return a short match in the hunt's game; None if that fails, or if no theorem applied in the hunt."""
    # reports show this match if the hunt kept none, as with identities
    if not found.applied:
        return None
    with contextlib.suppress(ArenaError):
        return play(fresh(learner), "drawn", game=found.game.replace(rounds=min(found.game.rounds, EXAMPLE)))
    return None


def _conclude(run: Transcript, theorems: Sequence[Theorem], failure: Exception | None, **counts: int) -> None:
    __tracebackhide__ = True
    conclude("assert_no_violation", run, [run.verdict(theorem) for theorem in theorems], failure, **counts)

"""What was found is made small and kept; what is kept is played first the next time.

Both play the learner, so both are done in a worker that may be killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.counterexamples.failures import Failures, Replayed
from arena.counterexamples.shrinking import shrink
from arena.counterexamples.shrunk import Shrunk
from arena.errors import ArenaError
from arena.hunt.outcome import Violation
from arena.hunt.transcripts import bare, portable
from arena.hunt.workers import Pack, can_fork

PATIENCE = 10.0  # seconds that a learner may be silent here


def shrunk(violation: Violation, learner: Any, *, budget: float) -> Shrunk | None:
    """The smallest sequence that fails in the same way; None where no single match fails, or time does not suffice."""
    run = violation.transcript
    if run is None or not violation.single:
        return None

    def attempt() -> Any:
        try:
            return shrink(learner, run, violation.theorem, budget=budget)
        except ArenaError:  # it does not fail again: the learner has coins of its own, or a state that stays
            return None

    found: Shrunk | None = _apart(attempt, budget + PATIENCE)
    return found


def kept_violation(learner: Any, theorems: Sequence[str], folder: Path, *, budget: float) -> Violation | None:
    """The first failure kept in the folder that still is one; those that are none any more leave it."""
    store = Failures(folder)

    def attempt() -> list[Replayed]:
        asked = {*theorems, None}
        still = [each for each in store.replay_first(learner) if each.fails and each.failure.theorem in asked]
        return [replace(each, run=each.run and portable(each.run)) for each in still]

    for replayed in _apart(attempt, budget) or ():
        run = replayed.run
        verdict = run.judge(replayed.failure.theorem) if run and replayed.failure.theorem else None
        reason = str(verdict) if verdict else replayed.reason
        who = f"failure {replayed.failure.id}, kept in {folder}"
        return Violation(
            "bound" if verdict else "forfeit", reason, who, run and portable(run), verdict and bare(verdict)
        )
    return None


def _apart(attempt: Callable[[], Any], seconds: float) -> Any:
    """The result of what is attempted in a worker; None if it takes too long or dies."""
    if not can_fork():
        return attempt()

    def job(_seat: int, tell: Callable[[str, Any], None], _alive: Callable[[int], None]) -> None:
        tell("result", attempt())
        tell("done", None)

    for message in Pack(job, 1, deadline=time.monotonic() + seconds, patience=seconds).messages():
        if message is not None and message[0] in ("hung", "died"):
            return None
        if message is not None and message[0] == "result":
            return message[1]
    return None

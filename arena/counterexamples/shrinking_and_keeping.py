"""The function `shrink_and_keep`, which shrinks a match and keeps the result in a folder of failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from arena.counterexamples.failures import Failure, Failures
from arena.counterexamples.shrinking import NotRepeated, Shrunk, shrink
from arena.engine.isolation import Isolation
from arena.engine.workers import Unanswered, attempt_in_own_process
from arena.errors import ArenaError, describe_error
from arena.record.theorem import Claim
from arena.record.transcript import Transcript

PATIENCE = 10.0  # seconds that shrinking in another process may take beyond its budget


@dataclass(frozen=True)
class ShrunkAndKept:
    """Result of `shrink_and_keep`.

    `shrunk` is None if the match cannot be shrunk. `failure` is None if the result is not kept. `problem` says what
    went wrong; it is empty if nothing did. `elusive` is true if the learner did not fail again on the same moves.
    """

    shrunk: Shrunk | None = None
    failure: Failure | None = None
    problem: str = ""
    elusive: bool = False


def shrink_and_keep(
    learner: Any,
    run: Transcript,
    theorem: Claim | None = None,
    *,
    budget: float,
    store: Failures | None = None,
    own_process: bool = False,
    isolate: bool | Isolation | None = None,
) -> ShrunkAndKept:
    """Shrink a match in which the learner failed, and keep the result in `store` if a store is given.

    With `own_process` the match is shrunk in another process, which is ended if it takes 10 seconds longer than
    `budget`. `theorem`, `budget` and `isolate` are passed to `shrink`. An `ArenaError` of `shrink` or of the store is
    not raised: its message is the `problem` of the result.
    """
    attempt = partial(shrink, learner, run, theorem, budget=budget, isolate=isolate)
    try:
        shrunk = _shrunk_in_own_process(attempt, run, budget) if own_process else attempt()
    except ArenaError as error:
        return ShrunkAndKept(problem=str(error), elusive=isinstance(error, NotRepeated))
    try:
        return ShrunkAndKept(shrunk, store.add(shrunk) if store else None)
    except (ArenaError, OSError) as error:
        return ShrunkAndKept(shrunk, problem=str(error))


def _shrunk_in_own_process(attempt: Callable[[], Shrunk], run: Transcript, budget: float) -> Shrunk:
    """Return `attempt()`, computed in another process; raise an `ArenaError` with the reason if there is no result.

    `attempt()` shrinks the match `run`.
    """

    # the other process sends both transcripts without theorems, whose classes cannot always be pickled
    def shrunk() -> Shrunk:
        found = attempt()
        return replace(found, worst=replace(run, promised=()), smallest=replace(found.smallest, promised=()))

    try:
        found: Shrunk = attempt_in_own_process(shrunk, budget + PATIENCE)
    except ArenaError:
        raise
    except Unanswered as error:
        raise ArenaError(f"shrinking has no result: {error}") from None
    except Exception as error:
        raise ArenaError(f"shrinking raised {describe_error(error)}") from error
    return replace(found, worst=run, smallest=replace(found.smallest, promised=run.promised))

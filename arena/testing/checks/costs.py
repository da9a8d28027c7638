"""A learner's memory grows with the rounds as its `memory_growth` declares: "constant", "linear" or "quadratic"."""

from __future__ import annotations

import pickle

from arena.errors import describe_error
from arena.players.learner import Guest, Learner
from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import CheckFailed, NotApplicable, check
from arena.testing.checks.subject import Subject, play_rounds

POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
EARLY_AND_LATE = {"constant": (512, 2048), "linear": (512, 2048), "quadratic": (64, 512)}  # budgets are full by then
LONG = 100_000  # the announced horizon: a learner may keep records in short matches only
SLACK = 2.0  # arrays that double as they grow
SMALL = 4096  # bytes that are no growth: counters, wider integers


def _declared(subject: Subject) -> str | None:
    playing = subject.learner.guest if isinstance(subject.learner, Guest) else subject.learner
    declared: str | None = getattr(playing, "memory_growth", None)
    return declared


def _declares_growth(subject: Subject) -> str | None:
    if _declared(subject) is None:
        return 'it declares no memory_growth = "constant", "linear" or "quadratic"'
    return round_by_round(subject)


@check("plays", why_not=_declares_growth)
def memory_grows_as_declared(subject: Subject) -> None:
    """The pickled state grows no faster with the rounds than `memory_growth` says."""
    declared = _declared(subject)
    if declared not in POWERS:
        raise CheckFailed(f"memory_growth must be one of {', '.join(POWERS)}, but it is {declared!r}")
    early, late = EARLY_AND_LATE[declared]
    X, y = subject.sequence(late)
    learner = subject.begun(LONG)
    play_rounds(learner, X[:early], y[:early])
    first = _pickled_bytes(learner)
    play_rounds(learner, X[early:], y[early:])
    last = _pickled_bytes(learner)
    allowed = SLACK * first * (late / early) ** POWERS[declared] + SMALL
    if last > allowed:
        raise CheckFailed(
            f"memory is declared {declared}, but it grew from {first:,} bytes at round {early} "
            f"to {last:,} at round {late}; up to {allowed:,.0f} would pass"
        )


def _pickled_bytes(learner: Learner) -> int:
    try:
        return len(pickle.dumps(learner))
    except Exception as error:
        raise NotApplicable(
            f"its state cannot be pickled, so its size is not known: {describe_error(error)}"
        ) from error

"""Memory and time grow as declared: `memory_growth` and `time_growth`, each "constant", "linear" or "quadratic".

They say how the state and the work of one round grow with the number of rounds. Nothing is measured with a clock:
memory is the size of the pickled state; time is counted in bytecodes run and numbers newly stored in one round, which
is less than the true work (what a matrix product does inside is not seen), so that only too small a claim is caught.
"""

from __future__ import annotations

import pickle
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import describe_error
from arena.players.learner import Guest, Learner
from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import CheckFailed, NotApplicable, check
from arena.testing.checks.subject import Subject, play_round, play_rounds

POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
EARLY_AND_LATE = {"constant": (512, 2048), "linear": (512, 2048), "quadratic": (64, 512)}  # budgets are full by then
LONG = 100_000  # the horizon: what is recorded of short matches alone does not count
SLACK = 2.0  # arrays that double as they grow
SMALL = {"memory": 4096, "time": 2000}  # what is no growth: counters, wider integers
WATCHED = 5  # rounds of which the median counts: doubling an array is amortised


def _declares(what: str) -> Callable[[Subject], str | None]:
    def why_not(subject: Subject) -> str | None:
        if _declared(subject, what) is None:
            return f'it declares no {what}_growth = "constant", "linear" or "quadratic"'
        return round_by_round(subject)

    return why_not


def _declared(subject: Subject, what: str) -> str | None:
    playing: Any = subject.learner.guest if isinstance(subject.learner, Guest) else subject.learner
    declared: str | None = getattr(playing, f"{what}_growth", None)
    return declared


@check("plays", why_not=_declares("memory"))
def memory_grows_as_declared(subject: Subject) -> None:
    """The pickled state grows no faster with the rounds than `memory_growth` says."""
    _check(subject, "memory", _size)


@check("plays", why_not=_declares("time"))
def time_grows_as_declared(subject: Subject) -> None:
    """The countable work of a round grows no faster with the rounds than `time_growth` says."""
    _check(subject, "time", _steps_a_round)


def _check(subject: Subject, what: str, measure: Callable[[Learner, Array, Array], float]) -> None:
    declared = _declared(subject, what)
    if declared not in POWERS:
        raise CheckFailed(f"{what}_growth must be one of {', '.join(POWERS)}, but it is {declared!r}")
    early, late = EARLY_AND_LATE[declared]
    X, y = subject.sequence(late + 2 * WATCHED)
    learner = subject.begun(LONG)
    measured, start = [], 0
    for stop in (early, late):
        play_rounds(learner, X[start:stop], y[start:stop])
        start = stop + WATCHED
        measured.append(measure(learner, X[stop:start], y[stop:start]))
        if what == "memory":
            start = stop
    allowed = SLACK * measured[0] * (late / early) ** POWERS[declared] + SMALL[what]
    if measured[1] > allowed:
        unit = "bytes" if what == "memory" else "steps a round"
        raise CheckFailed(
            f"{what} is declared {declared}, but it grew from {measured[0]:,.0f} {unit} at round {early} "
            f"to {measured[1]:,.0f} at round {late}; up to {allowed:,.0f} would pass"
        )


def _size(learner: Learner, *_: Array) -> float:
    try:
        return float(len(pickle.dumps(learner)))
    except Exception as error:
        raise NotApplicable(
            f"its state cannot be pickled, so its size is not known: {describe_error(error)}"
        ) from error


def _steps_a_round(learner: Learner, X: Array, y: Array) -> float:
    return float(np.median([_steps(learner, x, label) for x, label in zip(X, y.tolist(), strict=True)]))


def _steps(learner: Learner, x: Array, y: float) -> float:
    """Bytecodes run in one round, and numbers newly stored."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    with _allocations() as stored:
        sys.settrace(trace)
        try:
            play_round(learner, x, y)
        finally:
            sys.settrace(before)
    return count + stored() / np.dtype(float).itemsize


@contextmanager
def _allocations() -> Iterator[Callable[[], int]]:
    """Inside, ask for the most bytes that were newly allocated at one time."""
    started = not tracemalloc.is_tracing()
    if started:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        yield lambda: most
        most = tracemalloc.get_traced_memory()[1] - before
    finally:
        if started:
            tracemalloc.stop()

"""Who wants to know what assertions saw, and what they are told by default; the pytest plugin is both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.record.theorem import Verdict
    from arena.record.transcript import Transcript


@dataclass(frozen=True)
class Observation:
    """One assertion: its worst match, what theorems say of it, how much was played, and why it failed, if it did."""

    assertion: str
    run: Transcript
    verdicts: Sequence[Verdict]
    matches: int
    rounds: int
    failure: str = ""


Observer = Callable[[Observation], None]
observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


def observe(observation: Observation) -> None:
    """Tell everyone who wants to know."""
    for observer in observers.get():
        observer(observation)


@dataclass(frozen=True)
class RunSettings:
    """What assertions do where they are not told otherwise.

    `seeds` is that of `assert_regret`, `budget` the seconds of a hunt, `shrinking` those for making a failure small (0:
    it is left as it is), `failures` the folder in which failures are kept (None: nowhere), `test` the test that runs.
    """

    seeds: int | None = None
    budget: float = 10.0
    shrinking: float = 10.0
    failures: str | None = None
    test: str = ""


USUAL = RunSettings()
run_settings: ContextVar[RunSettings] = ContextVar("run_settings", default=USUAL)

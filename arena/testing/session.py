"""Session state shared by the assertions and the pytest plugin.

Assertions read `run_settings`, and report an `Observation` to every function in `observers`. The plugin collects the
observations of each test in `Notes`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.record.transcript import Transcript
    from arena.record.verdict import Verdict


@dataclass(frozen=True)
class RunSettings:
    """Defaults that the assertions use, set by the pytest plugin.

    - `seeds` is the default of `seeds` in `assert_regret`; None means a single match.
    - `budget` is the number of seconds of a hunt.
    - `shrinking` is the number of seconds for shrinking a failure; 0 switches shrinking off.
    - `failures` is the folder in which failures are kept; None if they are not kept.
    - `test` is the name of the running test; empty if no test is running.
    """

    seeds: int | None = None
    budget: float = 10.0
    shrinking: float = 10.0
    failures: str | None = None
    test: str = ""


run_settings: ContextVar[RunSettings] = ContextVar("run_settings", default=RunSettings())  # noqa: B039 - immutable


@dataclass(frozen=True)
class Observation:
    """Result of one assertion: its worst match, the verdicts on this match, and the numbers of matches and rounds.

    `failure` is the message if the assertion failed, otherwise empty.
    """

    assertion: str
    run: Transcript
    verdicts: Sequence[Verdict]
    matches: int
    rounds: int
    failure: str = ""

    @property
    def closest(self) -> tuple[float | None, str | None]:
        """The largest tightness in the assertion's verdicts and the name of its theorem; (None, None) if there is none.

        Identities are left out.
        """
        inexact = [each for each in self.verdicts if each.tightness is not None and not each.is_deviation]
        return max(((float(each.tightness or 0.0), each.theorem) for each in inexact), default=(None, None))

    @property
    def severity(self) -> tuple[bool, float]:
        """A sort key for results of assertions: by their largest tightness, but failed ones come after all others."""
        tightness, _ = self.closest
        return bool(self.failure), -float("inf") if tightness is None else tightness


@dataclass(frozen=True)
class Mistake:
    """A call of an assertion that raised an `ArenaError`, for instance because of a wrong argument.

    `message` is the error's message.
    """

    assertion: str
    message: str


Observer = Callable[[Observation | Mistake], None]
observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


def observe(observation: Observation | Mistake) -> None:
    """Report the result of an assertion, or a call of it that raised an `ArenaError`, to all observers.

    The pytest plugin is such an observer.
    """
    for observer in observers.get():
        observer(observation)


def conclude(
    assertion: str,
    run: Transcript,
    verdicts: Sequence[Verdict],
    failure: Exception | None,
    *,
    matches: int = 1,
    rounds: int | None = None,
) -> None:
    """Report the result of an assertion to all observers, and raise the failure if there is one.

    `run` is the worst of the `matches`, which have `rounds` rounds together, by default as many as `run` has each.
    """
    __tracebackhide__ = True
    played = matches * run.rounds if rounds is None else rounds
    observe(Observation(assertion, run, verdicts, matches, played, str(failure or "")))
    if failure is not None:
        raise failure


@dataclass
class AssertionRecord:
    """Counts of the calls of one assertion with one learner and one adversary, and the worst observation among them."""

    worst: Observation
    assertions: int = 0
    failed: int = 0
    matches: int = 0
    rounds: int = 0

    def add(self, observation: Observation) -> None:
        """Count one more call of the assertion, and set `worst` to its result, `observation`, if that is worse."""
        self.assertions += 1
        self.failed += bool(observation.failure)
        self.matches += observation.matches
        self.rounds += observation.rounds
        if observation.severity > self.worst.severity:
            self.worst = observation


class Notes:
    """What the assertions of one test have reported.

    There is one `AssertionRecord` with counts for each assertion, learner and adversary, and a list of `mistakes`, the
    calls that raised an `ArenaError`.
    """

    def __init__(self) -> None:
        self.notes: dict[tuple[str, ...], AssertionRecord] = {}
        self.mistakes: list[Mistake] = []

    def add(self, observation: Observation | Mistake) -> None:
        """Add an `Observation` to the note of its assertion, learner and adversary, or a `Mistake` to `mistakes`.

        All sequences of given moves count as one adversary.
        """
        if isinstance(observation, Mistake):
            self.mistakes.append(observation)
            return
        given = observation.run.adversary.startswith("arena.testing.moves:Moves(")
        key = (observation.assertion, observation.run.learner, "" if given else observation.run.adversary)
        self.notes.setdefault(key, AssertionRecord(observation)).add(observation)

    def entries(self, test: str) -> Iterator[tuple[str, Observation, dict[str, Any]]]:
        """Yield a unique name, the worst observation and a dictionary for each assertion, learner and adversary.

        The dictionary's keys are `assertion`, `learner` and `adversary` (their names), `assertions` (the number of
        calls), `failed`, `matches`, `rounds`, `tightness` and `theorem`. Its values are plain texts and numbers; the
        last two may be None. The unique names are made from `test`, the name of the test.
        """
        for place, note in enumerate(self.notes.values()):
            tightness, theorem = note.worst.closest
            match = {
                "assertion": note.worst.assertion,
                "learner": note.worst.run.learner_name,
                "adversary": note.worst.run.adversary_name,
                "assertions": note.assertions,
                "failed": note.failed,
                "matches": note.matches,
                "rounds": note.rounds,
                "tightness": tightness,
                "theorem": theorem,
            }
            yield f"match-{zlib.crc32(test.encode()):08x}-{place}", note.worst, match

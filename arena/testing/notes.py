"""What the pytest plugin notes of a test's assertions: of many that are alike, as hypothesis makes them, the worst."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.testing.failure import opponent
from arena.testing.observers import Observation


@dataclass
class Note:
    """Assertions of one kind, on one learner and one kind of opponent."""

    worst: Observation
    assertions: int = 0
    failed: int = 0
    matches: int = 0
    rounds: int = 0

    def add(self, seen: Observation) -> None:
        """One more."""
        self.assertions += 1
        self.failed += bool(seen.failure)
        self.matches += seen.matches
        self.rounds += seen.rounds
        if _badness(seen) > _badness(self.worst):
            self.worst = seen


class Notes:
    """The notes of one test, in the order in which its assertions were first made."""

    def __init__(self) -> None:
        self.notes: dict[tuple[str, ...], Note] = {}

    def add(self, seen: Observation) -> None:
        """One assertion more."""
        written = opponent(seen.run) != seen.run.adversary  # a sequence that was written down: one of many
        key = (seen.assertion, seen.run.learner, "" if written else seen.run.adversary)
        self.notes.setdefault(key, Note(seen)).add(seen)

    def told(self, test: str) -> Iterator[tuple[str, Observation, dict[str, Any]]]:
        """For each note a name unlike all others, the worst that was seen, and plain values for the summary."""
        for place, note in enumerate(self.notes.values()):
            tightness, theorem = _closest(note.worst)
            against = opponent(note.worst.run)
            match = {
                "assertion": note.worst.assertion,
                "learner": note.worst.run.learner,
                "adversary": against,
                "assertions": note.assertions,
                "failed": note.failed,
                "matches": note.matches,
                "rounds": note.rounds,
                "tightness": tightness,
                "theorem": theorem,
            }
            yield f"match-{zlib.crc32(test.encode()):08x}-{place}", note.worst, match


def _closest(seen: Observation) -> tuple[float | None, str | None]:
    judged = [(float(each.tightness), each.theorem) for each in seen.verdicts if each.tightness is not None]
    exact = {each.theorem for each in seen.verdicts if each.exact}
    return max((each for each in judged if each[1] not in exact), default=(None, None))


def _badness(seen: Observation) -> tuple[bool, float]:
    tightness, _ = _closest(seen)
    return bool(seen.failure), -float("inf") if tightness is None else tightness

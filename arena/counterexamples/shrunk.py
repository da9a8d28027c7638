"""What shrinking comes to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.counterexamples.case import moves_of
from arena.errors import number_of
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Shrunk:
    """The worst sequence as it was given, and the smallest that was found: two things, each kept as it is.

    `verdict` is that of the smallest; None if the failure is a foul. `finished` says that nothing could be made smaller
    any more; otherwise the time was over, or Ctrl-C was pressed (`interrupted`).
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
        """Of the smallest sequence."""
        return len(self.labels)

    @property
    def before(self) -> int:
        """The rounds of the worst sequence, with those that were not answered any more."""
        return len(moves_of(self.worst)[1])

    @property
    def reason(self) -> str:
        """In one line, in what way the learner fails on it."""
        return str(self.verdict) if self.verdict else str(self.smallest.forfeit)

    def __str__(self) -> str:
        how = "" if self.finished else ", interrupted" if self.interrupted else ", out of time"
        size = f"{number_of(self.rounds, 'round')} at {number_of(len(np.unique(self.points, axis=0)), 'point')}"
        effort = f"{number_of(self.steps, 'trial')}, {self.seconds:.1f} s{how}"
        return f"{number_of(self.before, 'round')} shrunk to {size} ({effort}): {self.reason}"

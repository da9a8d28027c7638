"""In what way a learner fails: a bound that it breaks, or a foul; and how badly a match shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arena.errors import ArenaError
from arena.record.theorem import ROUNDING
from arena.record.transcript import Claim, Transcript
from arena.record.verdict import Verdict

MARGIN = 10.0  # a bound must be exceeded by so many times what the verdict blames on rounding


@dataclass(frozen=True)
class Outcome:
    """How a trial went: whether it failed, first in which round, and how far beyond the bound it was (or not)."""

    fails: bool
    round: int = 0
    excess: float = -np.inf


class Failing(Protocol):
    """A way to fail."""

    def outcome(self, run: Transcript) -> Outcome:
        """Whether this match fails in this way."""


@dataclass
class BrokenBound:
    """The learner exceeds what a theorem allows by more than rounding explains."""

    theorem: Claim
    margin: float = MARGIN

    def outcome(self, run: Transcript) -> Outcome:
        """The first round in which the bound is clearly exceeded."""
        verdict = run.verdict(self.theorem)
        excess, strength = _beyond(verdict, run)
        clear = strength > self.margin
        if not clear.any() or not verdict.violated:  # some theorems look at the end alone
            return Outcome(False, 0, float(excess.max(initial=-np.inf)))
        first = int(clear.argmax())
        return Outcome(True, first + 1, float(excess[first]))

    def settle_for(self, run: Transcript) -> None:
        """Ask for no more than what the match has that is to be shrunk."""
        strength = _beyond(run.verdict(self.theorem), run)[1].max(initial=0.0)
        if strength > 1.0:
            self.margin = min(MARGIN, float(np.nextafter(strength, 0.0)))


def _beyond(verdict: Verdict, run: Transcript) -> tuple[Any, Any]:
    """How far beyond the bound each round is, as it is and in units of the verdict's own tolerance."""
    measured, allowed = verdict.measured_curve, verdict.allowed_curve
    if measured is None or allowed is None:  # an assumption is not met
        return np.empty(0), np.empty(0)
    with np.errstate(over="ignore", invalid="ignore"):
        slack = ROUNDING * (min(1.0, run.game.label_bound) ** 2 + run.cumulative_losses)
        excess = np.where(np.isposinf(allowed), -np.inf, measured - allowed)
        excess = np.where(np.isnan(excess), np.inf, excess)  # NaN is no way to obey a theorem
        strength = np.where(np.isposinf(excess), np.inf, excess / slack)
    return excess, np.where(np.isnan(strength), -np.inf, strength)


@dataclass(frozen=True)
class SameFoul:
    """The learner is stopped by the referee, for the same reason up to its numbers."""

    kind: str

    def outcome(self, run: Transcript) -> Outcome:
        """The round of the foul."""
        if run.forfeit is None or run.forfeit.side != "learner" or kind_of_foul(run.forfeit.reason) != self.kind:
            return Outcome(False)
        return Outcome(True, max(1, run.forfeit.round), np.inf)


def kind_of_foul(reason: str) -> str:
    """The reason without the numbers, the line and the method: the same mistake may be met in another round.

    >>> kind_of_foul("predict raised ZeroDivisionError: float division by zero (mine.py, line 12)")
    'raised ZeroDivisionError: float division by zero (mine.py, line #)'
    >>> kind_of_foul("the prediction is nan"), kind_of_foul("peek gave -inf")
    ('the prediction is #', 'the prediction is #')
    """
    kind = re.sub(r"-?\b(nan|inf|\d[\d.e+-]*)\b", "#", reason[max(0, reason.find("raised ")) :])
    return kind.replace("peek gave #", "the prediction is #")


def way_of(run: Transcript, theorem: Claim | None) -> BrokenBound | SameFoul:
    """How this match fails; an `ArenaError` if it does not, or not by itself."""
    if theorem is None and run.forfeit:
        if run.forfeit.side != "learner":
            raise ArenaError(f"only a learner's failure can be shrunk, but {run.forfeit}")
        return SameFoul(kind_of_foul(run.forfeit.reason))
    verdicts = run.verdicts("auto" if theorem is None else theorem)
    broken = next((verdict for verdict in verdicts if verdict.violated), None)
    if broken is not None:
        return BrokenBound(broken.name if theorem is None else theorem)
    for verdict in verdicts:
        if verdict.confidence < 1 or verdict.in_expectation:
            raise ArenaError(
                f"{verdict.theorem} leaves room for chance, so no single match violates it and none can be shrunk; "
                "judge many with --seeds"
            )
    told = "; ".join(map(str, verdicts)) or f"{run.learner} promises no theorem: name one"
    raise ArenaError(f"there is nothing to shrink: the learner did not fail ({told})")

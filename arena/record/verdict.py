"""What a theorem says of a match: one outcome, with what was assumed, measured and allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from arena.arrays import Array

Outcome = Literal["holds", "violated", "undecided", "not applicable"]
DEVIATION = "deviation"  # the quantity that an identity bounds, by nothing but rounding


@dataclass(frozen=True)
class Assumption:
    """One thing that a theorem needs, whether the match met it, and what was measured.

    Most are about the game, the moves or chance; one that is the `learners` to meet, whatever the moves, is a promise.
    """

    statement: str
    holds: bool
    measured: str = ""
    learners: bool = False

    def __str__(self) -> str:
        return f"{self.statement} ({self.measured})" if self.measured else self.statement


class Judged:
    """What can be asked of any judgement, of one match or of many."""

    outcome: Outcome
    quantity: str

    @property
    def holds(self) -> bool:
        """The statement was judged, and nothing speaks against it."""
        return self.outcome == "holds"

    @property
    def violated(self) -> bool:
        """The statement was judged, and is refuted."""
        return self.outcome == "violated"

    @property
    def exact(self) -> bool:
        """It compares the two sides of an identity: what is allowed is rounding, not a bound."""
        return self.quantity == DEVIATION


@dataclass(frozen=True)
class Verdict(Judged):
    """What a theorem says of a match.

    `measured` and `allowed` are the values at the last round; `round` is the first round at which the bound was broken
    and `margin` by how much it was broken there. Where only an interval is known of the hindsight, they are the values
    at its unfavourable end (at the favourable one if the bound is broken even there), and `other_end` has those of the
    other: undecided means that the bound is kept at one end and broken at the other.
    """

    theorem: str
    name: str
    outcome: Outcome
    reason: str = ""
    quantity: str = "regret"
    measured: float | None = None
    allowed: float | None = None
    round: int | None = None
    margin: float | None = None
    assumptions: tuple[Assumption, ...] = ()
    measured_curve: Array | None = field(default=None, repr=False, compare=False)
    allowed_curve: Array | None = field(default=None, repr=False, compare=False)
    tolerance_curve: Array | None = field(default=None, repr=False, compare=False)
    other_end: tuple[float, float] | None = None
    confidence: float = 1.0
    in_expectation: bool = False

    def without_curves(self) -> Verdict:
        """Return the verdict without its curves, which the transcript can give again."""
        return replace(self, measured_curve=None, allowed_curve=None, tolerance_curve=None)

    @property
    def by_chance(self) -> bool:
        """The theorem leaves room for chance, so that one match cannot refute it."""
        return self.confidence < 1 or self.in_expectation

    @property
    def undecided(self) -> bool:
        """The assumptions were met, and the interval of the hindsight is too wide to tell."""
        return self.outcome == "undecided"

    @property
    def applicable(self) -> bool:
        """The assumptions were met."""
        return self.outcome != "not applicable"

    @property
    def tightness(self) -> float | None:
        """Measured over allowed at the last round: 1 means that the theorem leaves nothing."""
        if self.measured is None or not self.allowed or math.isinf(self.allowed):
            return None
        return self.measured / self.allowed

    def __str__(self) -> str:
        if not self.applicable:
            return f"{self.theorem}: not applicable: {self.reason}"
        if self.violated:
            last = f"; at the end {self.measured:.6g} of {self.allowed:.6g}"
            return f"{self.theorem}: violated: {self.reason}{last}"
        if self.undecided:
            return f"{self.theorem}: undecided: {self.reason}"
        share = f" ({self.tightness:.0%} of it)" if self.tightness is not None else ""
        at_most = f"{self.quantity} {self.measured:.6g} of {self.allowed:.6g} allowed{share}"
        every = "" if self.other_end is None else " for every value in the interval, at the unfavourable end"
        return f"{self.theorem}: holds{every}: {at_most}"

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain values."""
        plain = ("theorem", "name", "outcome", "reason", "quantity", "measured", "allowed", "round", "margin")
        return {
            **{key: getattr(self, key) for key in plain},
            "tightness": self.tightness,
            "other_end": self.other_end,
            "confidence": self.confidence,
            "in_expectation": self.in_expectation,
            "assumptions": [{**vars(each), "holds": bool(each.holds)} for each in self.assumptions],
        }

"""The verdict of a theorem on a match: outcome, assumptions, measured and allowed values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from arena.arrays import Array

Outcome = Literal["holds", "violated", "undecided", "not applicable"]
# The beginnings of names of quantities that compare the learner with a comparator.
TO_A_COMPARATOR = ("regret", "loss beyond")
DEVIATION = "deviation"  # the quantity of an identity: the difference of its two sides


def share_text(share: float | None, unknown: str = "-", *, digits: int = 0) -> str:
    """Return a fraction as text: in percent, or "below 0" if it is negative; the text `unknown` for None.

    >>> share_text(0.734), share_text(-67.27), share_text(None)
    ('73%', 'below 0', '-')
    """
    if share is None:
        return unknown
    return "below 0" if share < 0 else f"{share:.{digits}%}"


@dataclass(frozen=True)
class Assumption:
    """A condition of a theorem, whether the match met it, and the measured value.

    - `learners` is True if a learner that promises the theorem must meet the condition.
    - `promised` is True for the condition that the learner reports certain evidence. A learner that does not promise
      the theorem need not report it.
    """

    statement: str
    holds: bool
    measured: str = ""
    learners: bool = False
    promised: bool = False

    def __str__(self) -> str:
        return f"{self.statement} ({self.measured})" if self.measured else self.statement


class Judged:
    """Properties that a verdict on one match and a verdict on a series have in common."""

    outcome: Outcome
    quantity: str
    lower: bool

    @property
    def kind(self) -> str:
        """The kind of statement: "lower bound" for a bound from below, otherwise "theorem"."""
        return "lower bound" if self.lower else "theorem"

    @property
    def holds(self) -> bool:
        """True if the outcome is "holds"."""
        return self.outcome == "holds"

    @property
    def violated(self) -> bool:
        """True if the outcome is "violated"."""
        return self.outcome == "violated"

    @property
    def is_deviation(self) -> bool:
        """True if the theorem is an equation: the difference of its sides is measured, and only rounding is allowed."""
        return self.quantity == DEVIATION


@dataclass(frozen=True)
class Verdict(Judged):
    """The verdict of one theorem on one match.

    - `measured` and `allowed` are the values at the last round. For a `lower` bound, `allowed` is the promised least
      value.
    - `round` is the first round in which the bound is violated, or the round that the theorem's method `refutation`
      gives. `margin` is the size of the violation in this round.
    - `most` is the largest value that the measured quantity can have in the game, if it is known.
    - `least_excess` is a number below which measured - allowed cannot be; None if the theorem gives no such number.
      For a `lower` bound it limits allowed - measured in the same way.
    - `identity` marks an inequality whose bound equals the measured value, whatever the learner predicts.
    - If the measured value is known in an interval only, `measured` and `allowed` belong to one end of the interval;
      `other_end` is the pair (measured, allowed) at its other end.
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
    least_excess: float | None = None
    lower: bool = False
    most: float | None = None
    identity: bool = False

    def without_curves(self) -> Verdict:
        """Return the verdict without its curves, which can be computed again from the transcript."""
        return replace(self, measured_curve=None, allowed_curve=None, tolerance_curve=None)

    @property
    def by_chance(self) -> bool:
        """True if the theorem holds only with a probability or on average, so that one match cannot refute it."""
        return self.confidence < 1 or self.in_expectation

    @property
    def refuted(self) -> bool:
        """True if this match alone refutes the theorem."""
        return self.violated and not self.by_chance

    @property
    def violation(self) -> tuple[float, float] | None:
        """The values (measured, allowed) in the round `round`; None without a violation, or without curves."""
        if self.round is None or self.measured_curve is None or self.allowed_curve is None:
            return None
        measured, allowed = float(self.measured_curve[self.round - 1]), float(self.allowed_curve[self.round - 1])
        # A theorem with a `refutation` measures another value in this round than its curve has.
        if self.margin is not None and math.isfinite(self.margin):
            measured = allowed - self.margin if self.lower else allowed + self.margin
        return measured, allowed

    @property
    def applicable(self) -> bool:
        """True if the theorem was judged: the outcome is not "not applicable"."""
        return self.outcome != "not applicable"

    @property
    def unmet(self) -> bool:
        """True if the theorem was not judged, and all failed assumptions are conditions on the learner."""
        return not self.applicable and bool(self.failed) and all(each.learners for each in self.failed)

    @property
    def failed(self) -> tuple[Assumption, ...]:
        """The assumptions that the match does not meet."""
        return tuple(each for each in self.assumptions if not each.holds)

    @property
    def tightness(self) -> float | None:
        """Measured divided by allowed at the last round; for a lower bound, allowed divided by measured.

        None if the bound is an identity, or if the quotient is undefined.
        """
        if self.measured is None or self.allowed is None or self.identity:
            return None
        share, whole = (self.allowed, self.measured) if self.lower else (self.measured, self.allowed)
        return None if not whole or math.isinf(whole) else share / whole

    @property
    def vacuous(self) -> bool:
        """True if the bound is at least `most`, the largest possible value, so that it excludes nothing."""
        if self.most is None or self.allowed is None or self.identity:
            return False
        return self.allowed >= self.most * (1.0 - 1e-12)

    @property
    def if_clipped(self) -> str:
        """A clause if the measured value exceeds `most`, as it can if predictions lie outside [-C, C]; otherwise ""."""
        beyond = self.most is not None and self.measured is not None and self.measured > self.most
        return " if predictions are clipped" if beyond else ""

    def __str__(self) -> str:
        if self.outcome in ("not applicable", "undecided"):
            return f"{self.theorem}: {self.outcome}: {self.reason}"
        if self.violated:
            last = f"; at the end {self.measured:.6g} {'where at least' if self.lower else 'of'} {self.allowed:.6g}"
            return f"{self.theorem}: violated: {self.reason}{last}"
        share = f" ({self.tightness:.0%} of it)" if self.tightness is not None else ""
        if self.measured is not None and self.measured < 0 and self.quantity.startswith(TO_A_COMPARATOR):
            share = " (below zero: the learner did better than the comparator)" if not self.lower else ""
        at_most = f"{self.quantity} {self.measured:.6g} of {self.allowed:.6g} allowed{share}"
        if self.lower:
            at_most = f"{self.quantity} {self.measured:.6g}, of which at least {self.allowed:.6g} is forced{share}"
        if self.vacuous:
            at_most += f"; vacuous here: {self.most:.6g} is the largest possible{self.if_clipped}"
            at_most += ", so that it excludes nothing"
        if self.identity:
            at_most += "; an identity: it allows as much as is measured, whatever the learner does"
        worst = "favourable" if self.lower else "unfavourable"
        every = "" if self.other_end is None else f" for every value in the interval, at the {worst} end"
        return f"{self.theorem}: holds{every}: {at_most}"

    def as_json(self) -> dict[str, Any]:
        plain = ("theorem", "name", "outcome", "reason", "quantity", "measured", "allowed", "round", "margin")
        return {
            **{key: getattr(self, key) for key in plain},
            "kind": self.kind,
            "most": self.most,
            "vacuous": self.vacuous,
            "identity": self.identity or self.is_deviation,
            "tightness": self.tightness,
            "other_end": self.other_end,
            "confidence": self.confidence,
            "in_expectation": self.in_expectation,
            "assumptions": [{**vars(each), "holds": bool(each.holds)} for each in self.assumptions],
        }

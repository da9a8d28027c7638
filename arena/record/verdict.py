"""The verdict of a theorem on one match or several: outcome, assumptions, measured and allowed values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from arena.arrays import Array

Outcome = Literal["holds", "violated", "undecided", "not applicable"]
# The beginnings of names of quantities that compare the learner with a comparator.
TO_A_COMPARATOR = ("regret", "loss beyond")
TRANSIENT = ("measured_curve", "allowed_curve", "tolerance_curve", "about")  # fields that are not written to files
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


@dataclass(frozen=True)
class Verdict:
    """The verdict of one theorem on one match, or on several matches that differ only in their seed.

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
    - `version` is the theorem's version, with which a kept verdict is found to be out of date.
    - `about` is the theorem itself; it and the curves are None in a verdict that was kept.

    A verdict on several matches names the `method` by which they were judged together. The theorem applied to `applied`
    of the `matches`; in `vacuous_in` of them the bound was vacuous. `violations` are the seeds of the matches in which
    the bound was violated. `closest` is the seed of the match that came closest to the bound; `measured`, `allowed` and
    the tightness are those of this match, and None if the theorem applied to no match.
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
    about: Any = field(default=None, repr=False, compare=False)
    other_end: tuple[float, float] | None = None
    confidence: float = 1.0
    in_expectation: bool = False
    least_excess: float | None = None
    lower: bool = False
    most: float | None = None
    identity: bool = False
    version: str = ""
    method: str = ""
    matches: int = 1
    applied: int = 1
    vacuous_in: int = 0
    violations: tuple[int, ...] = ()
    closest: int | None = None

    def without_curves(self) -> Verdict:
        """Return the verdict without the theorem and the curves, which can be computed again from the transcript."""
        return replace(self, measured_curve=None, allowed_curve=None, tolerance_curve=None, about=None)

    @property
    def alone(self) -> Verdict:
        """The verdict as one match can give it.

        If the theorem holds only with a probability or on average, this is "not applicable", since one match cannot
        refute it.
        """
        if not self.applicable or not self.by_chance or self.method:
            return self
        how = "in expectation" if self.in_expectation else f"with probability {self.confidence:g}"
        seen = f"here {self.quantity} {self.measured:.6g} {'where at least' if self.lower else 'of'} {self.allowed:.6g}"
        seen += " is forced" * self.lower
        reason = f"it holds {how}, so one match says nothing ({seen}); judge many with `seeds=...`"
        found = replace(self.without_curves(), outcome="not applicable", reason=reason, about=self.about)
        return replace(
            found, measured=None, allowed=None, round=None, margin=None, other_end=None, least_excess=None, most=None
        )

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

    @property
    def by_chance(self) -> bool:
        """True if the theorem holds only with a probability or on average, so that one match cannot refute it."""
        return self.confidence < 1 or self.in_expectation

    @property
    def decided(self) -> bool:
        """True if the theorem was found to hold or to be violated; one match cannot decide a theorem `by_chance`."""
        return self.outcome in ("holds", "violated") and (bool(self.method) or not self.by_chance)

    @property
    def refuted(self) -> bool:
        """True if the theorem was found to be violated; one match cannot refute a theorem `by_chance`."""
        return self.violated and self.decided

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
    def applicable(self) -> int:
        """True if the theorem was judged: the outcome is not "not applicable"; of several matches, their number."""
        return self.applied if self.method else self.outcome != "not applicable"

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
    def vacuous(self) -> int:
        """True if the bound is at least `most`, the largest possible value, so that it excludes nothing.

        Of several matches, this is the number of those in which the bound is vacuous.
        """
        if self.method:
            return self.vacuous_in
        if self.most is None or self.allowed is None or self.identity:
            return False
        return self.allowed >= self.most * (1.0 - 1e-12)

    @property
    def if_clipped(self) -> str:
        """A clause if the measured value exceeds `most`, as it can if predictions lie outside [-C, C]; otherwise ""."""
        beyond = self.most is not None and self.measured is not None and self.measured > self.most
        return " if predictions are clipped" if beyond else ""

    def __str__(self) -> str:
        if self.method or self.outcome in ("not applicable", "undecided"):
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
        saved = f"; {self.reason}" if self.reason else ""
        every = "" if self.other_end is None else f" for every value in the interval, at the {worst} end"
        return f"{self.theorem}: holds{every}: {at_most}{saved}"

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as plain values, without its curves; `from_json` makes the verdict of them."""
        values = {name: getattr(self, name) for name in STORED}
        return values | {
            "kind": self.kind,
            "vacuous": self.vacuous,
            "identity": self.identity or self.is_deviation,
            "tightness": self.tightness,
            "applicable": self.applicable,
            "assumptions": [dataclasses.asdict(each) for each in self.assumptions],
            "violations": list(self.violations),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Verdict:
        """Return the verdict whose `as_json` gave these values; in a file, infinity and NaN are texts such as `inf`."""
        fields = {name: values[name] for name in STORED}
        for name in NUMBERS:
            fields[name] = None if fields[name] is None else float(fields[name])
        if fields["other_end"] is not None:
            measured, allowed = fields["other_end"]
            fields["other_end"] = (float(measured), float(allowed))
        fields["identity"] = fields["identity"] and fields["quantity"] != DEVIATION
        fields["assumptions"] = tuple(Assumption(**each) for each in fields["assumptions"])
        fields["violations"] = tuple(fields["violations"])
        return cls(**fields)


SeriesVerdict = Verdict  # the name of a verdict on several matches in release 0.1

# The fields of a verdict that are written to files, and those of them that are numbers with a fraction.
STORED = tuple(each.name for each in dataclasses.fields(Verdict) if each.name not in TRANSIENT)
NUMBERS = tuple(
    each.name for each in dataclasses.fields(Verdict) if each.name in STORED and str(each.type).startswith("float")
)

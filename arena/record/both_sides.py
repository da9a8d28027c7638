"""Comparison of a measured regret with a lower bound of the adversary and the upper bound of a theorem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from arena.record.theorem import AT_MOST_THE_LOSS
from arena.record.verdict import Verdict

SAME = 1e-6  # relative difference up to which two values of a quantity, or two bounds, count as equal
BEYOND_MOVES = (  # prefixes of the quantities that are the loss minus a number determined by the moves
    *AT_MOST_THE_LOSS,
    "loss",
    "regret less |g|^2",
    "regret less entropy",
)


@dataclass(frozen=True)
class BothSides:
    """A theorem's upper bound and an adversary's lower bound on the same `quantity` of a match.

    `moved` is True if the adversary promised its bound for another quantity, such as the regret to another comparator.
    Then `lower` is this bound, converted to `quantity`.
    """

    theorem: str
    lower_bound: str
    quantity: str
    lower: float
    measured: float
    upper: float
    moved: bool = False

    @property
    def meet(self) -> bool:
        """True if the lower and the upper bound are equal up to rounding."""
        return self.place is None

    @property
    def ratio(self) -> float:
        """The lower bound divided by the upper bound."""
        return self.lower / self.upper

    @property
    def place(self) -> float | None:
        """Position of the measured value between the bounds, from 0 (lower) to 1 (upper); None if the bounds meet."""
        apart = self.upper - self.lower
        return (self.measured - self.lower) / apart if apart > SAME * abs(self.upper) else None

    def __str__(self) -> str:
        between = f"{self.quantity} {self.measured:.6g} in [{self.lower:.6g}, {self.upper:.6g}]"
        where = f", {self.place:.0%} of the way" if self.place is not None else ", where the two bounds meet"
        moved = " (moved to that comparator)" if self.moved else ""
        return f"between {self.lower_bound}{moved} and {self.theorem}: {between}{where}"

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "meet": self.meet, "ratio": self.ratio, "place": self.place}


def largest_lower_bound(lower: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict on the largest lower bound that holds; None if no lower bound holds.

    Bounds that hold only with a probability or on average are left out: one match cannot refute them.
    """
    known = [each for each in lower if each.lower and each.holds and not each.by_chance and each.allowed is not None]
    return max(known, key=attrgetter("allowed"), default=None)


def smallest_upper_bound(verdicts: Sequence[Verdict], regret: float | None) -> float | None:
    """Return the smallest of the upper bounds that the theorems give on the match's regret; None if they give none.

    Theorems count if their verdict is "holds". `regret` is the measured regret. A bound on the loss, or on the regret
    to another comparator, is converted: it becomes `regret` plus the slack of that bound (allowed minus measured).

    Left out are theorems that hold only with a probability or on average, and bounds that cannot be converted, for
    instance because `regret` is None.
    """
    known = [each for each in verdicts if each.holds and not (each.lower or each.is_deviation or each.by_chance)]
    return min((bound for each in known if (bound := _upper_bound(each, regret)) is not None), default=None)


def _upper_bound(verdict: Verdict, regret: float | None) -> float | None:
    """Return the upper bound on the match's regret that a theorem gives; None if it gives none.

    `verdict` is the verdict on the theorem. A bound on the loss, or on the regret to another comparator, is converted
    as in `smallest_upper_bound`; this needs `regret`, the measured regret. Bounds on other quantities give None.
    """
    if verdict.allowed is None or verdict.measured is None or verdict.quantity == "regret":
        return verdict.allowed
    if regret is None or verdict.other_end or not verdict.quantity.startswith(BEYOND_MOVES):
        return None
    bound = verdict.allowed + regret - verdict.measured
    return bound if math.isfinite(bound) else None


def both_sides(verdicts: Sequence[Verdict], lower: Sequence[Verdict]) -> list[BothSides]:
    """Return a `BothSides` for each theorem that holds: its upper bound, and the adversary's largest lower bound.

    `lower` has the verdicts on the adversary's lower bounds. The lower bound is converted if the theorem bounds another
    quantity, such as the regret to another comparator. The theorem is left out if the lower bound cannot be converted,
    or is not positive. Equations and theorems that allow 0 or infinity are left out, too. If no lower bound holds, the
    list is empty.
    """
    below = largest_lower_bound(lower)
    if below is None:
        return []
    found = []
    for verdict in verdicts:
        if not verdict.holds or verdict.is_deviation or verdict.lower:
            continue
        if not verdict.allowed or math.isinf(verdict.allowed):
            continue
        least = _lower_bound(verdict, below)
        if least is not None and verdict.measured is not None:
            measured, moved = float(verdict.measured), least != below.allowed
            names = (verdict.theorem, below.theorem, verdict.quantity)
            found.append(BothSides(*names, lower=least, measured=measured, upper=float(verdict.allowed), moved=moved))
    return found


def _lower_bound(verdict: Verdict, below: Verdict) -> float | None:
    """Return an adversary's lower bound, converted to the quantity that a theorem bounds.

    `below` is the verdict on the lower bound, `verdict` the one on the theorem. The result is None if the bound cannot
    be converted, or if the converted bound is not positive.
    """
    if verdict.measured is None or below.measured is None or below.allowed is None:
        return None
    apart = verdict.measured - below.measured
    if verdict.quantity.startswith("regret") and abs(apart) <= SAME * max(abs(verdict.measured), abs(below.measured)):
        return below.allowed if below.allowed > 0 else None
    if verdict.other_end or below.other_end or not verdict.quantity.startswith(BEYOND_MOVES):
        return None
    least = below.allowed + apart
    return least if SAME * abs(below.measured) < least < math.inf else None

"""Measured regrets between two bounds: the lower bound of the adversary and the upper bound of a theorem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.record.theorem import AT_MOST_THE_LOSS
from arena.record.verdict import Verdict

SAME = 1e-6  # relative difference up to which two values of a quantity, or two bounds, count as equal
BEYOND_MOVES = (  # how quantities begin that are the loss minus a number which is computed from the moves
    *AT_MOST_THE_LOSS,
    "loss",
    "regret less |g|^2",
    "regret less entropy",
)


@dataclass(frozen=True)
class BothSides:
    """A measured value between a lower bound and the bound of a theorem on the same quantity.

    A lower bound on the regret to one comparator is one on the regret to any other: the two regrets differ by the
    losses of the comparators, which the moves determine. Such a bound is `moved`.
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
        """Whether the two bounds are equal, so that neither can be improved for such a match."""
        return self.upper - self.lower <= SAME * abs(self.upper)

    @property
    def ratio(self) -> float:
        """The lower bound over the upper one."""
        return self.lower / self.upper

    @property
    def place(self) -> float | None:
        """Position of the measured value between the lower bound (0) and the upper one (1); None if they are equal."""
        return None if self.meet else (self.measured - self.lower) / (self.upper - self.lower)

    def __str__(self) -> str:
        between = f"{self.quantity} {self.measured:.6g} in [{self.lower:.6g}, {self.upper:.6g}]"
        where = f", {self.place:.0%} of the way" if self.place is not None else ", where the two bounds meet"
        moved = " (moved to that comparator)" * self.moved
        return f"between {self.lower_bound}{moved} and {self.theorem}: {between}{where}"

    def as_json(self) -> dict[str, Any]:
        """Return the two bounds as plain values."""
        return {**vars(self), "meet": self.meet, "ratio": self.ratio, "place": self.place}


def forced(lower: Sequence[Verdict]) -> Verdict | None:
    """Return the largest lower bound of the regret at the game's lambda that holds, None without one.

    Bounds that leave room for chance are left out: one match says nothing about them.
    """
    known = [each for each in lower if each.lower and each.holds and not each.by_chance and each.allowed is not None]
    return max(known, key=lambda each: each.allowed or 0.0, default=None)


def allowed(verdicts: Sequence[Verdict], regret: float | None) -> float | None:
    """Return the smallest bound of a theorem that holds on the regret at the game's lambda; None without one.

    Theorems on the regret to another comparator are moved to this one. Those that leave room for chance are left out.
    """
    known = [each for each in verdicts if each.holds and not (each.lower or each.exact or each.by_chance)]
    return min((bound for each in known if (bound := _most(each, regret)) is not None), default=None)


def _most(verdict: Verdict, regret: float | None) -> float | None:
    """Return the bound on the regret at the game's lambda that follows from this verdict; None if there is none."""
    if verdict.allowed is None or verdict.measured is None or verdict.quantity == "regret":
        return verdict.allowed
    if regret is None or verdict.other_end or not verdict.quantity.startswith(BEYOND_MOVES):
        return None
    bound = verdict.allowed + regret - verdict.measured
    return bound if math.isfinite(bound) else None


def both_sides(verdicts: Sequence[Verdict], lower: Sequence[Verdict]) -> list[BothSides]:
    """Return each theorem that holds with the largest lower bound on the same quantity, if there is one.

    A lower bound on another regret is moved to the theorem's. It is left out if it is not positive then, and if one of
    the two regrets is known up to an interval only.
    """
    below = forced(lower)
    if below is None:
        return []
    found = []
    for verdict in verdicts:
        if not verdict.holds or verdict.exact or verdict.lower or not verdict.allowed:
            continue
        least = _least(verdict, below)
        if least is not None and verdict.measured is not None:
            measured, moved = float(verdict.measured), least != below.allowed
            names = (verdict.theorem, below.theorem, verdict.quantity)
            found.append(BothSides(*names, lower=least, measured=measured, upper=float(verdict.allowed), moved=moved))
    return found


def _least(verdict: Verdict, below: Verdict) -> float | None:
    """Return the lower bound on the quantity of this verdict; None if there is none, or none above zero."""
    if verdict.measured is None or below.measured is None or below.allowed is None:
        return None
    apart = verdict.measured - below.measured
    if verdict.quantity.startswith("regret") and abs(apart) <= SAME * max(abs(verdict.measured), abs(below.measured)):
        return below.allowed
    if verdict.other_end or below.other_end or not verdict.quantity.startswith(BEYOND_MOVES):
        return None
    least = below.allowed + apart
    return least if SAME * abs(below.measured) < least < math.inf else None

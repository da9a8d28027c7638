"""Measured regrets between two bounds: the lower bound of the adversary and the upper bound of a theorem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.record.verdict import Verdict

SAME = 1e-6  # relative difference up to which two values of a quantity, or two bounds, count as equal


@dataclass(frozen=True)
class BothSides:
    """A measured value between a lower bound and the bound of a theorem on the same quantity."""

    theorem: str
    lower_bound: str
    quantity: str
    lower: float
    measured: float
    upper: float

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
        return f"between {self.lower_bound} and {self.theorem}: {between}{where}"

    def as_json(self) -> dict[str, Any]:
        """Return the two bounds as plain values."""
        return {**vars(self), "meet": self.meet, "ratio": self.ratio, "place": self.place}


def both_sides(verdicts: Sequence[Verdict], lower: Sequence[Verdict]) -> list[BothSides]:
    """Return each theorem that holds with the largest lower bound that holds for the same quantity, if there is one.

    Two regrets count as the same quantity if their measured values agree; regrets at different lambda do not.
    """
    found = []
    for verdict in verdicts:
        below = [each for each in lower if verdict.holds and each.holds and _same_quantity(verdict, each)]
        if below:
            closest = max(below, key=lambda each: each.allowed or 0.0)
            values = (closest.allowed, verdict.measured, verdict.allowed)
            found.append(
                BothSides(verdict.theorem, closest.theorem, verdict.quantity, *(float(v or 0) for v in values))
            )
    return found


def _same_quantity(one: Verdict, other: Verdict) -> bool:
    if one.measured is None or other.measured is None or not one.allowed or one.lower or not other.lower:
        return False
    if not one.quantity.startswith("regret") or one.exact:
        return False
    return abs(one.measured - other.measured) <= SAME * max(abs(one.measured), abs(other.measured))

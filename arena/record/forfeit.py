"""How a match is lost before its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["learner", "adversary"]


@dataclass(frozen=True)
class Forfeit:
    """How a match was lost before its end: by which side, in which round (0: before the first), and why."""

    side: Side
    round: int
    reason: str
    details: str = ""

    def __str__(self) -> str:
        when = f"in round {self.round}" if self.round else "before the first round"
        return f"the {self.side} forfeits {when}: {self.reason}"

"""`Forfeit`: the end of a match by a broken rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["learner", "adversary"]


@dataclass(frozen=True)
class Forfeit:
    """The end of a match by a broken rule.

    It has the side that broke the rule, the round (0: before the first), the reason, and details such as a stack trace.
    """

    side: Side
    round: int
    reason: str
    details: str = ""

    @property
    def of_process(self) -> bool:
        """True if the learner was isolated and lost because its process ended or hung.

        >>> Forfeit("learner", 5, "its process ended (exit code 3)").of_process
        True
        """
        return self.side == "learner" and self.reason.startswith(("its process ", "it did not answer within "))

    def __str__(self) -> str:
        when = f"in round {self.round}" if self.round else "before the first round"
        return f"the {self.side} forfeits {when}: {self.reason}"

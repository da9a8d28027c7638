"""How long matches take, so that a slow learner gets shorter ones."""

from __future__ import annotations

SHARE = 0.06  # of the budget that one match may take
STEEPEST = 2.5  # how time grows with rounds, at worst
FIRST = 12  # rounds that are dared without knowing anything


class Pace:
    """Remembers the longest matches and foretells how long others take."""

    def __init__(self, budget: float):
        self.budget = budget
        self._longest: dict[bool, tuple[int, float]] = {}

    def note(self, rounds: int, seconds: float, *, stepwise: bool) -> None:
        """So many rounds took so long."""
        known, before = self._longest.get(stepwise, (0, 0.0))
        if rounds > known:
            self._longest[stepwise] = rounds, seconds
        elif rounds == known:
            self._longest[stepwise] = rounds, 0.5 * (before + seconds)

    def allows(self, rounds: int, *, stepwise: bool, share: float = SHARE) -> bool:
        """Whether so many rounds are expected to take no more than their share."""
        return rounds <= self._allowed(share, stepwise=stepwise)

    @property
    def most(self) -> int:
        """As many rounds as an adaptive match may have."""
        return max(self._allowed(SHARE, stepwise=True), 2)

    def _allowed(self, share: float, *, stepwise: bool) -> int:
        known = self._longest.get(stepwise) or self._longest.get(not stepwise)
        if known is None or not known[0]:
            return FIRST
        rounds, seconds = known
        return int(rounds * min((share * self.budget / max(seconds, 1e-9)) ** (1 / STEEPEST), 4.0))

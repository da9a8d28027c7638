"""Predictions of how long a match takes, which limit the number of rounds of a hunt's next matches."""

from __future__ import annotations

SHARE = 0.06  # of the budget that one match may take, if the hunt has a budget of seconds


class Durations:
    """Predictions of the duration of a match, made from the longest match played so far.

    Matches in blocks and matches played round by round are timed separately. If only one kind has been timed, its times
    stand for the other kind, too. `budget` is the budget of the hunt in seconds.
    """

    EXPONENT = 2.5  # the duration grows like this power of the rounds, at worst
    FIRST = 12  # rounds that are allowed before any match was timed

    def __init__(self, budget: float):
        self.budget = budget
        self._longest: dict[bool, tuple[int, float]] = {}

    def note(self, rounds: int, seconds: float, *, stepwise: bool) -> None:
        """Record the duration of a match, unless a match of more rounds has been recorded.

        If the longest match so far has the same number of rounds, the mean of both durations is recorded.
        """
        known, before = self._longest.get(stepwise, (0, 0.0))
        if rounds > known:
            self._longest[stepwise] = rounds, seconds
        elif rounds == known:
            self._longest[stepwise] = rounds, 0.5 * (before + seconds)

    def allow(self, rounds: int, share: float, *, stepwise: bool) -> bool:
        """Return whether a match of `rounds` rounds is expected to take at most `share` times the budget.

        The result is False for more than 4 times the rounds of the longest match so far, or for more than `FIRST`
        rounds before any match was timed.
        """
        return rounds <= self._allowed(share, stepwise=stepwise)

    @property
    def most(self) -> int:
        """The number of rounds that a stepwise match is expected to play in `SHARE` times the budget; at least 2."""
        return max(self._allowed(SHARE, stepwise=True), 2)

    def _allowed(self, share: float, *, stepwise: bool) -> int:
        known = self._longest.get(stepwise) or self._longest.get(not stepwise)
        if known is None or not known[0]:
            return self.FIRST
        rounds, seconds = known
        share = max(share, 0.0)  # negative if the time is over
        return int(rounds * min((share * self.budget / max(seconds, 1e-9)) ** (1 / self.EXPONENT), 4.0))

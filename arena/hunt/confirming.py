"""Bounds that leave room for chance: one unlucky match is followed up with fresh seeds.

The more candidates are tried, the more of them look bad by chance. So only fresh seeds count, and the k-th follow-up is
judged at the level 6 / (pi k)^2 of what a single test may err, so that all of them together err no more often than one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from arena.engine.series_verdicts import LEVEL, SeriesVerdict, judge_series
from arena.hunt.sequences import Candidate
from arena.record.theorem import Verdict

SCREENED, SEEDS = 3, 30

Judge = Callable[[Candidate], Verdict | None]


class Confirmation:
    """Follows up what may be bad luck."""

    def __init__(self, first_seed: int):
        self.seed, self.followed = first_seed, 0

    def of(self, candidate: Candidate, judge: Judge) -> SeriesVerdict | None:
        """The verdict of many fresh seeds if they refute the theorem."""
        screened = self._judged(candidate, judge, SCREENED)
        if 2 * sum(each.violated for each in screened) < SCREENED:
            return None
        self.followed += 1
        level = LEVEL * 6.0 / (math.pi * self.followed) ** 2
        verdicts = self._judged(candidate, judge, SEEDS)
        if not verdicts:
            return None
        found = judge_series(range(len(verdicts)), verdicts, level=level)
        return found if found.violated else None

    def _judged(self, candidate: Candidate, judge: Judge, seeds: int) -> list[Verdict]:
        found = []
        for _ in range(seeds):
            self.seed += 1
            verdict = judge(candidate.replace(seed=self.seed))
            if verdict is not None and verdict.applicable:
                found.append(verdict)
        return found

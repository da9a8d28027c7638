"""The results of a series, which is a set of matches that differ only in their seed, and the verdicts on the series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.series_verdicts import LEVEL, SeriesVerdict, judge_series
from arena.record.comparing import comparisons
from arena.record.forfeit import Forfeit
from arena.record.judging import judge
from arena.record.transcript import Ending, Transcript
from arena.record.verdict import Verdict

COURSE = 24  # rounds whose regret is kept: as many as the longest sparkline shows
FIVE_DIGITS = 1e-5  # relative width up to which the middle of an interval stands for the regret


@dataclass(frozen=True)
class Result:
    """The result of one match without its curves: its final values, and the verdicts on it.

    `numbers["regret_interval"]` has both ends of the final regret. `numbers["regret"]` is None if the ends do not agree
    to five digits.
    """

    seed: int
    numbers: dict[str, Any]
    ended: Ending
    forfeit: Forfeit | None
    verdicts: tuple[Verdict, ...]
    lower: tuple[Verdict, ...] = ()  # verdicts on the lower bounds that the adversary promises
    course: tuple[float, ...] = ()  # the regret after a few rounds, evenly spread up to the last; see `course`

    @property
    def regret_ends(self) -> tuple[float, float] | None:
        """The interval (lower, upper) of the final regret; None if the regret is unknown.

        Both ends are equal if the regret is known exactly.
        """
        if (ends := self.numbers.get("regret_interval")) is not None:
            return float(ends[0]), float(ends[1])
        regret = self.numbers["regret"]
        return None if regret is None else (float(regret), float(regret))

    @property
    def badness(self) -> tuple[bool, bool, float]:
        """A key for sorting: (forfeit?, violation?, upper end of the regret); it is largest for the worst result.

        If the regret is unknown, the key has the loss in its place.
        """
        ends = self.regret_ends
        size = self.numbers["loss"] if ends is None else ends[1]
        violated = any(each.refuted for each in self.verdicts)
        return self.forfeit is not None, violated, np.inf if np.isnan(size) else float(size)


@dataclass(frozen=True)
class Series:
    """Results of matches that differ only in their seed, sorted by seed.

    `missing` holds the seeds without a result, for instance because the match killed its worker process twice.
    """

    results: tuple[Result, ...]
    missing: tuple[int, ...] = ()
    interrupted: bool = False

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(result.seed for result in self.results)

    @property
    def worst(self) -> Result:
        """The result with the largest `badness`: a forfeit, else a violation, else the largest regret."""
        return max(self.results, key=lambda result: result.badness)

    @property
    def forfeits(self) -> tuple[Result, ...]:
        """The matches that ended by forfeit."""
        return tuple(result for result in self.results if result.forfeit)

    def numbers(self, key: str) -> Array | None:
        """Return the number `key` of each match, such as the final "regret"; None if some match lacks the number."""
        values = [result.numbers[key] for result in self.results]
        return None if any(value is None for value in values) else np.array(values, dtype=float)

    @property
    def regret_ends(self) -> Array | None:
        """Each match's final regret as a row (lower, upper); None if some regret is unknown."""
        ends = [result.regret_ends for result in self.results]
        return None if any(each is None for each in ends) else np.array(ends, dtype=float).reshape(-1, 2)

    def regrets_to(self, comparator: str) -> Array | None:
        """Return each match's final regret to a comparator as a row (lower, upper); None if some regret is unknown."""
        ends = [result.numbers.get("comparators", {}).get(comparator) for result in self.results]
        return None if any(each is None for each in ends) else np.array(ends, dtype=float).reshape(-1, 2)

    @cached_property
    def verdicts(self) -> tuple[SeriesVerdict, ...]:
        """The verdict on each theorem, given all matches that were judged by this theorem.

        If n theorems hold only with a probability or on average, each is tested at the level 0.001 / n. So the
        probability that any true theorem is called violated is at most 0.001.
        """
        return self._judged([(result.seed, result.verdicts) for result in self.results])

    @cached_property
    def lower_bounds(self) -> tuple[SeriesVerdict, ...]:
        """The verdict on each lower bound that the adversary promises, given all matches."""
        return self._judged([(result.seed, result.lower) for result in self.results])

    @staticmethod
    def _judged(given: Sequence[tuple[int, Sequence[Verdict]]]) -> tuple[SeriesVerdict, ...]:
        seen: dict[str, list[tuple[int, Verdict]]] = {}
        for seed, verdicts in given:
            for verdict in verdicts:
                seen.setdefault(verdict.theorem, []).append((seed, verdict))
        by_chance = sum(pairs[0][1].by_chance for pairs in seen.values())
        level = LEVEL / max(by_chance, 1)
        return tuple(judge_series(*zip(*pairs, strict=True), level=level) for pairs in seen.values())


def reduced(run: Transcript, theorems: Sequence[Any], lower_bounds: Sequence[Any] = ()) -> Result:
    """Return the `Result` of a match: its final values, and its verdicts on these theorems and lower bounds."""
    bare, lower = (tuple(judge(run, each).without_curves() for each in many) for many in (theorems, lower_bounds))
    numbers = dict(run.summary())
    ends = run.final_regret
    numbers["comparators"] = {each.comparator: each.regret for each in comparisons(run)}
    numbers["regret_interval"] = None if ends is None else list(ends)
    if numbers["regret"] is None and ends is not None and np.ptp(ends) <= FIVE_DIGITS * np.abs(ends).max():
        numbers["regret"] = sum(ends) / 2
    return Result(run.seed, numbers, run.ended, run.forfeit, bare, lower, course(run))


def course(run: Transcript) -> tuple[float, ...]:
    """Return the regrets after up to 24 evenly spread rounds, the last one included.

    If the regret is known in an interval only, the upper ends are returned. If the regret is unknown, the result is
    empty.
    """
    ends = run.regret_interval
    if ends is None or not run.rounds:
        return ()
    points = min(COURSE, run.rounds)
    last = [((at + 1) * run.rounds) // points - 1 for at in range(points)]
    return tuple(float(f"{each:.6g}") for each in np.asarray(ends[1])[last])

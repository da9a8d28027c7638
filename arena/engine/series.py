"""The results of a series, which is a set of matches that differ only in their seed, and the verdicts on the series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.series_verdicts import LEVEL, SeriesVerdict, judge_series
from arena.record.both_sides import BothSides, both_sides, largest_lower_bound, smallest_upper_bound
from arena.record.comparing import comparisons
from arena.record.forfeit import Forfeit
from arena.record.judging import judge
from arena.record.transcript import Ending, Transcript
from arena.record.verdict import Verdict

SAMPLES = 24  # rounds whose regret is kept: as many as the longest sparkline shows
FIVE_DIGITS = 1e-5  # relative width up to which the middle of an interval stands for the regret


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one match without its curves: its final values, and the verdicts on it.

    Numbers may be infinite or NaN.

    - `learner` and `adversary` are specs; they omit parameters with default values.
    - `rounds` is the number of rounds that were played, and `seconds` the learner's own time.
    - `regret_ends` is (lower end, upper end) of the final regret; None if the regret is unknown.
    - `regret` is the final regret if both ends agree to five digits, otherwise None.
    - `comparators` maps the name of a comparator to (lower end, upper end) of the final regret to it; None if unknown.
    - `verdicts` are on this match alone (`arena.record.judging.judge`). `lower` are the verdicts on the adversary's
      lower bounds.
    - `regret_samples` has the regret after a few evenly spread rounds and the last one: upper ends if only intervals
      are known, empty if the regret is unknown.
    """

    learner: str
    adversary: str
    seed: int
    rounds: int
    ended: Ending
    forfeit: Forfeit | None
    loss: float
    data_loss: float | None
    error_rate: float | None
    log_loss: float | None = None
    f1: float | None = None
    regret: float | None
    regret_ends: tuple[float, float] | None
    plain_regret: float | None
    seconds: float
    comparators: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...]
    lower: tuple[Verdict, ...] = ()
    regret_samples: tuple[float, ...] = ()

    @property
    def violated(self) -> tuple[str, ...]:
        """The specs of the theorems that this match alone refutes."""
        return tuple(each.theorem for each in self.verdicts if each.refuted)

    @property
    def largest_lower(self) -> Verdict | None:
        """The verdict on the largest lower bound on the final regret that holds in the match; None if none hold."""
        return largest_lower_bound(self.lower)

    @property
    def forced(self) -> float | None:
        """The largest of the adversary's lower bounds on the final regret that hold in the match; None if none hold."""
        below = self.largest_lower
        return None if below is None else below.allowed

    @property
    def allowed(self) -> float | None:
        """The smallest upper bound on the final regret that theorems give in the match; None if there is none."""
        return smallest_upper_bound(self.verdicts, self.regret)

    @property
    def sides(self) -> list[BothSides]:
        """Pairs of bounds that hold in the match: a theorem's upper bound, and the adversary's largest lower bound.

        Both bounds of a pair are on the same measured quantity, such as the regret.
        """
        return both_sides(self.verdicts, self.lower)

    @property
    def badness(self) -> tuple[bool, bool, float]:
        """A key for sorting, largest for the worst result: (forfeit?, violation?, upper end of the regret).

        The loss stands in place of an unknown regret.
        """
        size = self.loss if self.regret_ends is None else self.regret_ends[1]
        return self.forfeit is not None, bool(self.violated), np.inf if np.isnan(size) else float(size)


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
        return tuple(result for result in self.results if result.forfeit)

    def numbers(self, key: str) -> Array | None:
        """Return the values of a field, such as "regret", in all results; None if the field is None in some result."""
        values = [getattr(result, key) for result in self.results]
        return None if any(value is None for value in values) else np.array(values, dtype=float)

    @property
    def regret_ends(self) -> Array | None:
        """Each match's final regret as a row (lower, upper); None if some regret is unknown."""
        ends = [result.regret_ends for result in self.results]
        return None if any(each is None for each in ends) else np.array(ends, dtype=float).reshape(-1, 2)

    def regrets_to(self, comparator: str) -> Array | None:
        """Return each match's final regret to a comparator as a row (lower, upper); None if some regret is unknown."""
        ends = [result.comparators.get(comparator) for result in self.results]
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
    last = dict(run.summary())
    ends = last.pop("regret_interval")
    if last["regret"] is None and ends is not None:
        low, high = ends  # equal if both are infinite
        if low == high or high - low <= FIVE_DIGITS * max(abs(low), abs(high)):
            last["regret"] = (low + high) / 2
    return Result(
        **last,
        seed=run.seed,
        ended=run.ended,
        forfeit=replace(run.forfeit, details="") if run.forfeit else None,  # without the stack trace
        regret_ends=None if ends is None else tuple(ends),
        comparators={each.comparator: each.regret for each in comparisons(run)},
        verdicts=bare,
        lower=lower,
        regret_samples=regret_samples(run),
    )


def regret_samples(run: Transcript) -> tuple[float, ...]:
    """Return the regrets after up to 24 evenly spread rounds, the last one included.

    If the regret is known in an interval only, the upper ends are returned. If the regret is unknown, the result is
    empty.
    """
    ends = run.regret_interval
    if ends is None or not run.rounds:
        return ()
    points = min(SAMPLES, run.rounds)
    last = [((at + 1) * run.rounds) // points - 1 for at in range(points)]
    return tuple(float(f"{each:.6g}") for each in np.asarray(ends[1])[last])

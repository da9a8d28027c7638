"""The same match with many seeds, on all processors; a worker that dies loses only its own match."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.match import Progress, play
from arena.engine.series_verdicts import LEVEL, SeriesVerdict, judge_series
from arena.engine.workers import Channel, work_off
from arena.errors import ArenaError
from arena.record.forfeit import Forfeit
from arena.record.judging import claimed, judge, lower_bounds_of
from arena.record.theorem import Verdict
from arena.record.transcript import Ending, Transcript

ALONE = 2  # more attempts, without other workers, at a match that killed its process
FIVE_DIGITS = 1e-5  # relative width up to which the middle of an interval stands for the regret
DEATHS = 3  # for each worker: so many before any match is over, and no further match is tried


@dataclass(frozen=True)
class Result:
    """The result of one match without its curves: last values, and verdicts that do not allow for chance.

    Where only an interval of the regret is known, `numbers["regret_interval"]` has its ends, and `numbers["regret"]` is
    None unless they agree to five digits.
    """

    seed: int
    numbers: dict[str, Any]
    ended: Ending
    forfeit: Forfeit | None
    verdicts: tuple[Verdict, ...]
    lower: tuple[Verdict, ...] = ()  # of the lower bounds that the adversary promises

    @property
    def regret_ends(self) -> tuple[float, float] | None:
        """The ends of the interval of the final regret, equal where it is known exactly; None if it is unknown."""
        if (ends := self.numbers.get("regret_interval")) is not None:
            return float(ends[0]), float(ends[1])
        regret = self.numbers["regret"]
        return None if regret is None else (float(regret), float(regret))

    @property
    def badness(self) -> tuple[bool, bool, float]:
        """A sort key: forfeits are worst, then violations, then the regret, or the loss where no regret is known."""
        ends = self.regret_ends
        size = self.numbers["loss"] if ends is None else ends[1]
        violated = any(each.refuted for each in self.verdicts)
        return self.forfeit is not None, violated, np.inf if np.isnan(size) else float(size)


@dataclass(frozen=True)
class Series:
    """Matches that differ in their seed alone, in the order of their seeds.

    `missing` are seeds whose match killed its worker again and again.
    """

    results: tuple[Result, ...]
    missing: tuple[int, ...] = ()
    interrupted: bool = False

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds whose matches are over."""
        return tuple(result.seed for result in self.results)

    @property
    def worst(self) -> Result:
        """The match to look at: a forfeit, a violation, or else the largest regret."""
        return max(self.results, key=lambda result: result.badness)

    @property
    def forfeits(self) -> tuple[Result, ...]:
        """The matches that ended by forfeit."""
        return tuple(result for result in self.results if result.forfeit)

    def numbers(self, key: str) -> Array | None:
        """Return one number of each match, such as its final regret or loss; None where it is unknown."""
        values = [result.numbers[key] for result in self.results]
        return None if any(value is None for value in values) else np.array(values, dtype=float)

    @property
    def regret_ends(self) -> Array | None:
        """Both ends of the interval of each match's final regret, one row a match; None if one is unknown."""
        ends = [result.regret_ends for result in self.results]
        return None if any(each is None for each in ends) else np.array(ends, dtype=float).reshape(-1, 2)

    @cached_property
    def verdicts(self) -> tuple[SeriesVerdict, ...]:
        """The verdict of each theorem on all matches together; matches without a verdict of its own do not count.

        Theorems that leave room for chance share the level: that any of them is called violated though it is true has
        probability `LEVEL` at most.
        """
        return self._judged([(result.seed, result.verdicts) for result in self.results])

    @cached_property
    def lower_bounds(self) -> tuple[SeriesVerdict, ...]:
        """The verdict of each lower bound that the adversary promises, likewise."""
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


def play_series(
    learner: Any,
    adversary: Any,
    *,
    seeds: int,
    seed: int = 0,
    bound: Any = "auto",
    workers: int | None = None,
    progress: Progress | None = None,
    **match: Any,
) -> Series:
    """Play the seeds `seed`, `seed + 1`, ... and judge all matches together.

    `workers` is the number of processes; None takes one for each processor if both sides are given as specs, which any
    process can build. 1 plays in this process. The result does not depend on it.

    >>> play_series("kernel-awv", "alternating", seeds=3, rounds=10, workers=1).verdicts[0].outcome
    'holds'
    """
    if isinstance(seeds, bool) or not isinstance(seeds, (int, np.integer)) or seeds < 1:
        raise ArenaError(f"seeds must be a whole number >= 1, but it is {seeds!r}")
    if workers is not None and workers < 1:
        raise ArenaError(f"workers must be a whole number >= 1, or None, but it is {workers!r}")
    task = partial(play_seed, learner, adversary, bound, match)
    wanted = range(seed, seed + seeds)
    buildable = isinstance(learner, str) and isinstance(adversary, str)
    count = min(workers or (os.cpu_count() or 1 if buildable else 1), seeds)
    return play_each(task, wanted, workers=count, progress=progress)


def play_each(
    task: Callable[[int], Result], numbers: Sequence[int], *, workers: int, progress: Progress | None = None
) -> Series:
    """Return the series of `task(number)` for these numbers, such as seeds; with `workers=1` in this process."""
    results: dict[int, Result] = {}
    missing: list[int] = []
    interrupted = False

    def keep(number: int, result: Result) -> None:
        results[number] = result
        if progress:
            progress(len(results))

    try:
        if workers == 1:
            for number in numbers:
                keep(number, task(number))
        else:
            # A machine short of memory also kills processes that need little, so their matches get another chance.
            died = _play_apart(task, numbers, workers, keep)
            missing = [number for number in died if all(_play_apart(task, [number], 1, keep) for _ in range(ALONE))]
    except KeyboardInterrupt:
        interrupted = True
    return Series(tuple(results[number] for number in sorted(results)), tuple(sorted(missing)), interrupted)


def _play_apart(
    task: Callable[[int], Result], numbers: Sequence[int], workers: int, keep: Callable[[int, Result], None]
) -> list[int]:
    """Pass the results of worker processes to `keep`; return the numbers whose process died."""
    died: list[int] = []
    with contextlib.closing(work_off(partial(_unreported, task), numbers, workers=workers)) as events:
        for over, event in enumerate((event for event in events if event is not None), start=1):
            if event.kind == "done":
                keep(event.number, event.content)
            else:
                died.append(event.number)
            if over == len(died) == DEATHS * workers:
                raise ArenaError(
                    "the worker processes die before any match is over: for want of memory, or because the script that "
                    "called this has no `if __name__ == '__main__':`. Try workers=1, which plays in this process."
                )
    return died


def _unreported(task: Callable[[int], Result], number: int, _channel: Channel) -> Result:
    return task(number)


def play_seed(learner: Any, adversary: Any, bound: Any, match: dict[str, Any], seed: int) -> Result:
    """Play one match of a series, and return it without its curves."""
    run = play(learner, adversary, seed=seed, **match)
    return reduced(run, claimed(run, bound), () if bound == "none" else lower_bounds_of(run))


def reduced(run: Transcript, theorems: Sequence[Any], lower_bounds: Sequence[Any] = ()) -> Result:
    """Return the result of a match for a series, without curves and moves."""
    bare, lower = (tuple(judge(run, each).without_curves() for each in many) for many in (theorems, lower_bounds))
    numbers = dict(run.summary())
    ends = run.comparator.final_regret(run.losses)
    numbers["regret_interval"] = None if ends is None else list(ends)
    if numbers["regret"] is None and ends is not None and np.ptp(ends) <= FIVE_DIGITS * np.abs(ends).max():
        numbers["regret"] = sum(ends) / 2
    return Result(run.seed, numbers, run.ended, run.forfeit, bare, lower)

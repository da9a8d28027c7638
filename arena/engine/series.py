"""The same match with many seeds, on all processors; a worker that dies does not take the others' matches along."""

from __future__ import annotations

import dataclasses
import functools
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing.context import BaseContext
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.growth import final_regret
from arena.engine.match import Progress, play
from arena.engine.series_verdicts import SeriesVerdict, judge_series
from arena.errors import ArenaError
from arena.record.forfeit import Forfeit
from arena.record.theorem import Verdict
from arena.record.transcript import Ending, Transcript


@dataclass(frozen=True)
class Result:
    """What is kept of one match: its last values, and each theorem's verdict taken at its word."""

    seed: int
    numbers: dict[str, Any]
    ended: Ending
    forfeit: Forfeit | None
    verdicts: tuple[Verdict, ...]

    @property
    def badness(self) -> tuple[bool, bool, float]:
        """Forfeits are worst; then violations; then what was regretted, or lost where nothing better is known."""
        regret = self.numbers["regret"]
        size = self.numbers["loss"] if regret is None else regret
        violated = any(each.violated and each.confidence == 1 and not each.in_expectation for each in self.verdicts)
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
        """The seeds that were played to an end."""
        return tuple(result.seed for result in self.results)

    @property
    def worst(self) -> Result:
        """The match to look at: a forfeit, a violation, or else the largest regret."""
        return max(self.results, key=lambda result: result.badness)

    @property
    def forfeits(self) -> tuple[Result, ...]:
        """The matches that a broken rule ended."""
        return tuple(result for result in self.results if result.forfeit)

    def numbers(self, key: str) -> Array | None:
        """One number of each match: its final regret, its loss, ...; None if it is unknown."""
        values = [result.numbers[key] for result in self.results]
        return None if any(value is None for value in values) else np.array(values, dtype=float)

    @cached_property
    def verdicts(self) -> tuple[SeriesVerdict, ...]:
        """What each theorem says of all matches together; a match in which it did not come up counts for nothing."""
        seen: dict[str, list[tuple[int, Verdict]]] = {}
        for result in self.results:
            for verdict in result.verdicts:
                seen.setdefault(verdict.theorem, []).append((result.seed, verdict))
        return tuple(judge_series(*zip(*pairs, strict=True)) for pairs in seen.values())


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
    process can build. 1 plays in this process. The result does not depend on it, nor on who finishes first.

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
    """What the task gives for each number, such as a seed, on so many processes or in this one."""
    if workers == 1:
        return _play_here(task, numbers, progress or _silent)
    return _Pool(task, workers, progress or _silent).play(numbers)


def play_seed(learner: Any, adversary: Any, bound: Any, match: dict[str, Any], seed: int) -> Result:
    """One match of a series, reduced to what is kept of it."""
    run = play(learner, adversary, seed=seed, **match)
    return reduced(run, run.claimed(bound))


def reduced(run: Transcript, theorems: Sequence[Any]) -> Result:
    """What is kept of a match: no curves, no moves."""
    verdicts = (theorem.judge(run) for theorem in theorems)
    bare = tuple(dataclasses.replace(each, measured_curve=None, allowed_curve=None) for each in verdicts)
    numbers = dict(run.summary())
    if numbers["regret"] is None and run.game.loss.name != "squared" and (ends := final_regret(run)):
        numbers["regret"] = sum(ends) / 2  # which are as good as one
    return Result(run.seed, numbers, run.ended, run.forfeit, bare)


def _play_here(task: Callable[[int], Result], seeds: Sequence[int], progress: Progress) -> Series:
    results: list[Result] = []
    try:
        for seed in seeds:
            results.append(task(seed))
            progress(len(results))
    except KeyboardInterrupt:
        return Series(tuple(results), interrupted=True)
    return Series(tuple(results))


ALONE = 2  # tries of a suspect alone before it is given up


class _Pool:
    """A process pool that is replaced when a worker dies, as on a machine that runs out of memory.

    A broken pool does not say whose match killed it. So those under way are suspects, and each is played again, alone:
    who kills a worker each time is given up. One try would not do: a machine short of memory kills bystanders too.
    """

    def __init__(self, task: Callable[[int], Result], workers: int, progress: Progress):
        self.task, self.workers, self.progress = task, workers, progress
        self.results: dict[int, Result] = {}

    def play(self, seeds: Sequence[int]) -> Series:
        missing: list[int] = []
        interrupted = False
        try:
            suspects = self._play_all(deque(seeds), self.workers)
            missing = [seed for seed in suspects if all(self._play_all(deque([seed]), 1) for _ in range(ALONE))]
        except KeyboardInterrupt:
            interrupted = True
        return Series(tuple(self.results[seed] for seed in sorted(self.results)), tuple(sorted(missing)), interrupted)

    def _play_all(self, waiting: deque[int], width: int) -> list[int]:
        """Play all that wait, so many at a time; the seeds under way when a pool broke."""
        suspects: list[int] = []
        pools = 0
        while waiting:
            suspects += self._play_until_broken(waiting, width)
            pools += 1
            if pools == 3 and not self.results:
                raise ArenaError(
                    "the worker processes die before any match is over: for want of memory, or because the script that "
                    "called this has no `if __name__ == '__main__':`. Try workers=1, which plays in this process."
                )
        return suspects

    def _play_until_broken(self, waiting: deque[int], width: int) -> list[int]:
        end_quietly = (signal.SIGINT, signal.SIG_DFL)  # at Ctrl-C, without a trace each
        executor = ProcessPoolExecutor(width, _context(), initializer=signal.signal, initargs=end_quietly)
        running: dict[Future[Result], int] = {}
        try:
            while waiting or running:
                self._fill(executor, running, waiting, width)
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    self.results[running[future]] = future.result()
                    del running[future]
                    self.progress(len(self.results))
        except BrokenProcessPool:
            finished = {future for future in running if future.done() and future.exception() is None}
            self.results |= {running[future]: future.result() for future in finished}
            return sorted(running[future] for future in set(running) - finished)
        except KeyboardInterrupt:  # who sent it to this process alone would wait for the matches under way at its end
            for worker in list((executor._processes or {}).values()):
                worker.terminate()
            raise
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
        return []

    def _fill(self, executor: Executor, running: dict[Future[Result], int], waiting: deque[int], width: int) -> None:
        """No more at a time than there are workers, so that few are suspects when one dies."""
        while waiting and len(running) < width:
            seed = waiting[0]
            running[executor.submit(self.task, seed)] = seed
            waiting.popleft()


@functools.cache
def _context() -> BaseContext:
    """Workers are forked from a small server that has the engine loaded and, unlike this process, no threads."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["arena.engine.match", "arena.learners", "arena.adversaries"])
    return context


def _silent(done: int) -> None:
    """No progress is shown."""

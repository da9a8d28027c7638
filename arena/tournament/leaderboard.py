"""One learner against every adversary: the regret that each forces, and how close it comes to the bounds."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.counterexamples.case import Case, fresh, played
from arena.engine.match import Progress, play
from arena.engine.series import Result, play_each, reduced
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.commands import play_command
from arena.record.forfeit import Forfeit
from arena.record.judging import claimed
from arena.record.theorem import Verdict
from arena.specs import registry
from arena.specs.building import build

MATCH_SECONDS = "match_seconds"  # a key in the numbers of a match: the time of both sides and of the hindsight
COMMAND = "command"
WHY_NOT = "why_not"  # a key in the numbers: the reason for which there was no match


@dataclass(frozen=True)
class Row:
    """The match against one adversary."""

    adversary: str
    numbers: dict[str, Any]
    seconds: float
    command: str | None
    forfeit: Forfeit | None
    verdicts: tuple[Verdict, ...]
    badness: tuple[bool, bool, float]
    regret_ends: tuple[float, float] | None  # of the interval of the final regret

    @property
    def broken(self) -> list[str]:
        """The theorems that the match refutes; not those that leave room for chance."""
        return [each.theorem for each in self.verdicts if each.refuted]

    def tightness(self, theorem: str) -> float | None:
        """Measured over allowed; None if the theorem did not apply, or is an identity."""
        found = next((each for each in self.verdicts if each.theorem == theorem and not each.exact), None)
        return found.tightness if found and found.applicable else None


@dataclass(frozen=True)
class Leaderboard:
    """The matches, the worst for the learner first, and the reasons for which some adversaries could not play."""

    rows: tuple[Row, ...]
    cannot: dict[str, str]
    missing: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def theorems(self) -> list[str]:
        """The bounds that applied to some match."""
        applied = [
            each.theorem for row in self.rows for each in row.verdicts if row.tightness(each.theorem) is not None
        ]
        return list(dict.fromkeys(applied))

    @property
    def failed(self) -> bool:
        """Whether some match ended by forfeit or refuted a theorem."""
        return any(row.forfeit or row.broken for row in self.rows)


def leaderboard(
    learner: Any,
    *,
    adversaries: Sequence[str] | None = None,
    seed: int = 0,
    bound: Any = "auto",
    workers: int | None = None,
    progress: Progress | None = None,
    **match: Any,
) -> Leaderboard:
    """Play the learner against every registered adversary (or those named), with their usual parameters.

    `workers` processes play at a time; None takes one for each processor if the learner is given as a spec. Adversaries
    that cannot play this game, or against this learner, are listed in `cannot` with the reason.

    >>> table = leaderboard("kernel-awv", adversaries=["drift", "alternating", "replay"], rounds=20, workers=1)
    >>> [row.adversary for row in table.rows], list(table.cannot)
    (['drift', 'alternating'], ['replay'])
    """
    build("learner", fresh(learner))  # an `ArenaError` here rather than once for each adversary
    names = sorted(registry.entries("adversary")) if adversaries is None else list(adversaries)
    task = partial(_play_one, learner, names, seed, bound, match)
    count = workers or (os.cpu_count() or 1 if isinstance(learner, str) else 1)
    series = play_each(task, range(len(names)), workers=min(count, len(names)), progress=progress)
    cannot = {each.numbers["adversary"]: each.numbers[WHY_NOT] for each in series.results if WHY_NOT in each.numbers}
    rows = [_row(each) for each in series.results if WHY_NOT not in each.numbers]
    if cannot and not rows and not series.missing and not series.interrupted:
        raise ArenaError(f"no adversary can play: {next(iter(cannot))}: {next(iter(cannot.values()))}")
    worst_first = tuple(sorted(rows, key=lambda row: row.badness, reverse=True))
    return Leaderboard(worst_first, cannot, tuple(names[number] for number in series.missing), series.interrupted)


@functools.cache
def _warm_up() -> None:
    """Play a match once in each process, so that imports do not count as the first adversary's time."""
    played(_Idle, Case(Game(), np.zeros((2, 2)), np.zeros(2)), seed=0, one_by_one=True)


class _Idle:
    def predict(self, x: Array) -> float:
        return 0.0

    def update(self, x: Array, y: float) -> None:
        pass


def _play_one(learner: Any, names: Sequence[str], seed: int, bound: Any, match: dict[str, Any], number: int) -> Result:
    _warm_up()
    try:
        for kind, given in (("learner", fresh(learner)), ("adversary", names[number])):
            build(kind, given)  # so that imports do not count as time of the match
        begun = time.perf_counter()
        run = play(fresh(learner), names[number], seed=seed, **match)
        result = reduced(run, claimed(run, bound))
    except ArenaError as error:
        return Result(seed, {"adversary": names[number], WHY_NOT: str(error)}, "forfeit", None, ())
    seconds = time.perf_counter() - begun
    return replace(result, numbers={**result.numbers, MATCH_SECONDS: seconds, COMMAND: play_command(run, bound)})


def _row(result: Result) -> Row:
    numbers = dict(result.numbers)
    seconds, command = numbers.pop(MATCH_SECONDS), numbers.pop(COMMAND)
    ends = result.regret_ends
    return Row(numbers["adversary"], numbers, seconds, command, result.forfeit, result.verdicts, result.badness, ends)

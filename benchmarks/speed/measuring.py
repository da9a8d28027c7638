"""Repeated measurement of several sides in turn: A B C, A B C, ...

Ratios are taken within each repeat, so that slow phases of the machine cancel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

Clock = Callable[[], float]
OURS = "ours"  # the side whose speed is judged: the denominator of every ratio unless a case says otherwise


@dataclass(frozen=True)
class Spread:
    """The median of some values, and their quartiles `low` and `high`."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """Return the median and the quartiles of these values."""
        low, median, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        return cls(median, low, high)


@dataclass(frozen=True)
class Side:
    """An action whose time is compared with the times of other actions.

    `prepare` is called before the clock starts, and returns the call that is timed. The time is divided by `amount`,
    such as the number of rounds.
    """

    prepare: Callable[[], Callable[[], object]]
    amount: float = 1.0
    clock: Clock = time.process_time


@dataclass(frozen=True)
class Case:
    """A benchmark, which gives a row of the page: sides that are timed, and ratios of their times.

    - `ratios` has a pair of sides for each ratio: the time of the first side is divided by the time of the second.
    - `work` belongs to the first of `sides`: the amount of each resource of `machine.rates` that one unit needs. If
      `work` is given, there is one more ratio: the time of this work at the machine's rates, divided by the side's
      time.
    - The ratios are compared with the baseline if the case is `guarded`.
    """

    group: str
    name: str
    size: str
    sides: Mapping[str, Side]
    ratios: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    work: Mapping[str, float] = field(default_factory=dict)
    unit: str = "round"
    guarded: bool = True


@dataclass(frozen=True)
class Result:
    """The measurements of a benchmark: the seconds for one unit of each side, and the ratios."""

    group: str
    name: str
    size: str
    unit: str
    seconds: Mapping[str, Spread]
    ratios: Mapping[str, Spread]
    guarded: bool = True
    note: str = ""


SHARE = "share of the machine's rate"


def timed(side: Side) -> float:
    """Return the seconds that one unit of a side takes."""
    action = side.prepare()
    started = side.clock()
    action()
    return max(side.clock() - started, 1e-9) / side.amount


def measure(case: Case, rates: Mapping[str, Callable[[], float]], repeats: int) -> Result:
    """Return the result of timing all sides of a benchmark `repeats` times, one after the other in each repeat.

    `rates` are functions that measure the seconds of a unit of a resource. The resources that the benchmark needs are
    measured in each repeat, too.
    """
    seconds: dict[str, list[float]] = {name: [] for name in case.sides}
    ideal = []
    for _ in range(repeats):
        if case.work:
            ideal.append(sum(amount * rates[resource]() for resource, amount in case.work.items()))
        for name, side in case.sides.items():
            seconds[name].append(timed(side))
    first = next(iter(case.sides))
    ratios = {
        name: [a / b for a, b in zip(seconds[over], seconds[under], strict=True)]
        for name, (over, under) in case.ratios.items()
    }
    if case.work:
        ratios[SHARE] = [a / b for a, b in zip(ideal, seconds[first], strict=True)]
    return Result(
        case.group,
        case.name,
        case.size,
        case.unit,
        {name: Spread.of(values) for name, values in seconds.items()},
        {name: Spread.of(values) for name, values in ratios.items()},
        case.guarded,
    )

"""Repeated, interleaved measurement: A B C, A B C, ...; ratios are taken within a repeat, so that noise cancels."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

Clock = Callable[[], float]
OURS = "ours"  # the side whose speed is judged: the denominator of every ratio unless a case says otherwise


@dataclass(frozen=True)
class Spread:
    """The median of some values, and their quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """The spread of these values."""
        low, median, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        return cls(median, low, high)


@dataclass(frozen=True)
class Side:
    """One of the things that are timed side by side.

    `prepare` is called before the clock starts, and returns the call that is timed. The time is divided by `amount`,
    such as the number of rounds.
    """

    prepare: Callable[[], Callable[[], object]]
    amount: float = 1.0
    clock: Clock = time.process_time


@dataclass(frozen=True)
class Case:
    """A row of the table.

    `sides` are timed; `ratios` names pairs of them: the first side's time over the second's. A ratio is a measure of
    speed: it falls if the second side becomes slower. `work` is the amount of each resource of `machine.rates` that a
    unit of the first side needs; if it is given, the share of the machine's rates is one more ratio. Ratios of a case
    that is not `guarded` are not compared with the baseline.
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
    """The measurements of a case: the seconds for one unit of each side, and the ratios."""

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
    """The seconds of one unit of a side."""
    action = side.prepare()
    started = side.clock()
    action()
    return max(side.clock() - started, 1e-9) / side.amount


def measure(case: Case, rates: Mapping[str, Callable[[], float]], repeats: int) -> Result:
    """Time all sides of a case `repeats` times, one after the other in each repeat.

    `rates` are functions that measure the seconds of a unit of a resource; those that the case needs are called in each
    repeat, too.
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

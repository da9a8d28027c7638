"""How fast a regret grows, with an interval: a line through the logarithms of what each doubling of the rounds adds.

A regret a T^p + b, or a log T + b if p = 0, rises from T rounds to 2T by a constant times T^p: the constant b is gone,
the logarithm has the exponent 0, the square root 1/2, and a line 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from arena.arrays import Array
from arena.engine.growth import exponent
from arena.errors import ArenaError

OCTAVES = 6  # doublings of the number of rounds that are looked at
FEWEST = 3  # points that say something of a line: it takes two, and one to contradict
FIRST = 8  # the first checkpoint, at least


@dataclass(frozen=True)
class GrowthFit:
    """The exponent of a regret, and the interval in which it lies.

    `low` and `high` are one-sided limits, each at the level `confidence`; `regrets` has one row a seed and one column a
    checkpoint.
    """

    checkpoints: tuple[int, ...]
    regrets: Array
    exponent: float
    low: float
    high: float
    confidence: float

    @property
    def mean(self) -> Array:
        """The mean regret at each checkpoint."""
        return np.asarray(self.regrets.mean(axis=0))

    def __str__(self) -> str:
        if self.exponent == -math.inf:
            return "the regret has stopped growing"
        return (
            f"exponent {self.exponent:.3f}, at least {self.low:.3f} and at most {self.high:.3f} "
            f"(each with confidence {self.confidence:g})"
        )


def checkpoints(rounds: int) -> tuple[int, ...]:
    """The numbers of rounds to play: so many, half, a quarter and so on, the fewest first."""
    if rounds < FIRST * 2**OCTAVES:
        raise ArenaError(
            f"assert_growth: {rounds} rounds are too few to tell how a regret grows; give at least {FIRST * 2**OCTAVES}"
        )
    return tuple(rounds >> octave for octave in range(OCTAVES, -1, -1))


def fit_growth(at: tuple[int, ...], regrets: Array, confidence: float, noise: float = 0.0) -> GrowthFit:
    """Fit the exponent of regrets known at these checkpoints; an increase up to `noise` is none.

    The uncertainty is the larger of two: how far the points are from the line, and how far the fits without one of the
    seeds are from one another (the jackknife). The limits are Student's, with the degrees of freedom of the line.

    >>> fit = fit_growth((8, 16, 32, 64, 128), np.array([[2.0, 4.0, 8.0, 16.0, 32.0]]), 0.95)
    >>> round(fit.exponent, 6), round(fit.low, 6), round(fit.high, 6)
    (1.0, 1.0, 1.0)
    """
    increases = np.diff(regrets.mean(axis=0))
    if increases[-1] <= noise:
        return GrowthFit(at, regrets, -math.inf, -math.inf, -math.inf, confidence)
    first = _after_the_last(increases <= noise)
    if len(increases) - first < FEWEST:
        return GrowthFit(at, regrets, math.nan, -math.inf, math.inf, confidence)
    T = np.array(at[first:-1], dtype=float)
    slope = exponent(T, increases[first:])
    doubt = max(_from_the_line(T, increases[first:]), _between_seeds(T, regrets[:, first:], noise))
    reach = float(scipy.stats.t.ppf(confidence, len(T) - 2)) * doubt
    return GrowthFit(at, regrets, slope, slope - reach, slope + reach, confidence)


def _after_the_last(true: Array) -> int:
    return int(np.flatnonzero(true)[-1]) + 1 if true.any() else 0


def _from_the_line(T: Array, values: Array) -> float:
    """The standard error of the slope, from the residuals."""
    return float(scipy.stats.linregress(np.log(T), np.log(values)).stderr)


def _between_seeds(T: Array, regrets: Array, noise: float) -> float:
    """The standard error of the slope, by leaving out one seed at a time."""
    seeds = len(regrets)
    if seeds < 2:
        return 0.0
    without = [np.diff(np.delete(regrets, seed, axis=0).mean(axis=0)) for seed in range(seeds)]
    if any((each <= noise).any() for each in without):
        return math.inf  # with one seed less there is no line at all
    slopes = [exponent(T, each) for each in without]
    return float(np.std(slopes) * np.sqrt(seeds - 1))

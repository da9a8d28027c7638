"""The exponent with which a regret grows, fitted to the regrets of matches of several lengths.

Let the regret of T rounds be a T^p + b, or a log T + b for p = 0, with unknown constants a and b. The rise at T is the
regret of 2T rounds minus the regret of T rounds. It is a constant times T^p. So the quotients rise / T^q grow with T if
p > q, and fall if p < q. A line is fitted to these quotients as a function of log2(T). Its slope, with the spread over
the seeds, decides between the two cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from arena.arrays import Array

# Any of three tests can pass a regret that grows too fast, so they share the error probability, 1 - confidence: the
# test of the slope of the mean regret, that of whether it has stopped growing, and that of the seeds' exponents.
BY_SLOPE, BY_STOPPING, BY_EXPONENTS = 0.7, 0.15, 0.15
RISES = 3  # number of last rises that must be positive if a regret is to fail
SMALLEST, LARGEST = -2.0, 4.0  # range in which the exponent is sought


@dataclass(frozen=True)
class GrowthFit:
    """Regrets at several horizons, and the exponent p with which they grow, with a lower and an upper limit of p.

    Here p is the exponent in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds. The rise is R(2T) - R(T).

    - `regrets` has one column for each of the `horizons`, and one row for each seed. If the regret does not depend on
      the seed, there is a single row.
    - `confidence` is the level of each of the one-sided limits `low` and `high` of p.
    - `noise` bounds the numerical error of each rise.
    - `negligible`: a regret that rises by at most 2 `negligible` from T to 2T rounds counts as no longer growing.
    """

    horizons: tuple[int, ...]
    regrets: Array
    confidence: float
    noise: float = 0.0
    negligible: float = 0.0

    @property
    def mean(self) -> Array:
        """The mean regret of all seeds at each horizon."""
        return np.asarray(self.regrets.mean(axis=0))

    @cached_property
    def stopped(self) -> bool:
        """True if the regret surely rose by at most 2 `negligible` over each of the last two doublings of T.

        The upper confidence limit of each mean rise, plus `noise`, must be at most 2 `negligible`.
        """
        rises = np.diff(self.regrets, axis=1)[:, -2:]
        highest = rises.mean(axis=0) + self._quantile(BY_STOPPING, len(rises) - 1) * _standard_error(rises)
        return bool((highest + self.noise <= 2.0 * self.negligible).all())

    @cached_property
    def rising(self) -> bool:
        """True if the mean regret rose by more than `noise` over each of the last three doublings of T.

        For the last doubling, the lower confidence limit of the rise must exceed `noise`, too.
        """
        rises = np.diff(self.regrets, axis=1)[:, -RISES:]
        lowest = rises.mean(axis=0)[-1] - self._quantile(1.0, len(rises) - 1) * _standard_error(rises)[-1]
        return bool(lowest > self.noise and (rises.mean(axis=0) > self.noise).all())

    def at_most(self, exponent: float) -> bool:
        """Return whether the regrets show, at the level `confidence`, that p is at most `exponent`.

        Here p is the exponent in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds.
        """
        if self.stopped or sum(self._slope(exponent, BY_SLOPE)) <= 0:
            return True
        return len(self.regrets) > 1 and self._each_at_most(exponent)

    def _each_at_most(self, exponent: float) -> bool:
        """Return whether the regrets show for each seed alone that p is at most `exponent`.

        Here p is the exponent in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds.
        Two more conditions must hold:

        - The regrets of each seed rise by more than `noise` at each doubling of T.
        - The upper confidence limit of the mean of the seeds' fitted exponents is at most `exponent`.
        """
        # this decides cases in which the seeds agree on the exponent but differ in the factor
        if not (np.diff(self.regrets, axis=1) > self.noise).all():
            return False
        found = np.array([fit.exponent for fit in self._every_seed])
        reach = self._quantile(BY_EXPONENTS, len(found) - 1) * float(_standard_error(found))
        return bool(found.mean() + reach <= exponent) and all(fit.at_most(exponent) for fit in self._every_seed)

    @cached_property
    def _every_seed(self) -> list[GrowthFit]:
        return [replace(self, regrets=row[np.newaxis]) for row in self.regrets]

    def above(self, exponent: float) -> bool:
        """Return whether the regrets show, at the level `confidence`, that p is larger than `exponent`.

        Here p is the exponent in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds.
        """
        slope, doubt = self._slope(exponent, 1.0)
        return self.rising and not self.stopped and slope - doubt > 0

    @cached_property
    def exponent(self) -> float:
        """The fitted exponent p in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds.

        For this p, the line fitted to (R(2T) - R(T)) / T^p as a function of log2(T) has the slope zero. The exponent is
        -infinity if the regret has stopped growing, and NaN if there is no such p in the searched range.
        """
        if self.stopped:
            return -math.inf
        grid = np.arange(SMALLEST, LARGEST, 0.01)
        rises = np.diff(self.mean)
        slopes = self._contrast(grid) @ rises
        falls = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
        if not len(falls):
            return math.nan
        below, over = grid[falls[0]], grid[falls[0] + 1]
        return _boundary(below, over, lambda each: float(self._contrast(each) @ rises) <= 0)

    @cached_property
    def low(self) -> float:
        """The lower confidence limit of the exponent p in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds.

        It is the largest number q for which the regrets show that p > q. It is -infinity if there is none, or if the
        regret has stopped growing.
        """
        return self._limit(SMALLEST, self.above, -math.inf)

    @cached_property
    def high(self) -> float:
        """The upper confidence limit of the exponent p in R(2T) - R(T) = c T^p, where R(T) is the regret in T rounds.

        It is infinity if the regrets show no upper limit, and -infinity if the regret has stopped growing.
        """
        return self._limit(LARGEST, self.at_most, math.inf)

    def _limit(self, end: float, beyond_doubt: Callable[[float], bool], unknown: float) -> float:
        """Search from the fitted exponent to `end`, and return the first number q with `beyond_doubt(q)`.

        Return `unknown` if there is no such q or no fitted exponent, and -infinity if the regret has stopped growing.
        """
        if self.stopped:
            return -math.inf
        if math.isnan(self.exponent):
            return unknown
        steps = np.linspace(self.exponent, end, 400)
        first = next((at for at, each in enumerate(steps) if beyond_doubt(each)), None)
        if first is None:
            return unknown
        return _boundary(steps[max(first - 1, 0)], steps[first], beyond_doubt)

    def _contrast(self, exponent: float | Array) -> Array:
        """Return weights w such that w @ rises is the slope of rise / T^exponent as a function of log2(T).

        The rise at T is the regret of 2T rounds minus the regret of T rounds. There is one rise for each horizon T but
        the last. The slope is that of a fitted line. If `exponent` is an array, the result has one row of weights for
        each exponent.
        """
        powers = self._starts ** np.asarray(exponent)[..., np.newaxis]
        octaves = np.arange(len(self._starts), dtype=float)
        # noise is small relative to the rises of long matches if the exponent is large
        importance = np.maximum(powers / np.sqrt(self._starts), powers[..., :1] / np.sqrt(self._starts[0]))
        importance = importance / importance.sum(axis=-1, keepdims=True)
        centred = octaves - (importance @ octaves)[..., np.newaxis]
        weights = importance * centred
        return np.asarray(weights / (weights @ octaves)[..., np.newaxis] / powers)

    def _slope(self, exponent: float, share: float) -> tuple[float, float]:
        """Return two numbers: the slope of the quotients rise / T^exponent per doubling of T, and its margin of error.

        The rise at T is the regret of 2T rounds minus the regret of T rounds. The true slope exceeds slope + margin
        with a probability of at most `share` * (1 - `confidence`). With at most the same probability it is below
        slope - margin.
        """
        contrast, rises = self._contrast(exponent), np.diff(self.regrets, axis=1)
        each = rises @ contrast
        between_seeds = self._quantile(share, len(rises) - 1) * float(_standard_error(each))
        of_the_law = self._quantile(share, len(contrast) - 2) * self._misfit(exponent, contrast)
        return float(each.mean()), max(between_seeds, of_the_law) + self.noise * float(np.abs(contrast).sum())

    def _misfit(self, exponent: float, contrast: Array) -> float:
        """Return the standard error of the slope of the quotients rise / T^exponent.

        The rise at T is the regret of 2T rounds minus the regret of T rounds. The error is estimated from the residuals
        of a power law fitted to the mean rises. `contrast` has the weights w with which w @ rises is the slope.
        """
        powers = self._starts**exponent
        rises = np.diff(self.mean) / powers
        law = self._starts ** (self.exponent if math.isfinite(self.exponent) else 0.0) / powers
        rest = rises - (rises @ law) / (law @ law) * law
        return math.sqrt(float(rest @ rest) / (len(rises) - 2) * float(np.sum(np.square(contrast * powers))))

    @cached_property
    def _starts(self) -> Array:
        return np.array(self.horizons[:-1], dtype=float)

    def _quantile(self, share: float, freedom: int) -> float:
        """Return the value that Student's t exceeds with probability `share` * (1 - `confidence`).

        The result is 0 if `freedom`, the number of degrees of freedom, is 0.
        """
        return float(scipy.stats.t.ppf(1.0 - share * (1.0 - self.confidence), freedom)) if freedom else 0.0

    def __str__(self) -> str:
        if self.stopped:
            return "the regret has stopped growing"
        return (
            f"exponent {self.exponent:.3f}, at least {self.low:.3f} and at most {self.high:.3f} "
            f"(each with confidence {self.confidence:g})"
        )


def _boundary(false_at: float, true_at: float, condition: Callable[[float], bool]) -> float:
    """Return the number between `false_at` and `true_at` at which the condition becomes true, found by bisection."""
    for _ in range(50):
        middle = 0.5 * (false_at + true_at)
        false_at, true_at = (false_at, middle) if condition(middle) else (middle, true_at)
    return float(true_at)


def _standard_error(values: Array) -> Array:
    """Return the standard error of the mean of each column; 0 if there is only one row."""
    seeds = len(values)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(seeds) if seeds > 1 else np.zeros(values.shape[1:]))

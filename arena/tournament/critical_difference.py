"""Tests whether learners differ in their ranks over the settings: Friedman's test, then Nemenyi's critical difference.

The method is from Demsar 2006, "Statistical comparisons of classifiers over multiple data sets"; a setting (an
adversary in a game) takes the place of a data set. A learner's ranks are averaged over the seeds first, since the seeds
of a setting are not independent data sets.

In a setting, untied ranks of k learners are the numbers 1 to k, whose variance is k (k + 1) / 12. Averaged and tied
ranks vary less. So the formulas use the variance that the ranks really have within the settings.

For ten settings or fewer, Demsar's limiting distributions are rough approximations. Then the p-value of Friedman's test
and the critical difference are estimated from random permutations of the learners in each setting.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array

SIGNIFICANCE = 0.05
FEW_SETTINGS = 10  # up to this number the limiting distributions are rough approximations (Demsar 2006, section 3.2.2)
PERMUTATIONS = 10_000
ROUNDING = 1e-9  # relative difference of equal averages that were added in another order


@dataclass(frozen=True)
class CriticalDifference:
    """Result of Friedman's test on the ranks of learners in settings, and of Nemenyi's test on the average ranks.

    - `average` has the average rank of each learner.
    - `difference` is the smallest difference of two average ranks that is significant.
    - `groups` has the largest groups of learners in which no two learners differ significantly; a learner is given by
      its position in `average`. If Friedman's test finds no difference, all learners are one group.
    """

    average: tuple[float, ...]
    settings: int
    p_value: float
    difference: float
    groups: tuple[tuple[int, ...], ...]

    @property
    def differ(self) -> bool:
        """True if Friedman's test finds that some learners differ."""
        return self.p_value < SIGNIFICANCE


def critical_difference(ranks: Array) -> CriticalDifference | None:
    """Return the results of Friedman's and Nemenyi's tests of `ranks`; None for a single learner or setting.

    `ranks` has one row for each setting and one column for each learner.

    >>> found = critical_difference(np.tile([1.0, 2.0, 3.0], (12, 1)))
    >>> found.differ, round(found.difference, 3), found.groups
    (True, 0.957, ((0,), (1,), (2,)))
    """
    settings, learners = ranks.shape
    if settings < 2 or learners < 2:
        return None
    average = ranks.mean(axis=0)
    if settings <= FEW_SETTINGS:
        p_value, difference = _by_permutations(ranks, average)
    else:
        variance = float(ranks.var(axis=1, ddof=1).mean())  # equal to k (k + 1) / 12 for untied ranks
        difference = _quantile(learners) * math.sqrt(variance / settings)
        p_value = _p_value(average, variance, settings)
    everybody = (tuple(np.argsort(average, kind="stable").tolist()),)
    groups = _groups(average, difference) if p_value < SIGNIFICANCE else everybody
    return CriticalDifference(tuple(average.tolist()), settings, p_value, difference, groups)


def _by_permutations(ranks: Array, average: Array) -> tuple[float, float]:
    """Return the p-value of Friedman's test, and the smallest difference of average ranks that is significant.

    Both are estimated from random permutations of the learners in each setting. The difference is infinite if no
    difference would be significant.
    """
    rng = np.random.default_rng(0)
    drawn = np.zeros((PERMUTATIONS, ranks.shape[1]))
    for row in ranks:
        drawn += rng.permuted(np.tile(row, (PERMUTATIONS, 1)), axis=1) / len(ranks)
    statistic = np.square(drawn - average.mean()).sum(axis=1)
    seen = float(np.square(average - average.mean()).sum())
    p_value = (1 + int(np.sum(statistic >= seen * (1 - ROUNDING)))) / (PERMUTATIONS + 1)
    widest = np.sort(np.ptp(drawn, axis=1))
    fewer = PERMUTATIONS - np.searchsorted(widest, widest * (1 - ROUNDING))  # number at least as wide as each
    significant = widest[(1 + fewer) / (PERMUTATIONS + 1) <= SIGNIFICANCE]
    return p_value, float(significant[0]) if len(significant) else math.inf


def _quantile(learners: int) -> float:
    """Return the 95% quantile of the largest minus the smallest of `learners` independent standard normal numbers."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - SIGNIFICANCE, learners, np.inf))


def _p_value(average: Array, variance: float, settings: int) -> float:
    """Return the p-value of Friedman's test, from the statistic of Iman and Davenport, which Demsar recommends.

    `average` has the average rank of each learner, and `variance` is the variance of the ranks within a setting.
    """
    from scipy.special import fdtrc

    if variance == 0:
        return 1.0
    freedom = len(average) - 1
    chi_square = settings * float(np.square(average - average.mean()).sum()) / variance
    largest = settings * freedom
    if chi_square >= largest * (1 - ROUNDING):
        # All settings have the same ranks. The exact p-value is n^(1 - settings) for n different orders of these ranks.
        ties = np.unique(np.round(average, 9), return_counts=True)[1]
        orders = math.lgamma(len(average) + 1) - sum(math.lgamma(each + 1) for each in ties)
        return math.exp((1 - settings) * orders)
    return float(fdtrc(freedom, freedom * (settings - 1), (settings - 1) * chi_square / (largest - chi_square)))


def _groups(average: Array, difference: float) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups of learners whose average ranks differ by less than the critical `difference`.

    The learners of a group are consecutive in the order of the average ranks.
    """
    order = np.argsort(average, kind="stable")
    groups: list[tuple[int, ...]] = []
    ended = 0
    for begin in range(len(order)):
        end = int(np.searchsorted(average[order], average[order[begin]] + difference * (1 - ROUNDING)))
        end = max(end, begin + 1)
        if end > ended:
            groups.append(tuple(order[begin:end].tolist()))
            ended = end
    return tuple(groups)

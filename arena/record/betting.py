"""Tests of a mean by betting, which stay valid if they are repeated after each value of a growing sequence.

All values are at least -1. The hypothesis is that no value has a mean above 0, given the values before it. A gambler
stakes the share s of his wealth on a value X, and his wealth is multiplied by 1 + s X. This factor is never negative
and, under the hypothesis, at most 1 on average. So the probability that the wealth ever grows from 1 to 1 / level is at
most `level` (Ville 1939).

The wealth is divided among several shares s: large shares detect gross violations, small shares faint ones. The test
assumes nothing about the distribution of the values (Waudby-Smith and Ramdas 2024, Estimating means of bounded random
variables by betting).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from arena.arrays import Array

STAKES = 2.0 ** (-np.arange(24) / 2.0)
CAPITAL = 1.0 / ((1.0 + np.arange(24)) * (2.0 + np.arange(24)))
CAPITAL /= CAPITAL.sum()
LARGEST = 1e300  # larger values are reduced to this one
MOST = 50_000  # largest number of values that `enough` tries


def log_wealth(values: Array) -> Array:
    """Return the logarithm of a gambler's wealth after each of the values, which are at least -1.

    The gambler begins with wealth 1, divided among several accounts. An account stakes a fixed share s of its money on
    every value X, so its money is multiplied by 1 + s X.

    >>> log_wealth(np.zeros(3)).round(12)
    array([0., 0., 0.])
    """
    with np.errstate(divide="ignore"):
        gains = np.cumsum(np.log1p(np.outer(np.minimum(values, LARGEST), STAKES)), axis=0)
    return np.asarray(logsumexp(gains + np.log(CAPITAL), axis=1))


def chance(values: Array) -> float:
    """Return a p-value of the hypothesis that no value has a mean above 0, given the values before it.

    All values are at least -1. A gambler with wealth 1 bets against the hypothesis, on one value after the other. The
    p-value is 1 / w, where w >= 1 is his largest wealth so far (`log_wealth`). If the hypothesis is true, the
    probability that the wealth ever reaches w is at most 1 / w.

    >>> chance(np.ones(20)) < 1e-5, chance(-np.ones(20))
    (True, 1.0)
    """
    return float(np.exp(-max(0.0, log_wealth(values).max())))


def lower_limit(values: Array, level: float) -> float:
    """Return a lower confidence limit of the mean of `values`, which are at least -1.

    The probability that the limit ever exceeds the mean is at most `level`, even if it is computed after each new
    value.

    >>> lower_limit(np.array([0.5, 0.5]), 0.01) < 0 < lower_limit(np.full(100, 0.5), 0.01) < 0.5
    True
    """
    low, high = -1.0, min(float(np.max(values)), LARGEST)
    for _ in range(60):
        mean = 0.5 * (low + high)
        shifted = (np.minimum(values, LARGEST) - mean) / (1.0 + mean) if mean > -1.0 else values
        low, high = (mean, high) if chance(np.maximum(shifted, -1.0)) <= level else (low, mean)
    return low


def enough(values: Array, level: float) -> int | None:
    """Return the number of values after which the test (`chance`) gives a p-value of at most `level`.

    If `values` are too few, they are repeated from the beginning. The result is None if more than 50,000 values are
    needed. All values are at least -1.

    >>> enough(np.ones(5), 0.001), enough(np.array([1.0, -1.0]), 0.001)
    (11, None)
    """
    count = len(values)
    while True:
        refuted = log_wealth(np.resize(values, count)) >= -math.log(level)
        if refuted.any():
            return int(refuted.argmax()) + 1
        if count >= MOST:
            return None
        count = min(8 * count, MOST)

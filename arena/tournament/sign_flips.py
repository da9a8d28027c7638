"""Exact tests of paired differences by flipping their signs, and corrections for many such tests.

If two learners (or two versions of one) are exchangeable, each difference is as likely as its negative, and the signs
of different matches are independent. So the sum of the differences is compared with the sums that random signs give.
The test keeps its level for any number of differences and any distribution, also a discrete one. Of n differences that
are not zero, the smallest p-value is 2^-n if large sums count, and 2^(1 - n) if large sums of either sign count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from arena.arrays import Array

ALL_SIGNS = 13  # number of differences up to which all signs are counted; otherwise as many random signs
ROUNDING = 1e-12  # relative difference of equal sums that were added in another order
CHUNK = 1 << 18  # sums that are computed at a time: they stay in the processor's cache


def p_values(differences: Array, *, sides: int) -> tuple[Array, Array]:
    """Return the p-value of each column of differences, and the smallest p-value that these differences could have.

    With `sides` = 1 the alternative is a positive sum, and with 2 a sum of either sign. Columns may have any scale.

    >>> p_values(np.ones((5, 1)), sides=2)[0], p_values(np.array([[3.0], [2.0], [-1.0]]), sides=1)[0]
    (array([0.0625]), array([0.25]))
    """
    largest = np.abs(differences).max(axis=0, initial=0.0)
    values = np.divide(differences, largest, out=np.zeros(differences.shape), where=largest > 0)
    measure = np.abs if sides == 2 else np.asarray
    seen = measure(values.sum(axis=0)) - ROUNDING * np.abs(values).sum(axis=0)
    every, beyond = len(values) <= ALL_SIGNS, np.zeros(len(largest))
    rows, step = 2 ** min(len(values), ALL_SIGNS), max(1, CHUNK // max(values.shape))
    for begin in range(0, rows, step):
        beyond += (measure(_signs(len(values), begin, min(begin + step, rows)) @ values) >= seen).sum(axis=0)
    found = beyond / rows if every else (1 + beyond) / (1 + rows)
    if not every:  # random signs show no p-value below 2^-13; Hoeffding's inequality bounds smaller ones
        squares = np.maximum(np.square(values).sum(axis=0), 1e-300)
        bound = sides * np.exp(-np.square(np.maximum(seen, 0.0)) / (2 * squares))
        found = np.where(beyond == 0, np.minimum(found, bound), found)
    least = np.minimum(1.0, sides * 2.0 ** -np.count_nonzero(values, axis=0).astype(float))
    return np.maximum(found, least), np.asarray(least)


@lru_cache(maxsize=8)  # for many sets of as many differences
def _signs(count: int, begin: int, end: int) -> Array:
    """Return the rows `begin` to `end` of a matrix with all signs of `count` numbers, or 2^13 random ones of more."""
    bits = np.arange(begin, end)[:, None] >> np.arange(min(count, ALL_SIGNS)) & 1
    if count > ALL_SIGNS:
        bits = np.random.default_rng([count, begin]).integers(0, 2, (end - begin, count))
    return np.asarray(1.0 - 2.0 * bits, dtype=float)


def holm(found: Sequence[float], least: Sequence[float], level: float) -> list[bool]:
    """Return for each p-value whether Holm's procedure rejects its hypothesis.

    The probability that any true hypothesis is rejected is at most `level`. `least` has the smallest p-value that each
    test could have. A test that could not be significant whatever the signs is not counted (Tarone 1990, "A modified
    Bonferroni method for discrete data").

    >>> holm([0.04, 0.01, 0.9], [0.0] * 3, 0.05), holm([0.04, 1.0, 1.0], [0.0, 1.0, 1.0], 0.05)
    ([False, True, False], [True, False, False])
    """
    rejected = [False] * len(found)
    able = sorted(_able(least, level), key=found.__getitem__)
    for left, at in zip(range(len(able), 0, -1), able, strict=True):
        if found[at] > level / left:
            break
        rejected[at] = True
    return rejected


def _able(least: Sequence[float], level: float) -> list[int]:
    """Return the tests that can be significant after the correction for their number, by their smallest p-values."""
    ordered = np.sort(np.asarray(least, dtype=float))
    counts = range(1, len(ordered) + 1)
    count = next((each for each in counts if np.searchsorted(ordered, level / each, side="right") <= each), 1)
    return [at for at, p in enumerate(least) if p <= level / count]


def separated(strata: Sequence[Array], level: float) -> tuple[Array, float]:
    """Return a matrix whose entry (i, j) is True if the mean of column i is significantly below that of column j.

    `strata` has one array for each setting, with a row for each seed and a column for each learner; a mean is that over
    settings of the means over seeds. The probability that any two exchangeable learners are called different is at most
    `level`. If each setting has a single row, entry (i, j) is True if the mean of i is smaller at all.

    The second result is the smallest p-value that any difference can have, corrected for the number of pairs that can
    be significant. If it exceeds `level`, so few rows cannot show any difference.

    >>> better, smallest = separated([np.array([[1.0, 2.0, 2.1], [1.1, 2.2, 2.0], [1.0, 2.1, 2.2]])] * 3, 0.05)
    >>> better.astype(int).tolist(), smallest
    ([[0, 1, 1], [0, 0, 0], [0, 0, 0]], 0.01171875)
    """
    rows = np.vstack([each / len(each) for each in strata])
    one, other = np.triu_indices(rows.shape[1], 1)
    differences = rows[:, other] - rows[:, one]
    differences[np.abs(differences) <= ROUNDING * (np.abs(rows[:, other]) + np.abs(rows[:, one]))] = 0.0
    total = differences.sum(axis=0)
    found, least = (each.tolist() for each in p_values(differences, sides=2))
    clear = np.array(holm(found, least, level), dtype=bool)
    if len(rows) == len(strata):
        clear = np.abs(total) > ROUNDING * np.abs(rows).sum(axis=0).max(initial=0.0)
    better = np.zeros((rows.shape[1],) * 2, dtype=bool)
    better[one, other], better[other, one] = clear & (total > 0), clear & (total < 0)
    tests = len(_able(least, level)) or len(least)
    return better, min(1.0, tests * min(least, default=1.0))


def fewest(tests: int, level: float) -> int:
    """Return the least number n of differences with `tests` 2^-n <= `level`: then one of the tests can be significant.

    A test of either sign counts as two tests.

    >>> fewest(1, 0.05), fewest(2, 0.05), fewest(20, 0.05)
    (5, 6, 9)
    """
    return int(np.ceil(np.log2(max(tests, 1) / level)))

"""Confidence intervals of means over seeds, from a stratified bootstrap.

A value is measured in several settings, with several seeds each. The statistic is the mean over settings of the mean
over seeds. The settings are fixed; the seeds of each setting are resampled separately.

Two corrections keep the intervals from being too short for few seeds:

- from n seeds, n - 1 values are drawn with replacement (Rao and Wu 1988, "Resampling inference with complex survey
  data");
- the ends of the interval are the percentiles 100 Phi(-t) and 100 Phi(t) of the bootstrap samples. Phi is the normal
  distribution function, and t the quantile of Student's t with the degrees of freedom of Welch and Satterthwaite
  (Hesterberg 2015, "What teachers should know about the bootstrap", expanded percentiles).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array

RESAMPLES = 4000
LEVEL = 0.95
CHUNK = 1 << 20  # numbers in memory at a time while seeds are drawn


@dataclass(frozen=True)
class Resampled:
    """The result of `resample`: means over settings of the means over seeds, one for each column of the data.

    A column of the data is one measured quantity, for instance the rank of one learner.

    - `draws` has one row for each bootstrap sample: the means in this sample.
    - `errors` has the standard error of each mean.
    - `freedoms` has the degrees of freedom of each of these errors; infinity if the error is 0.
    - `unspread` is the number of settings with one seed, whose spread is unknown and counts as zero.
    """

    mean: Array
    draws: Array
    errors: Array
    freedoms: Array
    unspread: int
    settings: int

    @property
    def spread_is_known(self) -> bool:
        """True if at least one setting was played with several seeds."""
        return self.unspread < self.settings

    def interval(self) -> tuple[Array, Array]:
        """Return the lower ends and the upper ends of 95% confidence intervals.

        There is one interval for each measured quantity. It is an interval of the mean over settings of the means over
        seeds.
        """
        from scipy.special import ndtr, stdtrit

        tails = ndtr(stdtrit(np.minimum(self.freedoms, 1e9), (1 - LEVEL) / 2))
        ends = np.array([np.quantile(draws, [tail, 1 - tail]) for draws, tail in zip(self.draws.T, tails, strict=True)])
        return ends[:, 0], ends[:, 1]


def moments(strata: Sequence[Array]) -> Resampled:
    """Return the means over settings of the means over seeds, with their standard errors, but no bootstrap samples.

    `strata` has one array for each setting, with a row for each seed and a column for each measured quantity.
    """
    return resample(strata, resamples=0)


def resample(strata: Sequence[Array], *, resamples: int = RESAMPLES) -> Resampled:
    """Return the means over settings of the means over seeds, with `resamples` bootstrap samples.

    `strata` has one array for each setting, with a row for each seed and a column for each measured quantity. A
    bootstrap sample draws whole rows of each array.

    >>> found = resample([np.array([[1.0], [3.0]]), np.array([[4.0]])])
    >>> float(found.mean[0]), found.spread_is_known, sorted(set(found.draws[:, 0].tolist()))
    (3.0, True, [2.5, 3.5])
    """
    rng = np.random.default_rng(0)
    columns, size = strata[0].shape[1], len(strata)
    mean, draws = np.zeros(columns), np.zeros((resamples, columns))
    variances, squares = np.zeros(columns), np.zeros(columns)
    largest = max(float(np.abs(values).max()) for values in strata)
    # Squares of the values themselves could overflow, or underflow to a spread of 0.
    unit = 2.0 ** int(np.frexp(largest)[1] - 1) if largest > 0 else 1.0
    for values in strata:
        count = len(values)
        centre = values.mean(axis=0)
        mean += centre
        draws += centre
        if count == 1:
            continue
        apart = values - centre
        apart[:, np.ptp(values, axis=0) == 0] = 0.0  # exact zeros: the mean of equal values may be rounded
        step = max(1, CHUNK // count)
        for begin in range(0, resamples, step):
            drawn = rng.multinomial(count - 1, np.full(count, 1 / count), size=min(step, resamples - begin))
            draws[begin : begin + step] += drawn @ apart / (count - 1)
        each = np.square(apart / unit).sum(axis=0) / (count - 1) / count
        variances += each
        squares += np.square(each) / (count - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedoms = np.where(squares > 0, np.square(variances) / squares, np.inf)
    unspread = sum(len(values) == 1 for values in strata)
    return Resampled(mean / size, draws / size, unit * np.sqrt(variances) / size, freedoms, unspread, size)

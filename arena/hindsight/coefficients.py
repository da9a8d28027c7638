"""Upper bounds on the coefficients of a point's projection onto pivots, computed in single precision.

Let L be the Cholesky factor of the kernel matrix of r pivots z_j. If a point has the features F, its projection onto
the pivots' span is sum_j a_j k(z_j, .) with a' = F'L^-1. Let W be the computed inverse of L, let c' = F'W be computed
in single precision, and let s_j > 0 be a scale for each pivot. Then

    sum_j |a_j| s_j  <=  sum_j |c_j| s_j + sum_i |F_i| [ (r + 8) 2^-24 (|W| s)_i  +  4 r 2^-53 (|W| |L| |W| s)_i ].

Here |W| and |L| are the matrices of absolute values. In the brackets, the first term covers the rounding of c, and the
second term covers the difference between W and L^-1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array

SINGLE, DOUBLE = 2.0**-24, 2.0**-53  # rounding to nearest in both precisions
FEW = 64  # rows up to which systems with the factor are solved in double precision
COLUMNS = 256  # columns of the triangular matrix that are multiplied together
LARGEST = 1e30  # numbers that single precision holds with room for sums
SMALLEST = 1e-30  # share of the largest feature: smaller features count as this one in the bound
SMALL = 1e-300  # the largest feature counts as this one if it is smaller: the reciprocal must be finite


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Upper bounds on the coefficients of a point's projection onto the span of pivots.

    The projection of k(x, .) is sum_j a_j k(z_j, .) for pivots z_j. The bound is on sum_j |a_j| s_j, where s_j is
    `scales[j]`. The coefficients are a' = F'L^-1, where F are the features of x, and L is the `factor`: the Cholesky
    factor of the pivots' kernel matrix.

    >>> bound = Coefficients(np.array([[2.0]], order="F"), np.array([3.0])).sizes(np.array([[1.0]]))
    >>> bound
    array([1.5])
    """

    factor: Array
    scales: Array

    def sizes(self, F: Array) -> Array:
        """Return an upper bound on sum_j |a_j| s_j for each row of `F`, which has the features of a point.

        The a_j are the coefficients of the point's projection onto the span of the pivots, and s_j is `scales[j]`.
        """
        largest = float(np.abs(F).max(initial=0.0))
        if not largest > 0.0:
            return np.zeros(len(F))
        largest = max(largest, SMALL)
        if len(F) <= FEW or self._inverse is None:
            combination = scipy.linalg.blas.dtrsm(1.0, self.factor, np.array(F).T, lower=1, trans_a=1, overwrite_b=1)
            return np.asarray(self.scales @ np.abs(combination))
        inverse, doubt = self._inverse
        scaled, total = (F * (1.0 / largest)).astype(np.float32), np.zeros(len(F))
        for start in range(0, F.shape[1], COLUMNS):
            part = scaled[:, start:] @ inverse[start:, start : start + COLUMNS]
            total += np.abs(part, out=part).sum(axis=1)
        total *= 1.0 + 2.0 * COLUMNS * SINGLE  # the sums of sizes are in single precision, too
        beyond = (np.abs(scaled, out=scaled) @ doubt).astype(float) * (1.0 + (len(doubt) + 8.0) * SINGLE)
        return np.asarray(largest * (total + beyond + SMALLEST * float(doubt.sum())))

    @cached_property
    def _inverse(self) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
        """The computed inverse of `factor`, with column j multiplied by `scales[j]`, and a bound on rounding errors.

        The bound is a vector with a number d_i for each feature: for a point with the features F, the rounding error of
        `sizes` is at most sum_i |F_i| d_i. Inverse and bound are in single precision. The value is None if the inverse
        has numbers that are too large for single precision, or could not be computed.
        """
        inverse, failed = scipy.linalg.lapack.dtrtri(self.factor, lower=1)
        weighted, size = inverse * self.scales, len(inverse)
        if failed or not float(np.abs(weighted).max()) < LARGEST:
            return None
        sizes = np.abs(weighted).sum(axis=1)
        rounding = np.abs(inverse) @ (np.abs(self.factor) @ sizes)
        doubt = 1.01 * ((size + 8.0) * SINGLE * sizes + 4.0 * size * DOUBLE * rounding)
        return weighted.astype(np.float32), doubt.astype(np.float32)

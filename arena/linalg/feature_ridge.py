"""Ridge regression on features: predicts each round from all earlier rounds, computed in blocks of rounds.

For a block, let F be the features and y the labels, one row for each round. Let A = noise I + sum f f' and b = sum y f
over the rounds before the block, where f are a round's features. Then (theory D1)

    G = F A^-1 F',  I + G = L L',  e = L^-1 (y - F A^-1 b),  mean = F A^-1 b + (strictly lower part of L) e.

The variance of round t is noise v_t, where v_t = f_t' A_t^-1 f_t, and A_t is A with all rounds before t. A is a plain
sum, which is factorised for each block, so rounding errors do not accumulate.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import scipy

from arena.arrays import Array
from arena.linalg.threads import shared

BLOCK = 128  # rounds of the smallest block


def block_of(size: int) -> int:
    """Return the number of rounds in a block: half the number of features, which is fastest, but at least `BLOCK`.

    For `size` features, a block of n rounds takes size^2 (2 n + size / 3) + size n^2 + n^3 / 3 multiplications.

    >>> block_of(1000), block_of(10)
    (500, 128)
    """
    return max(BLOCK, size // 2)


class FeatureRidge:
    """Ridge regression on `size` features, with `noise` as lambda; its memory does not grow with the rounds.

    With the features f and the label y of each round so far, A = noise I + sum f f' and b = sum y f. A
    `FloatingPointError` is raised if `noise` is so small that rounding makes A indefinite.

    >>> ridge = FeatureRidge(size=1, noise=1.0)
    >>> ridge.play(np.array([[1.0], [2.0]]), np.array([1.0, 1.0]))
    (array([0., 1.]), array([1., 2.]))
    """

    def __init__(self, size: int, noise: float):
        self.noise = noise
        self.matrix = np.zeros((size, size), order="F")  # the lower triangle of A
        self.matrix.flat[:: size + 1] = noise
        self.vector = np.zeros(size)
        self._factorised: Array | None = None  # the Cholesky factor of A if it is known

    def play(self, F: Array, y: Array, *, threads: int = 1) -> tuple[Array, Array]:
        """Add rounds; return the mean f' A^-1 b of each round, and its variance divided by `noise`, f' A^-1 f.

        Here f are a round's features, and A = noise I + sum f f' and b = sum y f over the earlier rounds.
        """
        means, variances = [np.empty(0)], [np.empty(0)]
        block = block_of(len(self.vector))
        for start in range(0, len(F), block):
            mean, variance = self._play_block(F[start : start + block], y[start : start + block], threads)
            means.append(mean)
            variances.append(variance)
        return np.concatenate(means), np.concatenate(variances)

    def weights(self, *, more_noise: float = 0.0) -> Array:
        """Return the w that minimises sum (w'f - y)^2 + (noise + more_noise) |w|^2 over the rounds so far.

        Here f are the features and y is the label of a round.
        """
        if not len(self.vector):
            return np.empty(0)
        return np.asarray(scipy.linalg.lapack.dpotrs(self._factor(more_noise), self.vector, lower=1)[0])

    def optimum(self, squared_labels: float, *, more_noise: float = 0.0) -> float:
        """Return min_w sum (w'f - y)^2 + (noise + more_noise) |w|^2 over all rounds, with features f and labels y.

        `squared_labels` is the sum of the rounds' squared labels.
        """
        return squared_labels - float(self.vector @ self.weights(more_noise=more_noise))

    def learn(self, F: Array, y: Array) -> None:
        """Add rounds without computing their means and variances."""
        if len(self.vector):
            self.matrix = scipy.linalg.blas.dsyrk(1.0, F.T, beta=1.0, c=self.matrix, lower=1, overwrite_c=1)
            self.vector = self.vector + y @ F
            self._factorised = None

    def _play_block(self, F: Array, y: Array, threads: int) -> tuple[Array, Array]:
        if not len(self.vector):
            return np.zeros(len(F)), np.zeros(len(F))
        F, factor, vector = np.ascontiguousarray(F), self._factor(), self.vector
        # With two threads, the means and the next factor are computed at the same time; both take about as long.
        steps: list[Callable[[], Any]] = [
            functools.partial(_means_and_variances, factor, vector, F, y),
            functools.partial(self._learn_and_factorise, F, y),
        ]
        answer, _ = shared(lambda step: step(), steps, threads=threads)
        return cast(tuple[Array, Array], answer)

    def _learn_and_factorise(self, F: Array, y: Array) -> None:
        self.learn(F, y)
        self._factor()

    def _factor(self, more_noise: float = 0.0) -> Array:
        """Return the lower Cholesky factor of A + `more_noise` I, where A = noise I + sum f f'.

        The sum is over the rounds so far, with the features f. The factor of A itself is kept for the next call.
        """
        if not more_noise and self._factorised is not None:
            return self._factorised
        matrix = self.matrix
        if more_noise:
            matrix = matrix.copy(order="F")
            matrix.flat[:: len(matrix) + 1] += more_noise
        factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1)
        if failed:
            raise FloatingPointError(f"rounding outweighs the noise {self.noise:g}")
        if not more_noise:
            self._factorised = factor
        return np.asarray(factor)


def _means_and_variances(factor: Array, vector: Array, F: Array, y: Array) -> tuple[Array, Array]:
    """Return for each round of a block what `FeatureRidge.play` returns: mean, and variance divided by noise.

    `F` and `y` are the features and labels of the block. `factor` is the Cholesky factor of A = noise I + sum f f', and
    `vector` is b = sum y f, with sums over the rounds before the block.
    """
    solved = scipy.linalg.blas.dtrsm(1.0, factor, np.array(F).T, lower=1, overwrite_b=1)
    expected = scipy.linalg.blas.dtrsv(factor, vector, lower=1) @ solved
    corner = scipy.linalg.blas.dsyrk(1.0, solved, trans=1, lower=1)
    gain = corner.diagonal().copy()
    corner.flat[:: len(F) + 1] += 1.0
    corner, _ = scipy.linalg.lapack.dpotrf(corner, lower=1, clean=1, overwrite_a=1)
    whitened = scipy.linalg.blas.dtrsv(corner, y - expected, lower=1)
    corner.flat[:: len(F) + 1] = 0.0
    mean = expected + corner @ whitened
    # The variance is not computed as L_tt^2 - 1, a difference that would lose digits where the noise is large.
    return mean, np.maximum(gain - np.einsum("ij,ij->i", corner, corner), 0.0)

"""Smaller error bars for predictions through features, by products of vectors with what the features leave out.

Notation of `arena.hindsight.certificate`: K = F F' + R, A = K + lambda I, B = F F' + lambda I. For the first t rounds
let f be the exact optimum, g that of the features, and b = B^-1 y = (y - g(x)) / lambda. By the lower bound of the dual
vector b the objective of g exceeds that of f by at most

    lambda y'(B^-1 - A^-1) y  <=  excess_t := lambda b'R b,

and it exceeds it by (g - f)'(lambda + C)(g - f), exactly, with the covariance C of the t rounds. So the part of f
outside the span has a norm of at most sqrt(excess / lambda), and in the next round

    |g(x) - f(x)|  <=  sqrt(excess / lambda) min(sqrt(v(x)), sqrt(e(x)) + sqrt(|R| v(x) / lambda)),

the second since g(x) - f(x) = -<r_x - sum_s c_s r_s, f> for coefficients with lambda |c|^2 <= v (`error_bars`).

|R|. For independent Gaussian vectors w_1 ... w_k, |R|^q <= max |R^q w_i| / s except with probability (0.8 s)^k. With 8
vectors and s = 0.1 that is 2e-9: of the vectors drawn here, not of the data.

b'R b for every t. Between two checkpoints the weights w_t of g are replaced by those of the checkpoint before. Then b
is (y - F w) / lambda for a fixed w, and b'R b is a sum over pairs of rounds. A product K v for the rounds up to the
checkpoint gives the pairs across it, and the tile between the checkpoints the others. The change of the weights adds at
most sqrt(|R|) |F (w - w_t)| / lambda to |sum_s b_s r_s|, and |F (w - w_t)|^2 is at most the features' objective of w
minus its minimum.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.interval import IntervalHindsight
from arena.hindsight.pivots import UNIT
from arena.hindsight.products import KernelProducts
from arena.hindsight.watching import Watch

VECTORS, POWER, SMALL = 8, 3, 0.1  # k, q and s of the module's docstring
FIRST, RATIO = 128, 1.1  # the first checkpoint, and the ratio of one to the next
FARTHEST = 4096  # rounds between two checkpoints at most: their tile of the kernel matrix is in memory


def sharpened(
    hindsight: IntervalHindsight, kernel: Kernel, X: Array, F: Array, watch: Watch | None = None
) -> IntervalHindsight:
    """Return the hindsight with `excess` and `norm`, which make its error bars smaller; `F` are its features."""
    if len(X) <= FIRST or not F.shape[1]:
        return hindsight
    products = KernelProducts(kernel, X, watch=watch)
    norm = _norm(products, F) + hindsight.rounding
    return dataclasses.replace(hindsight, norm=norm, excess=_excess(hindsight, products, F, norm))


def _norm(products: KernelProducts, F: Array) -> float:
    """Return an upper bound on |R| = |K - F F'|, which fails with probability 2e-9 (module docstring)."""
    V, size = np.random.default_rng(0).standard_normal((len(F), VECTORS)), np.ones(VECTORS)
    for _ in range(POWER):
        V = products.times(V, work="products with what features leave") - F @ (F.T @ V)
        length = np.maximum(np.linalg.norm(V, axis=0), 1e-300)
        V, size = V / length, size * length
    trace = float(products.kernel.diagonal(products.X).sum())
    rounding = (products.roundings() + 4.0 * F.shape[1] + 64.0) * UNIT * trace
    norm = float(size.max() / SMALL) ** (1.0 / POWER)
    return float(1.01 * norm + 4.0 * POWER * rounding)


def checkpoints_of_weights(rounds: int) -> list[int]:
    """Return the rounds at which the weights of the features' optimum are computed; the last is `rounds`."""
    found = [FIRST]
    while found[-1] < rounds:
        found.append(min(rounds, int(RATIO * found[-1]) + 1, found[-1] + FARTHEST))
    return found


def _excess(hindsight: IntervalHindsight, products: KernelProducts, F: Array, norm: float) -> Array:
    """Return an upper bound on the excess of every prefix; infinity before the first checkpoint."""
    y, at, ends = hindsight.labels, hindsight.regularisation, checkpoints_of_weights(len(F))
    weights = _weights(F, y, at, ends[:-1])
    residuals = (y[:, np.newaxis] - F @ weights) / at
    masked = residuals * (np.arange(len(F))[:, np.newaxis] < np.array(ends[:-1]))
    across = products.times(masked, work="error bars of the predictions")
    inside = masked.T @ F
    least = np.cumsum(hindsight.upper_increments) / hindsight.lift  # of the features' objective
    excess = np.full(len(F), np.inf)
    for j, (start, stop) in enumerate(itertools.pairwise(ends)):
        rows, b = slice(start, stop), residuals[:, j]
        own = products.kernel.gram(products.X[rows], products.X[rows]) - F[rows] @ F[rows].T
        before = across[rows, j] - F[rows] @ inside[j] + np.tril(own, -1) @ b[rows]
        added = 2.0 * b[rows] * before + np.square(b[rows]) * np.maximum(own.diagonal(), 0.0)
        form = float(masked[:, j] @ across[:, j]) - float(inside[j] @ inside[j]) + np.cumsum(added)
        size, mass = np.cumsum(np.square(b))[rows], np.cumsum(np.abs(b))[rows]
        largest = float(products.kernel.diagonal(products.X).max())
        rounding = hindsight.rounding * size + 4.0 * products.roundings() * UNIT * largest * np.square(mass)
        objective = at**2 * size + at * float(weights[:, j] @ weights[:, j])
        moved = np.maximum(objective - least[rows], 0.0) + 64.0 * len(F) * UNIT * objective
        excess[rows] = at * np.square(np.sqrt(np.maximum(form, 0.0) + rounding) + np.sqrt(norm * moved) / at)
    return excess


def _weights(F: Array, y: Array, regularisation: float, ends: list[int]) -> Array:
    """Return the weights of ridge regression on the features of the first rounds, one column for each of `ends`."""
    matrix, vector, done = np.zeros((F.shape[1], F.shape[1]), order="F"), np.zeros(F.shape[1]), 0
    matrix.flat[:: F.shape[1] + 1] = regularisation
    weights = np.empty((F.shape[1], len(ends)))
    for column, stop in enumerate(ends):
        matrix = scipy.linalg.blas.dsyrk(1.0, F[done:stop].T, beta=1.0, c=matrix, lower=1, overwrite_c=1)
        vector += y[done:stop] @ F[done:stop]
        factor, _ = scipy.linalg.lapack.dpotrf(matrix, lower=1)
        weights[:, column], done = scipy.linalg.lapack.dpotrs(factor, vector, lower=1)[0], stop
    return weights

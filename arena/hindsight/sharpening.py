"""Smaller error bars for predictions through features, by products of vectors with what the features leave out.

Let K = F F' + R for the features F, A = K + lambda I and B = F F' + lambda I. For the first t rounds let f be the exact
optimum, g the optimum on the features, and b = B^-1 y = (y - g(x)) / lambda.

The excess. The lower bound of the dual vector b proves that the objective of g exceeds that of f by at most

    lambda y'(B^-1 - A^-1) y  <=  excess_t := lambda b'R b.

It exceeds it by (g - f)'(lambda + C)(g - f) exactly, where C is the covariance of the t rounds. So the part of f
outside the span has a norm of at most sqrt(excess / lambda). In the next round, with the variance v and the residual e
of the features,

    |g(x) - f(x)|  <=  sqrt(excess / lambda) min(sqrt(v(x)), sqrt(e(x)) + sqrt(|R| v(x) / lambda)).

The second bound holds since g(x) - f(x) = -<r_x - sum_s c_s r_s, f> for coefficients with lambda |c|^2 <= v, where r_x
is the part of k(x, .) outside the span (`IntervalHindsight.error_bars`).

|R|. For independent Gaussian vectors w_1 ... w_k, |R|^q <= max |R^q w_i| / s except with probability (0.8 s)^k. With 8
vectors and s = 0.1 that is 2e-9. It is a probability over the vectors drawn here, not over the data.

b'R b for every t. Between two checkpoints the weights w_t of g are replaced by those of the checkpoint before. Then b
is (y - F w) / lambda for a fixed w, and b'R b is a sum over pairs of rounds. A product K v for the rounds up to the
checkpoint gives the pairs across it, and the tile between the checkpoints gives the others. The change of the weights
adds at most sqrt(|R|) |F (w - w_t)| / lambda to |sum_s b_s r_s|. And |F (w - w_t)|^2 is at most the objective of w on
the features minus its minimum.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.interval import IntervalHindsight
from arena.hindsight.pivots import UNIT
from arena.hindsight.products import KernelProducts
from arena.hindsight.watching import Watch
from arena.linalg.threads import shared

VECTORS, POWER, SMALL = 8, 3, 0.1  # k, q and s of the module's docstring
FIRST, RATIO = 128, 1.1  # the first checkpoint, and the ratio of one to the next
STEP = 128  # rounds whose inner products on the features are in memory together


@dataclass(frozen=True)
class Checkpoints:
    """Rounds at which the weights of the features' optimum are known, up to the last round; a column for each."""

    rounds: list[int]
    weights: Array


def checkpoints_of_weights(rounds: int, farthest: int) -> list[int]:
    """Return the rounds at which the weights of the features' optimum are computed; the last is `rounds`."""
    if rounds <= FIRST:
        return []
    found = [FIRST]
    while found[-1] < rounds:
        found.append(min(rounds, int(RATIO * found[-1]) + 1, found[-1] + farthest))
    return found


def sharpened(
    hindsight: IntervalHindsight, kernel: Kernel, X: Array, F: Array, known: Checkpoints, watch: Watch | None = None
) -> IntervalHindsight:
    """Return the hindsight with smaller error bars, due to its new `excess` and `norm`; `F` are its features."""
    if not F.shape[1]:
        return hindsight
    products = KernelProducts(kernel, X, watch=watch)
    norm = _norm(products, F) + hindsight.rounding
    excess = _excess(hindsight, products, F, norm, known)
    low = float(hindsight.upper_increments.sum()) / (1.0 + hindsight.slack) - float(excess[-1])
    final = (max(hindsight.final[0], low), hindsight.final[1])
    return dataclasses.replace(hindsight, norm=norm, excess=excess, final=final)


def _norm(products: KernelProducts, F: Array) -> float:
    """Return an upper bound on |R| = |K - F F'|. It is random, and fails with probability 2e-9."""
    V, size = np.random.default_rng(0).standard_normal((len(F), VECTORS)), np.ones(VECTORS)
    for _ in range(POWER):
        V = products.times(V, work="products with what features leave") - F @ (F.T @ V)
        length = np.maximum(np.linalg.norm(V, axis=0), 1e-300)
        V, size = V / length, size * length
    trace = float(products.kernel.diagonal(products.X).sum())
    rounding = (products.roundings() + 4.0 * F.shape[1] + 64.0) * UNIT * trace
    norm = float(size.max() / SMALL) ** (1.0 / POWER)
    return float(1.01 * norm + 4.0 * POWER * rounding)


def _excess(hindsight: IntervalHindsight, products: KernelProducts, F: Array, norm: float, known: Checkpoints) -> Array:
    """Return, for every prefix, by how much the objective of the features' optimum exceeds the exact one at most.

    It is infinity before the first checkpoint.
    """
    y, at, ends = hindsight.labels, hindsight.regularisation, known.rounds
    residuals = (y[:, np.newaxis] - F @ known.weights) / at
    across, forms = products.sums_before(residuals, ends, work="error bars of the predictions")
    inside = (residuals * (np.arange(len(F))[:, np.newaxis] < np.array(ends))).T @ F
    least = np.cumsum(hindsight.upper_increments) / hindsight.lift  # of the features' objective
    largest = float(products.kernel.diagonal(products.X).max())
    doubt = 4.0 * products.roundings() * UNIT * largest

    def between(j: int) -> Array:
        rows, b = slice(ends[j], ends[j + 1]), residuals[: ends[j + 1], j]
        before = across[rows] - _inner_products_before(F[rows], b[rows], inside[j])
        added = 2.0 * b[rows] * before + np.square(b[rows]) * hindsight.residual[rows]
        form = forms[j] - float(inside[j] @ inside[j]) + np.cumsum(added)
        size, mass = np.cumsum(np.square(b))[rows], np.cumsum(np.abs(b))[rows]
        rounding = hindsight.rounding * size + doubt * np.square(mass)
        weights = known.weights[:, j]
        objective = at**2 * size + at * float(weights @ weights)
        moved = np.maximum(objective - least[rows], 0.0) + 64.0 * len(F) * UNIT * objective
        return np.asarray(at * np.square(np.sqrt(np.maximum(form, 0.0) + rounding) + np.sqrt(norm * moved) / at))

    excess, b = np.full(len(F), np.inf), residuals[:, -1]
    for j, found in enumerate(shared(between, range(len(ends) - 1), threads=products.threads)):
        excess[ends[j] : ends[j + 1]] = found
    rounding = hindsight.rounding * float(b @ b) + doubt * float(np.abs(b).sum()) ** 2
    last = at * (max(float(forms[-1]) - float(inside[-1] @ inside[-1]), 0.0) + rounding)
    excess[-1] = last + 64.0 * len(F) * UNIT * float(least[-1])  # by the last weights themselves, without |R|
    return excess


def _inner_products_before(F: Array, b: Array, vector: Array) -> Array:
    """Return F_t'(vector + sum_{s < t} b_s F_s) for each row F_t of `F`."""
    found = np.empty(len(F))
    for start in range(0, len(F), STEP):
        rows = slice(start, start + STEP)
        part = F[rows]
        found[rows] = part @ vector + np.tril(part @ part.T, -1) @ b[rows]
        vector = vector + b[rows] @ part
    return found

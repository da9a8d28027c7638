"""Smaller error bars for predictions through features, by products of vectors with the matrix R = K - F F'.

Here F are the features, and R is the part of the kernel matrix K that they miss. Let A = K + lambda I and B = F F' +
lambda I. For the first t rounds let f be the exact best function, g the best function on the features, and b = B^-1 y =
(y - g(x)) / lambda.

1. The excess. The objective of g exceeds the objective of f by at most

    lambda y'(B^-1 - A^-1) y  <=  excess_t := lambda b'R b.

The two objectives differ by exactly (g - f)'(lambda + C)(g - f). Here C is the sum of phi_s phi_s' over the t rounds.
So the part of f outside the features' span has a norm of at most sqrt(excess_t / lambda). At a new point x let V be the
exact variance, v the variance of ridge regression on the features, and e the residual. Then

    |g(x) - f(x)|  <=  sqrt(excess_t / lambda) min(sqrt(V), sqrt(e) + sqrt(|R| v / lambda)).

The second bound in the minimum follows from g(x) - f(x) = -<r_x - sum_s c_s r_s, f>. Here r_x and r_s are the parts of
k(x, .) and k(x_s, .) outside the features' span. c = B^-1 h, where h has the inner products of the features of x with
those of x_1, ..., x_t.

2. The largest eigenvalue |R| of R. Let z_1, ..., z_k be independent Gaussian vectors, q a whole number and p > 0. For
any R, the bound |R|^q <= max_i |R^q z_i| / p fails with a probability of at most (0.8 p)^k. With k = 8 and p = 0.1 this
probability is 2e-9.

3. The number b'R b for every t. Between two checkpoints the weights w_t of g are replaced by the weights w at the
earlier checkpoint. Then b is (y - F w) / lambda for a fixed w, and b'K b is a sum over pairs of rounds. This change
adds at most sqrt(|R|) |F (w - w_t)| / lambda to sqrt(b'R b), and |F (w - w_t)|^2 is at most the objective of w on the
features minus the least objective.
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

VECTORS, POWER, SMALL = 8, 3, 0.1  # k, q and p of the module's docstring
FIRST, RATIO = 128, 1.1  # the first checkpoint, and the ratio of one to the next
STEP = 128  # rounds whose inner products on the features are in memory together


@dataclass(frozen=True)
class Checkpoints:
    """The weights of ridge regression on the features after some rounds.

    The last of the `rounds` is the last round of the sequence. Column j of `weights` belongs to `rounds[j]`.
    """

    rounds: list[int]
    weights: Array


def checkpoints_of_weights(rounds: int, farthest: int) -> list[int]:
    """Return the rounds after which the weights of ridge regression on the features are kept; the last is `rounds`.

    Two neighbours in the list are at most `farthest` rounds apart. The list is empty for a short sequence.
    """
    if rounds <= FIRST:
        return []
    found = [FIRST]
    while found[-1] < rounds:
        found.append(min(rounds, int(RATIO * found[-1]) + 1, found[-1] + farthest))
    return found


def sharpened(
    hindsight: IntervalHindsight, kernel: Kernel, X: Array, F: Array, known: Checkpoints, watch: Watch | None = None
) -> IntervalHindsight:
    """Return the interval hindsight with smaller error bars.

    `F` has the features of all rounds, and `known` the weights of ridge regression on them. The field `norm` of the
    result bounds the largest eigenvalue of K - F F', the part of the kernel matrix K that the features miss. Its field
    `excess` bounds, for each prefix, how far the least objective on the features exceeds the optimum.
    """
    if not F.shape[1]:
        return hindsight
    products = KernelProducts(kernel, X, watch=watch)
    norm = _norm(products, F) + hindsight.rounding
    excess = _excess(hindsight, products, F, norm, known)
    low = float(hindsight.upper_increments.sum()) / (1.0 + hindsight.slack) - float(excess[-1])
    final = (max(hindsight.final[0], low), hindsight.final[1])
    return dataclasses.replace(hindsight, norm=norm, excess=excess, final=final)


def _norm(products: KernelProducts, F: Array) -> float:
    """Return an upper bound on the largest eigenvalue of R = K - F F'.

    The bound is computed from random vectors, and fails with a probability of at most 2e-9.
    """
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
    """Return for every prefix an upper bound on lambda b'R b; it is infinity up to the first round in `known`.

    Here R = K - F F' is what the features F miss, b = (y - g(x)) / lambda, and g is the best function on the features.
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

"""Interval hindsight of long sequences: certified bounds on the regularised optimum of every prefix.

Let K be the kernel matrix, y the labels, and F the features of the rounds (`arena.hindsight.pivots`). Then K = F F' +
R, where R is positive semi-definite. Only the diagonal of R is computed: e_t = k(x_t, x_t) - |F_t|^2. Let tau_t = e_1 +
... + e_t, and let S be the sum of sqrt(e_s) over all rounds s. By the Cauchy-Schwarz inequality, for the first t rounds

    R <= tau_t I,    R <= D = diag(d_1, ..., d_t)  with  d_s = S sqrt(e_s),
    lambda y'(F F' + lambda I + D)^-1 y  <=  optimum  <=  lambda y'(F F' + lambda I)^-1 y.

The lower bound also holds with tau_t I in place of D. Ridge regression on the features computes both ends for every
prefix, in blocks of rounds (theory C6, D1).

For the whole sequence, every vector alpha gives a second lower bound, in which tau is the sum of all e_t:

    optimum >= 2 alpha'y - |alpha|^2 - (|F'alpha|^2 + alpha'R alpha) / lambda,
    alpha'R alpha <= min(tau |alpha|^2, (sum_t sqrt(e_t) |alpha_t|)^2).

Rounding. Let q bound the relative rounding error of ridge regression in blocks. The computed F F' + lambda I + R
differs from K + lambda I by a matrix of rounding errors, whose spectral norm is at most

    rho = lambda q + sum_t p_t,    p_t = 3 unit (sqrt(k(x_t, x_t)) + a(x_t))^2 + q k(x_t, x_t).

The first term of p_t covers the rounding of the features, with `unit` = `Pivots.unit` and a = `Pivots.amplification`
(proof in `Pivots.certified_residual`). The terms with q cover ridge regression in blocks.

So (1 - rho / lambda) M <= K + lambda I <= (1 + rho / lambda) M, where M is the computed matrix. The interval is widened
by these factors. While rho exceeds lambda / 4, half of the features are dropped. Without any features the interval is
wide, but still valid. The kernel's own values count as exact to a few units in the last place.

Error bars of predictions need a bound on the norm of a single row of the matrix of rounding errors. Let pi be the
largest p_t. The entry in row s and column t is at most sqrt(p_s p_t), so the norm of a row is at most sqrt(pi rho).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, require_positive
from arena.game.kernels import Kernel
from arena.guards.disk import on_disk_if_large, release
from arena.guards.machine import threads_of_match
from arena.hindsight.interval import IntervalHindsight, rounding_of_ridge
from arena.hindsight.narrowing import halves
from arena.hindsight.pivots import UNIT, Pivots, choose_features, pivots_of_stream
from arena.hindsight.sharpening import Checkpoints, checkpoints_of_weights, sharpened
from arena.hindsight.watching import Watch
from arena.linalg.feature_ridge import FeatureRidge, block_of
from arena.linalg.threads import shared

CHUNK = 4096  # rounds whose features are in memory together
KEPT = 2**30  # bytes of features that are kept rather than computed again
WHOLE = 2**30  # bytes of features up to which pivots are chosen among all rows, not in a sample and by surveys
EVEN = 1e-3  # tau / lambda up to which the lower end of every prefix follows from the upper one
PRECISE = 1e-4  # mean error bar, relative to the largest label, at which bars are not made smaller
WIDTH = 1e-4  # relative width of the interval at which no more pivots are chosen
STARTS = 2**20  # rounds up to which the dual vectors of some prefixes are kept
WORK = 1e11  # rounds times features^2 of one sequence at most, unless the number of features is given
MOST = 1500  # features, unless their number is given


def interval_hindsight(
    kernel: Kernel,
    regularisation: float,
    X: Array,
    y: Array,
    *,
    width: float = WIDTH,
    features: int | None = None,
    sharp: bool = False,
    watch: Watch | None = None,
) -> IntervalHindsight:
    """Return the interval hindsight of a sequence: certified bounds on the least penalised loss of every prefix.

    - The loss is the squared loss.
    - Pivots are added until the relative width of the interval is about `width`, or until there are `features` pivots
      (None: 1500, or fewer for a long sequence).
    - With `sharp`, large error bars of the predictions become smaller. This takes more time, and has no effect on short
      sequences, or if the features of all rounds take more than 1 GiB.
    - `watch` is called with the progress.

    Memory: the sequence, seven numbers for each round, the square of the number of pivots, and up to 1 GiB of features.
    """
    require_positive("regularisation", regularisation)
    if features is not None and features < 0:
        raise ArenaError(f"features must be a whole number >= 0 or None, but it is {features!r}")
    rank = affordable(len(y)) if features is None else features
    watch = watch or (lambda *_: None)
    tolerance = width * regularisation
    known: Array | None = None
    if 8 * len(y) * rank <= WHOLE:  # among all rows the greedy rule finds rare points that a sample may lack
        pivots, known = choose_features(
            kernel, X, tolerance=0.5 * tolerance, rank=rank,
            progress=lambda share: watch("choosing features", int(share * len(X)), len(X)),
        )  # fmt: skip
        watch("choosing features", len(X), len(X))
    else:
        pivots = pivots_of_stream(kernel, lambda: _chunks(X, watch), tolerance=tolerance, rank=rank)
    while True:
        table = _Features(pivots, X, watch, known)
        residual, rounding, of_one = _measured(table, regularisation)
        if rounding <= regularisation / 4 or not len(pivots):
            cuts = checkpoints_of_weights(len(y), block_of(len(pivots))) if sharp and table.keeps else []
            found, weights = _played(table, regularisation, y, residual, rounding, of_one, cuts)
            if not cuts or found.error_bars().mean() <= PRECISE * np.abs(y).max(initial=0.0):
                return found
            points = Checkpoints(cuts, np.column_stack([weights[rounds] for rounds in cuts]))
            return sharpened(found, kernel, X, table.kept, points, watch)
        pivots = pivots.first(len(pivots) // 2)


def exact_replay(
    kernel: Kernel,
    regularisation: float,
    X: Array,
    y: Array,
    *,
    awv: bool = False,
    width: float = WIDTH,
    features: int | None = None,
) -> tuple[Array, Array]:
    """Return the predictions of kernel ridge regression on a sequence, and a certified bound on the error of each.

    With `awv` the predictions are those of Kernel-AWV. Either way they are computed from at most `features` features
    (None: 1500, or fewer for a long sequence). A smaller `width` gives more features and smaller errors.

    >>> from arena.game.kernels import Gaussian
    >>> X = np.linspace(-1.0, 1.0, 50)[:, np.newaxis]
    >>> predictions, bars = exact_replay(Gaussian(), 1.0, X, np.sin(X[:, 0]), width=1e-9)
    >>> bool(bars.max() < 1e-6)
    True
    """
    hindsight = interval_hindsight(kernel, regularisation, X, y, width=width, features=features)
    return hindsight.predictions(awv=awv), hindsight.error_bars(awv=awv)


def affordable(rounds: int) -> int:
    """Return the default limit of the number of pivots for a sequence of `rounds` rounds."""
    return rank_within(rounds, work=WORK, most=MOST)


def rank_within(rounds: int, *, work: float, most: int) -> int:
    """Return the number of features for which rounds * features^2 is about `work`: at least 32, but at most `most`."""
    return int(min(most, max(32.0, np.sqrt(work / max(rounds, 1)))))


class _Features:
    """The features of a sequence, computed chunk by chunk.

    The features of all rounds are kept in memory if they fit. Otherwise each pass over the sequence computes them
    again.
    """

    def __init__(self, pivots: Pivots, X: Array, watch: Watch, known: Array | None):
        self.pivots, self.X, self.watch = pivots, X, watch
        self.known = known is not None
        self.keeps = self.known or 8 * len(X) * len(pivots) <= KEPT
        self.kept = np.empty((len(X), len(pivots)) if self.keeps else (0, 0)) if known is None else known
        self.kept = self.kept[:, : len(pivots)]

    def of(self, rows: slice) -> Array:
        """Return the features of these rows, and keep them if the features of all rounds fit into memory."""
        if self.known:
            return self.kept[rows]
        F = self.pivots.coordinates(self.X[rows])
        if self.keeps:
            self.kept[rows] = F
        return F

    def chunks(self, cuts: list[int] | None = None) -> list[slice]:
        """Return the rows of each chunk of the sequence.

        `cuts` are numbers of rounds after which a chunk must end.
        """
        block = block_of(len(self.pivots))
        size, stops = block * (CHUNK // block) or CHUNK, sorted({0, *(cuts or ()), len(self.X)})
        return [
            slice(at, min(at + size, stop))
            for start, stop in itertools.pairwise(stops)
            for at in range(start, stop, size)
        ]

    def during(self, work: str, cuts: list[int] | None = None) -> Iterator[tuple[slice, Array]]:
        """Yield the rows and the features of each chunk of the sequence.

        After each chunk the callback `watch` gets the progress and `work`, the name of the computation. `cuts` are
        numbers of rounds after which a chunk must end.
        """
        for rows in self.chunks(cuts):
            yield rows, self.kept[rows] if self.keeps else self.pivots.coordinates(self.X[rows])
            release(self.X)
            self.watch(work, rows.stop, len(self.X))


def _measured(table: _Features, regularisation: float) -> tuple[Array, float, float]:
    """Return the residual of each round, and two bounds on the matrix of rounding errors.

    The errors are those of the computed features, and of ridge regression on them in blocks. The first bound is on the
    matrix's spectral norm, and the second on its entries.
    """
    pivots = table.pivots
    residual, reach, energy, farthest, largest = np.empty(len(table.X)), 0.0, 0.0, 0.0, 0.0
    measure = lambda rows: pivots.certified_residual(table.X[rows], table.of(rows))
    chunks = table.chunks()
    for rows, (found, reaches) in zip(chunks, shared(measure, chunks, threads=threads_of_match()), strict=True):
        residual[rows], diagonal = found, pivots.kernel.diagonal(table.X[rows])
        release(table.X)
        table.watch("measuring what features leave", rows.stop, len(table.X))
        reach, farthest = reach + float(reaches.sum()), max(farthest, float(reaches.max()))
        energy, largest = energy + float(diagonal.sum()), max(largest, float(diagonal.max()))
    unit, arithmetic = 3.0 * pivots.unit, rounding_of_ridge(len(pivots), len(residual))
    return residual, unit * reach + arithmetic * (energy + regularisation), unit * farthest + arithmetic * largest


def _played(
    table: _Features,
    regularisation: float,
    y: Array,
    residual: Array,
    rounding: float,
    rounding_of_one: float,
    cuts: list[int],
) -> tuple[IntervalHindsight, dict[int, Array]]:
    """Return the interval hindsight, and {t: weights of ridge regression on the features after t rounds}.

    There are weights for every t in `cuts` and for the whole sequence. If memory suffices, there are also weights for
    half of it, a quarter, and so on. `residual`, `rounding` and `rounding_of_one` become the fields of
    `IntervalHindsight` with these names.
    """
    prefixes = halves(len(y)) if table.keeps and len(y) <= STARTS else []
    mean, variance, weights = _played_forward(table, regularisation, y, sorted({*cuts, *prefixes, len(y)}))
    hindsight = IntervalHindsight(
        regularisation=regularisation,
        labels=y,
        mean=on_disk_if_large(mean),
        variance=on_disk_if_large(variance),
        residual=on_disk_if_large(residual),
        lower_increments=np.empty(0),
        rounding=rounding,
        rounding_of_one=rounding_of_one,
        features=len(table.pivots),
        final=(0.0, 0.0),
        duals=tuple((t, (y[:t] - table.kept[:t] @ weights[t]) / regularisation) for t in prefixes),
    )
    upper, slack = np.cumsum(hindsight.upper_increments), hindsight.slack
    lower = np.diff(upper / (1.0 + np.cumsum(residual) * (1.0 + 1e-9) / regularisation), prepend=0.0)
    if float(residual.sum()) > EVEN * regularisation and not cuts:
        lower = _lower_increments(table, regularisation, y, residual)
    low, high = _dual_and_primal(table, regularisation, y, residual, rounding, weights[len(y)])
    low = max(low, float(lower.sum()) / (1.0 + slack), 0.0)
    high = min(high, float(upper[-1]) if len(y) else 0.0, float(y @ y)) * hindsight.lift
    return dataclasses.replace(
        hindsight, lower_increments=on_disk_if_large(lower), final=(min(low, high), high)
    ), weights


def _played_forward(
    table: _Features, regularisation: float, y: Array, cuts: list[int]
) -> tuple[Array, Array, dict[int, Array]]:
    """Play ridge regression on the features round by round; return means, variances and weights.

    The mean and the variance of a round are computed from the earlier rounds. The weights are {t: weights after t
    rounds} for each t in `cuts`.
    """
    ridge, weights = FeatureRidge(len(table.pivots), regularisation), dict[int, Array]()
    mean, variance = np.zeros(len(y)), np.zeros(len(y))
    for rows, F in table.during("playing ridge regression forward", cuts):
        mean[rows], variance[rows] = ridge.play(F, y[rows], threads=threads_of_match())
        if rows.stop in cuts:
            weights[rows.stop] = ridge.weights()
    return mean, regularisation * variance, weights or {0: ridge.weights()}


def _lower_increments(table: _Features, regularisation: float, y: Array, residual: Array) -> Array:
    """Return the amount by which each round raises a lower bound on the least penalised loss.

    The lower bound is lambda y'(F F' + lambda I + D)^-1 y with the features F. D is diagonal, with the
    entries sqrt(e_t) sum_s sqrt(e_s), where e_t is the residual of round t.
    """
    noise = regularisation + np.sqrt(residual) * np.sqrt(residual).sum() * (1.0 + 1e-9)
    ridge, lower = FeatureRidge(len(table.pivots), 1.0), np.zeros(len(y))
    for rows, F in table.during("playing ridge regression with more noise"):
        weight = 1.0 / np.sqrt(noise[rows])
        scaled = weight * y[rows]
        expected, gain = ridge.play(weight[:, np.newaxis] * F, scaled, threads=threads_of_match())
        lower[rows] = regularisation * np.square(scaled - expected) / (1.0 + gain)
    return lower


def _dual_and_primal(
    table: _Features, regularisation: float, y: Array, residual: Array, rounding: float, weights: Array
) -> tuple[float, float]:
    """Return a lower and an upper bound on the least penalised loss of the whole sequence.

    Let f be the function with these `weights` on the features.

    - The upper bound is the penalised loss of f.
    - The lower bound is the value of the dual problem at the vector of all y_t - f(x_t), minus the effect of the
      `residual` of each round and of the features' `rounding` errors.
    """
    alpha, product = np.empty(len(y)), np.zeros(len(weights))
    for rows, F in table.during("proving both ends"):
        alpha[rows] = y[rows] - F @ weights
        product += alpha[rows] @ F
    norm = float(alpha @ alpha)
    beyond = min(float(residual.sum()) * norm, float(np.sqrt(residual) @ np.abs(alpha)) ** 2)
    kernel_form = float(product @ product) + beyond + rounding * norm
    tiny = 16.0 * len(y) * UNIT * (norm + 2.0 * float(np.abs(alpha) @ np.abs(y)))
    low = 2.0 * float(alpha @ y) - norm - kernel_form / regularisation - tiny
    return low, norm + regularisation * float(weights @ weights) + tiny


def _chunks(X: Array, watch: Watch) -> Iterator[Array]:
    for start in range(0, len(X), CHUNK):
        yield X[start : start + CHUNK]
        release(X)
        watch("choosing features", min(start + CHUNK, len(X)), len(X))

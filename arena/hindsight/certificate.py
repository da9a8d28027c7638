"""Hindsight for long sequences: an interval for the regularised optimum of every prefix, with a proof.

Write K = F F' + R for the features F of some pivots (`arena.hindsight.pivots`). R is the kernel matrix of the parts of
the points outside the span; only its diagonal e is known, which suffices. With tau_t = e_1 + ... + e_t, on every
prefix

    R <= D = diag(d),  d_t = S sqrt(e_t),  S = sum_t sqrt(e_t)           (Cauchy and Schwarz)
    lambda y'(F F' + lambda I + D)^-1 y  <=  optimum  <=  lambda y'(F F' + lambda I)^-1 y.

Both ends come from ridge regression on features, played forward in blocks (theory C6, D1). For the whole sequence a
dual vector alpha gives optimum >= 2 alpha'y - |alpha|^2 - alpha'K alpha / lambda with
alpha'R alpha <= min(tau |alpha|^2, (sum sqrt(e_t) |alpha_t|)^2).

Rounding. The computed F F' + R differs from K by a matrix of norm at most rho. This bound is a sum over the rounds
(reason: `Pivots.certified_residual`) of 3 unit (sqrt(k(x, x)) + amplification)^2 for the features, and of the number of
operations times k(x, x) for the block arithmetic. Since K + lambda I then lies between (1 -+ rho / lambda) times the
computed matrix, each bound is widened by that factor. While rho exceeds lambda / 4, half of the features are dropped;
without features the interval is wide but still valid. The kernel's own values count as exact to a few units in the last
place. For a single round, pi, the largest term of the sum, takes the place of rho: the matrix of rounding errors has
entries of at most sqrt(p_s p_t) for terms p_t <= pi that sum to rho, so the norm of a row is at most sqrt(pi rho).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.kernels import Kernel
from arena.guards.disk import release, spilled
from arena.guards.machine import processors
from arena.hindsight.interval import IntervalHindsight
from arena.hindsight.pivots import UNIT, Pivots, choose_pivots, pivots_of_stream
from arena.hindsight.sharpening import sharpened
from arena.hindsight.watching import Watch
from arena.linalg.feature_ridge import FeatureRidge, block_of
from arena.linalg.threads import shared

CHUNK = 4096  # rounds whose features are in memory together
KEPT = 2**30  # bytes of features that are kept rather than computed again
WHOLE = 2**30  # bytes of features up to which pivots are chosen among all rows, not in a sample and by surveys
PRECISE = 1e-4  # mean error bar, relative to the largest label, at which bars are not made smaller
WIDTH = 1e-4  # relative width of the interval at which no more pivots are chosen
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
    """Return the interval hindsight of a sequence.

    Its relative width is about `width`, unless that needs more than `features` features. Memory beyond the sequence:
    seven numbers a round, features^2, and the features themselves up to a GiB. With `sharp`, products with the kernel
    matrix make the error bars of predictions smaller (`arena.hindsight.sharpening`), unless the bars are small already
    or the features take more than a GiB.
    """
    if not regularisation > 0:
        raise ArenaError(f"regularisation must be a number > 0, but it is {regularisation!r}")
    if features is not None and features < 0:
        raise ArenaError(f"features must be a whole number >= 0 or None, but it is {features!r}")
    rank = affordable(len(y)) if features is None else features
    watch = watch or _unwatched
    chunks = lambda: _chunks(X, y, watch)
    tolerance = width * regularisation
    if 8 * len(y) * rank <= WHOLE:  # among all rows the greedy rule finds rare points that a sample may lack
        so_far = partial(_report_choice, watch, len(X))
        pivots = choose_pivots(kernel, X, tolerance=0.5 * tolerance, rank=rank, progress=so_far)
        so_far(1.0)
    else:
        pivots = pivots_of_stream(kernel, chunks, tolerance=tolerance, rank=rank)
    while True:
        table = _Features(pivots, X, watch)
        residual, *rounding = _measured(table, regularisation)
        if rounding[0] <= regularisation / 4 or not len(pivots):
            found = _played(table, regularisation, y, residual, *rounding)
            if not (sharp and table.keeps) or found.error_bars().mean() <= PRECISE * np.abs(y).max(initial=0.0):
                return found
            return sharpened(found, kernel, X, table.kept, watch)
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
    """Return the predictions of kernel ridge regression, or with `awv` of Kernel-AWV, and bounds on their errors.

    >>> from arena.game.kernels import Gaussian
    >>> X = np.linspace(-1.0, 1.0, 50)[:, np.newaxis]
    >>> predictions, bars = exact_replay(Gaussian(), 1.0, X, np.sin(X[:, 0]), width=1e-9)
    >>> bool(bars.max() < 1e-6)
    True
    """
    hindsight = interval_hindsight(kernel, regularisation, X, y, width=width, features=features)
    return hindsight.predictions(awv=awv), hindsight.error_bars(awv=awv)


def affordable(rounds: int) -> int:
    """Return the largest number of features for a sequence of `rounds` rounds, unless the number is given."""
    return int(min(MOST, max(32.0, np.sqrt(WORK / max(rounds, 1)))))


class _Features:
    """The features of a sequence, chunk by chunk; kept in memory if they fit, else computed at every pass."""

    def __init__(self, pivots: Pivots, X: Array, watch: Watch):
        self.pivots, self.X, self.watch = pivots, X, watch
        self.keeps = 8 * len(X) * len(pivots) <= KEPT
        self.kept = np.empty((len(X), len(pivots))) if self.keeps else np.empty((0, 0))

    def of(self, rows: slice) -> Array:
        """Return the features of these rows; keep them if they fit into memory."""
        F = self.pivots.coordinates(self.X[rows])
        if self.keeps:
            self.kept[rows] = F
        return F

    @property
    def chunks(self) -> list[slice]:
        """The rows whose features are in memory together."""
        return [slice(start, min(start + CHUNK, len(self.X))) for start in range(0, len(self.X), CHUNK)]

    def during(self, work: str) -> Iterator[tuple[slice, Array]]:
        """Yield rows and features of each chunk; after each chunk report the progress of `work` to `watch`."""
        for rows in self.chunks:
            yield rows, self.kept[rows] if self.keeps else self.pivots.coordinates(self.X[rows])
            release(self.X)
            self.watch(work, rows.stop, len(self.X))


def _measured(table: _Features, regularisation: float) -> tuple[Array, float, float]:
    """Return the certified residual of every round, and the rounding bounds rho and pi (module docstring)."""
    pivots = table.pivots
    residual, reach, energy, farthest, largest = np.empty(len(table.X)), 0.0, 0.0, 0.0, 0.0
    measure = lambda rows: pivots.certified_residual(table.X[rows], table.of(rows))
    for rows, (found, reaches) in zip(table.chunks, shared(measure, table.chunks, threads=processors()), strict=True):
        residual[rows], diagonal = found, pivots.kernel.diagonal(table.X[rows])
        release(table.X)
        table.watch("measuring what features leave", rows.stop, len(table.X))
        reach, farthest = reach + float(reaches.sum()), max(farthest, float(reaches.max()))
        energy, largest = energy + float(diagonal.sum()), max(largest, float(diagonal.max()))
    unit, arithmetic = 3.0 * pivots.unit, _arithmetic(len(pivots), len(residual))
    return residual, unit * reach + arithmetic * (energy + regularisation), unit * farthest + arithmetic * largest


def _arithmetic(features: int, rounds: int) -> float:
    """Return a bound on the relative rounding error of ridge regression played forward in blocks."""
    block = block_of(features)
    return (4.0 * features + 2.0 * min(block, rounds) + rounds / block + 64.0) * UNIT if features else 0.0


def _played(
    table: _Features, regularisation: float, y: Array, residual: Array, rounding: float, rounding_of_one: float
) -> IntervalHindsight:
    rounds, size = len(y), len(table.pivots)
    noise = regularisation + np.sqrt(residual) * np.sqrt(residual).sum() * (1.0 + 1e-9)
    above, below = FeatureRidge(size, regularisation), FeatureRidge(size, 1.0)
    mean, variance, lower = np.zeros(rounds), np.zeros(rounds), np.zeros(rounds)
    for rows, F in table.during("playing ridge regression forward"):
        weight = 1.0 / np.sqrt(noise[rows])
        scaled = weight * y[rows]
        games = [(above, F, y[rows]), (below, weight[:, np.newaxis] * F, scaled)]
        (mean[rows], variance[rows]), (expected, gain) = shared(_play, games, threads=processors())
        lower[rows] = regularisation * np.square(scaled - expected) / (1.0 + gain)
    hindsight = IntervalHindsight(
        regularisation=regularisation,
        labels=y,
        mean=spilled(mean),
        variance=spilled(regularisation * variance),
        residual=spilled(residual),
        lower_increments=spilled(lower),
        rounding=rounding,
        rounding_of_one=rounding_of_one,
        features=size,
        final=(0.0, 0.0),
    )
    slack = hindsight.slack
    low, high = _dual_and_primal(table, regularisation, y, residual, rounding, above.weights())
    low = max(low, float(lower.sum()) / (1.0 + slack), 0.0)
    high = min(high, float(hindsight.upper_increments.sum()), float(y @ y)) * hindsight.lift
    return dataclasses.replace(hindsight, final=(min(low, high), high))


def _play(game: tuple[FeatureRidge, Array, Array]) -> tuple[Array, Array]:
    ridge, F, y = game
    return ridge.play(F, y)


def _dual_and_primal(
    table: _Features, regularisation: float, y: Array, residual: Array, rounding: float, weights: Array
) -> tuple[float, float]:
    """Return the lower and the upper end for the whole sequence, given the weights of ridge regression on the features.

    The upper end is the objective of the function with these weights; its residuals are the dual vector of the lower
    end.
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


def _chunks(X: Array, y: Array, watch: Watch) -> Iterator[tuple[Array, Array]]:
    for start in range(0, len(X), CHUNK):
        yield X[start : start + CHUNK], y[start : start + CHUNK]
        release(X)
        watch("choosing features", min(start + CHUNK, len(X)), len(X))


def _report_choice(watch: Watch, rows: int, share: float) -> None:
    watch("choosing features", int(share * rows), rows)


def _unwatched(work: str, done: int, rows: int) -> None:
    """Do nothing; the default of `watch`."""

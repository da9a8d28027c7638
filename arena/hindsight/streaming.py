"""Certified hindsight of a stream that is read chunk by chunk, in memory that does not grow with the stream's length.

A stream is a function without arguments. Each call yields the pairs (points, labels) of all chunks from the first on.
The stream is read several times to choose pivots, and once more for sums over the rounds: F'F, F'y, |y|^2 and tau. Here
F are the features of the pivots, y the labels, and tau is the sum of the residuals k(x_t, x_t) - |F_t|^2. After any
number of rounds these sums give (theory C6)

    lambda y'(F F' + (lambda + tau) I)^-1 y  <=  optimum  <=  lambda y'(F F' + lambda I)^-1 y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.errors import require_positive
from arena.game.kernels import Kernel
from arena.hindsight.certificate import WIDTH, affordable
from arena.hindsight.pivots import UNIT, Pivots, pivots_of_stream
from arena.linalg.feature_ridge import FeatureRidge


@dataclass(frozen=True)
class Checkpoint:
    """The interval [lower, upper] of the least penalised loss of the first `rounds` rounds of a stream."""

    rounds: int
    lower: float
    upper: float
    features: int

    @property
    def relative_width(self) -> float:
        """The number (upper - lower) / upper."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0


def interval_of_stream(
    kernel: Kernel,
    regularisation: float,
    chunks: Callable[[], Iterable[tuple[Array, Array]]],
    *,
    width: float = WIDTH,
    features: int | None = None,
    every: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[Checkpoint]:
    """Return the interval of the least penalised loss of a stream, as a list of one `Checkpoint`.

    - Each call of `chunks` yields the pairs (points, labels) of the stream, from the first on.
    - The list is empty if the stream has no rounds.
    - With `every` = n, the list also has a `Checkpoint` after each chunk that reaches the next multiple of n rounds.
    - `width` is the relative width to aim at.
    - `features` is the largest number of features; None: chosen by the number of rounds.
    - `progress` is called with the number of rounds read.

    >>> from arena.game.kernels import Linear
    >>> stream = lambda: [(np.array([[1.0], [2.0]]), np.array([1.0, 1.0]))]
    >>> [end] = interval_of_stream(Linear(), 1.0, stream)
    >>> end.rounds, round(end.lower, 9), round(end.upper, 9)
    (2, 0.5, 0.5)
    """
    require_positive("regularisation", regularisation)
    if features is None:
        features = affordable(sum(len(y) for _, y in chunks()))
    points = lambda: (X for X, _ in chunks())
    pivots = pivots_of_stream(kernel, points, tolerance=width * regularisation, rank=features)
    sums = StreamSums(pivots, regularisation)
    checkpoints, due = [], every or np.inf
    for X, y in chunks():
        sums.take(X, y)
        if progress is not None:
            progress(sums.rounds)
        if sums.rounds >= due:
            checkpoints.append(sums.checkpoint())
            due = sums.rounds - sums.rounds % every + every
    if sums.rounds and (not checkpoints or checkpoints[-1].rounds < sums.rounds):
        checkpoints.append(sums.checkpoint())
    return checkpoints


class StreamSums:
    """Sums over the rounds of a stream read so far, from which intervals of the least penalised loss are computed."""

    def __init__(self, pivots: Pivots, regularisation: float):
        self.pivots = pivots
        self.regularisation = regularisation
        self.ridge = FeatureRidge(len(pivots), regularisation)
        self.rounds, self.chunks, self.longest = 0, 0, 0
        self.squared_labels = self.residual = self.reach = self.energy = 0.0

    def take(self, X: Array, y: Array) -> None:
        """Add one chunk of points and labels."""
        F = self.pivots.coordinates(X)
        residual, reach = self.pivots.certified_residual(X, F)
        self.ridge.learn(F, y)
        self.rounds += len(y)
        self.chunks += 1
        self.longest = max(self.longest, len(y))
        self.squared_labels += float(y @ y)
        self.residual += float(residual.sum())
        self.reach += float(reach.sum())
        self.energy += float(self.pivots.kernel.diagonal(X).sum())

    def checkpoint(self) -> Checkpoint:
        """Return the interval of the least penalised loss of the rounds so far, widened to cover rounding."""
        summing = (4.0 * len(self.pivots) + 2.0 * self.longest + self.chunks + 64.0) * UNIT
        rounding = 3.0 * self.pivots.unit * self.reach + summing * self.energy
        slack = rounding / self.regularisation + summing
        more = self.residual * (1.0 + summing)
        if slack > 0.25:
            # rounding makes the features useless here; the norm of the kernel matrix is at most its trace
            share = self.regularisation / (self.regularisation + self.energy * (1.0 + summing))
            return Checkpoint(
                self.rounds, share * self.squared_labels * (1.0 - summing), self.squared_labels * (1.0 + summing), 0
            )
        lost = 4.0 * summing * self.squared_labels  # the digits that subtraction loses
        high = self.ridge.optimum(self.squared_labels) + lost
        low = self.ridge.optimum(self.squared_labels, more_noise=more) - lost
        low *= self.regularisation / (self.regularisation + more)
        return Checkpoint(self.rounds, max(low / (1.0 + slack), 0.0), high / (1.0 - slack), len(self.pivots))

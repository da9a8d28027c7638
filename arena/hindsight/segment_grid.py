"""Bounds on the optima of segments of long matches, from features that all segments share, on a grid of boundaries.

A segment is a range of rounds; its optimum is the least penalised loss of these rounds. Let K be the kernel matrix of
the match, and F the features of greedy pivots. With small certified numbers d and e,

    F F' - d I  <=  K  <=  F F' + e I.

The same holds for every segment, whose kernel matrix is a diagonal block of K. Let f be the features and y the label of
a round. With the sums G = sum f f', b = sum y f and c = sum y^2 over the rounds of a segment,

    o = c - b'(G + lambda I)^-1 b     is the optimum on the features, and
    lambda / (lambda + e) o  <=  optimum in the RKHS  <=  lambda / (lambda - d) o.

The sums over a segment are differences of the sums over two prefixes. The sums over prefixes cost O(T r^2) for r
features; after them, the optimum of any segment costs O(r^3).

Segments start and end only at the boundaries of a grid. So a grid gives bounds on the cost of the best sequence of
predictors (`arena.hindsight.segments`); `refined` adds boundaries to make them narrower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.certificate import CHUNK
from arena.hindsight.pivots import pivots_of_stream
from arena.hindsight.segments import Indices, Segments
from arena.hindsight.spaces import ExactSpace, Space, explicit_features
from arena.hindsight.watching import Watch

FEATURES = 400  # features at most
PRECISE = 1e-4  # sum of the residuals, in units of lambda, at which there are features enough
LIFT = 0.02  # largest e and largest d, in units of lambda, for which the bounds are of use
WORK = 6e10  # multiplications for the optima of all pairs of boundaries, at most
NUMBERS = 1e7  # numbers in the sums of all boundaries, at most
BOUNDARIES = 256  # boundaries at most
PARTS = 4  # parts into which a block is split
ENOUGH = 1e-3  # gap of the bounds, as a share of the upper one, at which the grid is fine enough
ROUNDED = 1e-10  # share of the labels' squares that rounding of the sums may explain


def _space(kernel: Kernel, X: Array, tolerance: float) -> Space:
    """Return features of the points `X`: those of `explicit_features` or, if it returns None, those of greedy pivots.

    Pivots are chosen until the points' residuals sum to at most `tolerance`, or there are `FEATURES` of them.
    """
    explicit = explicit_features(kernel, X)
    if explicit is not None:
        return ExactSpace(kernel, X, explicit)
    chunks = lambda: (X[at : at + CHUNK] for at in range(0, len(X), CHUNK))
    return Space(pivots_of_stream(kernel, chunks, tolerance=tolerance, rank=FEATURES), X)


class SharedFactor:
    """Bounds on the regularised optima of the segments of one match, from a factor F of its kernel matrix K.

    F F' is nearly K. The rows of F are the features of the rounds, which all segments share.
    """

    def __init__(self, kernel: Kernel, X: Array, y: Array, regularisation: float, *, watch: Watch | None = None):
        self.watch = watch  # called with the number of boundaries at which the segments computed so far begin
        space = _space(kernel, X, PRECISE * regularisation)
        self.F, self.y, self.regularisation = np.ascontiguousarray(space.F), y, regularisation
        self.lift = float(space.residual.sum())
        self.drop = float(space.unit * space.reach.sum())
        size = self.F.shape[1]
        self.sums = {0: (np.zeros((size, size)), np.zeros(size), 0.0)}
        self.optima: dict[tuple[int, int], float] = {}

    @property
    def useful(self) -> bool:
        """True if the features represent the kernel well enough for narrow bounds on the optima of segments."""
        return self.lift <= LIFT * self.regularisation and self.drop <= LIFT * self.regularisation

    @property
    def affordable(self) -> int:
        """The largest number of boundaries for which `segments` takes acceptable time and memory."""
        size = max(self.F.shape[1], 1)
        return int(max(8.0, min(BOUNDARIES, (2.0 * WORK / size**3) ** 0.5, NUMBERS / size**2)))

    def segments(self, boundaries: Indices) -> Segments:
        """Return bounds on the regularised optima of all segments of rounds between two of the boundaries.

        The boundary n lies after the first n rounds. The first boundary is 0, and the last is the number of all rounds.
        """
        self._sum_up(boundaries.tolist())
        starts, stops = boundaries[:-1], boundaries[1:]
        lower, upper = np.zeros((len(starts), len(stops))), np.full((len(starts), len(stops)), np.inf)
        least = self.regularisation / (self.regularisation + self.lift)
        most = self.regularisation / (self.regularisation - self.drop)
        for row, start in enumerate(starts.tolist()):
            found, squares = self._optima_from(start, stops[row:].tolist())
            if self.watch is not None:
                self.watch("best sequences and intervals", row + 1, len(starts))
            lower[row, row:] = np.maximum(found * least - ROUNDED * squares, 0.0)
            upper[row, row:] = found * most + ROUNDED * squares
        return Segments(starts, stops - 1, lower, upper)

    def _sum_up(self, boundaries: Iterable[int]) -> None:
        """Compute and keep the sums of f f', of y f and of y^2 over all rounds before each boundary.

        Here f are the features and y is the label of a round.
        """
        for boundary in boundaries:
            if boundary in self.sums:
                continue
            before = max(each for each in self.sums if each < boundary)
            G, b, c = self.sums[before]
            F, y = self.F[before:boundary], self.y[before:boundary]
            self.sums[boundary] = (G + F.T @ F, b + F.T @ y, c + float(y @ y))

    def _optima_from(self, start: int, stops: list[int]) -> tuple[Array, Array]:
        """Return two arrays, with an entry for each segment from `start` to one of `stops`.

        The first array has the least penalised losses, computed through the features; the second has the sums of the
        squared labels. Rounds are counted from 0; a segment ends before its stop.
        """
        G0, b0, c0 = self.sums[start]
        new = [stop for stop in stops if (start, stop) not in self.optima]
        ridge = self.regularisation * np.eye(len(b0))
        for stop in new:
            G, b, c = self.sums[stop]
            difference = b - b0
            explained = 0.0
            if len(b0):
                factor = scipy.linalg.cholesky(G - G0 + ridge, lower=True, overwrite_a=True, check_finite=False)
                white = scipy.linalg.solve_triangular(factor, difference, lower=True, check_finite=False)
                explained = float(white @ white)
            self.optima[start, stop] = max(c - c0 - explained, 0.0)
        found = np.array([self.optima[start, stop] for stop in stops])
        return found, np.array([self.sums[stop][2] - c0 for stop in stops])


def refined(
    factor: SharedFactor,
    rounds: int,
    blocks: int,
    gap: Callable[[Segments], tuple[float, float]],
    loose: Callable[[Segments], list[tuple[int, int]]],
) -> Segments:
    """Return bounds on the optima of segments between the boundaries of a grid, which is refined step by step.

    - The grid divides the `rounds` rounds of the match, at first into `blocks` blocks.
    - `gap(segments)` returns a lower and an upper bound on a number that depends on the optima of the segments, such as
      the largest regret.
    - `loose(segments)` returns the blocks to split, as pairs: the first round of a block, and the first round after it.

    The refinement ends when the two bounds nearly agree, when all blocks to split have one round, or when the grid has
    `factor.affordable` boundaries.
    """
    full = min(factor.affordable, rounds + 1)
    boundaries = np.unique(np.linspace(0, rounds, min(blocks + 1, full)).astype(np.intp))
    while True:
        found = factor.segments(boundaries)
        low, high = gap(found)
        wide = [(first, after) for first, after in loose(found) if after - first > 1]
        if not wide or len(boundaries) >= full or high - low <= ENOUGH * abs(high):
            return found
        points = {
            int(point) for first, after in wide for point in np.linspace(first, after, PARTS + 1).astype(np.intp)[1:-1]
        }
        fresh = sorted(points - set(boundaries.tolist()))[: full - len(boundaries)]
        boundaries = np.unique(np.concatenate([boundaries, np.array(fresh, dtype=np.intp)]))

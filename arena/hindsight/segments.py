"""The regularised optimum of every segment of a match, the best partition into segments, and the largest regrets.

For the squared loss, all optima are computed as follows. For the rounds from some start on, let K + lambda I = L L' and
e = L^-1 y. The segments with this start have the optima lambda e_1^2, lambda (e_1^2 + e_2^2), and so on. For the next
start, the matrix loses its first row and column. Let (l, v) be the first column of L, and L22 be L without its first
row and column. Then the smaller matrix is L22 L22' + v v'. With z = L22^-1 v and s_k = 1 + z_1^2 + ... + z_k^2, its
factor is L22 M, where

    I + z z' = M M',   M_kk = sqrt(s_k / s_{k-1}),   M_jk = z_j z_k / sqrt(s_k s_{k-1}) for j > k.

All T starts cost T^3 / 2 multiplications.

A partition splits the rounds into segments, and costs the sum of their optima. A shift is the first round of a segment
other than the first one. The results are bounds if the optima are known only in intervals, or only for segments that
start where blocks begin, as in long matches. The optimum of a segment is at least the optimum of any part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array, delayed

Indices = NDArray[np.intp]


def segment_optima(gram: Array, y: Array, regularisation: float) -> Array:
    """Return a matrix whose row i and column j have the regularised optimum of the rounds i to j; infinity if i > j.

    >>> segment_optima(np.eye(2), np.array([1.0, 3.0]), 1.0)  # two orthogonal points
    array([[0.5, 5. ],
           [inf, 4.5]])
    """
    rounds = len(y)
    optima = np.full((rounds, rounds), np.inf)
    if not rounds:
        return optima
    factor: Array = np.asarray(np.linalg.cholesky(gram + regularisation * np.eye(rounds)), dtype=float)
    whitened: Array = scipy.linalg.solve_triangular(factor, y, lower=True)
    for start in range(rounds):
        optima[start, start:] = regularisation * np.cumsum(np.square(whitened))
        factor, whitened = without_first(factor, whitened)
    return optima


def without_first(factor: Array, whitened: Array) -> tuple[Array, Array]:
    """Return L and L^-1 y after the first round is removed, where L L' = K + lambda I and y are the labels.

    `factor` and `whitened` are L and L^-1 y with the first round.
    """
    column, rest = factor[1:, 0], factor[1:, 1:]
    if not len(rest):
        return rest, whitened[1:]
    z = scipy.linalg.solve_triangular(rest, column, lower=True)
    s = 1.0 + np.cumsum(np.square(z))
    before = np.concatenate([[1.0], s[:-1]])
    stretch = np.sqrt(s / before)
    weighted = rest * z
    later = np.cumsum(weighted[:, ::-1], axis=1)[:, ::-1] - weighted
    shorter = np.tril(rest * stretch + later * (z / np.sqrt(s * before)))
    expected = z * whitened[0] + whitened[1:]
    known = delayed(np.cumsum(z * expected))
    return shorter, (expected - z * known / before) / stretch


@dataclass(frozen=True, eq=False)
class Segments:
    """Intervals [lower, upper] that contain the optima, the best regularised losses, of segments of a match.

    `starts` and `ends` are rounds counted from 0. The optimum of the rounds from `starts[i]` to `ends[j]`, both
    included, is between `lower[i, j]` and `upper[i, j]`. The first start is 0, and the last end is the last round. If
    the end is before the start, `upper` is infinity and `lower` is 0.
    """

    starts: Indices
    ends: Indices
    lower: Array
    upper: Array

    @classmethod
    def exact(cls, optima: Array) -> Segments:
        """Return the `Segments` of a match whose optima are known exactly.

        `optima[i, j]` is the optimum of the rounds i to j, or infinity if i > j.
        """
        every = np.arange(len(optima))
        return cls(every, every, np.where(np.isinf(optima), 0.0, optima), optima)

    def best_partitions(self, shifts: int) -> tuple[Array, Array]:
        """Return, for each round in `self.ends`, bounds on the least cost of a partition of the rounds up to it.

        The first result has the lower bounds, the second result the upper bounds. A partition has at most `shifts` + 1
        segments, which may begin at any rounds, and costs the sum of their optima.
        """
        above, below = self._shifts_at_starts(shifts).least, self._shifts_in_blocks(shifts).least
        return np.minimum(below, above), above

    def best_places(self, shifts: int) -> list[int]:
        """Return the shifts of the cheapest partition of all rounds, in increasing order.

        A shift is the first round, counted from 0, of a segment other than the first. The partition has at most
        `shifts` + 1 segments, which begin at rounds in `self.starts`. The cost of a segment is the upper bound on its
        optimum.
        """
        return [int(self.starts[row]) for row in reversed(self._shifts_at_starts(shifts).rows())]

    def loose_shifts(self, shifts: int) -> list[tuple[int, int]]:
        """Return the blocks of rounds to divide in order to raise the lower bound on the cost of the best partition.

        This partition splits all rounds into at most `shifts` + 1 segments. A block is a pair: its first round, counted
        from 0, and the first round after it.
        """
        following = self.following()
        return [(int(self.starts[row]), int(following[row])) for row in self._shifts_in_blocks(shifts).rows()]

    def worst_regrets(self, losses: Array) -> WorstRegrets:
        """Return bounds on the regret in every interval of rounds; `losses` are the learner's, one for each round."""
        # Intervals that begin in the same block and end in the same block form a group. The learner's loss on an
        # interval is at most the loss on the union of its group's intervals. The comparator's loss is at least the
        # optimum of a segment that lies in all intervals of the group.
        total = np.concatenate([[0.0], np.cumsum(losses)])
        inside = self.ends >= self.starts[:, np.newaxis]
        lengths = self.ends - self.starts[:, np.newaxis] + 1
        own = total[self.ends + 1] - total[self.starts][:, np.newaxis]
        least = np.where(inside, own - self.upper, -np.inf)
        earliest = np.concatenate([[0], self.starts[:-1] + 1])
        # intervals that end at one of the ends, and intervals that end between two of them
        between = np.diff(self.ends, prepend=-1) > 1
        until = np.maximum(self.ends - between, 0)
        whole = total[self.ends + 1] - total[earliest][:, np.newaxis]
        around = total[until + 1] - total[earliest][:, np.newaxis]
        shorter = np.concatenate([np.zeros((len(self.starts), 1)), self.lower[:, :-1]], axis=1)
        most = np.where(self.ends >= earliest[:, np.newaxis], whole - self.lower, -np.inf)
        partly = np.where(between & (until >= earliest[:, np.newaxis]), around - shorter, -np.inf)
        # the last block has no start after it
        last = np.array([self.starts[-1] + 1])
        tail = np.where(self.ends >= last, total[self.ends + 1] - total[np.minimum(last, len(losses))], -np.inf)
        most = np.vstack([np.maximum(most, partly), tail])
        first_end = np.where(between, np.concatenate([[0], self.ends[:-1] + 1]), self.ends)
        fewest = np.maximum(first_end - self.starts[:, np.newaxis] + 1, 1)
        shortest = np.vstack([fewest, np.ones(len(self.ends), dtype=np.intp)])
        return WorstRegrets(self, least, most, lengths, shortest)

    def following(self) -> Indices:
        """Return, for each entry of `self.starts`, the next entry; for the last entry, the number of rounds."""
        return np.concatenate([self.starts[1:], [self.ends[-1] + 1]])

    def _shifts_at_starts(self, shifts: int) -> _Shifts:
        """Return upper bounds on the least costs of partitions into segments that begin at `self.starts`.

        A partition has at most `shifts` + 1 segments.
        """
        before = np.searchsorted(self.ends, self.starts, side="left") - 1
        return _Shifts(self.upper[0], self.upper, before, np.inf, shifts)

    def _shifts_in_blocks(self, shifts: int) -> _Shifts:
        """Return lower bounds on the least costs of partitions whose segments may begin at any round.

        A partition has at most `shifts` + 1 segments.
        """
        # If a segment begins between two starts, the rounds between these starts count as free.
        before = np.searchsorted(self.ends, self.starts + 1, side="left") - 1
        after = np.vstack([self.lower[1:], np.zeros(len(self.ends))])
        after = np.where(self.ends >= self.following()[:, np.newaxis], after, 0.0)
        after = np.where(self.ends > self.starts[:, np.newaxis], after, np.inf)  # a shift lies after the block's start
        return _Shifts(self.lower[0], after, before, 0.0, shifts)


class _Shifts:
    """The least costs of partitions with at most 0, 1, ..., `shifts` shifts, and the shifts of the cheapest partition.

    A partition splits rounds into segments. A shift is the first round of a segment other than the first. Shifts lie in
    blocks of rounds. Blocks, and the rounds at which segments may end, are numbered from 0.

    - `whole[j]`: the cost of one segment that begins at the first round and ends at end j.
    - `last[i, j]`: the cost of a last segment that begins in block i and ends at end j; infinity if there is none.
    - `before[i]`: the index of the latest end that lies before every shift in block i; -1 if there is none.
    - `nothing`: the cost of the rounds before a shift in block i if `before[i]` is -1: infinity if such a shift is
      forbidden, 0 if these rounds cost nothing, as in lower bounds.
    """

    def __init__(self, whole: Array, last: Array, before: Indices, nothing: float, shifts: int):
        self.last, self.before, self.nothing = last, before, nothing
        self.tables = [whole]
        for _ in range(shifts):
            costs = self._before_shift(self.tables[-1])[:, np.newaxis] + last
            self.tables.append(np.minimum(self.tables[-1], costs.min(axis=0)))

    @property
    def least(self) -> Array:
        """For each round at which segments may end, the least cost of a partition of the rounds up to it."""
        return self.tables[-1]

    def rows(self) -> list[int]:
        """Return, for each shift of the cheapest partition, the index of the block that contains it; last shift first.

        A shift is the first round of a segment other than the first segment.
        """
        rows: list[int] = []
        column, left = self.last.shape[1] - 1, len(self.tables) - 1
        while left > 0 and column >= 0:
            if self.tables[left - 1][column] > self.tables[left][column]:
                rows.append(int((self._before_shift(self.tables[left - 1]) + self.last[:, column]).argmin()))
                column = int(self.before[rows[-1]])
            left -= 1
        return rows

    def _before_shift(self, costs: Array) -> Array:
        return np.where(self.before >= 0, costs[self.before], self.nothing)


@dataclass(frozen=True, eq=False)
class WorstRegrets:
    """Bounds on the regrets of intervals of rounds, in tables with a row for each start and a column for each end.

    Below, `starts` and `ends` are `segments.starts` and `segments.ends`.

    - `least[i, j]` is a lower bound on the regret of the interval from `starts[i]` to `ends[j]`.
    - `lengths[i, j]` is the number of rounds of this interval.
    - `most[i, j]` is an upper bound on the regret of each interval whose first round a and last round b satisfy
      starts[i - 1] < a <= starts[i] and ends[j - 1] < b <= ends[j]. For i = 0 and j = 0 the lower limits are -1.
    - `shortest[i, j]` is a lower bound on the number of rounds of each interval that `most[i, j]` is about.

    `most` and `shortest` have one more row, for the intervals that begin after the last start.
    """

    segments: Segments
    least: Array
    most: Array
    lengths: Indices
    shortest: Indices

    def so_far(self) -> tuple[Array, Array]:
        """Return, for each round in `segments.ends`, bounds on the largest regret of intervals that end by that round.

        The lower bounds are the first result, the upper bounds the second.
        """
        lower, upper = (np.maximum.accumulate(table.max(axis=0)) for table in (self.least, self.most))
        return lower, np.maximum(lower, upper)

    def by_length(self, lengths: Indices) -> tuple[Array, Array]:
        """Return, for each n in `lengths`, bounds on the largest regret of intervals of at most n rounds.

        The lower bounds are the first result, the upper bounds the second.
        """
        lower = np.array([self.least[self.lengths <= length].max(initial=-np.inf) for length in lengths])
        upper = np.array([self.most[self.shortest <= length].max(initial=-np.inf) for length in lengths])
        return lower, np.maximum(lower, upper)

    def loose(self, count: int = 4) -> list[tuple[int, int]]:
        """Return the blocks of rounds to divide so that the `count` largest upper bounds on regrets can become smaller.

        A block is a pair: its first round, counted from 0, and the first round after it.
        """
        starts, ends = self.segments.starts, self.segments.ends
        following = self.segments.following()
        largest = np.argsort(self.most, axis=None)[::-1][:count]
        blocks: list[tuple[int, int]] = []
        for row, column in zip(*np.unravel_index(largest, self.most.shape), strict=True):
            if np.isfinite(self.most[row, column]):
                begins = max(int(row) - 1, 0)
                blocks.append((int(starts[begins]), int(following[begins])))
                first = int(ends[column - 1]) + 1 if column else 0
                blocks.append((first, int(ends[column]) + 1))
        return list(dict.fromkeys(blocks))

    def worst(self) -> tuple[int, int]:
        """Return the first and the last round, from 1, of the interval whose lower bound on the regret is largest."""
        row, column = np.unravel_index(int(self.least.argmax()), self.least.shape)
        return int(self.segments.starts[row]) + 1, int(self.segments.ends[column]) + 1

"""Choice of pivots: a few points of a long sequence whose kernel functions nearly span those of all points.

Let K_Z = L L' be the kernel matrix of the pivots, and k_Z(x) the vector of k(x, z) for all pivots z. The features of a
point x are F(x) = L^-1 k_Z(x). Their inner products are those of the kernel functions, projected onto the pivots' span.
For all points let K be the kernel matrix and F the matrix of features. Then K - F F' is positive semi-definite, and its
diagonal has the residuals e(x) = k(x, x) - |F(x)|^2. The certificates use the residuals (theory C6).

The greedy rule takes the point with the largest residual as the next pivot. Here several pivots are chosen at once, by
a pivoted Cholesky factorisation of a block of points with large residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.guards.machine import threads_of_match
from arena.hindsight.coefficients import Coefficients
from arena.linalg.threads import shared

SAMPLE = 8192  # sampled rows from which the first pivots are chosen
WORST = 2048  # rows with the largest residuals, from which further pivots are chosen
SURVEYS = 4  # passes over a whole sequence that look for such rows, at most
CANDIDATES = 512  # rows factorised together with pivoting
BLOCK = 64  # pivots of one block, at most
DROP = 0.25  # a block ends when its residuals have dropped to this share of the largest
SPANNED = 1e-11  # relative to k(x, x): a point with this residual lies in the span
UNIT = 2.0**-53  # rounding to nearest
STRIP = 64  # terms of the features' sums that are added up together: errors grow with this number, not with all terms
PART = 8192  # rows to which a thread adds features
ROWS = 512  # whose features are computed together, so that they stay in the cache

Chunks = Callable[[], Iterable[Array]]  # yields the points of a sequence, chunk by chunk, at each call


@dataclass(frozen=True)
class Pivots:
    """Points that were chosen as pivots, and the lower Cholesky factor of their kernel matrix.

    >>> from arena.game.kernels import Linear
    >>> rows = np.array([[3.0, 4.0], [6.0, 8.0], [0.0, 1.0]])
    >>> pivots, features = choose_features(Linear(), rows)
    >>> pivots.points
    array([[6., 8.],
           [0., 1.]])
    """

    kernel: Kernel
    points: Array
    factor: Array

    def __len__(self) -> int:
        return len(self.points)

    def first(self, count: int) -> Pivots:
        """Return a `Pivots` object with the first `count` pivots only."""
        return Pivots(self.kernel, self.points[:count], np.asfortranarray(self.factor[:count, :count]))

    def coordinates(self, X: Array) -> Array:
        """Return the matrix of features: row i has the features of row i of `X`."""
        cross = np.ascontiguousarray(self.kernel.gram(X, self.points))
        for start in range(0, len(cross), ROWS):
            _substitute(self.factor, cross[start : start + ROWS])
        return cross

    def residual(self, X: Array, F: Array) -> Array:
        """Return the residual k(x, x) - |F(x)|^2 of each row x of `X`, where F(x) is the same row of `F`.

        `certified_residual` covers the rounding errors of these numbers.
        """
        squares = [np.einsum("ij,ij->i", F[:, strip], F[:, strip]) for strip in _strips(F.shape[1])]
        return np.asarray(np.maximum(self.kernel.diagonal(X) - sum(squares, np.zeros(len(F))), 0.0))

    def combination(self, weights: Array) -> Array:
        """Return the coefficients b of the function sum_j b_j k(z_j, .) that has these `weights` on the features.

        The z_j are the pivots.
        """
        return np.asarray(scipy.linalg.solve_triangular(self.factor, weights, lower=True, trans=1, check_finite=False))

    def amplification(self, F: Array) -> Array:
        """Return an upper bound on sum_j |a_j| sqrt(k(z_j, z_j)) for each point x whose features are a row of `F`.

        Here sum_j a_j k(z_j, .) is the projection of k(x, .) onto the span of the pivots z_j.
        """
        return self._coefficients.sizes(F)

    def certified_residual(self, X: Array, F: Array) -> tuple[Array, Array]:
        """Return an upper bound on the residual of each row x of `X`, and the number q(x) in this bound.

        The bound is the computed residual plus `self.unit` (a relative rounding error) times q(x), where

            q(x) = (sqrt(k(x, x)) + sum_j |a_j| sqrt(k(z_j, z_j)))^2

        for the projection sum_j a_j k(z_j, .) of k(x, .) onto the span of the pivots z_j.
        """
        # Proof. For the computed L and F(x), let a = L^-T F(x), r = k(x, .) - sum_j a_j k(z_j, .) and b = (1, -a). Then
        # |r|^2 = b'G b, where G is the kernel matrix of x and the pivots. By backward analysis of the factorisation and
        # of the substitution, every computed entry G_ij is off by at most unit sqrt(G_ii G_jj). The number unit q(x)
        # also bounds the inner products of r with the pivots' span, which would be zero without rounding.
        reach = np.square(np.sqrt(self.kernel.diagonal(X)) + self.amplification(F))
        return self.residual(X, F) + self.unit * reach, reach

    @property
    def unit(self) -> float:
        """A bound on the relative rounding error of the factor, the features and the sums of their squares."""
        # The sum of a strip is off by `STRIP` units. Adding it to the other strips costs two units more, since an
        # intermediate result may be twice as large as the final one. A block of pivots adds one strip and one
        # difference, hence the last 2.0.
        terms = min(STRIP, len(self)) + 2.0 * (len(_strips(len(self))) + 2.0)
        return float(1.02 * (terms + self.kernel.roundings(self.points.shape[1]) + 16.0)) * UNIT

    @cached_property
    def _coefficients(self) -> Coefficients:
        return Coefficients(self.factor, np.sqrt(self.kernel.diagonal(self.points)))


def choose_features(
    kernel: Kernel,
    X: Array,
    *,
    tolerance: float = 0.0,
    rank: int | None = None,
    start: Pivots | None = None,
    spanned: float = SPANNED,
    progress: Callable[[float], None] = lambda _: None,
) -> tuple[Pivots, Array]:
    """Choose rows of `X` greedily as pivots; return the pivots and the features of all rows.

    - The choice ends when the residuals sum to at most `tolerance`, or when there are `rank` pivots.
    - A row whose residual is at most `spanned` times the largest k(x, x) is not chosen.
    - `start` has earlier pivots, which come first in the result.
    - `progress` is called with the number of pivots so far, as a share of the largest possible number.
    """
    start = start or Pivots(kernel, np.empty((0, X.shape[1])), np.empty((0, 0), order="F"))
    limit = len(start) + len(X) if rank is None else min(rank, len(start) + len(X))
    diagonal = kernel.diagonal(X)
    features = np.empty((len(X), max(limit, len(start))))
    features[:, : len(start)] = start.coordinates(X)
    size, chosen = len(start), np.empty(0, dtype=np.intp)
    residual = start.residual(X, features[:, :size])
    floor = spanned * float(diagonal.max(initial=0.0))
    while size < limit and residual.sum() > tolerance and residual.max() > floor:
        rows = _largest(residual, CANDIDATES)
        gram, known = kernel.gram(X[rows], X[rows]), features[rows, :size]
        _subtract_products(gram, known, known)
        picked, corner = _pivoted_block(gram, min(BLOCK, limit - size), floor)
        if not len(picked):
            break
        new, stop = rows[picked], size + len(picked)
        explained = _add_features(kernel, X, new, features, size, corner)
        size, chosen = stop, np.concatenate([chosen, new])
        residual = np.maximum(residual - explained, 0.0)
        residual[chosen] = 0.0
        progress(size / limit)
    factor = np.zeros((size, size), order="F")
    factor[: len(start), : len(start)] = start.factor
    factor[len(start) :] = np.tril(features[chosen, :size], len(start))
    return Pivots(kernel, np.concatenate([start.points, X[chosen]]), factor), features[:, :size]


def _add_features(kernel: Kernel, X: Array, new: NDArray[np.intp], features: Array, size: int, corner: Array) -> Array:
    """Write a column of `features` for each new pivot; return, for each row, the sum of squares of its new entries.

    - `new` has the indices of the rows of `X` that become pivots.
    - `features` has a row for each row of `X`. The new columns are written after its first `size` columns.
    - `corner` is the lower Cholesky factor of K - F F', where K is the kernel matrix of the new pivots, and F are their
      features so far.
    """
    known, Z, columns = features[new, :size], X[new], slice(size, size + len(new))

    def add(part: slice) -> Array:
        explained = np.empty(part.stop - part.start)
        for start in range(part.start, part.stop, ROWS):
            rows = slice(start, min(start + ROWS, part.stop))
            block = np.ascontiguousarray(kernel.gram(X[rows], Z))
            _subtract_products(block, features[rows, :size], known)
            found = scipy.linalg.blas.dtrsm(1.0, corner, block.T, lower=1, overwrite_b=1).T
            features[rows, columns] = found
            explained[start - part.start :][: len(found)] = np.einsum("ij,ij->i", found, found)
        return explained

    parts = [slice(start, min(start + PART, len(X))) for start in range(0, len(X), PART)]
    explained = np.concatenate([np.empty(0), *shared(add, parts, threads=threads_of_match())])
    features[new, columns] = corner
    return explained


def _subtract_products(block: Array, left: Array, right: Array) -> None:
    """Subtract left @ right.T from `block`, a few columns of both factors at a time; this limits rounding errors."""
    space = np.empty(block.shape)
    for strip in _strips(left.shape[1]):
        block -= np.matmul(left[:, strip], right[:, strip].T, out=space)


def pivots_of_stream(
    kernel: Kernel, chunks: Chunks, *, tolerance: float, rank: int, spanned: float = SPANNED
) -> Pivots:
    """Return pivots for a sequence that is read chunk by chunk, in memory that does not grow with the sequence.

    The choice ends when the residuals sum to at most `tolerance`, when there are `rank` pivots, or after `SURVEYS`
    passes. A row whose residual is at most `spanned` times the largest k(x, x) is not chosen.
    """
    sample, rounds = _reservoir(chunks, np.random.default_rng(0))
    share = len(sample) / max(rounds, 1)
    pivots = choose_features(kernel, sample, tolerance=0.5 * tolerance * share, rank=rank, spanned=spanned)[0]
    for _ in range(SURVEYS if rounds > len(sample) else 0):
        if len(pivots) >= rank:
            break
        worst, largest, total = _survey(chunks, pivots)
        if total <= tolerance:
            break
        goal = max(0.5 * tolerance - (total - largest), 0.1 * tolerance)
        better = choose_features(kernel, worst, tolerance=goal, rank=rank, start=pivots, spanned=spanned)[0]
        if len(better) == len(pivots):
            break
        pivots = better
    return pivots


def _survey(chunks: Chunks, pivots: Pivots) -> tuple[Array, float, float]:
    """Return the `WORST` rows with the largest residuals, the sum of their residuals, and the sum of all residuals."""
    worst, largest, total = np.empty((0, 0)), np.empty(0), 0.0
    for X in chunks():
        residual = pivots.residual(X, pivots.coordinates(X))
        total += float(residual.sum())
        rows = np.concatenate([worst, X]) if len(worst) else X
        largest = np.concatenate([largest, residual])
        kept = _largest(largest, WORST)
        worst, largest = rows[kept], largest[kept]
    return worst, float(largest.sum()), total


def _strips(size: int) -> list[slice]:
    return [slice(start, min(start + STRIP, size)) for start in range(0, size, STRIP)]


def _substitute(factor: Array, cross: Array) -> None:
    """Replace each row k of `cross` by L^-1 k, where L is the lower triangular `factor`.

    The sums are added up in strips of columns, which limits the rounding errors.
    """
    for strip in _strips(len(factor)):
        part = scipy.linalg.blas.dtrsm(1.0, factor[strip, strip], cross[:, strip].T, lower=1).T
        cross[:, strip] = part
        if strip.stop < len(factor):
            cross[:, strip.stop :] -= part @ factor[strip.stop :, strip].T


def _pivoted_block(matrix: Array, limit: int, floor: float) -> tuple[NDArray[np.intp], Array]:
    """Return the indices of greedy pivots in `matrix`, and the lower Cholesky factor of their rows and columns.

    `matrix` is K - F F', where K is the kernel matrix of some points, and F are their features from earlier pivots. The
    diagonal of `matrix` has the points' residuals. The choice ends when there are `limit` pivots, or when all residuals
    are at most max(`floor`, `DROP` m), where m is the largest residual at the start.
    """
    residual = matrix.diagonal().copy()
    columns = np.zeros((len(matrix), limit))
    least = max(floor, DROP * float(residual.max()))
    picked: list[int] = []
    while len(picked) < limit:
        at = int(residual.argmax())
        if residual[at] <= least:
            break
        done = len(picked)
        column = (matrix[:, at] - columns[:, :done] @ columns[at, :done]) / np.sqrt(residual[at])
        columns[:, done] = column
        residual -= np.square(column)
        residual[[*picked, at]] = -np.inf
        picked.append(at)
    rows = np.array(picked, dtype=np.intp)
    return rows, np.asfortranarray(np.tril(columns[rows, : len(rows)]))


def _largest(values: Array, count: int) -> NDArray[np.intp]:
    if len(values) <= count:
        return np.arange(len(values))
    return np.asarray(np.argpartition(values, -count)[-count:])


def _reservoir(chunks: Chunks, rng: np.random.Generator) -> tuple[Array, int]:
    """Return a uniform sample of at most `SAMPLE` rows of a stream, and the number of all rows of the stream."""
    rows, tickets, rounds = np.empty((0, 0)), np.empty(0), 0
    for X in chunks():
        rounds += len(X)
        rows = np.array(X) if not len(rows) else np.concatenate([rows, X])
        tickets = np.concatenate([tickets, rng.random(len(X))])
        kept = np.sort(_largest(tickets, SAMPLE))
        rows, tickets = rows[kept], tickets[kept]
    return rows, rounds

"""Products of the kernel matrix of a sequence with vectors; the matrix itself is never stored.

The matrix is symmetric, so tiles of it are computed only on and above the diagonal. Products in double precision have a
bound on their rounding. Products in single precision take half the time and have no such bound.

For the Gaussian kernel a tile is one matrix product and its exponential. With x' = (x - centre) / bandwidth,

    log k(x, z) = (x', -|x'|^2 / 2, 1)'(z', 1, -|z'|^2 / 2).

Let d be the dimension, R^2 = max |x'|^2 and u = 2^-53. The rounding of this exponent has three parts:

- x' is off by 2 u |x'|, which moves |x' - z'|^2 / 2 by at most 8 u R^2;
- the two norms are sums of d terms, and together off by (d + 1) u R^2;
- the product is a sum of d + 2 terms, whose absolute values add up to at most 2 R^2; it is off by (d + 3) u 2 R^2.

So the exponent is off by at most (3 d + 15) u R^2, and the value of the kernel by at most (3 d + 15) u R^2 + 4 u.
"""

from __future__ import annotations

import bisect
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Gaussian, Kernel
from arena.guards.machine import threads_of_match
from arena.hindsight.watching import Watch
from arena.linalg.threads import one_thread, shared

TILE = 512  # rows and columns of a tile; one tile fits into the cache
COARSE = 1e-3  # largest error of an exponent in single precision; beyond it everything is in double precision
IMPRECISE = 1e5  # units by which an exponent may be off; beyond it, distances are computed directly
UNDERFLOW = 80.0  # exponents below -80 count as -80: arithmetic with smaller numbers in single precision is slow

Tiles = Callable[[slice, slice, Array], Array]  # rows, columns, and space that the tile may use


class Stopped(Exception):
    """Raised to end a thread after another thread has failed, or after Ctrl-C."""


class KernelProducts:
    """Products of the kernel matrix of the rows of `X` with vectors; each product computes the matrix anew, in tiles.

    >>> from arena.game.kernels import Linear
    >>> products = KernelProducts(Linear(), np.array([[1.0], [2.0]]))
    >>> products.times(np.array([[1.0], [1.0]]))
    array([[3.],
           [6.]])
    """

    def __init__(self, kernel: Kernel, X: Array, *, threads: int | None = None, watch: Watch | None = None):
        self.kernel, self.X, self.watch = kernel, X, watch
        self.threads = threads_of_match() if threads is None else threads
        self._double: Tiles = lambda rows, columns, _: kernel.gram(X[rows], X[columns])
        self._single: Tiles | None = None
        self.value_roundings = kernel.roundings(X.shape[1])  # of a value, in 2^-53 sqrt(k(x, x) k(z, z))
        if type(kernel) is Gaussian and len(X):  # a subclass of a known kernel may compute anything
            self._prepare_gaussian(kernel)

    def _prepare_gaussian(self, kernel: Gaussian) -> None:
        centred = (self.X - self.X.mean(axis=0)) / kernel.bandwidth
        half, one = 0.5 * np.einsum("ij,ij->i", centred, centred), np.ones(len(centred))
        largest = 2.0 * float(half.max())
        error = (3.0 * self.X.shape[1] + 15.0) * largest
        if not error < IMPRECISE:
            return
        left, right = np.column_stack([centred, -half, one]), np.column_stack([centred, one, -half])
        self._double = _exponentials(left, right, far=largest)
        self.value_roundings = 1.01 * error + 4.0
        if error * 2.0**-24 < COARSE:
            self._single = _exponentials(left.astype(np.float32), right.astype(np.float32), far=largest)

    def times(self, V: Array, *, single: bool = False, work: str = "") -> Array:
        """Return K V, where K is the kernel matrix.

        With `single` it is computed in single precision, if this is precise enough for the kernel and the points.
        During the computation `self.watch` is called with `work` (a name for the user), the number of rows done, and
        the number of rows. Without `work` it is not called.
        """
        tiles = self._single if single else None
        V = np.ascontiguousarray(V, dtype=np.float32 if tiles else float)
        job = _Job(tiles or self._double, V)
        watch = self.watch if work else None

        def report(done: int) -> None:
            if watch is not None:
                watch(work, done, len(V))

        return job.run(min(self.threads, max(1, len(V) // TILE)), report)

    def sums_before(self, B: Array, ends: list[int], *, work: str = "") -> tuple[Array, Array]:
        """Return, for each round, a sum over the earlier rounds, and for each column of `B` a quadratic form.

        Rounds are counted from 0, and K is the kernel matrix of their points x_t. `ends` has a number of rounds for
        each column of `B`, in increasing order.

        - The sum for round t is sum_{s < t} k(x_t, x_s) B[s, j], where j is the last column with ends[j] <= t. It is 0
          if there is no such column.
        - The form for column j is b'K b, where b is this column with zeros after its first ends[j] entries.

        `work` names the computation for the user.
        """
        cuts = sorted({0, *ends, len(B)})
        tiles = [
            slice(at, min(at + TILE, stop))
            for start, stop in itertools.pairwise(cuts)
            for at in range(start, stop, TILE)
        ]
        sums, forms, done = np.zeros(len(B)), np.zeros(len(ends)), 0.0
        longest = range(len(tiles) - 1, -1, -1)
        answers = shared(lambda number: self._row_before(B, ends, tiles[: number + 1]), longest, threads=self.threads)
        for number, (own, added) in zip(longest, answers, strict=True):
            sums[tiles[number]] = own
            forms += added
            done += (number + 1.0) / (0.5 * len(tiles) * (len(tiles) + 1.0))
            if self.watch is not None and work:
                self.watch(work, int(done * len(B)), len(B))
        return sums, forms

    def _row_before(self, B: Array, ends: list[int], tiles: list[slice]) -> tuple[Array, Array]:
        """Return the part of both results of `sums_before` that belongs to the rounds in the last of the `tiles`.

        A tile is a range of rounds; the other tiles have all earlier rounds. The parts are

        - the sum for each round in the last tile;
        - for each column of `B`, the sum of the terms b_s k(x_s, x_t) b_t of its form b'K b whose later round, s or t,
          is in the last tile.
        """
        rows, space = tiles[-1], np.empty((TILE, TILE))
        last = bisect.bisect_right(ends, rows.start) - 1  # the number of the vector of these rounds; -1 for none
        V, height = B[:, max(last, 0) :], rows.stop - rows.start
        own, forms = np.zeros((height, V.shape[1])), np.zeros(len(ends))
        for columns in tiles[:-1]:
            own += self._double(rows, columns, space[:height, : columns.stop - columns.start]) @ V[columns]
        tile = self._double(rows, rows, space[:height, :height])
        first = 0 if last < 0 else 1  # column of the first vector whose form contains these rounds
        both = 2.0 * own[:, first:] + tile @ V[rows, first:]
        forms[last + 1 :] = np.einsum("ij,ij->j", V[rows, first:], both)
        return (own[:, 0] + np.tril(tile, -1) @ V[rows, 0] if last >= 0 else np.zeros(height)), forms

    def roundings(self) -> float:
        """Return a number b that bounds the rounding of products in double precision.

        The entry of K v at a point x is off by at most 2^-53 b sqrt(k(x, x)) sum_s |v_s| sqrt(k(x_s, x_s)).
        """
        pieces = len(self.X) / TILE
        return 1.01 * (self.value_roundings + TILE + 4.0 * pieces + self.threads + 16.0)

    def seconds(self, columns: int = 1, *, single: bool = False) -> float:
        """Return the estimated seconds of one product with `columns` vectors, measured with a few tiles."""
        rows = min(len(self.X), 4 * TILE)
        if not rows:
            return 0.0
        tiles = self._single if single else None
        V = np.ones((rows, columns), dtype=np.float32 if tiles else float)
        best = np.inf
        for _ in range(2):  # the first tile also loads code, so it is not timed
            started = time.perf_counter()
            _Job(tiles or self._double, V).run(1, lambda _: None)
            best = min(best, time.perf_counter() - started)
        return best * (len(self.X) / rows) ** 2 / min(self.threads, max(1, len(self.X) // TILE))


def _exponentials(left: Array, right: Array, *, far: float) -> Tiles:
    underflows = left.dtype == np.float32 and 2.0 * far > UNDERFLOW

    def tile(rows: slice, columns: slice, space: Array) -> Array:
        values = np.matmul(left[rows], right[columns].T, out=space)
        if underflows:
            np.maximum(values, -UNDERFLOW, out=values)
        return np.asarray(np.exp(values, out=values))

    return tile


class _Job:
    """One product K V: threads compute rows of tiles (blocks of the kernel matrix K), the longest rows first."""

    def __init__(self, tiles: Tiles, V: Array):
        self.tiles, self.V = tiles, V
        self.parts = [slice(at, min(at + TILE, len(V))) for at in range(0, len(V), TILE)]
        self.next, self.pairs, self.stopped = 0, 0, False
        self.lock = threading.Lock()

    def run(self, threads: int, report: Callable[[int], None]) -> Array:
        """Return K V, computed by `threads` threads.

        `report` is called with the work done, on a scale from 0 to the number of rows of V.
        """
        with one_thread():
            if threads <= 1:
                return self._work(report)
            with ThreadPoolExecutor(threads) as pool:
                try:
                    futures = [pool.submit(self._work, lambda _: None) for _ in range(threads - 1)]
                    total = self._work(report)  # also here, since the calling thread reports the progress
                    for future in futures:
                        total += future.result()
                    report(len(self.V))
                    return total
                except BaseException:
                    self.stopped = True
                    raise

    def _work(self, report: Callable[[int], None]) -> Array:
        sums, space = np.zeros(self.V.shape), np.empty((TILE, TILE), dtype=self.V.dtype)
        while (number := self._take()) is not None:
            self._row(number, sums, space)
            with self.lock:
                self.pairs += len(self.parts) - number
                share = self.pairs / (0.5 * len(self.parts) * (len(self.parts) + 1))
            report(int(share * len(self.V)))
        return sums

    def _take(self) -> int | None:
        with self.lock:
            number, self.next = self.next, self.next + 1
        return number if number < len(self.parts) else None

    def _row(self, number: int, sums: Array, space: Array) -> None:
        """Compute row `number` of tiles (blocks of the kernel matrix K), and add its products with V to `sums`.

        Only the tiles on and above the diagonal are computed. The transposed product of a tile above the diagonal is
        added, too, so that all rows of tiles together give K V. `space` is the memory into which a tile is written.
        """
        rows, V = self.parts[number], self.V
        own = np.zeros((rows.stop - rows.start, V.shape[1]))
        for columns in self.parts[number:]:
            if self.stopped:
                raise Stopped
            tile = self.tiles(rows, columns, space[: rows.stop - rows.start, : columns.stop - columns.start])
            own += tile @ V[columns]
            if columns.start != rows.start:
                sums[columns] += tile.T @ V[rows]
        sums[rows] += own

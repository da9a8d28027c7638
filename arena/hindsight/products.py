"""Products of the kernel matrix of a sequence with vectors; the matrix itself is never stored.

The matrix is symmetric, so it is made tile by tile on and above the diagonal. Each tile is used twice: as
it is and, transposed, below the diagonal. Rows of tiles are shared among threads. Products in double precision have a
bound on their rounding. Those in single precision have none, take half the time, and serve iterations whose results are
certified afterwards.

For the Gaussian kernel a tile is one matrix product and its exponential: with x' = (x - centre) / bandwidth

    log k(x, z) = (x', -|x'|^2 / 2, 1)'(z', 1, -|z'|^2 / 2).

Rounding of its exponent, with R^2 = max |x'|^2 and u = 2^-53, has three parts:

- x' is off by 2 u |x'|, which moves |x' - z'|^2 / 2 by at most 8 u R^2;
- the two norms are sums of d terms, and together off by (d + 1) u R^2;
- the product is a sum of d + 2 terms, whose absolute values add up to at most 2 R^2; it is off by (d + 3) u 2 R^2.

So the exponent is off by at most (3 d + 15) u R^2, and the value by that and 4 u more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Gaussian, Kernel
from arena.guards.machine import processors
from arena.hindsight.watching import Watch
from arena.linalg.threads import one_thread

TILE = 512  # rows and columns of a tile, so that it stays in the cache
COARSE = 1e-3  # largest error of an exponent in single precision; beyond it everything is in double precision
IMPRECISE = 1e5  # units by which an exponent may be off; beyond it, far from the centre, distances are computed anew
UNDERFLOW = 80.0  # exponents below -80 count as -80: arithmetic with smaller numbers in single precision is slow

Tiles = Callable[[slice, slice, Array], Array]  # rows, columns, and space that the tile may use


class Stopped(Exception):
    """Raised in a thread when another thread has failed, or after Ctrl-C."""


class KernelProducts:
    """Products of the kernel matrix of the rows of `X` with vectors.

    >>> from arena.game.kernels import Linear
    >>> products = KernelProducts(Linear(), np.array([[1.0], [2.0]]))
    >>> products.times(np.array([[1.0], [1.0]]))
    array([[3.],
           [6.]])
    """

    def __init__(self, kernel: Kernel, X: Array, *, threads: int | None = None, watch: Watch | None = None):
        self.kernel, self.X, self.watch = kernel, X, watch
        self.threads = processors() if threads is None else threads
        self._double: Tiles = lambda rows, columns, _: kernel.gram(X[rows], X[columns])
        self._single: Tiles | None = None
        self.value_roundings = kernel.roundings(X.shape[1])  # of one value, in units of 2^-53 sqrt(k(x, x) k(z, z))
        if type(kernel) is Gaussian and len(X):  # a subclass may compute anything
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
        """Return K V; with `single`, in single precision if its errors are small for this kernel and these points.

        `watch` gets the name `work`, the number of rows done, and the number of rows.
        """
        tiles = self._single if single else None
        V = np.ascontiguousarray(V, dtype=np.float32 if tiles else float)
        job = _Job(tiles or self._double, V, TILE)
        watch = self.watch if work else None

        def report(done: int) -> None:
            if watch is not None:
                watch(work, done, len(V))

        return job.run(min(self.threads, max(1, len(V) // TILE)), report)

    def roundings(self) -> float:
        """Return the bound b on the rounding of products in double precision.

        The entry of K v at x is off by at most 2^-53 b sqrt(k(x, x)) sum_s |v_s| sqrt(k(x_s, x_s)).
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
        for _ in range(2):  # the first one also loads code
            started = time.perf_counter()
            _Job(tiles or self._double, V, TILE).run(1, lambda _: None)
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
    """One product: its rows of tiles are taken by threads, the longest first."""

    def __init__(self, tiles: Tiles, V: Array, size: int):
        self.tiles, self.V, self.size = tiles, V, size
        self.parts = [slice(at, min(at + size, len(V))) for at in range(0, len(V), size)]
        self.next, self.pairs, self.stopped = 0, 0, False
        self.lock = threading.Lock()

    def run(self, threads: int, report: Callable[[int], None]) -> Array:
        """Return the product; `report` gets the share of the work done, as a number of rows."""
        with one_thread():
            if threads <= 1:
                return self._work(report)
            with ThreadPoolExecutor(threads) as pool:
                try:
                    futures = [pool.submit(self._work, lambda _: None) for _ in range(threads - 1)]
                    total = self._work(report)  # here as well: progress is reported by the calling thread
                    for future in futures:
                        total += future.result()
                    report(len(self.V))
                    return total
                except BaseException:
                    self.stopped = True
                    raise

    def _work(self, report: Callable[[int], None]) -> Array:
        sums, space = np.zeros(self.V.shape), np.empty((self.size, self.size), dtype=self.V.dtype)
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
        """Add the products of one row of tiles, from the diagonal on: each tile counts for its rows and its columns."""
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

"""Narrowing intervals of the optimum by products with the kernel matrix itself, which is never stored.

The method is conjugate gradients on (K + lambda I) a = y (`arena.hindsight.conjugate`). Every vector a, with p = K a,
gives a lower and an upper bound:

    2 lambda a'y - lambda^2 |a|^2 - lambda a'p  <=  optimum  <=  |y - p|^2 + lambda a'p.

The difference between the two is |y - p - lambda a|^2. Each bound is computed for the multiple of a for which it is
sharpest. Steps use products in single precision, and bounds use products in double precision.

Both bounds are widened by the errors of rounding. The entry of p at a point x is off by at most
unit sqrt(k(x, x)) sum_s |a_s| sqrt(k(x_s, x_s)), where unit is 2^-53 times `KernelProducts.roundings`. Inner products
of n terms are off by n + 8 units of 2^-53, relative to the sum of the terms' absolute values.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, require_positive
from arena.game.kernels import Kernel
from arena.guards.disk import is_mapped
from arena.guards.machine import physical_memory
from arena.hindsight.conjugate import ConjugateState, FeaturePreconditioner, Numbers, Systems, improve
from arena.hindsight.interval import IntervalHindsight
from arena.hindsight.pivots import SAMPLE, UNIT
from arena.hindsight.products import KernelProducts
from arena.hindsight.watching import Watch
from arena.linalg.threads import one_thread

NARROW = 1e-6  # relative width at which an interval is narrow enough
MOST = 5000  # features of the preconditioner
MEMORY = 3.0 * 2**30  # bytes that these features may take, or a quarter of the machine's memory if that is less
PREFIXES = 6  # prefixes whose intervals are narrowed, at most: the whole, its half, its quarter, ...
SHORTEST = 1024  # rounds of the shortest prefix
ROUNDS_OF_REFINEMENT = 12  # starts of the iteration with a residual in double precision, at most

Interval = tuple[float, float]


class IntervalCache(Protocol):
    """Interface of a place that keeps unfinished narrowings of intervals, each under a key, for a later run."""

    def load(self, key: str) -> dict[str, Array] | None:
        """Return the arrays kept under this key, or None if there are none."""

    def keep(self, key: str, arrays: dict[str, Array]) -> None:
        """Keep the arrays under this key."""

    def drop(self, key: str) -> None:
        """Delete the arrays kept under this key."""


@dataclass(frozen=True)
class Effort:
    """Limits for narrowing intervals, and functions that are called during the narrowing.

    - `seconds` is the time limit of each call of a function that takes an `Effort`.
    - `width` is the relative width at which an interval is narrow enough.
    - `features` is the number of features of the preconditioner of conjugate gradients (None: chosen by the number of
      rounds).
    - `notice` is called with sentences for the user, such as the estimated time.
    - `watch` is called with the name of a step, the amount of the step's work that is done, and the whole amount.
    - `interval_cache` keeps unfinished narrowings, so that a later run continues them.
    """

    seconds: float = 0.0
    width: float = NARROW
    features: int | None = None
    notice: Callable[[str], None] | None = None
    watch: Watch | None = None
    interval_cache: IntervalCache | None = None

    def say(self, sentence: str) -> None:
        """Show the user a sentence, by the function `self.notice`, if there is one."""
        if self.notice is not None:
            self.notice(sentence)


def optima_by_products(
    kernel: Kernel,
    X: Array,
    y: Array,
    wanted: Sequence[tuple[int, float]],
    effort: Effort,
    *,
    explain: bool = True,
    start: Sequence[Array] = (),
) -> list[Interval] | None:
    """Return, for each pair (t, lambda) in `wanted`, an interval of the optimum of the first t rounds with this lambda.

    `start` is empty, or has for each pair an approximate solution a of (K + lambda I) a = y as a first guess. The
    result is None if no interval can be computed within `effort.seconds`; with `explain`, `effort.notice` is then
    called with the reason.

    >>> from arena.game.kernels import Gaussian
    >>> X, y = np.eye(2), np.array([1.0, -1.0])
    >>> [(low, high)] = optima_by_products(Gaussian(), X, y, [(2, 1.0)], Effort(seconds=60.0))
    >>> bool(low <= high < low + 1e-6)
    True
    """
    for rounds, regularisation in wanted:
        require_positive("lambda", regularisation)
        if not 0 <= rounds <= len(y):
            raise ArenaError(f"rounds must be a whole number of at most {len(y)}, the labels, but it is {rounds!r}")
    if not len(y) or not wanted:
        return [(0.0, 0.0) for _ in wanted]
    with one_thread():
        if is_mapped(X) and _too_long(kernel, X, len(wanted), effort, explain=explain):
            return None
        return _Narrowing(kernel, X, y, list(wanted), effort, explain=explain).run(start)


def _too_long(kernel: Kernel, X: Array, columns: int, effort: Effort, *, explain: bool) -> bool:
    """Return whether a few products of the kernel matrix with `columns` vectors would exceed `effort.seconds`.

    Their time is estimated from a sample of the rows. If it is too long and `explain` is true, `effort.notice` is
    called with the reason.
    """
    some = KernelProducts(kernel, np.array(X[:SAMPLE]))
    times = (len(X) / SAMPLE) ** 2
    least = times * (2.0 * some.seconds(columns, single=True) + some.seconds(columns))
    if least > effort.seconds and explain:
        effort.say(_too_slow(least, effort.seconds))
    return least > effort.seconds


def _too_slow(least: float, allowed: float) -> str:
    return (
        f"the best loss is known in an interval from features; products with the kernel matrix would narrow it, but "
        f"take about {seconds_in_words(least)} or more, and `Effort(...)` allows {seconds_in_words(allowed)}"
    )


def narrowed(hindsight: IntervalHindsight, kernel: Kernel, X: Array, effort: Effort) -> IntervalHindsight:
    """Return `hindsight` with narrower intervals of the optimum, for the whole sequence and for some prefixes.

    If narrowing all these intervals would take longer than `effort.seconds`, only the interval of the whole sequence is
    narrowed. If even this would take longer, `hindsight` is returned unchanged.
    """
    y, at, duals = hindsight.labels, hindsight.regularisation, dict(hindsight.duals)
    if hindsight.relative_width <= effort.width or not effort.seconds > 0.0 or not len(y):
        return hindsight
    lower, upper = hindsight.lower, hindsight.upper
    some = [t for t in halves(len(y)) if t == len(y) or upper[t - 1] - lower[t - 1] > effort.width * upper[t - 1]]
    for rounds in dict.fromkeys((tuple(some), (len(y),))):
        alone = len(rounds) == 1  # otherwise the last round's is tried alone, if all together take too long
        start = [duals[t] for t in rounds if t in duals]
        ends = optima_by_products(kernel, X, y, [(t, at) for t in rounds], effort, explain=alone, start=start)
        if ends is not None:
            found = dict(zip(rounds, ends, strict=True))
            low, high = max(found[len(y)][0], hindsight.final[0]), min(found[len(y)][1], hindsight.final[1])
            narrower = tuple((t, *found[t]) for t in sorted(found))
            return dataclasses.replace(hindsight, final=(min(low, high), high), prefixes=narrower)
    return hindsight


def halves(rounds: int) -> list[int]:
    """Return the lengths of the prefixes whose intervals may be narrowed: `rounds`, half of it, a quarter, and so on.

    There are at most six lengths, and those after the first are at least 1024.
    """
    return [rounds >> power for power in range(PREFIXES) if not power or rounds >> power >= SHORTEST]


def features_for(rounds: int) -> int:
    """Return the number of features of the preconditioner of conjugate gradients in a match of `rounds` rounds.

    Computing them takes about as long as a few products of the kernel matrix with a vector, or less.
    """
    memory = min(MEMORY, 0.25 * physical_memory())
    return int(max(min(MOST, np.sqrt(32.0 * rounds), memory / (4.0 * max(rounds, 1))), min(rounds, 32)))


def rounding_of_product(a: Array, product: Array, root: Array, roundings: float) -> tuple[Array, float]:
    """Return a bound on the rounding error of each entry of `product` = K a, and an upper bound on a'K a.

    `root` has sqrt(k(x_t, x_t)) of every round t. Entry t of `product` is off by at most 2^-53 `roundings` root_t
    sum_s |a_s| root_s.
    """
    reach = (1.0 + 1e-9) * roundings * UNIT * float(root @ np.abs(a)) * root
    unit = _rounding_of_sums(len(a))
    return reach, float(a @ product) + float(np.abs(a) @ reach) + unit * float(np.abs(a) @ np.abs(product))


def _rounding_of_sums(terms: int) -> float:
    """Return a bound on the error of an inner product of `terms` terms, relative to the sum of the terms' sizes."""
    return 2.0 * (terms + 8.0) * UNIT


def ends(regularisation: float, y: Array, a: Array, product: Array, root: Array, roundings: float) -> Interval:
    """Return the lower and the upper bound on the optimum that a vector `a` proves with `product` = K a.

    `root` has sqrt(k(x_t, x_t)) of every round t. Entry t of `product` is off by at most 2^-53 `roundings` root_t
    sum_s |a_s| root_s.
    """
    unit = _rounding_of_sums(len(y))
    reach, form = rounding_of_product(a, product, root, roundings)
    scale = float(y @ product) / max(float(product @ product) + regularisation * form, 1e-300)
    misses = np.abs(y - scale * product) + abs(scale) * (reach + 4.0 * UNIT * np.abs(product)) + 4.0 * UNIT * np.abs(y)
    high = (float(misses @ misses) + regularisation * scale**2 * max(form, 0.0)) * (1.0 + unit)
    quadratic = (regularisation**2 * float(a @ a) + regularisation * form) * (1.0 + unit)
    linear = regularisation * max(abs(float(a @ y)) - unit * float(np.abs(a) @ np.abs(y)), 0.0)
    return (linear**2 / quadratic * (1.0 - unit) if quadratic > 0.0 else 0.0), high


class _Narrowing:
    """One run of conjugate gradients, which narrows the intervals of several optima together.

    `wanted` has a pair for each optimum: the number of rounds, and lambda.
    """

    def __init__(
        self, kernel: Kernel, X: Array, y: Array, wanted: list[tuple[int, float]], effort: Effort, *, explain: bool
    ):
        self.y, self.wanted, self.effort, self.explain = y, wanted, effort, explain
        self.products = KernelProducts(kernel, X, watch=effort.watch)
        self.root = np.sqrt(kernel.diagonal(X))
        self.rank = features_for(len(y)) if effort.features is None else effort.features
        self.started = self.saved = time.monotonic()
        self.single = self.double = 0.0  # seconds of a product

    def run(self, start: Sequence[Array]) -> list[Interval] | None:
        self.systems = Systems.ridge(self.y, self.wanted)
        energies = [float(t @ t) for t in self.systems.target.T]
        found = [(0.0, energy * (1.0 + 4.0 * len(self.y) * UNIT)) for energy in energies]
        interval_cache = self.effort.interval_cache
        key = "" if interval_cache is None else digest(self.products, self.y, f"{self.wanted} {self.rank}")
        at = self._begin(key)
        proved = len(start) == len(self.wanted) and not at.products and self._prove_start(at, start, found)
        if proved and all(map(self._is_narrow, found)):
            return found
        if not self._affordable():
            return found if proved else None
        if at.products:
            self.effort.say(f"continuing after {at.products} products of an earlier run")
        preconditioner, single = FeaturePreconditioner(self.products, self.rank), True
        preconditioner.prepare(self.systems)
        for _ in range(ROUNDS_OF_REFINEMENT):
            if all(map(self._is_narrow, found)):
                break
            improve(
                self.systems, self.products, preconditioner, at,
                goal=self._goal, single=single, enough=self._out_of_time, after=lambda: self._save(key, at),
            )  # fmt: skip
            before = [high - low for low, high in found]
            self._certify(at, np.array([n for n, each in enumerate(found) if not self._is_narrow(each)]), found)
            stuck = all(high - low > 0.9 * width for (low, high), width in zip(found, before, strict=True))
            if self._out_of_time() or (stuck and not single):
                break
            single = single and not stuck
        if interval_cache is not None:
            interval_cache.drop(key)
        return found

    def _prove_start(self, at: ConjugateState, start: Sequence[Array], found: list[Interval]) -> bool:
        """Narrow the intervals in `found` by the bounds that the vectors in `start` prove; copy the vectors into `at`.

        Return whether this was done. Nothing is done if it would take longer than `effort.seconds`.
        """
        if self.products.seconds(len(start)) > self.effort.seconds:
            return False
        for column, vector in enumerate(start):
            at.solution[: len(vector), column] = vector
        self._certify(at, np.arange(len(start)), found)
        return True

    def _certify(self, at: ConjugateState, which: Numbers, found: list[Interval]) -> None:
        """Narrow the intervals `found[n]`, for all n in `which`, by the bounds that the solutions in `at` prove.

        The residuals of these solutions are computed anew in double precision, and conjugate gradients restart at them.
        """
        part, solution = self.systems.some(which), at.solution[:, which]
        product, image = part.image(self.products, solution, single=False, work="product for the certificate")
        residual = at.residual.copy()
        residual[:, which] = part.target - image
        for column, number in enumerate(which):
            rounds, regularisation = self.wanted[number]
            low, high = ends(
                regularisation, self.y[:rounds], solution[:rounds, column], product[:rounds, column],
                self.root[:rounds], self.products.roundings(),
            )  # fmt: skip
            low, high = max(found[number][0], low), min(found[number][1], high)
            found[number] = min(low, high), high
        at.restart(residual)

    def _goal(self, at: ConjugateState) -> Array:
        """Return how small the squared norm of each residual in `at` must be for a narrow enough interval."""
        # lambda y'a estimates the optimum
        value = self.systems.noise * np.einsum("ij,ij->j", self.systems.target, at.solution)
        return np.asarray(0.1 * self.effort.width * np.maximum(value, 0.0))

    def _is_narrow(self, ends: Interval) -> bool:
        return ends[1] - ends[0] <= self.effort.width * ends[1]

    def _affordable(self) -> bool:
        """Return whether the time that is left suffices to narrow the intervals.

        If the time suffices, `effort.notice` is called with the estimated times. Otherwise, if `self.explain` is true,
        `effort.notice` is called with the reason.
        """
        columns, n, rank = len(self.wanted), len(self.y), self.rank
        self.single, self.double = (self.products.seconds(columns, single=each) for each in (True, False))
        arithmetic = min(n, max(SAMPLE, 2 * rank)) * rank**2 + (2.0 + 2.0 * (columns > 1)) * n * rank**2
        features = 2.0 * arithmetic * _seconds_of_arithmetic()
        least = features + 2.0 * self.single + self.double
        allowed = self.effort.seconds - (time.monotonic() - self.started)
        if least > allowed:
            if self.explain:
                self.effort.say(_too_slow(least, allowed))
            return False
        limit = "until the interval is narrow" if allowed == np.inf else f"at most {seconds_in_words(allowed)}"
        self.effort.say(
            f"narrowing the interval of the best loss: {rank:,} features, about {seconds_in_words(features)}, "
            f"then products with the kernel matrix, about {seconds_in_words(self.single)} each; {limit}"
        )
        return True

    def _out_of_time(self) -> bool:
        spent = time.monotonic() - self.started
        return spent + self.single + self.double > self.effort.seconds

    def _begin(self, key: str) -> ConjugateState:
        kept = self.effort.interval_cache.load(key) if self.effort.interval_cache is not None else None
        if kept is None:
            return ConjugateState.start(self.systems)
        return ConjugateState.of_arrays(kept)

    def _save(self, key: str, at: ConjugateState) -> None:
        if self.effort.interval_cache is not None:
            self.effort.interval_cache.keep(key, at.arrays())


def digest(products: KernelProducts, y: Array, what: str) -> str:
    """Return the key of an unfinished narrowing in an interval cache: a hash of kernel, points, labels and `what`.

    `what` describes the settings of the narrowing.
    """
    import hashlib

    content = hashlib.sha256(f"{products.kernel} {what}".encode())
    for array in (products.X, y):
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:32]


def _seconds_of_arithmetic() -> float:
    """Return the measured seconds of one multiplication and addition inside a matrix product."""
    matrix, best = np.ones((384, 384)), np.inf
    for _ in range(2):
        started = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - started)
    return best / 384.0**3


def seconds_in_words(seconds: float) -> str:
    """Return seconds as text: "0.3 s", "40 s", "5 minutes" or "2.0 hours"."""
    if seconds < 90.0:
        return f"{seconds:.1g} s" if seconds < 1.0 else f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} minutes" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} hours"

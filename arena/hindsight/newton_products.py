"""The best function in hindsight for losses other than the squared one, by Newton steps with kernel products.

Let f = sum_t c_t k(x_t, .), with the predictions z = K c. The objective is sum_t l_t(z_t) + lambda c'K c. Let the
vector g and the diagonal matrix W be the first and the second derivatives of the losses at z. A Newton step changes c
by the vector d that solves W K d + g + 2 lambda (c + d) = 0:

- In rows where W is zero, d = -g / (2 lambda) - c. Let v be d in these rows, and zero in the other rows.
- In the other rows, d = S b with S = W^(1/2) and (S K S + 2 lambda I) b = -S^-1 (g + 2 lambda c) - S K v.

A line search limits the step. Kinks of a loss are smoothed by parabolas, which become narrower from step to step
(`arena.hindsight.smoothing`).

At the end the vector a = 2 lambda c is clipped to the limits of the dual (`arena.hindsight.duals`), and p = K a is
computed in double precision. The objective of the function with the predictions p / (2 lambda) is an upper bound on the
optimum, and the dual value of a is a lower bound. Both cover rounding, as in `arena.hindsight.narrowing`.
"""

from __future__ import annotations

import time

import numpy as np
import scipy

from arena.arrays import Array
from arena.errors import ArenaError, require_positive
from arena.game.kernels import Kernel
from arena.game.losses import Loss
from arena.hindsight.conjugate import ConjugateState, FeaturePreconditioner, Numbers, Systems, improve
from arena.hindsight.duals import dual_of
from arena.hindsight.narrowing import Effort, digest, features_for, rounding_of_product, seconds_in_words
from arena.hindsight.other_losses import BestFunction, Task
from arena.hindsight.pivots import UNIT
from arena.hindsight.products import KernelProducts
from arena.hindsight.smoothing import Smoothed, can_be_smoothed
from arena.hindsight.spaces import Function
from arena.linalg.threads import one_thread

STEPS = 120  # Newton steps, at most
TRIES = 4  # products in double precision, at most
PRODUCTS = 60  # products with all rows that a Newton step may make
INEXACT, EXACT = 1e-3, 1e-5  # relative residual to which systems are solved, for smooth losses and for others
DIRECT = 4096  # rows up to which a system is solved directly
PART = 0.7  # share of the rows below which products are made with these rows alone
NARROWER = 0.2  # factor by which parabolas become narrower
PATIENCE = 6  # steps at one width
COARSE = 1e-3  # narrower parabolas, relative to predictions, need values in double precision


def best_by_products(
    kernel: Kernel, X: Array, y: Array, loss: Loss, regularisation: float, effort: Effort
) -> BestFunction | None:
    """Return the best function for a loss, with a certified interval, computed by Newton steps with kernel products.

    The result is None if even a few Newton steps would take longer than `effort.seconds`. Raise an `ArenaError` if
    `can_be_smoothed(loss)` is False.

    >>> from arena.game.kernels import Linear
    >>> from arena.game.losses import SquaredHinge
    >>> y = np.array([1.0, -1.0])
    >>> best = best_by_products(Linear(), np.array([[1.0], [-1.0]]), y, SquaredHinge(), 1.0, Effort(60.0))
    >>> round(best.lower, 5), round(best.upper, 5)  # min over w of 2 max(0, 1 - w)^2 + w^2
    (0.66667, 0.66667)
    """
    if not can_be_smoothed(loss):
        raise ArenaError(f"products narrow the intervals of the built-in losses, but the loss is {loss.name}")
    require_positive("lambda", regularisation)
    with one_thread():
        return _NewtonRun(kernel, X, y, loss, regularisation, effort).run()


class _NewtonRun:
    """One run of Newton's method for the best function f = sum_t c_t k(x_t, .) in hindsight.

    `c` has its coefficients, `z` = K c its predictions, and `smoothed` the loss without kinks.
    """

    def __init__(self, kernel: Kernel, X: Array, y: Array, loss: Loss, regularisation: float, effort: Effort):
        self.y, self.loss, self.at, self.effort = y, loss, regularisation, effort
        self.products = KernelProducts(kernel, X, watch=effort.watch)
        self.root = np.sqrt(kernel.diagonal(X))
        self.task = Task(loss, y, dual_of(loss, y), regularisation)
        self.smoothed = Smoothed.of(loss, y)
        self.c, self.z = np.zeros(len(y)), np.zeros(len(y))
        self.ahead: Array | None = None  # where the next step takes the derivatives; None: at z
        self.before: tuple[Array, Array, float, float] | None = None  # c, z, width, gap before narrowing
        self.steps, self.factor = 0, NARROWER
        self.single = True  # whether products are in single precision
        self.started = time.monotonic()

    def run(self) -> BestFunction | None:
        self.seconds = [self.products.seconds(single=each) for each in (False, True)]
        if not self._affordable():
            return None
        best = self.task.objective(Function.zero(len(self.y)))
        if not len(self.y) or best.upper == 0.0:
            return best
        key = self._begin()
        rank = features_for(len(self.y)) // (1 if self.smoothed.width else 2)
        self.preconditioner = FeaturePreconditioner(
            self.products, max(rank if self.effort.features is None else self.effort.features, 1)
        )
        tries = 0
        for step in range(STEPS):
            moved, out = self._step(), step == STEPS - 1 or self._out_of_time()
            self._save(key)
            gap, upper = self._gap()
            if gap > 0.2 * self.effort.width * upper and not out and (self._sharpen(gap, upper, moved) or moved):
                continue
            if out and self.before is not None and self.before[3] < gap:  # the minimum at the width before is better
                self.c = self.before[0]
            best, tries = self._certified(best), tries + 1
            if best.relative_width <= self.effort.width or out or tries == TRIES:
                break
            self.single = False  # in single precision, rounding of the values prevents more
            self._sharpen(gap, upper, False)
        if self.effort.interval_cache is not None:
            self.effort.interval_cache.drop(key)
        return best

    def _sharpen(self, gap: float, upper: float, moved: bool) -> bool:
        """Change the width of the parabolas that smooth the loss, if their present width keeps the duality gap large.

        Return whether the width was changed. Usually the parabolas become narrower. If the last change made them too
        narrow, it is undone, and a smaller change takes its place. `gap` is the duality gap, and `upper` the objective.
        `moved` is true if the last Newton step had a positive length.
        """
        own = self.smoothed.gap(2.0 * self.at * self.c)
        enough = 0.05 * self.effort.width * upper
        if not self.smoothed.width or own <= enough:
            return False
        if moved and gap > 4.0 * own:
            self.steps += 1
            if self.steps <= PATIENCE or self.before is None:
                return False
            self.factor **= 0.5  # too narrow for the last minimum to help: begin there again, less narrow
            self.c, self.z, self.smoothed.width, own = self.before
        elif self.single and NARROWER * self.smoothed.width < COARSE * float(np.abs(self.z).max()):
            self.single = False
            self.z = self._times(self.c, "values in double precision")
        self.steps, self.before = 0, (self.c, self.z, self.smoothed.width, own)
        self.ahead = self.smoothed.narrowed(max(self.factor, 0.5 * enough / own), self.z)
        return True

    def _affordable(self) -> bool:
        double, single = self.seconds
        least = 8.0 * single + double
        if least > self.effort.seconds:
            self.effort.say(
                f"Newton steps with products of the kernel matrix would take about {seconds_in_words(least)} or "
                f"more, and `Effort(...)` allows {seconds_in_words(self.effort.seconds)}"
            )
            return False
        limit = "" if self.effort.seconds == np.inf else f"; at most {seconds_in_words(self.effort.seconds)}"
        self.effort.say(
            f"computing the best function by Newton steps of a few products each, about {seconds_in_words(single)} a "
            f"product{limit}"
        )
        return True

    def _out_of_time(self) -> bool:
        double, single = self.seconds
        spent = time.monotonic() - self.started
        return spent + double + (3.0 * single if self.single else 3.0 * double) > self.effort.seconds

    def _begin(self) -> str:
        """Load the state of an earlier run, if there is one; return the key under which this run's state is kept."""
        if self.effort.interval_cache is None:
            return ""
        key = digest(self.products, self.y, f"{self.loss} {self.at} {self.effort.width}")
        if (kept := self.effort.interval_cache.load(key)) is not None:
            self.c, self.z, self.smoothed.width = kept["c"], kept["z"], float(kept["width"])
            self.effort.say("continuing after the last Newton step of an earlier run")
        return key

    def _save(self, key: str) -> None:
        if self.effort.interval_cache is not None:
            self.effort.interval_cache.keep(key, {"c": self.c, "z": self.z, "width": np.array(self.smoothed.width)})

    def _step(self) -> bool:
        """Make one Newton step; return whether its length is positive."""
        z, free = (self.z, False) if self.ahead is None else (self.ahead, True)
        slope, bend, self.ahead = self.smoothed.slope(z), self.smoothed.bend(z), None
        curved = bend > 0.0
        change = np.where(curved, 0.0, -slope / (2.0 * self.at) - self.c)
        moved = self._times(change, "a Newton step") if change.any() else np.zeros_like(change)
        rows = np.flatnonzero(curved)
        if len(rows):
            root = np.sqrt(bend[rows])
            target = -(slope[rows] + 2.0 * self.at * self.c[rows]) / root - root * (self.z + moved - z)[rows]
            part = np.zeros_like(change)
            part[rows] = root * self._solve(rows, root, target)
            change, moved = change + part, moved + self._times(part, "a Newton step")
        along = 1.0 if free else self._length(change, moved)
        self.c, self.z = self.c + along * change, self.z + along * moved
        return along > 0.0

    def _times(self, v: Array, work: str) -> Array:
        """Return K v; `work` names the product in reports of the progress."""
        # scaled, so that single precision can hold the numbers
        scale = float(np.abs(v).max(initial=0.0)) or 1.0
        return scale * self.products.times(v[:, np.newaxis] / scale, single=self.single, work=work)[:, 0]

    def _solve(self, rows: Numbers, root: Array, target: Array) -> Array:
        """Return an approximate solution b of (S K S + 2 lambda I) b = `target`.

        Here S is the diagonal matrix of `root`, and K the kernel matrix of the rounds `rows` alone.
        """
        kernel, X = self.products.kernel, self.products.X
        if len(rows) <= DIRECT:
            matrix = root[:, np.newaxis] * kernel.gram(X[rows], X[rows]) * root
            matrix.flat[:: len(rows) + 1] += 2.0 * self.at
            factor, failed = scipy.linalg.lapack.dpotrf(np.asfortranarray(matrix), lower=1, overwrite_a=1)
            if not failed:
                return np.asarray(scipy.linalg.lapack.dpotrs(factor, target, lower=1)[0])
        products, preconditioner = self.products, self.preconditioner
        if len(rows) < PART * len(self.y):
            products = KernelProducts(kernel, X[rows], threads=products.threads, watch=products.watch)
            preconditioner = preconditioner.of_rows(rows)
        elif len(rows) < len(self.y):
            spread = np.zeros((2, len(self.y)))
            spread[:, rows] = root, target
            root, target = spread
        systems = Systems(root[:, np.newaxis], np.array([2.0 * self.at]), target[:, np.newaxis])
        preconditioner.prepare(systems)
        state = ConjugateState.start(systems)
        goal = (EXACT if self.smoothed.width else INEXACT) ** 2 * state.gap
        most = PRODUCTS * (len(self.y) / len(state.solution)) ** 2
        improve(
            systems, products, preconditioner, state,
            goal=lambda _: goal, single=self.single,
            enough=lambda: state.products >= most or self._out_of_time(),
        )  # fmt: skip
        found = state.solution[:, 0]
        return found if len(found) == len(rows) else found[rows]

    def _length(self, change: Array, moved: Array) -> float:
        """Return the multiple of a Newton step, from 0 to 1, that lowers the smoothed objective most.

        The step adds `change` to the coefficients of the function, and `moved` = K `change` to its predictions.
        """
        forms = 2.0 * self.at * float(self.c @ moved), 2.0 * self.at * float(change @ moved)

        def derivative(along: float) -> float:
            return float(self.smoothed.slope(self.z + along * moved) @ moved) + forms[0] + along * forms[1]

        low, high = 0.0, 1.0
        if not derivative(0.0) < 0.0:
            return 0.0
        if derivative(1.0) <= 0.0:
            return 1.0
        for _ in range(30):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if derivative(middle) < 0.0 else (low, middle)
        return low

    def _gap(self) -> tuple[float, float]:
        """Return an upper bound on the duality gap of the present function, and its objective; rounding is ignored."""
        form = self.at * float(self.c @ self.z)
        upper = float(np.asarray(self.loss.value(self.z, self.y)).sum()) + form
        a = 2.0 * self.at * self.c
        b = self.smoothed.variables(a, self.task.dual)
        moved = self.task.dual.vector(b) - a
        beyond = float(self.root @ np.abs(moved)) ** 2 / (4.0 * self.at)
        lower = float(self.task.dual.values(b).sum()) - form - float(moved @ self.z) - beyond
        return upper - lower, upper

    def _certified(self, best: BestFunction) -> BestFunction:
        """Return `best` or the function with the coefficients `self.c`, whichever has the smaller objective.

        The field `lower` of the result is a certified lower bound on the optimum, and at least `best.lower`.
        """
        # the coefficients, clipped to the limits of the dual problem, prove a lower bound
        b = self.smoothed.variables(2.0 * self.at * self.c, self.task.dual)
        a = self.task.dual.vector(b)
        product = self.products.times(a[:, np.newaxis], work="product for the certificate")[:, 0]
        reach, form = rounding_of_product(a, product, self.root, self.products.roundings())
        twice = 2.0 * self.at
        error = (reach + 4.0 * UNIT * np.abs(product)) / twice * (1.0 + 1e-9)
        function = Function(product / twice, error, max(form, 0.0) / twice**2 * (1.0 + 4.0 * UNIT))
        self.c, self.z = a / twice, product / twice
        return best.narrowed(self.task.objective(function), self.task.below(b, max(form, 0.0)))

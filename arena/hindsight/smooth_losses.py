"""The best function in hindsight for smooth margin losses, by Newton steps with products of the kernel matrix.

For f = sum_t c_t k(x_t, .) with values z = K c, the objective is sum_t l_t(z_t) + lambda c'K c. With the derivatives g
and W of the losses, a Newton step solves W (z' - z) + g + 2 lambda c' = 0 for z' = K c', that is, with S = W^(1/2),

    (S K S + 2 lambda I) b = S z - S^-1 g,    c' = S b,

a system of `arena.hindsight.conjugate`. A few products make a step, in single precision; a line search makes the
objective smaller. At the end a = 2 lambda c, moved into the intervals of the dual (`arena.hindsight.duals`), proves
both ends by one product p = K a in double precision: the objective of p / (2 lambda) is an upper bound, and the dual
value of a is a lower one. Rounding of p is covered as in `arena.hindsight.narrowing`.
"""

from __future__ import annotations

import time

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.kernels import Kernel
from arena.game.losses import Logistic, Loss, SquaredHinge
from arena.hindsight.conjugate import FeaturePreconditioner, Iterate, Systems, improve
from arena.hindsight.duals import dual_of
from arena.hindsight.narrowing import Effort, duration, features_for
from arena.hindsight.other_losses import BestFunction, Task
from arena.hindsight.pivots import UNIT
from arena.hindsight.products import KernelProducts
from arena.hindsight.spaces import Function
from arena.linalg.threads import one_thread

STEPS = 30  # Newton steps, at most
FLAT = 1e-6  # least second derivative, relative to the squared label: Newton steps divide by its root
TRIES = 4  # products in double precision, at most
PRODUCTS = 60  # of a Newton step, at most
INEXACT = 1e-3  # relative residual to which each step's system is solved
SHORTEST = 2.0**-20  # share of a step below which the line search gives up


def is_smooth(loss: Loss) -> bool:
    """Return whether `best_by_products` can compute with the loss; not for a subclass, which may have other values."""
    return type(loss) in (Logistic, SquaredHinge)


def best_by_products(
    kernel: Kernel, X: Array, y: Array, loss: Loss, regularisation: float, effort: Effort
) -> BestFunction | None:
    """Return the best function for a smooth loss, with a certified interval; None if the time is too short for that.

    >>> from arena.game.kernels import Linear
    >>> y = np.array([1.0, -1.0])
    >>> best = best_by_products(Linear(), np.array([[1.0], [-1.0]]), y, SquaredHinge(), 1.0, Effort(60.0))
    >>> round(best.lower, 5), round(best.upper, 5)  # min over w of 2 max(0, 1 - w)^2 + w^2
    (0.66667, 0.66667)
    """
    if not is_smooth(loss):
        raise ArenaError(f"products narrow the logistic loss and the squared hinge, but the loss is {loss.name}")
    if not regularisation > 0.0:
        raise ArenaError(f"lambda must be a number > 0, but it is {regularisation!r}")
    with one_thread():
        return _Newton(kernel, X, y, loss, regularisation, effort).run()


class _Newton:
    """One run of Newton's method: the coefficients c, the values z = K c, and the clock."""

    def __init__(self, kernel: Kernel, X: Array, y: Array, loss: Loss, regularisation: float, effort: Effort):
        self.y, self.loss, self.at, self.effort = y, loss, regularisation, effort
        self.products = KernelProducts(kernel, X, watch=effort.watch)
        self.root = np.sqrt(kernel.diagonal(X))
        self.task = Task(loss, y, dual_of(loss, y), regularisation)
        self.c, self.z = np.zeros(len(y)), np.zeros(len(y))
        self.started = time.monotonic()

    def run(self) -> BestFunction | None:
        single, double = (self.products.seconds(single=each) for each in (True, False))
        least = 8.0 * single + double
        if least > self.effort.seconds:
            self.effort.say(
                f"Newton steps with products of the kernel matrix would take about {duration(least)} or more, and "
                f"--hindsight-time allows {duration(self.effort.seconds)}"
            )
            return None
        best = self.task.objective(Function.zero(len(self.y)))
        if not len(self.y) or best.upper == 0.0:
            return best
        self.effort.say(
            f"computing the best function by Newton steps of a few products each, about {duration(single)} a product"
        )
        rank = features_for(len(self.y)) // 2 if self.effort.features is None else self.effort.features
        preconditioner = FeaturePreconditioner(self.products, max(rank, 1))
        tries = 0
        for _ in range(STEPS):
            moved = self._step(preconditioner)
            out = time.monotonic() - self.started + 4.0 * single + double > self.effort.seconds
            if moved and not out and self._gap_in_single_precision() > 0.2 * self.effort.width:
                continue
            best, tries = self._certified(best), tries + 1
            if best.relative_width <= self.effort.width or not moved or out or tries == TRIES:
                break
        return best

    def _step(self, preconditioner: FeaturePreconditioner) -> bool:
        """Make one Newton step; return whether it lowered the objective."""
        slope, bend = self._derivatives(self.z)
        root = np.sqrt(bend)
        target = np.divide(bend * self.z - slope, root, out=np.zeros_like(root), where=root > 0.0)
        systems = Systems(root[:, np.newaxis], np.array([2.0 * self.at]), target[:, np.newaxis])
        preconditioner.prepare(systems)
        state = Iterate.start(systems)
        size = float(target @ target)
        if not self.c[root == 0.0].any():  # then the present c can be written as S b, and is a good start
            state.solution[:, 0] = np.divide(self.c, root, out=np.zeros_like(root), where=root > 0.0)
            state.residual[:, 0] = target - root * self.z - 2.0 * self.at * state.solution[:, 0]
        goal = np.minimum(INEXACT**2 * state.gap, 1e-6 * size)
        improve(
            systems,
            self.products,
            preconditioner,
            state,
            goal=lambda _: goal,
            enough=lambda: state.products >= PRODUCTS,
        )
        change = root * state.solution[:, 0] - self.c
        scale = float(np.abs(change).max(initial=0.0))
        if not scale > 0.0:
            return False
        moved = scale * self.products.times(change[:, np.newaxis] / scale, single=True, work="a Newton step")[:, 0]
        along = self._length(change, moved)
        self.c, self.z = self.c + along * change, self.z + along * moved
        return along > 0.0

    def _derivatives(self, z: Array) -> tuple[Array, Array]:
        """Return the first and the second derivatives of the losses at the predictions z."""
        slope, squared = np.asarray(self.loss.derivative(z, self.y)), np.square(self.y)
        if isinstance(self.loss, SquaredHinge):
            return slope, 2.0 * squared * (self.y * z < 1.0)
        share = np.divide(-slope, self.y, out=np.zeros_like(slope), where=self.y != 0.0)
        return slope, squared * np.maximum(share * (1.0 - share), FLAT)

    def _length(self, change: Array, moved: Array) -> float:
        """Return the share of a step that lowers the objective enough, found by halving; 0 if none does."""

        def objective(along: float) -> float:
            losses = float(np.asarray(self.loss.value(self.z + along * moved, self.y)).sum())
            forms = self.c @ self.z, 2.0 * (self.c @ moved), change @ moved
            return losses + self.at * float(forms[0] + along * forms[1] + along**2 * forms[2])

        slope = np.asarray(self.loss.derivative(self.z, self.y))
        start, descent = objective(0.0), float(slope @ moved) + 2.0 * self.at * float(self.c @ moved)
        along = 1.0
        while along >= SHORTEST:
            if objective(along) <= start + 1e-4 * along * min(descent, 0.0):
                return along
            along *= 0.5
        return 0.0

    def _dual_variables(self) -> Array:
        """Return the variables of the dual that belong to a = 2 lambda c, moved into their intervals."""
        a, scale = 2.0 * self.at * self.c, self.task.dual.scale
        b = np.divide(a, scale, out=np.zeros_like(a), where=scale != 0.0)
        # Where the label is 0, phi(0) is the largest value: of b - b^2 / 4, or of the entropy.
        b[scale == 0.0] = 0.5 if self.task.dual.entropy else 2.0
        return np.clip(b, self.task.dual.low, self.task.dual.high)

    def _gap_in_single_precision(self) -> float:
        """Return an estimate of the relative duality gap, without a product in double precision.

        The effect on a'K a of moving a into its intervals is replaced by an upper bound.
        """
        form = self.at * float(self.c @ self.z)
        upper = float(np.asarray(self.loss.value(self.z, self.y)).sum()) + form
        b = self._dual_variables()
        moved = self.task.dual.vector(b) - 2.0 * self.at * self.c
        beyond = float(self.root @ self.root) * float(moved @ moved) / (4.0 * self.at)
        lower = float(self.task.dual.values(b).sum()) - form - float(moved @ self.z) - beyond
        return (upper - lower) / upper if upper > 0.0 else 0.0

    def _certified(self, best: BestFunction) -> BestFunction:
        """Return `best`, with each end of its interval replaced if the present function proves a better one.

        That function's ends are computed from one product with the kernel matrix in double precision.
        """
        b = self._dual_variables()
        a = self.task.dual.vector(b)
        product = self.products.times(a[:, np.newaxis], work="product for the certificate")[:, 0]
        reach = (1.0 + 1e-9) * self.products.roundings() * UNIT * float(self.root @ np.abs(a)) * self.root
        unit = 2.0 * (len(a) + 8.0) * UNIT
        form = float(a @ product) + float(np.abs(a) @ reach) + unit * float(np.abs(a) @ np.abs(product))
        twice = 2.0 * self.at
        error = (reach + 4.0 * UNIT * np.abs(product)) / twice * (1.0 + 1e-9)
        function = Function(product / twice, error, max(form, 0.0) / twice**2 * (1.0 + 4.0 * UNIT))
        self.c, self.z = a / twice, product / twice
        return best.narrowed(self.task.objective(function), self.task.below(b, max(form, 0.0)))

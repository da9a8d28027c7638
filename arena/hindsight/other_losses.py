"""The best function in hindsight for losses other than the squared one, with an interval of the least objective.

Newton steps (`arena.hindsight.interior_point`) find a linear function of features (`arena.hindsight.spaces`) and a dual
vector a (`arena.hindsight.duals`). The objective of the function is an upper bound on the optimum, and a gives a lower
bound. Both bounds cover rounding, and hold for any function and any a.

There are four reasons why the interval can be wider than `NARROW`:

- The points span more dimensions than there are features.
- There are more than `FEW` rounds, so the kernel is not evaluated at every pair of them.
- The optimum is so small that the rounding of the losses matters, about 1e-16 |y| in each round.
- The rounding of the kernel's values matters (`Kernel.roundings`).

An error of u sqrt(k(x, x) k(z, z)) in each value k(x, z) of the kernel can move the optimum by

    u (sum_t |a_t| sqrt(k(x_t, x_t)))^2 / (4 lambda).

With u = 2^-53, |a_t| = 1, k(x, x) = 1, 500 rounds and lambda = 1e-6 that is 7e-6.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import scipy

from arena.arrays import Array
from arena.errors import require_positive
from arena.game.losses import Loss
from arena.hindsight.duals import Dual, dual_of
from arena.hindsight.interior_point import Problem, solve_problem
from arena.hindsight.pivots import UNIT
from arena.hindsight.spaces import Function, Space

NARROW = 8e-7  # relative width at which an interval is not narrowed further
FEW = 2**13  # rounds up to which the kernel's values at all pairs of rounds may narrow an interval
NEGLIGIBLE = 1e-10  # share of the loss of f = 0 that the features left out may contribute


@dataclass(frozen=True)
class BestFunction:
    """A function f near the best one, and a certified interval [lower, upper] of the least objective.

    `upper` is the objective of f: its `loss` plus lambda times its `squared_norm`. `predictions` are the values of f at
    the points.
    """

    lower: float
    upper: float
    loss: float
    squared_norm: float
    regularisation: float
    predictions: Array

    @property
    def gap(self) -> float:
        """The number upper - lower; the objective of the function exceeds the optimum by at most this number."""
        return self.upper - self.lower

    @property
    def relative_width(self) -> float:
        """The width of the interval [lower, upper] of the least objective, divided by `upper`."""
        return self.gap / self.upper if self.upper > 0 else 0.0

    def narrowed(self, other: BestFunction, lower: float) -> BestFunction:
        """Return this function or `other`, whichever has the smaller objective.

        `lower` is a certified lower bound on the optimum. The field `lower` of the result is this bound or
        `self.lower`, whichever is larger.
        """
        least = self if self.upper <= other.upper else other
        return dataclasses.replace(least, lower=min(max(self.lower, lower), least.upper))


def best_for_loss(space: Space, loss: Loss, y: Array, *, regularisation: float) -> BestFunction:
    """Return a function of the RKHS near the best one, with a certified interval of the least objective.

    The objective of a function f is sum_t l(f(x_t), y_t) + lambda |f|^2. Raise an `ArenaError` if no dual of the loss
    is known.

    >>> from arena.game.kernels import Linear
    >>> from arena.game.losses import Hinge
    >>> space = Space.of(Linear(), np.array([[1.0], [-1.0]]))
    >>> best = best_for_loss(space, Hinge(), np.array([1.0, -1.0]), regularisation=1.0)
    >>> round(best.lower, 6), round(best.upper, 6)  # min over w of 2 max(0, 1 - w) + w^2
    (1.0, 1.0)
    """
    require_positive("regularisation", regularisation)
    task = Task(loss, y, dual_of(loss, y), regularisation)
    best = task.objective(Function.zero(len(y)))
    if best.upper == 0.0:
        return best
    at_zero, enough, every = best.upper, task.features(space), space.F.shape[1]
    for columns in dict.fromkeys((enough, every)):
        w, b = _solution(Problem(space.F[:, :columns], loss, y, task.dual, regularisation))
        weights, a = np.concatenate([w, np.zeros(every - columns)]), task.dual.vector(b)
        best = best.narrowed(task.objective(space.function(weights)), task.below(b, space.kernel_form(a)))
        if best.relative_width <= NARROW:
            return best
        if best.lower > 1e-3 * at_zero:  # the features left out are then negligible beside the optimum, too
            break
    best = best.narrowed(task.objective(space.sharp_function(weights)), best.lower)
    if best.relative_width <= NARROW or len(y) > FEW:
        return best
    return best.narrowed(best, task.below(b, space.sharp_kernel_form(a)))


@dataclass(frozen=True)
class Task:
    """The problem to minimise sum_t l(f(x_t), y_t) + lambda |f|^2: the loss l and its dual, the labels, and lambda."""

    loss: Loss
    y: Array
    dual: Dual
    regularisation: float

    def objective(self, function: Function) -> BestFunction:
        """Return a `BestFunction` for this function: `upper` bounds its loss + lambda |f|^2, and `lower` is 0."""
        predictions = function.predictions
        size = np.abs(predictions) + (0.0 if self.loss.classifies else np.abs(self.y))
        off = function.error + 4.0 * UNIT * size  # plus the rounding of the margin or the miss
        # The loss is convex, so it is largest at one end of the error.
        either = np.maximum(self.loss.value(predictions + off, self.y), self.loss.value(predictions - off, self.y))
        total = float(either.sum()) * (1.0 + self.unit)
        upper = (total + self.regularisation * function.squared_norm) * (1.0 + 4.0 * UNIT)
        return BestFunction(0.0, upper, total, function.squared_norm, self.regularisation, predictions)

    def below(self, b: Array, kernel_form: float) -> float:
        """Return the lower bound on the optimum that the dual variables `b` prove.

        `kernel_form` is an upper bound on a'K a, where a = `self.dual.vector(b)` has one entry for each round.
        """
        value = self.dual.values(b)
        slack = self.unit * float(np.abs(value).sum() + np.abs(self.dual.linear * b).sum())
        return float(value.sum()) - kernel_form * (1.0 + 4.0 * UNIT) / (4.0 * self.regularisation) - slack

    def features(self, space: Space) -> int:
        """Return the number n for which the first n features of `space` suffice to compute the optimum.

        Leaving out the other features changes the optimum by at most `NEGLIGIBLE` times the loss of f = 0.
        """
        # Let R be the part of the kernel matrix that the other features contribute, and a the optimal dual vector
        # without them. Then they change the optimum by at most a'R a / (4 lambda), and the derivatives of the loss
        # bound |a|.
        steepest = float(np.square(self.dual.scale).max(initial=0.0)) * len(self.y)
        cost = float(self.loss.value(np.zeros(len(self.y)), self.y).sum())
        if self.dual.high == np.inf:  # then the loss is b^2 / 4
            steepest = 4.0 * cost * float(np.square(self.dual.scale).max(initial=0.0))
        return space.columns(4.0 * self.regularisation * NEGLIGIBLE * cost / steepest if steepest else np.inf)

    @property
    def unit(self) -> float:
        """A bound on the relative rounding error of a sum of losses over the rounds."""
        return (2.0 * len(self.y) + 64.0) * UNIT


def _solution(problem: Problem) -> tuple[Array, Array]:
    """Return nearly optimal weights w and dual variables b of the problem."""
    rounds, features = problem.F.shape
    if not features:
        w, b = solve_problem(dataclasses.replace(problem, F=np.zeros((rounds, 1))))
        return w[:0], b
    if rounds >= features:
        return solve_problem(problem)
    # With fewer rounds than features, the best weights lie in the span of the rows of F.
    basis, triangle = scipy.linalg.qr(problem.F.T, mode="economic")
    w, b = solve_problem(dataclasses.replace(problem, F=np.ascontiguousarray(triangle.T)))
    return basis @ w, b

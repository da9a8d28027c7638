"""The best linear function of features for a convex loss and a ridge penalty, by Newton steps.

The problem and its dual (`arena.hindsight.duals`) are

    min_w sum_t l_t(F_t w) + lambda |w|^2  =  max_b sum_i v_i(b_i) - |G'b|^2 / (4 lambda),    low <= b <= high,

where v_i(b_i) is the term of the variable b_i in the dual (`Dual.values`). Row i of G is the row of F for the
variable's round, times the variable's `Dual.scale`. At the optimum there are multipliers s, u >= 0 of the limits low
and high, with

    G w = v'(b) + s - u,    G'b = 2 lambda w,    s (b - low) = 0,    u (high - b) = 0.

The predictor-corrector method of Mehrotra (1992) replaces the two zeros on the right by a number mu, and lowers mu
towards zero by Newton steps. All b - low, high - b, s and u stay positive. With D = -v'' + s / (b - low) + u / (high -
b), a step solves two systems with the same matrix

    2 lambda I + G' D^-1 G.

For n rows and r columns of F a step costs O(n r^2). After 10 to 40 steps the result is within 1e-10 of the optimum, for
losses with kinks too, and at any lambda. If the problem is well-conditioned for its number of features, a first-order
method is tried first.

The dual of the logistic loss contains an entropy, which keeps every b inside (0, 1) without multipliers. For this loss,
Newton steps minimise the objective over w instead.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.losses import Loss
from arena.hindsight.duals import Dual
from arena.hindsight.pivots import UNIT

STEPS = 150  # most Newton steps; 10 to 40 suffice
IDLE = 20  # steps without progress after which the method stops: rounding prevents more
GAP = 1e-10  # relative duality gap to stop at
NEAR = 1e-7  # relative duality gap at which no Newton step is made
FEW = 15  # steps that the first-order method may make in any case: they cost less than Newton steps
WELL_CONDITIONED = 3.0  # largest |F|^2 / lambda, for each feature, at which the first-order method is tried
EDGE = 1e-12  # the entropy's slope is infinite at 0 and 1; a first-order method keeps this distance
SHORT = 0.1  # if the boundary allows less than this share of a step, a step towards the middle is made instead
STAY = 0.995  # share of the way to the boundary that a step goes at most

Solver = Callable[[Array], Array]


@dataclass(frozen=True)
class Problem:
    """The problem to find the weights w whose predictions F w have the least penalised loss for the labels `y`.

    `F` has the features of each round as a row, and `dual` is the dual of `loss`.
    """

    F: Array
    loss: Loss
    y: Array
    dual: Dual
    regularisation: float

    def pull(self, b: Array) -> Array:
        """Return G'b for the dual variables b.

        Row i of G is the row of F that belongs to dual variable i, times `dual.scale[i]`.
        """
        return np.asarray(self.dual.vector(b) @ self.F)

    def solver(self, weights: Array) -> Solver | None:
        """Return a function that solves systems with the matrix 2 lambda I + G' diag(weights) G.

        Row i of G is the row of F that belongs to dual variable i, times `dual.scale[i]`. The result is None if
        rounding made the matrix indefinite.
        """
        rows = np.sqrt(self.dual.folded(np.square(self.dual.scale) * weights))
        scaled = np.asfortranarray((self.F * rows[:, np.newaxis]).T)
        matrix = scipy.linalg.blas.dsyrk(1.0, scaled, lower=1)
        diagonal = matrix.diagonal().copy()
        ridge = 2.0 * self.regularisation
        for lift in (0.0, 1e2 * UNIT, 1e5 * UNIT):
            np.fill_diagonal(matrix, diagonal * (1.0 + lift) + ridge + lift * float(diagonal.max(initial=0.0)))
            factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1)
            if not failed:
                return lambda right: np.asarray(scipy.linalg.lapack.dpotrs(factor, right, lower=1)[0])
        return None


class Best:
    """The best weights w and dual variables b so far, and the number of steps since the last progress."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.w, self.b = np.zeros(problem.F.shape[1]), np.zeros(len(problem.dual.scale))
        self.upper, self.lower, self.idle = np.inf, -np.inf, 0

    def take(self, w: Array, fitted: Array, b: Array, pull: Array) -> bool:
        """Keep `w` if these weights are the best so far, and likewise the dual variables `b`; return whether to stop.

        `fitted` is F w, the predictions, and `pull` is `problem.pull(b)`, which the caller has at hand. The result is
        True if the duality gap is small enough, or if the last 20 steps made no progress. A step makes progress if it
        lowers the gap by a tenth, or the objective of the best weights by 1e-6 of its value.
        """
        at, before = self.problem.regularisation, self.gap
        upper = float(self.problem.loss.value(fitted, self.problem.y).sum()) + at * float(w @ w)
        lower = float(self.problem.dual.values(b).sum()) - float(pull @ pull) / (4.0 * at)
        lowered = upper < self.upper * (1.0 - 1e-6)
        if upper < self.upper:
            self.upper, self.w = upper, w
        if lower > self.lower:
            self.lower, self.b = lower, b
        self.idle = 0 if lowered or self.gap < 0.9 * before else self.idle + 1
        return self.gap <= GAP * self.upper or self.idle >= IDLE

    @property
    def gap(self) -> float:
        """The duality gap: the objective of the best weights minus the dual value of the best dual variables."""
        return self.upper - self.lower


@dataclass
class DualLimits:
    """All lower limits of the dual variables b, or all upper limits, with their multipliers.

    - `distance` is the distance of each variable from its limit, always > 0.
    - `multiplier` is the multiplier of each limit.
    - `sign` is the derivative of the distance with respect to b: 1 for lower limits, -1 for upper ones.
    """

    sign: float
    distance: Array
    multiplier: Array

    def push(self, target: float, product: Array | float = 0.0) -> Array:
        """Return the limits' term on the right-hand side of a Newton step's equations, one number for each variable.

        The step aims at distance * multiplier = `target`, where distance is how far a variable is from its limit.
        `product` is an estimate of (change of distance) * (change of multiplier).
        """
        return np.asarray(self.sign * (target - product) / self.distance)

    def change(self, db: Array, target: float, product: Array | float = 0.0) -> Array:
        """Return the changes of the limits' multipliers when the dual variables b change by `db`.

        The step aims at distance * multiplier = `target`, where distance is how far a variable is from its limit.
        `product` is an estimate of (change of distance) * (change of multiplier).
        """
        wanted = (target - product) / self.distance
        return np.asarray(wanted - self.multiplier * (1.0 + self.sign * db / self.distance))


@dataclass(frozen=True)
class Step:
    """One Newton step: the changes of the weights w, of the predictions F w and of the dual variables b."""

    w: Array
    fitted: Array
    b: Array


class InteriorPoint:
    """The present weights w, dual variables b and multipliers; each dual variable lies strictly between its limits."""

    def __init__(self, problem: Problem):
        dual = self.dual = problem.dual
        self.problem, self.bend = problem, 2.0 * dual.quadratic
        self.w, self.fitted = np.zeros(problem.F.shape[1]), np.zeros(len(problem.F))
        middle = np.full(len(dual.scale), 0.5 if dual.high < np.inf else 1.0)
        self.b = middle if dual.low > -np.inf else 0.0 * middle
        slope = dual.slope(self.b)
        apart = float(np.abs(slope).mean()) or 1.0
        self.limits: list[DualLimits] = []
        if dual.low > -np.inf:
            self.limits.append(DualLimits(1.0, self.b - dual.low, np.maximum(-slope, 0.0) + apart))
        if dual.high < np.inf:
            self.limits.append(DualLimits(-1.0, dual.high - self.b, np.maximum(slope, 0.0) + apart))

    @property
    def mu(self) -> float:
        """The mean, over all limits of dual variables, of distance times multiplier; steps lower it towards zero."""
        return float(np.mean([limit.distance @ limit.multiplier / len(limit.distance) for limit in self.limits]))

    def advance(self, pull: Array) -> bool:
        """Make one Newton step; return False if rounding prevents it.

        `pull` is `problem.pull(b)` for the present dual variables b, which the caller has at hand.
        """
        self.pull = pull
        stiffness = self.bend + sum((limit.multiplier / limit.distance for limit in self.limits), np.zeros(len(self.b)))
        self.weights = 1.0 / stiffness
        solve = self.problem.solver(self.weights)
        if solve is None:
            return False
        step = self._step(solve, 0.0, [0.0] * len(self.limits))
        changes = [limit.change(step.b, 0.0) for limit in self.limits]
        if self.limits:
            along, mu = min(1.0, self._reach(step.b, changes)), self.mu
            ahead = [
                (limit.distance + along * limit.sign * step.b) @ (limit.multiplier + along * change) / len(change)
                for limit, change in zip(self.limits, changes, strict=True)
            ]
            target = mu * (float(np.mean(ahead)) / mu) ** 3 if mu else 0.0  # tiny numbers underflow at a tiny lambda
            products = [limit.sign * step.b * change for limit, change in zip(self.limits, changes, strict=True)]
            step = self._step(solve, target, products)
            changes = [limit.change(step.b, target, each) for limit, each in zip(self.limits, products, strict=True)]
            if self._reach(step.b, changes) < SHORT:  # towards points with equal distance times multiplier
                step = self._step(solve, mu, [0.0] * len(self.limits))
                changes = [limit.change(step.b, mu) for limit in self.limits]
        along = min(1.0, STAY * self._reach(step.b, changes)) if self.limits else 1.0
        self.w, self.fitted = self.w + along * step.w, self.fitted + along * step.fitted
        self.b = self.b + along * step.b
        for limit, change in zip(self.limits, changes, strict=True):
            limit.distance = limit.distance + along * limit.sign * step.b
            limit.multiplier = limit.multiplier + along * change
        return bool(np.isfinite(self.w).all() and np.isfinite(self.b).all())

    def _step(self, solve: Solver, target: float, products: Sequence[Array | float]) -> Step:
        pushes = (limit.push(target, product) for limit, product in zip(self.limits, products, strict=True))
        push = sum(pushes, self.dual.slope(self.b) - self.dual.spread(self.fitted))
        w = solve(self.problem.pull(self.weights * push) + self.pull - 2.0 * self.problem.regularisation * self.w)
        fitted = self.problem.F @ w
        return Step(w, fitted, self.weights * (push - self.dual.spread(fitted)))

    def _reach(self, db: Array, changes: Sequence[Array]) -> float:
        """Return the largest multiple of a step that moves no dual variable beyond a limit and no multiplier below 0.

        `db` is the change of the dual variables, and `changes` are the changes of the multipliers.
        """
        pairs = zip(self.limits, changes, strict=True)
        return min(
            (min(_reach(limit.distance, limit.sign * db), _reach(limit.multiplier, change)) for limit, change in pairs),
            default=np.inf,
        )


def solve_problem(problem: Problem) -> tuple[Array, Array]:
    """Return nearly optimal weights w and dual variables b; each dual variable lies between its limits."""
    best = Best(problem)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if not (_well_conditioned(problem) and _first_order(problem, best)):
            best = Best(problem)  # with a new `Best`: the first Newton steps are worse, and must not count as idle
            (_newton if problem.dual.entropy else _interior_point)(problem, best)
    return best.w, best.b


def _well_conditioned(problem: Problem) -> bool:
    """Return whether a first-order method may be faster than Newton steps.

    Let q be the sum of the squared entries of `problem.F`, times the largest squared entry of `problem.dual.scale`. The
    condition is that q / lambda is at most 3 times the number of features.
    """
    F, scale = problem.F, float(np.square(problem.dual.scale).max(initial=0.0))
    energy = float(np.einsum("ij,ij->", F, F))
    return bool(energy * scale <= WELL_CONDITIONED * F.shape[1] * problem.regularisation)


def _first_order(problem: Problem, best: Best) -> bool:
    """Maximise the dual by L-BFGS-B, and keep the best weights and dual variables in `best`.

    Return whether the duality gap became so small that no Newton steps are needed. The time is limited to about that of
    a few Newton steps.
    """
    dual, at = problem.dual, problem.regularisation

    def negative_dual(b: Array) -> tuple[float, Array]:
        pull = problem.pull(b)
        w = pull / (2.0 * at)
        fitted = problem.F @ w
        best.take(w, fitted, b, pull)
        if best.gap <= NEAR * best.upper:
            raise StopIteration
        slope = dual.slope(b) - dual.spread(fitted)
        if dual.entropy:
            slope -= scipy.special.logit(b)
        return 0.5 * float(pull @ w) - float(dual.values(b).sum()), -slope

    edge = EDGE if dual.entropy else 0.0
    ends = [(dual.low + edge, dual.high - edge)] * len(dual.scale)
    start = np.full(len(ends), 0.5 if dual.entropy else 0.0)
    calls = max(problem.F.shape[1] // 2, FEW)
    options = {"maxiter": calls, "maxfun": calls, "maxcor": 30, "ftol": 0.0, "gtol": 0.0}
    with contextlib.suppress(StopIteration):
        scipy.optimize.minimize(negative_dual, start, jac=True, method="L-BFGS-B", bounds=ends, options=options)
    return best.gap <= NEAR * best.upper


def _interior_point(problem: Problem, best: Best) -> None:
    at = InteriorPoint(problem)
    for _ in range(STEPS):
        pull = problem.pull(at.b)
        if best.take(at.w, at.fitted, at.b, pull) or not at.advance(pull):
            return


def _newton(problem: Problem, best: Best) -> None:
    """Minimise the penalised logistic loss over the weights w by Newton steps, and keep the best result in `best`.

    The dual variables are b = -phi'(m), where phi is the loss as a function of the margin m.
    """
    F, dual, at = problem.F, problem.dual, problem.regularisation
    w, fitted = np.zeros(F.shape[1]), np.zeros(len(F))
    for _ in range(STEPS):
        b = scipy.special.expit(-dual.spread(fitted))
        pull = problem.pull(b)
        if best.take(w, fitted, b, pull):
            return
        solve = problem.solver(b * (1.0 - b))
        if solve is None:
            return
        step = solve(pull - 2.0 * at * w)
        moved = F @ step
        if not np.isfinite(moved).all():
            return
        along = _least(partial(_slope, problem, w, fitted, step, moved))
        w, fitted = w + along * step, fitted + along * moved


def _slope(problem: Problem, w: Array, fitted: Array, step: Array, moved: Array, along: float) -> float:
    """Return the derivative, with respect to `along`, of the objective at `w` + `along` times `step`.

    The objective is the penalised logistic loss. `fitted` is F w, and `moved` is F times `step`.
    """
    ahead = scipy.special.expit(-problem.dual.spread(fitted + along * moved))
    return float(2.0 * problem.regularisation * (w + along * step) @ step - problem.dual.vector(ahead) @ moved)


def _least(slope: Callable[[float], float]) -> float:
    """Return a number > 0 near the minimiser of a convex function whose derivative `slope` is negative at 0."""
    start, end = slope(0.0), 1.0
    if abs(slope(end)) <= 0.1 * abs(start) or not start < 0.0:
        return end
    while slope(end) < 0.0 and end < 2.0**40:
        end *= 2.0
    if slope(end) < 0.0:
        return end
    return float(scipy.optimize.brentq(slope, 0.0, end, xtol=1e-12 * end, rtol=1e-3))


def _reach(values: Array, changes: Array) -> float:
    """Return the largest number s for which no entry of `values` + s * `changes` is negative."""
    ratios = changes / values
    least = float(ratios.min(initial=0.0))
    return -1.0 / least if least < 0.0 else np.inf

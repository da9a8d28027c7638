"""The functions f_1, f_2, ... of a gradient descent in the RKHS, recomputed from the gradients of a match (theory E16).

One step is f_{t+1} = factor_t f_t - eta_t g_t k(x_t, .) - removed_t. Here factor_t is a number, g_t the derivative of
the loss at the prediction of the match, and removed_t the function that is removed to keep a budget. For the objective
loss_t + (shrinkage / 2) |f|^2, the same step is

    f_{t+1} = f_t - eta_t (gradient_t + error_t),     gradient_t = g_t k(x_t, .) + shrinkage f_t.

This equation defines error_t, the effect of the changes that keep a budget.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.game.losses import Logistic, Loss, MarginLoss, SmoothHinge, Squared
from arena.hindsight.checkpoints import checkpoints
from arena.hindsight.duals import dual_of, has_dual
from arena.hindsight.interior_point import Problem, solve_problem
from arena.record.cached import once_per_match
from arena.record.transcript import Transcript
from arena.theorems.recomputed.points import orthonormal_functions

MOST_POINTS = 5000  # most rounds plus removed atoms, since their kernel matrix is in memory
MOST_ATOMS = 300  # points whose kernels span the comparators
CANCELLED = 1e-14  # share of a step: rounding that stays when a step far larger than f is removed again
WHOLE = 1e-9  # share of a removed weight: if less is left of the coefficient, the whole atom was removed


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class Rule:
    """The steps of a descent: the objective, the step sizes `eta`, and the changes of f that keep a budget.

    - The objective is `loss` + (`shrinkage` / 2) |f|^2.
    - `factors` has the number by which f is multiplied in each round.
    - `removed` has the round, the weight and the point of each removal from f.
    - `start` is the factor of |g|^2 in the regret bound for a comparator g.
    """

    loss: Loss
    labels: Array  # labels of the match or their signs, whichever the loss takes
    eta: Array
    shrinkage: float
    factors: Array  # by which f was multiplied in each round, in total
    removed: tuple[Array, Array, Array]  # round, weight and point of each removal
    start: float


@dataclass(frozen=True, eq=False)
class Path:
    """Values and norms of the functions f_t of a descent, with comparators g for its regret bound.

    A step is f_{t+1} = f_t - eta_t (gradient_t + error_t); error_t is the effect of changes that keep a budget.
    `explained` has <error_t, g - f_t>, and `losses` has the loss of g: one row for each round, one column for each g.
    `norms` has |g|^2. The other arrays have one entry for each round: f_t(x_t) in `values`, the scale of its rounding
    error in `masses`, |f_t|^2 in `squared_norms`, and |gradient_t + error_t|^2 in `energies`.
    """

    values: Array  # f_t(x_t)
    masses: Array  # sum of |weight| |k(x, x_t)| over the steps that f_t consists of
    squared_norms: Array  # |f_t|^2
    energies: Array  # |gradient_t + error_t|^2
    explained: Array  # <error_t, g - f_t> for each function g
    losses: Array  # of g in every round
    norms: Array  # |g|^2


def inverse_steps(run: Transcript, strength: float) -> Array:
    """Return the step 1 / (lambda t) of every round t, where lambda is `strength`."""
    return np.asarray(1.0 / (strength * np.arange(1, run.rounds + 1)))


@once_per_match
def descent(run: Transcript, loss: Loss | None, strength: float, rate: float | None) -> Path:
    """Return the functions of gradient descent on the game's loss, with comparators, as a `Path`.

    If `loss` is given, it replaces the game's loss, and the signs of the labels replace the labels. `strength` is
    lambda, the shrinkage of the objective. The step size is `rate`, or 1 / (lambda t) if `rate` is None.
    """
    labels = run.labels if loss is None else np.sign(run.labels)
    eta = inverse_steps(run, strength) if rate is None else np.full(run.rounds, rate)
    start = 0.0 if rate is None else 0.5 / rate
    return descent_path(run, rule_of(run, loss or run.game.loss, labels, eta, strength, start))


def rule_of(run: Transcript, loss: Loss, labels: Array, eta: Array, shrinkage: float, start: float) -> Rule:
    """Return the `Rule` of a descent with the steps `eta`.

    The factors by which the learner multiplied its function, and what it removed to keep a budget, are read from the
    evidence. `start` is the factor of |g|^2 in the regret bound for a comparator g.
    """
    evidence, plain = run.evidence, 1.0 - eta * shrinkage
    factors = evidence["factors"][: run.rounds] if "factors" in evidence else plain
    rounds = evidence.get("removed_rounds", np.empty(0))
    kept = rounds <= run.rounds
    weights = evidence.get("removed_weights", np.empty(0))[kept]
    points = evidence.get("removed_points", np.empty((0, run.points.shape[1])))[kept]
    return Rule(loss, labels, eta, shrinkage, np.asarray(factors), (rounds[kept], weights, points), start)


def descent_path(run: Transcript, rule: Rule) -> Path:
    """Return the `Path` of the descent with this `Rule`; its comparators are those of `worst_comparators`."""
    rounds = run.rounds
    removed_rounds, removed_weights, removed_points = rule.removed
    atoms = np.concatenate([run.points, removed_points])
    K = run.game.kernel.gram(atoms, atoms)
    E = orthonormal_functions(run.game.kernel, atoms, MOST_ATOMS)  # functions e_i that span the comparators
    errors = np.zeros((rounds, E.shape[1]))  # error_t in coordinates of the e_i, one row for each round
    a, u = np.zeros(len(atoms)), np.zeros(len(atoms))  # coefficients of f_t and its values at all atoms
    steps = np.zeros(len(atoms))  # |steps| of which the coefficients consist
    values, masses, squared_norms, energies, own = (np.empty(rounds) for _ in range(5))
    slopes = np.asarray(rule.loss.derivative(run.predictions, rule.labels))
    # with a factor above one, the rounding errors of removed atoms would grow from round to round
    atoms_of_f = _Atoms(K, atoms, a, steps) if (rule.factors > 1.0).any() else None
    for t in range(rounds):
        eta, slope, factor = rule.eta[t], slopes[t], rule.factors[t]
        values[t], squared_norms[t], masses[t] = u[t], max(float(a @ u), 0.0), steps @ np.abs(K[t])
        out = rounds + np.flatnonzero(removed_rounds == t + 1)
        w = removed_weights[out - rounds]
        lost, extra = 1.0 - factor, 1.0 - eta * rule.shrinkage - factor
        # A cap may remove nearly all of the weight that this round has added. The rest would be lost in a difference of
        # squares, so weights at x_t are added up first.
        here = (atoms[out] == atoms[t]).all(axis=1)
        step, others, v = eta * slope + float(w[here].sum()), out[~here], w[~here]
        others_at = v @ K[others]
        square = lost**2 * squared_norms[t] + 2.0 * lost * (v @ u[others]) + v @ others_at[others]
        energies[t] = (square + 2.0 * step * (lost * u[t] + others_at[t]) + step**2 * K[t, t]) / eta**2
        own[t] = (extra * squared_norms[t] + w @ u[out]) / eta
        if extra or len(out):
            errors[t] = (extra * (a @ E) + w @ E[out]) / eta
        a *= factor
        u *= factor
        steps *= abs(factor)
        a[t] -= eta * slope
        steps[t] = abs(eta * slope)
        a[out] -= w
        u -= step * K[t] + others_at
        if atoms_of_f is not None:
            u = atoms_of_f.settled(t, out)
    W = worst_comparators(E[:rounds], rule, errors)
    explained = errors @ W - own[:, np.newaxis]
    losses = np.asarray(rule.loss.value(E[:rounds] @ W, rule.labels[:, np.newaxis]))
    return Path(values, masses, squared_norms, energies, explained, losses, np.square(W).sum(axis=0))


class _Atoms:
    """The atoms of a descent's function f, without those that the learner has removed.

    A removal may take a part of an atom's coefficient. An atom whose whole coefficient is removed is dropped.
    """

    def __init__(self, K: Array, points: Array, coefficients: Array, steps: Array):
        self.K, self.points, self.coefficients, self.steps = K, points, coefficients, steps
        self.active: list[int] = []

    def settled(self, t: int, removals: NDArray[np.int64]) -> Array:
        """Add the atom of round t (counted from 0), apply the removals of this round, and return f at all `points`.

        `points` and `coefficients` have the atoms of all rounds, and then one entry for each removal: the point, and
        the removed weight with its sign changed. `removals` has the indices of the entries for this round's removals.
        In `steps`, the entry of an atom grows with each removal of a part, and the entry of a dropped atom becomes 0.
        """
        a = self.coefficients
        # first the atoms that were removed whole, then the parts of coefficients, the largest part first
        cut = [part for part in removals.tolist() if not self._remove_whole(part)]
        self.active.append(t)
        for part in sorted(cut, key=lambda each: -abs(float(a[each]))):
            same = [at for at in self.active if (self.points[at] == self.points[part]).all() and a[at] * a[part] < 0.0]
            if same:
                largest = max(same, key=lambda each: abs(float(a[each])))
                a[largest] += a[part]
                self.steps[largest] += abs(a[part])
                a[part] = 0.0
            else:
                self.active.append(part)
        return np.asarray(a[self.active] @ self.K[self.active])

    def _remove_whole(self, part: int) -> bool:
        a = self.coefficients
        for at in self.active:
            if abs(a[at] + a[part]) <= WHOLE * abs(a[part]) and (self.points[at] == self.points[part]).all():
                self.active.remove(at)
                a[at] = a[part] = self.steps[at] = 0.0
                return True
        return False


def worst_comparators(F: Array, rule: Rule, errors: Array) -> Array:
    """Return the coefficients w of comparators g, one column each: g = 0, and the worst g up to each checkpoint.

    The comparators are g = sum_i w_i e_i with orthonormal functions e_i, whose values at x_t are in row t of `F`. The
    worst g approximately maximises the regret to g minus the bound for g. Row t of `errors` has the coordinates of
    error_t in the e_i. In the step f_{t+1} = f_t - eta_t (gradient_t + error_t), error_t is the effect of changes that
    keep a budget.
    """
    found = [np.zeros(F.shape[1])]
    for t in checkpoints(len(F)) if F.shape[1] else ():
        penalty = 0.5 * rule.shrinkage * t + rule.start
        w = tilted_minimiser(rule.loss, F[:t], rule.labels[:t], penalty, errors[:t].sum(axis=0))
        if np.isfinite(w).all():
            found.append(w)
    return np.array(found).T


@dataclass(frozen=True, eq=False)
class _Moved(Loss):
    """A loss with shifted predictions: its value at a prediction is `loss` at prediction - `offset`."""

    loss: Loss
    offset: Array

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        return self.loss.value(prediction - self.offset, label)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        return self.loss.derivative(prediction - self.offset, label)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return np.inf

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        return np.inf

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        return 0.0


def tilted_minimiser(loss: Loss, F: Array, labels: Array, penalty: float, tilt: Array) -> Array:
    """Return an approximate minimiser of sum loss(F w) + penalty |w|^2 + tilt'w.

    >>> tilted_minimiser(Squared(), np.ones((1, 1)), np.ones(1), 1.0, np.array([1.0])).round(9)  # (w - 1)^2 + w^2 + w
    array([0.25])
    """
    # in v = w + shift the objective has no linear term, and the loss is that of F v minus an offset
    shift = tilt / (2.0 * penalty)
    offset = F @ shift
    with np.errstate(all="ignore"):
        if isinstance(loss, Logistic) or not has_dual(loss):
            return minimiser(loss, F, labels, 2.0 * penalty, tilt)
        dual = dual_of(loss, labels)
        # min_z l(z - offset) + a z = min_z l(z) + a z, plus a offset
        dual = dataclasses.replace(dual, linear=dual.linear + dual.spread(offset))
        v, _ = solve_problem(Problem(F, _Moved(loss, offset), labels, dual, penalty))
    return np.asarray(v - shift)


def minimiser(loss: Loss, F: Array, labels: Array, strength: float, tilt: Array | float = 0.0) -> Array:
    """Return an approximate minimiser of sum loss(F w) + (strength / 2) |w|^2 + tilt'w.

    A loss that is not smooth is replaced by `smoothed(loss)`.
    """
    smooth = smoothed(loss)

    def objective(w: Array) -> tuple[float, Array]:
        z = F @ w
        slope = np.asarray(smooth.derivative(z, labels))
        value = float(np.sum(smooth.value(z, labels)) + 0.5 * strength * (w @ w) + np.sum(tilt * w))
        return value, F.T @ slope + strength * w + tilt

    found = scipy.optimize.minimize(
        objective, np.zeros(F.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return np.asarray(found.x)


def smoothed(loss: Loss) -> Loss:
    """Return `loss` if it is smooth, a smooth hinge loss for any other margin loss, and else the squared loss."""
    if not np.isinf(loss.smoothness(1.0, 1.0)):
        return loss
    return SmoothHinge(0.1) if isinstance(loss, MarginLoss) else Squared()

"""The functions f_1, f_2, ... of a gradient descent in the RKHS, computed again from its gradients (theory E16).

One step is f_{t+1} = factor_t f_t - eta_t g_t k(x_t, .) - removed_t, with g_t the derivative of the loss at the
prediction that was made. Against the objective loss_t + (shrinkage / 2) |f|^2 that is

    f_{t+1} = f_t - eta_t (gradient_t + error_t),     gradient_t = g_t k(x_t, .) + shrinkage f_t,

so that a change of f that keeps a budget is an error of the gradient. All inner products are sums of kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.game.losses import Loss, MarginLoss, SmoothHinge, Squared
from arena.record.transcript import Transcript
from arena.theorems.recomputed import once_per_match
from arena.theorems.recomputed.points import orthonormal_combinations

LONGEST = 5000  # rounds and removed atoms together: their kernel matrix is in memory
MOST_ATOMS = 300  # of the comparators
WHOLE = 1e-9  # of a coefficient: if no more than this is left of it, the whole atom was removed
STRENGTHS = (0.3, 1.0, 3.0)  # times the penalty: regularisation of the comparators


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class Rule:
    """The steps of a descent: sizes, the shrinkage of its objective, and changes that keep a budget."""

    loss: Loss
    labels: Array  # as the learner sees them
    eta: Array
    shrinkage: float
    factors: Array  # by which f was multiplied in each round, in total
    removed: tuple[Array, Array, Array]  # round, weight and point of each removal


@dataclass(frozen=True, eq=False)
class Path:
    """Numbers of f_t and its step, one row per round, and of the comparators g, one column each."""

    values: Array  # f_t(x_t)
    squared_norms: Array  # |f_t|^2
    energies: Array  # |gradient_t + error_t|^2
    explained: Array  # <error_t, g - f_t> for each function g
    losses: Array  # of g
    norms: Array  # |g|^2


def inverse_steps(run: Transcript, strength: float) -> Array:
    """Return 1 / (lambda t) for every round."""
    return np.asarray(1.0 / (strength * np.arange(1, run.rounds + 1)))


@once_per_match
def descent(run: Transcript, loss: Loss | None, strength: float, rate: float | None) -> Path:
    """Repeat the descent of a learner on its own loss of label signs, if it has one, else on the game's.

    Its steps are constant, or 1 / (lambda t) if no rate is given.
    """
    labels = run.labels if loss is None else np.sign(run.labels)
    eta = inverse_steps(run, strength) if rate is None else np.full(run.rounds, rate)
    return descent_path(run, rule_of(run, loss or run.game.loss, labels, eta, strength))


def rule_of(run: Transcript, loss: Loss, labels: Array, eta: Array, shrinkage: float) -> Rule:
    """Return the rule, with factors and removals from the evidence."""
    evidence, plain = run.evidence, 1.0 - eta * shrinkage
    factors = evidence["factors"][: run.rounds] if "factors" in evidence else plain
    rounds = evidence.get("removed_rounds", np.empty(0))
    kept = rounds <= run.rounds
    weights = evidence.get("removed_weights", np.empty(0))[kept]
    points = evidence.get("removed_points", np.empty((0, run.points.shape[1])))[kept]
    return Rule(loss, labels, eta, shrinkage, np.asarray(factors), (rounds[kept], weights, points))


def descent_path(run: Transcript, rule: Rule) -> Path:
    """Repeat all steps, and compute their inner products with the comparators."""
    rounds = run.rounds
    removed_rounds, removed_weights, removed_points = rule.removed
    atoms = np.concatenate([run.points, removed_points])
    K = run.game.kernel.gram(atoms, atoms)
    G, norms = comparators(run, rule, atoms)
    a, u = np.zeros(len(atoms)), np.zeros(len(atoms))  # coefficients of f_t and its values at all atoms
    values, squared_norms, energies = np.empty(rounds), np.empty(rounds), np.empty(rounds)
    explained = np.empty((rounds, len(norms)))
    slopes = np.asarray(rule.loss.derivative(run.predictions, rule.labels))
    # where f is multiplied by more than one, the rounding of what was removed would grow from round to round
    atoms_of_f = _Atoms(K, atoms, a) if (rule.factors > 1.0).any() else None
    for t in range(rounds):
        eta, slope, factor = rule.eta[t], slopes[t], rule.factors[t]
        values[t], squared_norms[t] = u[t], max(float(a @ u), 0.0)
        out = rounds + np.flatnonzero(removed_rounds == t + 1)
        w = removed_weights[out - rounds]
        lost, extra = 1.0 - factor, 1.0 - eta * rule.shrinkage - factor
        removed_at = w @ K[out]
        square = lost**2 * squared_norms[t] + 2.0 * lost * (w @ u[out]) + w @ removed_at[out]
        energies[t] = square / eta**2 + 2.0 * slope * (lost * u[t] + removed_at[t]) / eta + slope**2 * K[t, t]
        own = extra * squared_norms[t] + w @ u[out]
        explained[t] = (extra * (G @ a) + G[:, out] @ w - own) / eta
        a *= factor
        u *= factor
        a[t] -= eta * slope
        a[out] -= w
        u -= eta * slope * K[t] + removed_at
        if atoms_of_f is not None:
            u = atoms_of_f.settled(t, out)
    losses = np.asarray(rule.loss.value(G[:, :rounds].T, rule.labels[:, np.newaxis]))
    return Path(values, squared_norms, energies, explained, losses, norms)


class _Atoms:
    """The atoms of f that are not removed, so that f is summed anew in each round.

    The coefficient of a removed atom is taken from the atom itself, and with it the rounding of all rounds before.
    """

    def __init__(self, K: Array, points: Array, coefficients: Array):
        self.K, self.points, self.coefficients = K, points, coefficients
        self.active: list[int] = []

    def settled(self, t: int, out: NDArray[np.int64]) -> Array:
        """The values of f at all points after round t, in which parts with the numbers `out` were removed."""
        a = self.coefficients
        # whole atoms first; of what is cut off large coefficients, the largest part first
        cut = [part for part in out.tolist() if not self._remove_whole(part)]
        self.active.append(t)
        for part in sorted(cut, key=lambda each: -abs(float(a[each]))):
            same = [at for at in self.active if (self.points[at] == self.points[part]).all() and a[at] * a[part] < 0.0]
            if same:
                a[max(same, key=lambda each: abs(float(a[each])))] += a[part]
                a[part] = 0.0
            else:
                self.active.append(part)
        return np.asarray(a[self.active] @ self.K[self.active])

    def _remove_whole(self, part: int) -> bool:
        a = self.coefficients
        for at in self.active:
            if abs(a[at] + a[part]) <= WHOLE * abs(a[part]) and (self.points[at] == self.points[part]).all():
                self.active.remove(at)
                a[at] = a[part] = 0.0
                return True
        return False


def comparators(run: Transcript, rule: Rule, atoms: Array) -> tuple[Array, Array]:
    """Return the values of some comparators at the atoms, one row each, and their squared norms.

    They are zero, and near minimisers of the objective of the first quarter, the first half and all rounds.
    """
    points = np.unique(run.points, axis=0)
    points = points[:: -(-len(points) // MOST_ATOMS)]
    kernel = run.game.kernel
    combinations = orthonormal_combinations(kernel, points)
    F = kernel.gram(run.points, points) @ combinations
    penalty = rule.shrinkage or 1.0 / (run.rounds * float(rule.eta[0]))
    weights = [np.zeros(F.shape[1])]
    for rounds in sorted({max(run.rounds // 4, 1), max(run.rounds // 2, 1), run.rounds}):
        weights += [
            minimiser(rule.loss, F[:rounds], rule.labels[:rounds], strength * penalty * rounds)
            for strength in STRENGTHS
        ]
    B = combinations @ np.array(weights).T  # the coefficients of each function, one column for each
    return (kernel.gram(atoms, points) @ B).T, np.einsum("ij,ij->j", B, kernel.gram(points, points) @ B)


def minimiser(loss: Loss, F: Array, labels: Array, strength: float) -> Array:
    """Return nearly the minimiser of sum loss(F w) + (strength / 2) |w|^2; a loss with kinks is smoothed first."""
    smooth = loss
    if np.isinf(loss.smoothness(1.0, 1.0)):
        smooth = SmoothHinge(0.1) if isinstance(loss, MarginLoss) else Squared()

    def objective(w: Array) -> tuple[float, Array]:
        z = F @ w
        slope = np.asarray(smooth.derivative(z, labels))
        return float(np.sum(smooth.value(z, labels)) + 0.5 * strength * (w @ w)), F.T @ slope + strength * w

    found = scipy.optimize.minimize(
        objective, np.zeros(F.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return np.asarray(found.x)

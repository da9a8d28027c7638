"""Gradient methods on weights w of w'x + b, recomputed from the gradients of a match, and their worst comparators.

Every method here satisfies, for all w, the inequality

    sum_t J_t(w_t) - J_t(w) <= sum_{t,i} c_{t,i} (w_{t,i} - w_i)^2 / 2 + sum_{t,i} G_{t,i}^2 / (2 H_{t,i}) + l1 |w|_1.

- J_t is the loss plus (shrinkage / 2) |w|^2, and G_t is the gradient of J_t at w_t.
- H_{t,i} is the inverse step size of weight i in round t.
- c_{t,i} are called pulls. For the steps w_{t+1} = w_t - G_t / H_t they are H_t - H_{t-1} - shrinkage. Then the
  inequality follows by summing |w_t - w|^2 - |w_{t+1} - w|^2, in the norm of H_t, over the rounds.
- l1 >= 0 is the weight of a penalty on |w|_1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss, Squared
from arena.hindsight.checkpoints import checkpoints
from arena.record.transcript import Transcript
from arena.theorems.recomputed.descent import tilted_minimiser

SMALLEST = 1e-200  # an objective whose largest curvature is below this counts as flat
TINY = 1e-12  # share of the largest curvature: the least curvature by which a coordinate is scaled


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class Trajectory:
    """The weights of a gradient method in every round, and the numbers in its regret bound.

    - `weights` has the weight w_{t,i} in row t and column i; an intercept is the last weight.
    - `pulls` has the factors c_{t,i} of the terms c_{t,i} (w_{t,i} - w_i)^2 / 2, which the bound on the regret to a
      comparator with the weights w_i has.
    - `energies` has for each round the sum over i of G_{t,i}^2 / H_{t,i}, where G_t is the gradient, and 1 / H_{t,i}
      the step of weight i.
    - `shrinkage` has the factors of w_i^2 / 2 in the objective of a round; `sparsity` is the factor of |w|_1 in the
      bound.
    """

    features: Array
    weights: Array
    pulls: Array
    energies: Array
    shrinkage: Array  # one number for each weight
    sparsity: float = 0.0  # l1


@dataclass(frozen=True, eq=False)
class LinearComparators:
    """Comparators w, one column each: their losses, and the terms of the regret bound that depend on w.

    - `losses` has the loss of w in each round (rows).
    - `explained` has in row t the sum over i of (c_{t,i} (w_{t,i} - w_i)^2 + shrinkage_i w_i^2) / 2. Here w_{t,i} is
      the learner's weight i, and c_{t,i} its pull. Row 1 also has the penalty l1 |w|_1, where l1 is `sparsity` of the
      `Trajectory`.
    - `sizes` has the scale of the rounding error of each number in `explained`.
    """

    weights: Array
    losses: Array
    explained: Array
    sizes: Array


def with_intercept(points: Array) -> Array:
    """Return the points with one more coordinate, which is 1."""
    return np.column_stack([points, np.ones(len(points))])


def descent_with_metric(
    run: Transcript, features: Array, metric: Callable[[int, Array], Array], shrinkage: Array
) -> Trajectory:
    """Return the `Trajectory` of w_{t+1} = w_t - G_t / H_t from w_1 = 0.

    The step of weight i in round t is 1 / H_{t,i}. G_t is the gradient of the loss plus sum_i shrinkage_i w_i^2 / 2.
    The loss's slope is taken at the prediction of the match. `metric(t, S)` returns H_t for round t, counted from 0,
    where S is the sum of the squared gradients up to this round. A weight with H_{t,i} = 0 does not move, as its
    gradient is zero.
    """
    rounds, width = features.shape
    weights, metrics, energies = np.zeros((rounds, width)), np.zeros((rounds, width)), np.zeros(rounds)
    w, squares = np.zeros(width), np.zeros(width)
    with np.errstate(all="ignore"):
        for t in range(rounds):
            gradient = run.slopes[t] * features[t] + shrinkage * w
            squares = squares + np.square(gradient)
            weights[t], metrics[t] = w, metric(t, squares)
            step = np.divide(gradient, metrics[t], out=np.zeros(width), where=metrics[t] > 0)
            energies[t] = gradient @ step
            w = w - step
        pulls = np.diff(metrics, axis=0, prepend=0.0) - shrinkage
    return Trajectory(features, weights, pulls, energies, shrinkage)


def comparators_of(run: Transcript, path: Trajectory) -> LinearComparators:
    """Return as `LinearComparators` the comparator w = 0, and the worst w for the first 1, 2, 4, ... and all rounds.

    The worst w approximately maximises the regret to w minus the bound for w. The bound is taken without the penalty on
    |w|_1.
    """
    found = [np.zeros(path.features.shape[1])]
    with np.errstate(all="ignore"):
        drawn = path.pulls * path.weights
        for t in checkpoints(run.rounds):
            curvature = path.pulls[:t].sum(axis=0) + t * path.shrinkage
            w = scaled_minimiser(run.game.loss, path.features[:t], run.labels[:t], curvature, -drawn[:t].sum(axis=0))
            if np.isfinite(w).all():
                found.append(w)
        W = np.array(found).T
        losses = np.asarray(run.game.loss.value(path.features @ W, run.labels[:, np.newaxis]))
        own = (drawn * path.weights).sum(axis=1)[:, np.newaxis]
        theirs = path.pulls @ np.square(W)
        penalty = 0.5 * path.shrinkage @ np.square(W)
        mass = path.sparsity * np.abs(W).sum(axis=0) * (np.arange(run.rounds) == 0)[:, np.newaxis]
        explained = 0.5 * (own - 2.0 * drawn @ W + theirs) + penalty + mass
        sizes = 0.5 * (np.abs(own) + 2.0 * np.abs(drawn) @ np.abs(W) + np.abs(theirs)) + penalty + mass
    return LinearComparators(W, losses, explained, sizes)


def scaled_minimiser(loss: Loss, F: Array, labels: Array, curvature: Array, tilt: Array | float = 0.0) -> Array:
    """Return an approximate minimiser of sum loss(F w) + sum_i curvature_i w_i^2 / 2 + tilt'w.

    If `curvature` or `tilt` has an entry that is not finite, all entries of the result are NaN.

    >>> scaled_minimiser(Squared(), np.ones((1, 1)), np.ones(1), np.array([2.0]), -2.0)  # (w - 1)^2 + w^2 - 2 w
    array([1.])
    """
    if not F.shape[1] or not (np.isfinite(curvature).all() and np.isfinite(tilt).all()):
        return np.full(F.shape[1], np.nan)
    steepest = max(float(curvature.max()), float(np.square(F).sum(axis=0).max()))
    if steepest < SMALLEST:
        return np.zeros(F.shape[1])
    scale = 1.0 / np.sqrt(np.maximum(curvature, TINY * steepest))
    tilt, F = tilt * scale, F * scale
    if isinstance(loss, Squared):
        curvature = curvature * scale**2
        solved = np.linalg.lstsq(2.0 * F.T @ F + np.diag(curvature), 2.0 * F.T @ labels - tilt, rcond=None)[0]
        return np.asarray(scale * solved)
    return np.asarray(scale * tilted_minimiser(loss, F, labels, 0.5, tilt))

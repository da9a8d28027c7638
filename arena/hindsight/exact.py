"""The best predictor in hindsight for the squared loss, for every prefix of a match.

Let mean_t and v_t be the mean and the variance of ridge regression on the earlier rounds at the point of round t, and
s_t = 1 + v_t / lambda. With one factorisation K + lambda I = L L' and e = L^-1 y,

    min_f sum_{s<=t} (f(x_s) - y_s)^2 + lambda |f|^2  =  lambda sum_{s<=t} e_s^2  =  sum_{s<=t} (y_s - mean_s)^2 / s_s
    log det(I + K_t / lambda) = sum log s_s           online dimension = sum (1 - 1 / s_s)

(Zhdanov and Kalnishkan 2013; Jezequel et al. 2019, Prop. 1.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.linalg.posterior import RidgePosterior


@dataclass(eq=False)  # == of arrays has no single truth value
class RidgeHindsight:
    """Ridge regression on every prefix: predictions one round ahead, their variances, and the final residuals.

    Each array has an entry for every round.

    - `mean` and `variance`: computed at the round's point from the earlier rounds.
    - `residuals`: y_t - f(x_t), where f is the best function for the whole sequence.
    - `stretch`: s_t = 1 + v_t / lambda, where v_t is the variance; at least one.
    - `leverage`: the ridge leverage 1 - 1 / s_t of the round's point.
    - `increments`: the amount by which the round raises the least penalised loss of the rounds so far.
    - `plain_losses`: the squared loss, without the penalty, of the best function for the whole sequence.
    """

    regularisation: float
    labels: Array
    mean: Array
    variance: Array
    residuals: Array
    stretch: Array = field(init=False, repr=False)
    leverage: Array = field(init=False, repr=False)
    increments: Array = field(init=False, repr=False)
    plain_losses: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # a user's own kernel may give infinite variances
            self.stretch = 1.0 + self.variance / self.regularisation
            self.leverage = self.variance / (self.variance + self.regularisation)
            self.increments = np.square(self.labels - self.mean) / self.stretch
            self.plain_losses = np.square(self.residuals)

    @cached_property
    def optimum(self) -> Array:
        """The least penalised loss of every prefix: min over f of sum (f(x_t) - y_t)^2 + lambda |f|^2."""
        return np.asarray(np.cumsum(self.increments))

    @cached_property
    def log_determinant(self) -> Array:
        """The log-determinant log det(I + K_t / lambda) of every prefix."""
        return np.asarray(np.cumsum(np.log1p(self.variance / self.regularisation)))

    @cached_property
    def online_dimension(self) -> Array:
        """For every round, the sum of the leverages of this round and all earlier ones."""
        return np.asarray(np.cumsum(self.leverage))

    @property
    def squared_norm(self) -> float:
        """The squared norm |f|^2 of the best function f for the whole sequence.

        It is a'K a with a_t = (y_t - f(x_t)) / lambda.
        """
        return float(self.residuals @ (self.labels - self.residuals)) / self.regularisation


def ridge_hindsight(
    kernel: Kernel, regularisation: float, points: Array, labels: Array, *, past: RidgePosterior | None = None
) -> RidgeHindsight:
    """Return ridge regression on every prefix of a sequence.

    `past` is a posterior to which the first rounds were added during the match; these are not computed again.
    """
    # An interrupted match may end before the last round of `past`, or while a round is added to it.
    if past is None or past.rounds > len(labels) or past.rounds != len(past.variances):
        past = RidgePosterior(kernel, regularisation)
    past.extend(points[past.rounds :], labels[past.rounds :])
    residuals = regularisation * past.dual_weights()
    return RidgeHindsight(regularisation, labels, past.means.view(), past.variances.view(), residuals)


def best_in_ball(kernel: Kernel, points: Array, labels: Array, radius: float, penalty: float = 0.0) -> float:
    """Return the least sum of squared losses plus penalty |f|^2 over functions f with |f| <= radius (theory C3).

    >>> from arena.game.kernels import Linear
    >>> round(best_in_ball(Linear(), np.array([[1.0]]), np.array([3.0]), radius=1.0), 9)  # (3 - 1)^2
    4.0
    """
    values, vectors = np.linalg.eigh(kernel.gram(points, points))
    values, weights = np.maximum(values, 0.0), np.square(vectors.T @ labels)
    if not values[-1]:  # every function is zero at the points
        return float(weights.sum())
    low, high = np.log(values[-1]) + np.array([-36.0, 36.0])
    if penalty:
        low, high = np.log(penalty), max(high, np.log(penalty))
    for _ in range(100):
        middle = 0.5 * (low + high)
        inside = float(weights @ (values / np.square(values + np.exp(middle)))) <= radius**2
        low, high = (low, middle) if inside else (middle, high)
    at = np.exp(high)  # the end at which |f| <= radius
    return float(weights @ ((at**2 + penalty * values) / np.square(values + at)))

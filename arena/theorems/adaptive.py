"""Theorems on AdaGrad and FTRL-proximal: gradient methods for linear predictors with one step size per weight.

The comparators are all linear functions, whatever kernel the game has.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array, delayed
from arena.game.losses import Loss
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.linear_descent import LinearMethod, comparators, loss_is, slopes_are_not_clipped, trajectory_of
from arena.theorems.recomputed.linear import Trajectory, descent_with_metric, with_intercept

OF_INTERCEPT = r"an intercept $b$ adds $\frac{b^2}{2 \nu} + \frac{\nu}{2} \sum_t g_t^2$, $\nu$ its step"


@dataclass(frozen=True)
class AdaGradBound(LinearMethod):
    """Regret bound of AdaGrad, which has one step size per weight.

    In round t weight i moves by -G_{t,i} / H_{t,i}, where G_t is the gradient and H_{t,i} is
    sqrt(epsilon + G_{1,i}^2 + ... + G_{t,i}^2) / eta. The parameters `rate` and `epsilon` are eta and epsilon.
    """

    name: ClassVar[str] = "adagrad"
    paper: ClassVar[str] = "Duchi, Hazan and Singer 2011, Theorem 5, before distances are replaced by their largest"
    statement: ClassVar[str] = (
        "R(w) <= sum_{t,i} (w_{t,i} - w_i)^2 (H_{t,i} - H_{t-1,i}) / 2 + sum_{t,i} g_{t,i}^2 / (2 H_{t,i}) for all w, "
        "H_{t,i} = (epsilon + g_{1,i}^2 + ... + g_{t,i}^2)^1/2 / eta, H_{0,i} = 0; an intercept b adds b^2 / (2 nu) + "
        "nu sum_t g_t^2 / 2, nu its step"
    )
    formula: ClassVar[str] = (
        r"$R(w) \le \sum_{t,i} \frac{(w_{t,i} - w_i)^2 (H_{t,i} - H_{t-1,i})}{2} + \sum_{t,i} \frac{g_{t,i}^2}{2 "
        r"H_{t,i}}$ for all $w$, $H_{t,i} = \frac{1}{\eta} \sqrt{\epsilon + g_{1,i}^2 + \dots + g_{t,i}^2}$, $"
        rf"H_{{0,i}} = 0$; {OF_INTERCEPT}"
    )

    rate: float = parameter(0.1, "eta", above=0)
    epsilon: float = parameter(1e-8, "added to the sums of squares", at_least=0)
    shrinkage: float = parameter(0.0, "of |w|^2 / 2 in the objective; b is not shrunk", at_least=0)
    intercept_rate: float = parameter(0.01, "nu, the constant step of b; 0 for no b", at_least=0)
    loss: Loss | None = parameter(None, "of the learner (none: the game's)")
    clip_gradient: float | None = parameter(None, "where the learner clips the loss's derivative", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        clipped = (slopes_are_not_clipped(run, self.clip_gradient),) if self.clip_gradient is not None else ()
        return (*super().assumptions(run), *loss_is(run, self.loss), *clipped)

    def trajectory(self, run: Transcript) -> Trajectory:
        features = with_intercept(run.points) if self.intercept_rate else run.points
        shrinkage = np.full(features.shape[1], self.shrinkage)
        if self.intercept_rate:
            shrinkage[-1] = 0.0

        def metric(_: int, squares: Array) -> Array:
            lengths = np.asarray(np.sqrt(self.epsilon + squares) / self.rate)
            if self.intercept_rate:
                lengths[-1] = 1.0 / self.intercept_rate
            return lengths

        return descent_with_metric(run, features, metric, shrinkage)


@dataclass(frozen=True)
class AdaGradNorms(AdaGradBound):
    """Regret bound of AdaGrad in closed form, from the largest deviation of each weight from the comparator's weight.

    The bound is the sum of (d_i / (2 eta) + eta) n_i over the weights i. The parameter `rate` is eta.

    - d_i is the largest (w_{t,i} - w_i)^2 of all rounds t, for the learner's weights w_t and the comparator w.
    - n_i^2 is epsilon plus the sum of the squared gradients of weight i.
    """

    name: ClassVar[str] = "adagrad-norms"
    paper: ClassVar[str] = "Duchi, Hazan and Singer 2011, Theorem 5, with a largest distance for each weight"
    statement: ClassVar[str] = (
        "R(w) <= sum_i (max_t (w_{t,i} - w_i)^2 / (2 eta) + eta) (epsilon + sum_t g_{t,i}^2)^1/2 for all w; an "
        "intercept b adds max_t (b_t - b)^2 / (2 nu) + nu sum_t g_t^2 / 2, nu its step"
    )
    formula: ClassVar[str] = (
        r"$R(w) \le \sum_i \left( \frac{\max_t (w_{t,i} - w_i)^2}{2 \eta} + \eta \right) \sqrt{\epsilon + \sum_t "
        r"g_{t,i}^2}$ for all $w$; an intercept $b$ adds $\frac{\max_t (b_t - b)^2}{2 \nu} + \frac{\nu}{2} \sum_t "
        r"g_t^2$, $\nu$ its step"
    )
    quantity: ClassVar[str] = "regret less what the largest |w_t - w| explain, for the worst of a few w,"

    shrinkage: float = parameter(0.0, "not used", choices=(0.0,))

    def measured(self, run: Transcript) -> Array:
        path, found = trajectory_of(run, self), comparators(run, self)
        regret = np.cumsum(run.losses[:, np.newaxis] - found.losses, axis=0)
        metrics = np.cumsum(path.pulls, axis=0)
        farthest = [
            np.sum(np.maximum.accumulate(np.square(path.weights - w)) * metrics, axis=1) for w in found.weights.T
        ]
        return np.asarray((regret - 0.5 * np.array(farthest).T).max(axis=1))

    def allowed(self, run: Transcript) -> Array:
        metrics = np.cumsum(trajectory_of(run, self).pulls, axis=0)[:, : run.points.shape[1]]
        of_intercept = 0.5 * self.intercept_rate * np.cumsum(np.square(run.slopes))
        return np.asarray(self.rate**2 * metrics.sum(axis=1) + of_intercept)


@dataclass(frozen=True)
class FtrlParameters(Theorem, abc.ABC):
    """Base class with the parameters of FTRL-proximal."""

    alpha: float = parameter(0.05, "of the steps", above=0)
    beta: float = parameter(1.0, "of the steps", above=0)
    l1: float = parameter(0.0, "of |w|_1", at_least=0)
    l2: float = parameter(1.0, "of |w|^2 / 2", at_least=0)
    intercept_rate: float = parameter(0.01, "nu, the constant step of b; 0 for no b", at_least=0)


@dataclass(frozen=True)
class FtrlProximalBound(FtrlParameters, LinearMethod):
    """Regret bound of FTRL-proximal with one step size per weight.

    The learner's weights minimise the sum of the linearised losses so far and of these regularisers, which have the
    parameters l1, l2, alpha and beta:

    - l1 |w|_1 + (beta / alpha + l2) |w|^2 / 2;
    - for each earlier round t, sum_i sigma_{t,i} (w_i - w_{t,i})^2 / 2, centred at the weights w_t of that round.

    Here sigma_{t,i} = (n_{t,i}^(1/2) - n_{t-1,i}^(1/2)) / alpha, and n_{t,i} is the sum of the squared gradients of
    weight i up to round t.
    """

    name: ClassVar[str] = "ftrl-proximal"
    paper: ClassVar[str] = "McMahan 2017, Theorem 2, for the algorithm of McMahan et al. 2013"
    statement: ClassVar[str] = (
        "R(w) <= l1 |w|_1 + (beta / alpha + l2) |w|^2 / 2 + sum_{t,i} sigma_{t,i} (w_{t,i} - w_i)^2 / 2 "
        "+ sum_{t,i} g_{t,i}^2 / (2 H_{t,i}) for all w, H_{t,i} = (beta + n_{t,i}^1/2) / alpha + l2, "
        "n_{t,i} = g_{1,i}^2 + ... + g_{t,i}^2, n_{0,i} = 0, sigma_{t,i} = H_{t,i} - H_{t-1,i}; an intercept b adds "
        "b^2 / (2 nu) + nu sum_t g_t^2 / 2, nu its step"
    )
    formula: ClassVar[str] = (
        r"$R(w) \le l_1 \lVert w \rVert_1 + \left( \frac{\beta}{\alpha} + l_2 \right) \frac{\lVert w \rVert^2}{2} + "
        r"\sum_{t,i} \frac{\sigma_{t,i} (w_{t,i} - w_i)^2}{2} + \sum_{t,i} \frac{g_{t,i}^2}{2 H_{t,i}}$ for all "
        r"$w$, $H_{t,i} = \frac{\beta + \sqrt{n_{t,i}}}{\alpha} + l_2$, $n_{t,i} = g_{1,i}^2 + \dots + g_{t,i}^2$, "
        rf"$n_{{0,i}} = 0$, $\sigma_{{t,i}} = H_{{t,i}} - H_{{t-1,i}}$; {OF_INTERCEPT}"
    )

    def trajectory(self, run: Transcript) -> Trajectory:
        rounds, dimension = run.points.shape
        z, n = np.zeros(dimension), np.zeros(dimension)
        weights, pulls, energies = np.zeros((rounds, dimension)), np.zeros((rounds, dimension)), np.zeros(rounds)
        first = self.beta / self.alpha + self.l2
        with np.errstate(all="ignore"):
            for t in range(rounds):
                stiffness = first + np.sqrt(n) / self.alpha
                weights[t] = -np.sign(z) * np.maximum(np.abs(z) - self.l1, 0.0) / stiffness
                g = run.slopes[t] * run.points[t]
                pulls[t] = (np.sqrt(n + np.square(g)) - np.sqrt(n)) / self.alpha
                z, n = z + g - pulls[t] * weights[t], n + np.square(g)
                energies[t] = np.sum(np.square(g) / (stiffness + pulls[t]))
        pulls[0] += first  # the fixed regulariser is centred at zero, and w_1 is zero
        path = Trajectory(run.points, weights, pulls, energies, np.zeros(dimension), self.l1)
        return path if not self.intercept_rate else _with_constant_steps(path, run.slopes, self.intercept_rate)


def _with_constant_steps(path: Trajectory, slopes: Array, rate: float) -> Trajectory:
    """Return the trajectory of a learner's weights with one more weight: an intercept.

    After round t the intercept moves by -`rate` times entry t of `slopes`, the derivatives of the loss.
    """
    rounds = len(slopes)
    intercept = delayed(-rate * np.cumsum(slopes))
    pull = np.zeros(rounds)
    pull[0] = 1.0 / rate
    return Trajectory(
        with_intercept(path.features),
        np.column_stack([path.weights, intercept]),
        np.column_stack([path.pulls, pull]),
        path.energies + rate * np.square(slopes),
        np.zeros(path.weights.shape[1] + 1),
        path.sparsity,
    )

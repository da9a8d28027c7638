"""Identities of linear learners: the predictions are w_t'x_t + b_t for weights recomputed from the match.

Gradients are taken at the predictions of the match. No code is shared with the learners.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array, delayed
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.adaptive import AdaGradBound, FtrlParameters, FtrlProximalBound
from arena.theorems.linear_descent import LinearGradientDescent, SgdParameters, trajectory_of
from arena.theorems.multiplicative import doubled
from arena.theorems.newton_steps import NewtonParameters
from arena.theorems.recomputed.rates import exponentiated_step, newton_ridge, newton_step
from arena.theorems.recursions import CONDITION, Recursion

MOST_ROUNDS = 20_000  # most rounds that are repeated


class _Linear(Recursion, abc.ABC):
    """Base class of identities that recompute the weights of a linear learner; they need no kernel matrix."""

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (
            Assumption(
                f"at most {MOST_ROUNDS} rounds are repeated", run.rounds <= MOST_ROUNDS, f"there are {run.rounds}"
            ),
        )


@dataclass(frozen=True)
class SgdIdentity(SgdParameters, _Linear):
    """The predictions are those of gradient descent on w'x + b with the given steps and shrinkage."""

    name: ClassVar[str] = "sgd-identity"
    paper: ClassVar[str] = LinearGradientDescent.paper
    statement: ClassVar[str] = (
        "prediction_t = w_t'x_t + b_t, w_{t+1} = (1 - eta_t shrinkage) w_t - eta_t g_t x_t, b_{t+1} = b_t - eta_t g_t"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = w_t^\top x_t + b_t$, $w_{t+1} = (1 - \eta_t \cdot \text{shrinkage}) w_t - \eta_t g_t x_t$, "
        r"$b_{t+1} = b_t - \eta_t g_t$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), *self._method().assumptions(run))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        path = trajectory_of(run, self._method())
        return _along(path.features, path.weights)

    def _method(self) -> LinearGradientDescent:
        return LinearGradientDescent(self.rate, self.steps, self.power, self.shrinkage, self.intercept, self.halved)


@dataclass(frozen=True)
class AdaGradIdentity(_Linear):
    """The predictions are those of diagonal AdaGrad."""

    name: ClassVar[str] = "adagrad-identity"
    paper: ClassVar[str] = "Duchi, Hazan and Singer 2011, Figure 1"
    statement: ClassVar[str] = (
        "prediction_t = w_t'x_t + b_t, w_{t+1,i} = w_{t,i} - eta g_{t,i} / (epsilon + g_{1,i}^2 + ... + g_{t,i}^2)^1/2"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = w_t^\top x_t + b_t$, $w_{t+1,i} = w_{t,i} - \frac{\eta\, g_{t,i}}{\sqrt{\epsilon + g_{1,i}^2 + "
        r"\dots + g_{t,i}^2}}$"
    )

    rate: float = parameter(0.1, "eta", above=0)
    epsilon: float = parameter(1e-8, "added to the sums of squares", at_least=0)
    intercept_rate: float = parameter(0.01, "the constant step of b; 0 for no b", at_least=0)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        path = trajectory_of(run, AdaGradBound(self.rate, self.epsilon, intercept_rate=self.intercept_rate))
        return _along(path.features, path.weights)


def _along(features: Array, weights: Array) -> tuple[Array, Array]:
    """Return the predictions w_t' f_t of all rounds, and the scale of each prediction's rounding error.

    Row t of `features` is f_t, and row t of `weights` is w_t. The scale is sum_i |f_{t,i}| (|w_{t,i}| + m_{t,i}), where
    m_{t,i} is the sum of |w_{s,i} - w_{s-1,i}| over all s <= t, with w_0 = 0.
    """
    steps = np.abs(np.diff(weights, axis=0, prepend=0.0))
    sizes = np.cumsum(steps, axis=0) + np.abs(weights)
    return np.einsum("ij,ij->i", features, weights), np.einsum("ij,ij->i", np.abs(features), sizes)


@dataclass(frozen=True)
class FtrlProximalIdentity(FtrlParameters, _Linear):
    """The predictions are those of FTRL-proximal."""

    name: ClassVar[str] = "ftrl-proximal-identity"
    paper: ClassVar[str] = "McMahan et al. 2013, Algorithm 1"
    statement: ClassVar[str] = (
        "prediction_t = w_t'x_t + b_t, w_{t,i} = -sign(z_i) max(|z_i| - l1, 0) / ((beta + n_i^1/2) / alpha + l2), "
        "z_t the sum of g_s - sigma_s w_s, n_t the sum of g_s^2"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = w_t^\top x_t + b_t$, $w_{t,i} = -\operatorname{sign}(z_i) \frac{\max(\lvert z_i \rvert - l_1, "
        r"0)}{\frac{\beta + \sqrt{n_i}}{\alpha} + l_2}$, $z_t$ the sum of $g_s - \sigma_s w_s$, $n_t$ the sum of "
        "$g_s^2$"
    )

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        path = trajectory_of(run, FtrlProximalBound(self.alpha, self.beta, self.l1, self.l2, self.intercept_rate))
        terms = np.abs(run.slopes[:, np.newaxis] * path.features) + np.abs(path.pulls * path.weights)
        # the steps' denominators before each round; in the first round the weights are zero
        stiffness = np.vstack([path.pulls[:1], np.cumsum(path.pulls, axis=0)[:-1]])
        sizes = (delayed(np.cumsum(terms, axis=0)) + self.l1) / stiffness
        values = np.einsum("ij,ij->i", path.features, path.weights)
        return values, np.einsum("ij,ij->i", np.abs(path.features), sizes)


class _Multiplicative(_Linear):
    """Base class of identities of learners with multiplicative updates, whose features of a point x are (x, -x)."""

    def mixture(self, run: Transcript, radius: float, factors: Array) -> tuple[Array, Array]:
        """Return the predictions of all rounds, and the scale of each prediction's rounding error.

        The prediction of round t is sum_i w_{t,i} z_{t,i}, where z_t = (x_t, -x_t). The weight w_{t,i} is proportional
        to exp(sum_{s<t} c_s z_{s,i}), where c_s is entry s of `factors`. The weights of a round add up to `radius`.
        """
        terms = factors[:, np.newaxis] * doubled(run.points)
        exponents = delayed(np.cumsum(terms, axis=0))
        weights = np.exp(exponents - scipy.special.logsumexp(exponents, axis=1, keepdims=True))
        sizes = np.cumsum(np.abs(terms).max(axis=1))
        # a rounding error r of an exponent multiplies its weight by exp(r)
        masses = radius * np.abs(run.points).max(axis=1) * (1.0 + sizes)
        return radius * np.einsum("ij,ij->i", doubled(run.points), weights), masses


@dataclass(frozen=True)
class EgIdentity(_Multiplicative):
    """The predictions are those of exponentiated gradient."""

    name: ClassVar[str] = "eg-identity"
    paper: ClassVar[str] = "Kivinen and Warmuth 1997, EG+-"
    statement: ClassVar[str] = "prediction_t = U sum_i v_i (x, -x)_i, v_i proportional to exp(-eta U sum g_s (x, -x)_i)"
    formula: ClassVar[str] = (
        r"$\hat y_t = U \sum_i v_i (x, -x)_i$, $v_i$ proportional to $\exp\left( -\eta U \sum_s g_s (x, -x)_i \right)$"
    )

    radius: float = parameter(1.0, "U, the largest |w|_1", above=0)
    rate: float | None = parameter(None, "eta (none: eg's own)", above=0)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        eta = exponentiated_step(run.game, self.radius) if self.rate is None else self.rate
        return self.mixture(run, self.radius, -eta * self.radius * run.slopes)


@dataclass(frozen=True)
class WinnowIdentity(_Multiplicative):
    """The predictions are those of balanced Winnow, whose weights change only on mistakes, y w'x <= 0."""

    name: ClassVar[str] = "winnow-identity"
    paper: ClassVar[str] = "Littlestone 1988 and 1989; Cesa-Bianchi and Lugosi 2006, section 12.2"
    statement: ClassVar[str] = (
        "prediction_t = sum_i v_i (x, -x)_i, v_i proportional to exp(eta sum of sign(y_s) (x, -x)_i over the mistakes)"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = \sum_i v_i (x, -x)_i$, $v_i$ proportional to $\exp\left( \eta \sum_s \operatorname{sign}(y_s) "
        r"(x, -x)_i \right)$ over the mistakes"
    )

    rate: float = parameter(0.1, "eta", above=0)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        signs = np.sign(run.labels)
        return self.mixture(run, 1.0, np.where(signs * run.predictions <= 0.0, self.rate * signs, 0.0))


@dataclass(frozen=True)
class OnsIdentity(NewtonParameters, _Linear):
    """The predictions are those of online Newton steps.

    After each step the weights are projected onto |w| <= U in the norm of A_t, the matrix of the steps. The parameter
    `radius` is U.
    """

    name: ClassVar[str] = "ons-identity"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, Figure 2"
    statement: ClassVar[str] = (
        "prediction_t = w_t'x_t, w_{t+1} = P(w_t - A_t^-1 gradient_t / gamma), A_t = A_{t-1} + gradient_t gradient_t'"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = w_t^\top x_t$, $w_{t+1} = P\left( w_t - \frac{1}{\gamma} A_t^{-1}\, \text{gradient}_t \right)$, "
        r"$A_t = A_{t-1} + \text{gradient}_t\, \text{gradient}_t^\top$"
    )

    def gamma(self, run: Transcript) -> float:
        return newton_step(run.game, self.radius) if self.rate is None else self.rate

    def epsilon(self, run: Transcript) -> float:
        return newton_ridge(self.gamma(run), self.radius) if self.ridge is None else self.ridge

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        worst = float(self._conditions(run)[-1])
        return (
            *super().assumptions(run),
            Assumption(f"the matrix A has a condition of at most {CONDITION:g}", worst <= CONDITION, f"{worst:.3g}"),
        )

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        gamma, width = self.gamma(run), run.points.shape[1]
        A, w, size = self.epsilon(run) * np.eye(width), np.zeros(width), self.radius
        values, masses = np.empty(run.rounds), np.empty(run.rounds)
        conditions = self._conditions(run)
        for t, gradient in enumerate(self._gradients(run)):
            values[t] = run.points[t] @ w
            masses[t] = np.abs(run.points[t]).sum() * size * (1.0 + 1e-4 * conditions[t])
            A = A + np.outer(gradient, gradient)
            step = np.linalg.solve(A, gradient) / gamma
            size += float(np.abs(step).sum())
            w = _nearest(A, w - step, self.radius)
        return values, masses

    def _gradients(self, run: Transcript) -> Array:
        return np.asarray(run.slopes[:, np.newaxis] * run.points)

    def _conditions(self, run: Transcript) -> Array:
        """Return, for every round, an upper bound on the condition number of the Newton step's matrix."""
        with np.errstate(over="ignore"):
            energies = np.cumsum(np.square(self._gradients(run)).sum(axis=1))
        return np.asarray(1.0 + energies / self.epsilon(run))


def _nearest(A: Array, w: Array, radius: float) -> Array:
    """Return the point u with |u| <= radius that is nearest to `w` in the norm of A.

    >>> _nearest(np.eye(2), np.array([3.0, 4.0]), 1.0).round(9)
    array([0.6, 0.8])
    """
    if math.sqrt(float(w @ w)) <= radius:
        return w
    pulled, identity = A @ w, np.eye(len(w))

    def beyond(m: float) -> float:
        return float(np.linalg.norm(np.linalg.solve(A + m * identity, pulled))) - radius

    most = float(np.linalg.norm(pulled)) / radius  # there, |u| is below |A w| / m
    if beyond(0.0) <= 0.0:  # rounding alone put w outside
        return w
    m = scipy.optimize.brentq(beyond, 0.0, most, xtol=1e-300, rtol=1e-14) if beyond(most) < 0.0 else most
    return np.asarray(np.linalg.solve(A + m * identity, pulled))

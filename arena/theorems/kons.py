"""Theorems on online Newton steps in an RKHS (Calandriello, Lazaric and Valko 2017, ICML, Theorem 1; theory E11).

In round t, f_t are the features of x_t, w_t the learner's weights, eta_t the step, and g_t the derivative of the loss
at the prediction f_t' w_t. The matrix is A_t = A_{t-1} + eta_t g_t^2 f_t f_t', with A_0 = alpha I. L is the largest
slope of the loss on [-C, C], and sigma its curvature there. R(w) is the learner's loss minus the loss of w. Every w
with |f_t' w| <= C in all rounds obeys

    R(w) <= alpha / 2 |w|^2 + R_G / 2 + R_D / 2
    R_G = sum_t g_t^2 f_t' A_t^-1 f_t
    R_D = sum_t (eta_t - sigma) g_t^2 (f_t' (w_t - w))^2

A term of R_D is at most zero if eta_t <= sigma, and at most (eta_t - sigma) g_t^2 (|prediction| + C)^2 otherwise.

The theorems bound the largest R(w) - alpha / 2 |w|^2, which is the regret to the comparator with lambda = alpha / 2;
their statements call it R_{alpha/2}. They have the factors 1/2 and the logarithm 1 + log(1 + sigma L^2 T / alpha) of
the proof. The published statement, `kons-printed`, lacks a factor 1/2. Its logarithm is 2 log(2 sigma L^2 T), which may
be smaller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.hindsight.comparator import EXACT_LIMIT, Optimum
from arena.record.cached import once_per_match
from arena.record.theorem import PRECISION, Theorem, labels_within, predictions_within
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import (
    MOST_POINTS,
    Within,
    comparator_bounded,
    comparator_known,
    search_within,
    slope_and_curvature,
    until_one_fails,
)
from arena.theorems.recomputed.points import Grouped, surprises

THEOREM = "Calandriello, Lazaric and Valko 2017 (ICML), Theorem 1"


def alpha_stands_out(
    run: Transcript, alpha: float, step: float | None, share: float = 1.0, dimension: float | None = None
) -> Assumption:
    """Assumption: alpha exceeds the rounding errors in the matrix of the Newton steps, which is alpha I at the start.

    Round t adds eta_t g_t^2 f_t f_t' to the matrix, where f_t are the features of x_t. The sizes eta_t of the steps are
    those that `newton_steps` returns for `step`, `share` and `dimension`.
    """
    _, scales, _ = scaled_gradients(run, step, share, dimension)
    needed = PRECISION * float((np.square(scales) * run.game.kernel.diagonal(run.points)).sum())
    measured = f"the numbers are beyond double precision: {alpha:g}, but {needed:.2g} is needed"
    return Assumption("alpha stands out of the rounding errors", alpha >= needed, "" if alpha >= needed else measured)


@dataclass(frozen=True, eq=False)
class NewtonPath:
    """Quantities of online Newton steps, one number for each round t.

    - `steps`: the step eta_t.
    - `surprises`: q_t = eta_t g_t^2 f_t' A_{t-1}^-1 f_t, for the features f_t of x_t and the matrix A_t of the steps.
    - `drift`: max(0, eta_t - sigma) g_t^2 (|prediction| + C)^2 with the curvature sigma; 0 in rounds that are not
      `kept`.
    - `kept`: whether the gradient is added to A_t.
    """

    steps: Array
    surprises: Array
    drift: Array
    kept: NDArray[np.bool_]

    @property
    def energies(self) -> Array:
        """The energy g_t^2 f_t' A_t^-1 f_t of each round's gradient.

        Here f_t are the features of x_t, and A_t is the matrix of the Newton steps.
        """
        grown = np.where(self.kept, 1.0 + self.surprises, 1.0)
        return np.asarray(self.surprises / grown / self.steps)

    @property
    def growth(self) -> Array:
        """The value log(1 + q_t) / eta_t of each round, where q_t = eta_t g_t^2 f_t' A_{t-1}^-1 f_t.

        Here f_t are the features of x_t, and A_t is the matrix of the Newton steps. If the gradient of round t is added
        to the matrix, log(1 + q_t) is the growth of its log determinant.
        """
        return np.asarray(np.log1p(self.surprises) / self.steps)


def newton_steps(run: Transcript, step: float | None, share: float = 1.0, dimension: float | None = None) -> Array:
    """Return the sizes eta_t of the online Newton steps of all rounds.

    - With `dimension` = d: `share` sqrt(d / t) / (L C).
    - Without `dimension`: `step` if it is given, otherwise `share` times the curvature sigma.
    - Without `dimension` and `step`, if sigma is zero: `share` / (L C sqrt(t)).
    """
    game = run.game
    constant = share * game.loss.curvature(game.clip, game.label_bound) if step is None else step
    if dimension is not None:
        constant, share = 0.0, share * math.sqrt(dimension)
    if constant > 0:
        return np.full(run.rounds, constant)
    slope = game.loss.lipschitz(game.clip, game.label_bound)
    return np.asarray(share / (slope * game.clip * np.sqrt(np.arange(1, run.rounds + 1))))


def scaled_gradients(
    run: Transcript, step: float | None, share: float = 1.0, dimension: float | None = None
) -> tuple[Array, Array, Array]:
    """Return three arrays with one entry for each round: the Newton steps eta_t, sqrt(eta_t) |g_t|, and the drift.

    The drift is max(0, eta_t - sigma) g_t^2 (|prediction| + C)^2, where sigma is the curvature of the loss. The steps
    are those that `newton_steps` returns for `step`, `share` and `dimension`.
    """
    game, slopes = run.game, run.slopes
    steps = newton_steps(run, step, share, dimension)
    beyond = np.maximum(steps - game.loss.curvature(game.clip, game.label_bound), 0.0)
    drift = beyond * np.square(slopes) * np.square(np.abs(run.predictions) + game.clip)
    return steps, np.sqrt(steps) * np.abs(slopes), drift


def newton_path(run: Transcript, alpha: float, step: float | None, *, kept: NDArray[np.bool_]) -> NewtonPath:
    """Return the steps, energies and other quantities of KONS, as a `NewtonPath`.

    Only the gradients of the rounds where `kept` is true are added to the matrix of the steps.
    """
    steps, scales, drift = scaled_gradients(run, step)
    found = surprises(run.game.kernel, run.points, alpha, scales=scales, kept=kept)
    return NewtonPath(steps, found, np.where(kept, drift, 0.0), kept)


@once_per_match
def exact_path(run: Transcript, alpha: float, step: float | None, dimension: float | None = None) -> NewtonPath:
    """Return the steps, energies and other quantities of KONS, as a `NewtonPath`.

    Every gradient is added to the matrix of the steps. With `dimension` = d, the steps are sqrt(d / t) / (L C).
    """
    steps, scales, drift = scaled_gradients(run, step, dimension=dimension)
    found = surprises(run.game.kernel, run.points, alpha, scales=scales)
    return NewtonPath(steps, found, drift, np.ones(run.rounds, dtype=bool))


@dataclass(frozen=True)
class NewtonTheorem(Theorem):
    """Base class of regret bounds of Newton steps in the RKHS."""

    monotone: ClassVar[bool] = True
    quantity: ClassVar[str] = "regret at alpha/2"

    alpha: float = parameter(1.0, "weight of |w|^2: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: the loss's curvature sigma on [-C, C]; if that is zero, 1/(L C sqrt(t)))", above=0
    )

    @property
    def comparator_lambda(self) -> float:
        """The lambda of the comparator: alpha / 2, where alpha I is the matrix of the Newton steps at the start."""
        return self.alpha / 2

    @property
    def known_dimension(self) -> float | None:
        """The number d if the Newton steps are sqrt(d / t) / (L C); None for other steps."""
        return None

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: self.premises(run),
            lambda: (comparator_bounded(run, self._within(run)),),
        )

    def refutation(self, run: Transcript) -> tuple[int, float] | None:
        return self._within(run).refutation

    def _within(self, run: Transcript) -> Within:
        return search_within(run, self, lambda rounds: [self._optimum(run, rounds)])

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        """Return all assumptions of the theorem but one: that the comparator's predictions lie within [-C, C]."""
        points = len(np.unique(run.points + 0.0, axis=0))
        short = run.rounds <= EXACT_LIMIT or points <= MOST_POINTS
        statement = f"at most {EXACT_LIMIT} rounds or {MOST_POINTS} different points"
        return (
            *comparator_known(run, self.comparator_lambda),
            labels_within(run, run.game.label_bound),
            predictions_within(run, run.game.clip),
            Assumption(statement, short, f"{run.rounds} rounds, {points} points"),
            alpha_stands_out(run, self.alpha, self.step, dimension=self.known_dimension),
        )

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self.comparator_lambda)

    def _optimum(self, run: Transcript, rounds: int) -> Optimum:
        comparator = run.comparator
        if comparator.in_intervals and (not comparator.closed_form or run.rounds <= EXACT_LIMIT):
            return comparator.optimum(self.comparator_lambda, rounds)
        group = Grouped.of(run.game.kernel, run.points[:rounds], run.labels[:rounds])
        return group.best(self.comparator_lambda, run.game.clip)


@dataclass(frozen=True)
class KonsGradients(NewtonTheorem):
    """Half the sum of the gradients' energies bounds the regret of KONS.

    If the step eta_t exceeds the curvature sigma, half of (eta_t - sigma) g_t^2 (|prediction| + C)^2 is added to the
    bound.
    """

    name: ClassVar[str] = "kons-gradients"
    paper: ClassVar[str] = f"{THEOREM} and its decomposition R_G + R_D, with the factor 1/2 that its proof gives"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= 1/2 sum_t g_t^2 phi_t' A_t^-1 phi_t "
        "+ 1/2 sum_t max(0, eta_t - sigma) g_t^2 (C + |prediction|)^2"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le \frac{1}{2} \sum_t g_t^2 \phi_t^\top A_t^{-1} \phi_t + \frac{1}{2} \sum_t \max(0, "
        r"\eta_t - \sigma)\, g_t^2 (C + \lvert \hat y_t \rvert)^2$"
    )

    dimension: float | None = parameter(None, "d of steps sqrt(d / t) / (L C), in place of eta", above=0)

    @property
    def known_dimension(self) -> float | None:
        return self.dimension

    def allowed(self, run: Transcript) -> Array:
        path = exact_path(run, self.alpha, self.step, self.dimension)
        return np.asarray(0.5 * np.cumsum(path.energies + path.drift))


@dataclass(frozen=True)
class KonsLogdet(NewtonTheorem):
    """Regret bound of KONS by a log determinant: log det(I + sigma D K D / alpha) / (2 sigma) if each step is sigma.

    D is the diagonal matrix of the derivatives g_t, and K the kernel matrix. For other steps eta_t, the bound is half
    the sum over t of log(1 + q_t) / eta_t + max(0, eta_t - sigma) g_t^2 (|prediction| + C)^2, where
    q_t = eta_t g_t^2 phi_t' A_{t-1}^-1 phi_t.
    """

    name: ClassVar[str] = "kons-logdet"
    paper: ClassVar[str] = f"{THEOREM}, with the factor 1/2 that its proof gives"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= log det(I + sigma D K D / alpha) / (2 sigma), D = diag(g_t), for eta = sigma; "
        "in general 1/2 sum_t log(1 + q_t) / eta_t + R_D / 2, q_t = eta_t g_t^2 phi_t' A_{t-1}^-1 phi_t"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le \frac{1}{2 \sigma} \log\det\left( I + \frac{\sigma}{\alpha} D K D \right)$, $D = "
        r"\operatorname{diag}(g_t)$, for $\eta = \sigma$; in general $\frac{1}{2} \sum_t \frac{\log(1 + "
        r"q_t)}{\eta_t} + \frac{R_D}{2}$, $q_t = \eta_t g_t^2 \phi_t^\top A_{t-1}^{-1} \phi_t$"
    )

    def allowed(self, run: Transcript) -> Array:
        path = exact_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.growth + path.drift))


@dataclass(frozen=True)
class KonsOnlineDimension(NewtonTheorem):
    """Regret bound of KONS: the sum of the leverages of the vectors u_t = sqrt(eta_t) g_t phi_t, divided by 2 eta_T.

    The leverage of u_t is u_t' A_t^-1 u_t, where A_t = alpha I + sum_{s<=t} u_s u_s'. Steps above the curvature sigma
    add 2 C^2 L^2 sum_t max(0, eta_t - sigma).
    """

    name: ClassVar[str] = "kons-online-dimension"
    paper: ClassVar[str] = f"{THEOREM}, its first display, with the factor 1/2 that its proof gives"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= d_onl(alpha) / (2 eta_T) + 2 C^2 L^2 sum_t max(0, eta_t - sigma), d_onl the sum of the ridge "
        "leverages of eta_t^1/2 g_t phi_t, each in its own round"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le \frac{d_{\text{onl}}(\alpha)}{2 \eta_T} + 2 C^2 L^2 \sum_t \max(0, \eta_t - \sigma)$, "
        r"$d_{\text{onl}}$ the sum of the ridge leverages of $\sqrt{\eta_t}\, g_t \phi_t$, each in its own round"
    )

    def allowed(self, run: Transcript) -> Array:
        path = exact_path(run, self.alpha, self.step)
        slope, sigma = slope_and_curvature(run)
        dimension = np.cumsum(path.energies * path.steps)
        beyond = (run.game.clip * slope) ** 2 * np.cumsum(np.maximum(path.steps - sigma, 0.0))
        return np.asarray(0.5 * dimension / path.steps + 2.0 * beyond)


@dataclass(frozen=True)
class KonsEffectiveDimension(NewtonTheorem):
    """Regret bound of KONS that holds whatever the gradients are: d_eff(a) (1 + log(1 + tr K_T / a)) / (2 eta_T).

    Here a = alpha / (eta_1 L^2), and d_eff is the effective dimension of the points. Steps above the curvature sigma
    add 2 C^2 L^2 sum_t max(0, eta_t - sigma).
    """

    name: ClassVar[str] = "kons-effective-dimension"
    paper: ClassVar[str] = f"{THEOREM}, both cases, corrected"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= d_eff(a) (1 + log(1 + tr K_T / a)) / (2 eta_T) + 2 C^2 L^2 sum_t max(0, eta_t - sigma), "
        "a = alpha / (eta_1 L^2)"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le \frac{d_{\text{eff}}(a)}{2 \eta_T} \left( 1 + \log\left( 1 + \frac{\operatorname{tr} "
        r"K_T}{a} \right) \right) + 2 C^2 L^2 \sum_t \max(0, \eta_t - \sigma)$, $a = \frac{\alpha}{\eta_1 L^2}$"
    )

    def allowed(self, run: Transcript) -> Array:
        steps = newton_steps(run, self.step)
        slope, sigma = slope_and_curvature(run)
        at = self.alpha / (float(steps[0]) * slope**2)
        beyond = np.maximum(steps - sigma, 0.0)
        trace = np.cumsum(run.game.kernel.diagonal(run.points))
        growth = run.comparator.effective_dimensions(at) * (1.0 + np.log1p(trace / at)) / steps
        return np.asarray(0.5 * growth + 2.0 * np.square(run.game.clip * slope) * np.cumsum(beyond))


@dataclass(frozen=True)
class KonsOracleStep(NewtonTheorem):
    """Regret bound of KONS with the steps sqrt(d / t) / (L C), where d is a number that is known in advance.

    The loss need not have curvature. Let a = alpha C / (L sqrt(d)). If d equals d_eff(a) (1 + log(1 + tr K_T / a)), the
    bound is 9/2 L C sqrt(d T). The paper (Calandriello, Lazaric and Valko 2017, ICML) gives the order sqrt(d_eff T)
    only.
    """

    name: ClassVar[str] = "kons-oracle-step"
    paper: ClassVar[str] = f"{THEOREM}, the remark on an oracle after it, with the constant that its proof gives"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= L C sqrt(d T) (4 + d_eff(a) (1 + log(1 + tr K_T / a)) / (2 d)) "
        "for eta_t = sqrt(d / t) / (L C), a = alpha C / (L sqrt(d))"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le L C \sqrt{d T} \left( 4 + \frac{d_{\text{eff}}(a)}{2 d} \left( 1 + \log\left( 1 + "
        r"\frac{\operatorname{tr} K_T}{a} \right) \right) \right)$ for $\eta_t = \frac{\sqrt{d / t}}{L C}$, $a"
        r" = \frac{\alpha C}{L \sqrt{d}}$"
    )

    dimension: float = parameter(1.0, "d, known in advance", above=0)

    @property
    def known_dimension(self) -> float | None:
        return self.dimension

    def allowed(self, run: Transcript) -> Array:
        slope, _ = slope_and_curvature(run)
        at = self.alpha * run.game.clip / (slope * math.sqrt(self.dimension))
        trace = np.cumsum(run.game.kernel.diagonal(run.points))
        growth = run.comparator.effective_dimensions(at) * (1.0 + np.log1p(trace / at))
        # from `kons-effective-dimension`: 2 C^2 L^2 sum_t eta_t <= 4 L C sqrt(d T), and 1 / eta_T = L C sqrt(T / d)
        size = slope * run.game.clip * np.sqrt(self.dimension * np.arange(1.0, run.rounds + 1))
        return np.asarray(size * (4.0 + 0.5 * growth / self.dimension))

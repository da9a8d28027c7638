"""Regret bounds of the Azoury-Warmuth-Vovk forecaster in an RKHS (Jezequel et al. 2019, Propositions 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Identity, Theorem, beyond_rounding, labels_within, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.dimensions import dimension_and_logarithm


@dataclass(frozen=True)
class _AwvTheorem(Theorem):
    """Base class of theorems on the Azoury-Warmuth-Vovk forecaster under the squared loss.

    Forecaster and comparator have the same lambda, the parameter `regularisation`. `bounded_labels` marks the theorems
    that hold if all labels lie in [-B, B].
    """

    monotone: ClassVar[bool] = True
    bounded_labels: ClassVar[bool] = False

    regularisation: float | None = parameter(None, "lambda of forecaster and comparator (none: the game's)", above=0)

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self.regularisation)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        squared = squared_loss(run, self.regularisation)
        return (squared, labels_within(run, run.game.label_bound)) if self.bounded_labels else (squared,)


@dataclass(frozen=True)
class AwvIdentity(Identity, _AwvTheorem):
    """The regret of the Azoury-Warmuth-Vovk forecaster equals sum_t (1 - 1/s_t) (y_t^2 - s_t prediction_t^2).

    Here s_t is the stretch (theory C1). Other predictions satisfy the equation only by coincidence.
    """

    name: ClassVar[str] = "awv-identity"
    paper: ClassVar[str] = "the exact regret identity behind Jezequel et al. 2019, Proposition 1"
    statement: ClassVar[str] = "R_lambda = sum_t (1 - 1/s_t)(y_t^2 - s_t prediction_t^2) with s_t = 1 + v_t / lambda"
    formula: ClassVar[str] = (
        r"$R_\lambda = \sum_t \left( 1 - \frac{1}{s_t} \right) \left( y_t^2 - s_t \hat y_t^2 \right)$ with $s_t = 1 "
        r"+ \frac{v_t}{\lambda}$"
    )

    def measured(self, run: Transcript) -> Array:
        hindsight = run.hindsight(self.regularisation)
        surprise = hindsight.variance / hindsight.regularisation
        promised = hindsight.leverage * np.square(run.labels) - surprise * np.square(run.predictions)
        return beyond_rounding(run, run.losses - hindsight.increments - promised, hindsight.regularisation)


@dataclass(frozen=True)
class AwvLeverage(_AwvTheorem):
    """Regret bound of the Azoury-Warmuth-Vovk forecaster: sum_t (1 - 1/s_t) y_t^2, with the stretch s_t (theory E1').

    This bound is never larger than the bound of `awv-logdet`, which replaces y_t^2 by B^2 and 1 - 1/s_t by log s_t. The
    regret equals this bound if and only if the forecaster always predicts zero.
    """

    name: ClassVar[str] = "awv-leverage"
    paper: ClassVar[str] = "from the exact regret identity behind Jezequel et al. 2019, Proposition 1"
    statement: ClassVar[str] = "R_lambda <= sum_t (1 - 1/s_t) y_t^2 with s_t = 1 + v_t / lambda"
    formula: ClassVar[str] = (
        r"$R_\lambda \le \sum_t \left( 1 - \frac{1}{s_t} \right) y_t^2$ with $s_t = 1 + \frac{v_t}{\lambda}$"
    )

    def allowed(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(run.hindsight(self.regularisation).leverage * np.square(run.labels)))


@dataclass(frozen=True)
class AwvLogdet(_AwvTheorem):
    """Regret bound of the Azoury-Warmuth-Vovk forecaster: B^2 log det(I + K_T / lambda) (theory E1)."""

    name: ClassVar[str] = "awv-logdet"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Proposition 1"
    statement: ClassVar[str] = "R_lambda <= B^2 log det(I + K_T / lambda)"
    formula: ClassVar[str] = r"$R_\lambda \le B^2 \log\det\left( I + \frac{K_T}{\lambda} \right)$"
    bounded_labels: ClassVar[bool] = True

    def allowed(self, run: Transcript) -> Array:
        return run.game.label_bound**2 * run.hindsight(self.regularisation).log_determinant


@dataclass(frozen=True)
class AwvEffectiveDimension(_AwvTheorem):
    """Regret bound of the Azoury-Warmuth-Vovk forecaster: B^2 d_eff(lambda) log(e + e T kappa^2 / lambda).

    Here d_eff is the effective dimension, and kappa^2 the largest k(x_t, x_t). The bound is at least as large as the
    bound of `awv-logdet` (theory E1 with E3).
    """

    name: ClassVar[str] = "awv-effective-dimension"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Propositions 1 and 2"
    statement: ClassVar[str] = "R_lambda <= B^2 d_eff(lambda) log(e + e T kappa^2 / lambda), kappa^2 = max k(x_t, x_t)"
    formula: ClassVar[str] = (
        r"$R_\lambda \le B^2\, d_{\text{eff}}(\lambda) \log\left( e + \frac{e T \kappa^2}{\lambda} \right)$, "
        r"$\kappa^2 = \max_t k(x_t, x_t)$"
    )
    bounded_labels: ClassVar[bool] = True

    def allowed(self, run: Transcript) -> Array:
        return run.game.label_bound**2 * dimension_and_logarithm(run, run.game.at(self.regularisation))

"""Regret bounds of the Azoury-Warmuth-Vovk forecaster in an RKHS (Jezequel et al. 2019, Propositions 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.exact import RidgeHindsight
from arena.hindsight.interval import SidedHindsight
from arena.record.theorem import Identity, Theorem, beyond_rounding, labels_within, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.dimensions import dimension_and_logarithm


@dataclass(frozen=True)
class _AwvTheorem(Theorem):
    """Base class: bounds on the regret at the forecaster's lambda, for the squared loss and bounded labels."""

    monotone: ClassVar[bool] = True

    regularisation: float | None = parameter(None, "lambda of forecaster and comparator (none: the game's)", above=0)

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self._lambda(run))

    def _lambda(self, run: Transcript) -> float:
        return run.game.at(self.regularisation)

    def _hindsight(self, run: Transcript) -> RidgeHindsight | SidedHindsight:
        return run.hindsight(self._lambda(run))

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.regularisation), labels_within(run, run.game.label_bound))


@dataclass(frozen=True)
class AwvIdentity(Identity, _AwvTheorem):
    """Exact identity for the forecaster's regret (theory C1); any other predictions violate it."""

    name: ClassVar[str] = "awv-identity"
    paper: ClassVar[str] = "the exact regret identity behind Jezequel et al. 2019, Proposition 1"
    statement: ClassVar[str] = "R_lambda = sum_t (1 - 1/s_t)(y_t^2 - s_t prediction_t^2) with s_t = 1 + v_t / lambda"
    formula: ClassVar[str] = (
        r"$R_\lambda = \sum_t \left( 1 - \frac{1}{s_t} \right) \left( y_t^2 - s_t \hat y_t^2 \right)$ with $s_t = 1 "
        r"+ \frac{v_t}{\lambda}$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.regularisation),)

    def measured(self, run: Transcript) -> Array:
        hindsight = self._hindsight(run)
        surprise = hindsight.variance / hindsight.regularisation
        promised = hindsight.leverage * np.square(run.labels) - surprise * np.square(run.predictions)
        return beyond_rounding(run, run.losses - hindsight.increments - promised, hindsight.regularisation)


@dataclass(frozen=True)
class AwvLeverage(_AwvTheorem):
    """Bound by the squared labels, each weighted with the leverage 1 - 1/s_t of its point (theory E1').

    Sharper than `awv-logdet`: it uses the labels of the match, not their bound, and no logarithm. It is attained if and
    only if the forecaster always predicts zero.
    """

    name: ClassVar[str] = "awv-leverage"
    paper: ClassVar[str] = "from the exact regret identity behind Jezequel et al. 2019, Proposition 1"
    statement: ClassVar[str] = "R_lambda <= sum_t (1 - 1/s_t) y_t^2 with s_t = 1 + v_t / lambda"
    formula: ClassVar[str] = (
        r"$R_\lambda \le \sum_t \left( 1 - \frac{1}{s_t} \right) y_t^2$ with $s_t = 1 + \frac{v_t}{\lambda}$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.regularisation),)

    def allowed(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(self._hindsight(run).leverage * np.square(run.labels)))


@dataclass(frozen=True)
class AwvLogdet(_AwvTheorem):
    """The bound of the paper: B^2 times the log determinant (theory E1)."""

    name: ClassVar[str] = "awv-logdet"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Proposition 1"
    statement: ClassVar[str] = "R_lambda <= B^2 log det(I + K_T / lambda)"
    formula: ClassVar[str] = r"$R_\lambda \le B^2 \log\det\left( I + \frac{K_T}{\lambda} \right)$"

    def allowed(self, run: Transcript) -> Array:
        return run.game.label_bound**2 * self._hindsight(run).log_determinant


@dataclass(frozen=True)
class AwvEffectiveDimension(_AwvTheorem):
    """The bound in terms of the effective dimension (theory E1 with E3)."""

    name: ClassVar[str] = "awv-effective-dimension"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Propositions 1 and 2"
    statement: ClassVar[str] = "R_lambda <= B^2 d_eff(lambda) log(e + e T kappa^2 / lambda), kappa^2 = max k(x_t, x_t)"
    formula: ClassVar[str] = (
        r"$R_\lambda \le B^2\, d_{\text{eff}}(\lambda) \log\left( e + \frac{e T \kappa^2}{\lambda} \right)$, "
        r"$\kappa^2 = \max_t k(x_t, x_t)$"
    )

    def allowed(self, run: Transcript) -> Array:
        return run.game.label_bound**2 * dimension_and_logarithm(run, self._lambda(run))

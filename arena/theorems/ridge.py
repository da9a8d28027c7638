"""Theorems on kernel ridge regression: an identity for its losses, and a regret bound for clipped predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Identity, Theorem, beyond_rounding, labels_within, predictions_within, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter


@dataclass(frozen=True)
class RidgeIdentity(Identity):
    """The losses of ridge regression, each divided by its stretch s_t, sum to the regularised optimum (theory C1)."""

    name: ClassVar[str] = "ridge-identity"
    paper: ClassVar[str] = "Zhdanov and Kalnishkan 2013, Theorem 1"
    statement: ClassVar[str] = "sum_t (y_t - prediction_t)^2 / s_t = min_f sum_t (y_t - f(x_t))^2 + lambda |f|^2"
    formula: ClassVar[str] = (
        r"$\sum_t \frac{(y_t - \hat y_t)^2}{s_t} = \min_f \sum_t (y_t - f(x_t))^2 + \lambda \lVert f \rVert^2$"
    )

    regularisation: float | None = parameter(None, "lambda of learner and comparator (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.regularisation),)

    def measured(self, run: Transcript) -> Array:
        hindsight = run.hindsight(self.regularisation)
        discounted = np.square(run.labels - run.predictions) / hindsight.stretch
        return beyond_rounding(run, discounted - hindsight.increments, hindsight.regularisation)


@dataclass(frozen=True)
class ClippedKrrBound(Theorem):
    """Regret bound of ridge regression with predictions clipped to [-C, C], where C >= B (theory E8).

    It is published for C = B.
    """

    name: ClassVar[str] = "clipped-krr"
    paper: ClassVar[str] = "Zhdanov and Kalnishkan 2013, Corollary 2; also Jezequel et al. 2019, section 2"
    statement: ClassVar[str] = (
        "R_lambda <= (B + C)^2 sum_t (1 - 1/s_t) <= (B + C)^2 log det(I + K_T / lambda) for predictions clipped to "
        "[-C, C], C >= B; 4 B^2 for C = B"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le (B + C)^2 \sum_t \left( 1 - \frac{1}{s_t} \right) \le (B + C)^2 \log\det\left( I + "
        r"\frac{K_T}{\lambda} \right)$ for predictions clipped to $[-C, C]$, $C \ge B$; $4 B^2$ for $C = B$"
    )
    monotone: ClassVar[bool] = True

    regularisation: float | None = parameter(None, "lambda of learner and comparator (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        B, C = run.game.label_bound, run.game.clip
        return (
            squared_loss(run, self.regularisation),
            Assumption("C >= B: no label lies beyond the clipped predictions", C >= B, f"C = {C:g}, B = {B:g}"),
            labels_within(run, B),
            predictions_within(run, C),
        )

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self.regularisation)

    def allowed(self, run: Transcript) -> Array:
        widest = run.game.label_bound + run.game.clip
        return widest**2 * run.hindsight(self.regularisation).online_dimension

"""Theorems on recursive least squares and Bayesian linear regression, two learners with the same predictions.

The comparators are all linear functions, whatever kernel the game has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.theorem import PRECISION, Identity, Theorem, loss_is_squared
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds
from arena.theorems.recomputed.linear import with_intercept

MOST_ROUNDS = 20_000  # most rounds, since each of them solves linear equations
ROUNDED = 1e3 * float(np.finfo(float).eps)  # relative rounding error of a residual, per unit of the condition number


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class LeastSquares:
    """For every round, the prediction of least squares from the earlier rounds, and the round's stretch s_t."""

    predictions: Array
    stretch: Array


@once_per_match
def least_squares(run: Transcript, regularisation: float, forgetting: float, intercept: bool) -> LeastSquares:
    """Return the predictions of recursive least squares and the stretches of all rounds, as a `LeastSquares`.

    Each round multiplies the weights of the penalty and of all earlier losses by `forgetting`. With `intercept`, every
    point has one more coordinate, which is 1.
    """
    features = with_intercept(run.points) if intercept else run.points
    A, b = regularisation * np.eye(features.shape[1]), np.zeros(features.shape[1])
    predictions, stretch = np.zeros(run.rounds), np.ones(run.rounds)
    for t, (x, y) in enumerate(zip(features, run.labels.tolist(), strict=True)):
        solved = np.linalg.solve(A, np.column_stack([b, x]))
        predictions[t], surprise = x @ solved
        stretch[t] += max(float(surprise), 0.0) / forgetting
        A, b = forgetting * A + np.outer(x, x), forgetting * b + y * x
    return LeastSquares(predictions, stretch)


@dataclass(frozen=True)
class RlsIdentity(Identity):
    """The discounted losses, each divided by its round's stretch, sum to the minimum of the discounted penalised loss.

    Each round multiplies the weights of the penalty and of all earlier losses by F, the parameter `forgetting`. With
    A_0 = lambda I and A_t = F A_{t-1} + x_t x_t', the stretch of round t is s_t = 1 + x_t' (F A_{t-1})^-1 x_t.
    """

    name: ClassVar[str] = "rls-identity"
    paper: ClassVar[str] = "Zhdanov and Kalnishkan 2013, Theorem 1, for linear functions; with forgetting, Haykin 2002"
    statement: ClassVar[str] = (
        "sum_s F^(t-s) (y_s - prediction_s)^2 / s_s = min_w sum_s F^(t-s) (y_s - w'x_s)^2 + F^t lambda |w|^2 "
        "in every round t, F the forgetting"
    )
    formula: ClassVar[str] = (
        r"$\sum_s F^{t-s} \frac{(y_s - \hat y_s)^2}{s_s} = \min_w \sum_s F^{t-s} (y_s - w^\top x_s)^2 + F^t \lambda "
        r"\lVert w \rVert^2$ in every round $t$, $F$ the forgetting"
    )

    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)
    forgetting: float = parameter(1.0, "F, the weight of a round after another one", above=0, at_most=1)
    intercept: bool = parameter(False, "whether x has one more coordinate, which is 1")

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        squared = loss_is_squared(run)
        least = self._lambda(run) * self.forgetting**run.rounds
        needed = PRECISION * run.rounds * self._largest(run)
        precise = Assumption(
            "lambda forgetting^T stands out of the rounding errors",
            least >= needed,
            f"{least:.3g}, but {needed:.2g} is needed",
        )
        return (squared, few_rounds(run, MOST_ROUNDS), precise)

    def measured(self, run: Transcript) -> Array:
        found = self._solved(run)
        ours, theirs = np.square(run.labels - run.predictions), np.square(run.labels - found.predictions)
        condition = 1.0 + self._largest(run) / (self._lambda(run) * self.forgetting ** np.arange(1.0, run.rounds + 1.0))
        size = np.maximum.accumulate(np.square(run.labels) + np.square(found.predictions))
        deviation, allowance, deviations = 0.0, 0.0, np.empty(run.rounds)
        for t in range(run.rounds):
            deviation = self.forgetting * deviation + (ours[t] - theirs[t]) / found.stretch[t]
            allowance = self.forgetting * allowance + ROUNDED * condition[t] * size[t]
            deviations[t] = max(abs(deviation) - allowance, 0.0)
        return deviations

    def _solved(self, run: Transcript) -> LeastSquares:
        return least_squares(run, self._lambda(run), self.forgetting, self.intercept)

    def _lambda(self, run: Transcript) -> float:
        return run.game.at(self.regularisation)

    def _largest(self, run: Transcript) -> float:
        """Return the largest |x|^2 of all points x; with an intercept, x has one more coordinate, which is 1."""
        return float(np.square(run.points).sum(axis=1).max()) + float(self.intercept)


@dataclass(frozen=True)
class RlsRegret(Theorem):
    """The regret is at most the largest loss of a round times log det(I + sum_t x_t x_t' / lambda).

    No constant can replace the largest loss, since the predictions are not clipped.
    """

    name: ClassVar[str] = "rls-regret"
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, Theorem 11.7"
    statement: ClassVar[str] = (
        "sum_t (y_t - prediction_t)^2 - min_w [sum_t (y_t - w'x_t)^2 + lambda |w|^2] "
        "<= max_t (y_t - prediction_t)^2 log det(I + sum_t x_t x_t' / lambda)"
    )
    formula: ClassVar[str] = (
        r"$\sum_t (y_t - \hat y_t)^2 - \min_w \left[ \sum_t (y_t - w^\top x_t)^2 + \lambda \lVert w \rVert^2 "
        r"\right] \le \max_t (y_t - \hat y_t)^2 \log\det\left( I + \frac{1}{\lambda} \sum_t x_t x_t^\top \right)$"
    )
    quantity: ClassVar[str] = "regret against linear functions"

    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)
    intercept: bool = parameter(False, "whether x has one more coordinate, which is 1")

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self._identity().assumptions(run)

    def measured(self, run: Transcript) -> Array:
        found = self._identity()._solved(run)
        return np.asarray(run.cumulative_losses - np.cumsum(np.square(run.labels - found.predictions) / found.stretch))

    def allowed(self, run: Transcript) -> Array:
        logarithms = np.cumsum(np.log(self._identity()._solved(run).stretch))
        return np.asarray(np.maximum.accumulate(np.square(run.labels - run.predictions)) * logarithms)

    def _identity(self) -> RlsIdentity:
        return RlsIdentity(self.regularisation, intercept=self.intercept)

"""Inequalities between the dimensions of a sequence of points, for any learner (theory E3, E10).

K_t is the kernel matrix of the first t points, and v_t is defined by 1 + v_t / lambda = det(I + K_t / lambda) / det(I +
K_{t-1} / lambda). Three numbers measure the size of the sequence:

- the online dimension d_onl = sum_t v_t / (lambda + v_t), the sum of the ridge leverages;
- the log determinant log det(I + K_T / lambda);
- the effective dimension d_eff = tr K_T (K_T + lambda I)^-1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.checkpoints import checkpoints, step_curve
from arena.hindsight.comparator import EXACT_LIMIT
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem, lambda_stands_out
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.recomputed.points import Grouped, repeats, surprises


@once_per_match
def point_surprises(run: Transcript, ridge: float) -> Array:
    """Return the surprise v_t / lambda of every round, where lambda is `ridge`."""
    return surprises(run.game.kernel, run.points, ridge)


def surprises_computable(run: Transcript) -> Assumption:
    """Assumption: the surprises of all rounds can be computed without a kernel matrix that fills the memory."""
    statement = f"at most {EXACT_LIMIT} rounds, or few different points"
    return Assumption(statement, run.rounds <= EXACT_LIMIT or repeats(run.points), f"{run.rounds} rounds")


def dimension_and_logarithm(run: Transcript, ridge: float) -> Array:
    """Return d_eff(ridge) log(e + e t kappa^2 / ridge) of every prefix; kappa^2 is the largest k(x, x) so far."""
    largest = np.maximum.accumulate(run.game.kernel.diagonal(run.points))
    rounds = np.arange(1, run.rounds + 1)
    return np.asarray(run.comparator.effective_dimensions(ridge) * (1.0 + np.log1p(rounds * largest / ridge)))


@dataclass(frozen=True)
class _DimensionTheorem(Theorem):
    """Base class of theorems about the points of a match, which hold whatever the learner predicts."""

    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (surprises_computable(run), lambda_stands_out(run, self._lambda(run)))

    def scale(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)

    def _lambda(self, run: Transcript) -> float:
        return run.game.at(self.regularisation)

    def _log_determinant(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(np.log1p(point_surprises(run, self._lambda(run)))))


@dataclass(frozen=True)
class OnlineDimension(_DimensionTheorem):
    """The online dimension is at most the log determinant log det(I + K_T / lambda).

    The inequality is the sum over all rounds of 1 - 1/s_t <= log s_t, where s_t is the stretch.
    """

    name: ClassVar[str] = "online-dimension"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), section 3"
    statement: ClassVar[str] = "d_onl(lambda) <= log det(I + K_T / lambda)"
    formula: ClassVar[str] = r"$d_{\text{onl}}(\lambda) \le \log\det\left( I + \frac{K_T}{\lambda} \right)$"
    quantity: ClassVar[str] = "online dimension"

    def most(self, run: Transcript) -> float:
        return float(run.rounds)  # no leverage is above 1

    def measured(self, run: Transcript) -> Array:
        found = point_surprises(run, self._lambda(run))
        return np.asarray(np.cumsum(found / (1.0 + found)))

    def allowed(self, run: Transcript) -> Array:
        return self._log_determinant(run)


@dataclass(frozen=True)
class LogDeterminant(_DimensionTheorem):
    """log det(I + K_T / lambda) is at most the effective dimension times 1 + log(1 + |K_T| / lambda).

    |K_T| is the largest eigenvalue of K_T.
    """

    name: ClassVar[str] = "log-determinant"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), section 3"
    statement: ClassVar[str] = "log det(I + K_T / lambda) <= d_eff(lambda) (1 + log(1 + |K_T| / lambda))"
    formula: ClassVar[str] = (
        r"$\log\det\left( I + \frac{K_T}{\lambda} \right) \le d_{\text{eff}}(\lambda) \left( 1 + \log\left( 1 + "
        r"\frac{\lVert K_T \rVert}{\lambda} \right) \right)$"
    )
    quantity: ClassVar[str] = "log determinant"

    def measured(self, run: Transcript) -> Array:
        return self._log_determinant(run)

    def allowed(self, run: Transcript) -> Array:
        at = self._lambda(run)
        rounds = checkpoints(run.rounds)
        # the largest eigenvalue never decreases, so that of the next checkpoint bounds that of the round
        groups = [Grouped.of(run.game.kernel, run.points[:t], run.labels[:t]) for t in rounds]
        norms = step_curve(run.rounds, rounds, [float(group.spectrum[-1]) for group in groups], backwards=True)
        return np.asarray(run.comparator.effective_dimensions(at) * (1.0 + np.log1p(norms / at)))


@dataclass(frozen=True)
class LogDeterminantTrace(LogDeterminant):
    """The bound of `log-determinant` with T max_t k(x_t, x_t) in place of the largest eigenvalue of K_T.

    It is d_eff(lambda) (1 + log(1 + T max_t k(x_t, x_t) / lambda)), where d_eff is the effective dimension.
    """

    name: ClassVar[str] = "log-determinant-trace"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Proposition 2"
    statement: ClassVar[str] = "log det(I + K_T / lambda) <= d_eff(lambda) log(e + e T kappa^2 / lambda)"
    formula: ClassVar[str] = (
        r"$\log\det\left( I + \frac{K_T}{\lambda} \right) \le d_{\text{eff}}(\lambda) \log\left( e + \frac{e T "
        r"\kappa^2}{\lambda} \right)$"
    )

    def allowed(self, run: Transcript) -> Array:
        return dimension_and_logarithm(run, self._lambda(run))

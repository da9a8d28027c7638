"""Regret bounds of gradient descent on features, to linear functions of the features and to the RKHS (theory E15).

The bounds for the RKHS follow from those for linear functions of the features. Each function f of the RKHS has a
stand-in f~, a linear function of the features that is close to f. The regret to f is at most the regret to f~ plus
|l'(f~(x))| |f~(x) - f(x)| in each round, where x is the point and l' the derivative of the convex loss. The error of
the features' kernel bounds |f~(x) - f(x)|.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.comparator import Optimum
from arena.record.cached import once_per_match
from arena.record.theorem import lambda_stands_out
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.assumptions import features_comparator_known, few_rounds, left_as_evidence
from arena.theorems.descent import OnlineGradientDescent
from arena.theorems.in_subspaces import subspace_fixed, subspaces_known, subspaces_within
from arena.theorems.recomputed.descent import minimiser
from arena.theorems.recomputed.points import coordinates
from arena.theorems.recomputed.subspaces import ridge_in_subspaces, subspaces_of

MOST_ROUNDS = 2000  # most rounds, since their kernel matrix is in memory
STRENGTHS = (1e-2, 1e-1, 1.0, 1e1, 1e2)  # values of lambda for which comparators are computed
PAPER = "Lu, Hoi, Wang, Zhao and Liu 2016"


@dataclass(frozen=True)
class OgdInFeatures(OnlineGradientDescent):
    """Regret bound of gradient descent on features, against the linear functions of these features (theory E15).

    In Nyström descent the features are chosen during the match, and the learner then projects its function onto their
    span. The bound allows this, since the projection does not increase the distance to any function in the span.
    """

    name: ClassVar[str] = "ogd-features"
    paper: ClassVar[str] = f"Zinkevich 2003, Theorem 1, on features; {PAPER}"
    statement: ClassVar[str] = "R_{1/(2 eta)}(linear functions of the features) <= (eta / 2) sum_t g_t^2 k(x_t, x_t)"
    formula: ClassVar[str] = (
        r"$R_{1/(2 \eta)}(\text{linear functions of the features}) \le \frac{\eta}{2} \sum_t g_t^2\, k(x_t, x_t)$"
    )
    quantity: ClassVar[str] = "regret at 1/(2 eta) in the features"
    own_comparator: ClassVar[bool] = True

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        precise = (lambda_stands_out(run, 0.5 / self._eta(run)),) if run.comparator.closed_form else ()
        return (*features_comparator_known(run), *precise, subspaces_known(run), subspace_fixed(run))

    def measured(self, run: Transcript) -> Array:
        at = 0.5 / self._eta(run)
        if run.comparator.closed_form:
            return run.loss_beyond(ridge_in_subspaces(run, at).increments)
        return run.comparator.regret_at_checkpoints(run.losses, lambda t: [best_in_features(run, at, t)])


@once_per_match
def best_in_features(run: Transcript, regularisation: float, rounds: int) -> Optimum:
    """Return the least regularised loss of the first `rounds` rounds, over linear functions of the learner's features.

    The features are assumed to be the same in all rounds.
    """
    subspaces = subspaces_of(run)
    assert subspaces is not None
    return run.comparator.optimum_of_features(subspaces.coordinates[:rounds], slice(0, rounds), regularisation)


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class StandIns:
    """Functions f = sum_i a_i k(x_i, .) and their stand-ins f~ = sum_i a_i k~(x_i, .); k~ is the features' kernel.

    The x_i are the points of the match.

    - `squared_norms` and `masses`: |f|^2 and sum_i |a_i|, one entry for each f.
    - `losses`: the loss of f, one row for each round, one column for each f.
    - `slopes`: the derivative of the loss at f~, with the same rows and columns.
    - `kernel_error`: the largest |k - k~| between points of the match.
    - `residuals`: (k(x, x) - k~(x, x))^(1/2) at each point.
    """

    squared_norms: Array
    masses: Array
    losses: Array
    slopes: Array
    kernel_error: float
    residuals: Array


@once_per_match
def stand_ins(run: Transcript) -> StandIns:
    """Return comparators f = sum_i a_i k(x_i, .), and stand-ins with the features' kernel in place of k.

    One f is zero. The others have a small regularised loss in the first half or in all rounds.
    """
    points, which = np.unique(run.points + 0.0, axis=0, return_inverse=True)
    F = coordinates(run.game.kernel, points)[which.reshape(-1)]
    subspaces = subspaces_of(run)
    assert subspaces is not None
    error = subspaces.coordinates @ subspaces.coordinates.T - F @ F.T
    A = np.array(_coefficients(run, F)).T
    # from the coordinates of f, not as A' K A, which cancels where the coefficients are large
    functions = F.T @ A
    norms, values = np.linalg.norm(functions, axis=0), F @ functions
    rounded = len(F) * np.finfo(float).eps * run.game.kernel.diagonal(run.points)
    residuals = np.sqrt(np.maximum(-error.diagonal(), 0.0) + rounded)
    missing = error @ A
    if subspaces.within:  # the rounding error of `missing` is proportional to the coefficients
        limit = residuals[:, np.newaxis] * norms
        missing = np.clip(missing, -limit, limit)
    loss, labels = run.game.loss, run.labels[:, np.newaxis]
    return StandIns(
        np.square(norms),
        np.abs(A).sum(axis=0),
        np.asarray(loss.value(values, labels)),
        np.asarray(loss.derivative(values + missing, labels)),
        float(np.abs(error).max()),
        residuals,
    )


def _coefficients(run: Transcript, F: Array) -> list[Array]:
    """Return the coefficients a_i of some functions; row i of `F` has the coordinates of x_i in the span of all points.

    One function is zero. The others have a small regularised loss in the first half or in all rounds.
    """
    found = [np.zeros(run.rounds)]
    for rounds in sorted({max(run.rounds // 2, 1), run.rounds}):
        for strength in STRENGTHS:
            w = minimiser(run.game.loss, F[:rounds], run.labels[:rounds], 2.0 * strength)
            # the exact minimiser of sum loss + lambda |f|^2 has the coefficients -slopes / (2 lambda), too
            slopes = np.asarray(run.game.loss.derivative(F @ w, run.labels))
            found.append(np.where(np.arange(run.rounds) < rounds, -slopes / (2.0 * strength), 0.0))
    return found


@dataclass(frozen=True)
class _AgainstTheSpace(OnlineGradientDescent, abc.ABC):
    """Base class of regret bounds of gradient descent on features, against functions f of the RKHS.

    The bounds are checked for f = 0, and for a few f with a small regularised loss.
    """

    monotone: ClassVar[bool] = False
    quantity: ClassVar[str] = "regret less what |f| and the features' error explain, worst of a few f,"
    version: ClassVar[int] = 2

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (subspaces_known(run), subspace_fixed(run), few_rounds(run, MOST_ROUNDS))

    def measured(self, run: Transcript) -> Array:
        found = stand_ins(run)
        regret = np.cumsum(run.losses[:, np.newaxis] - found.losses, axis=0)
        return np.asarray((regret - self.explained(run, found)).max(axis=1))

    @abc.abstractmethod
    def explained(self, run: Transcript, functions: StandIns) -> Array:
        """Return the part of the regret bound that depends on the comparator f.

        There is one row for each round, and one column for each f of `functions`.
        """


@dataclass(frozen=True)
class FourierAgainstTheSpace(_AgainstTheSpace):
    """Regret bound of gradient descent on Fourier features, against every f = sum_i a_i k(x_i, .) (theory E15).

    The bound grows with epsilon, the largest error |k - k~| of the features' kernel k~ over all pairs of points. To the
    bound, round t adds epsilon |l_t'| sum_i |a_i|, where l_t' is the slope of the loss at sum_i a_i k~(x_i, x_t). The
    paper's bound has a Lipschitz constant of the loss in place of these slopes.
    """

    name: ClassVar[str] = "ogd-fourier-rkhs"
    paper: ClassVar[str] = f"{PAPER}, the bound of FOGD, given its event, for any convex loss"
    statement: ClassVar[str] = (
        "R(f) <= (|f|^2 + epsilon |f|_1^2) / (2 eta) + (eta / 2) sum_t g_t^2 k(x_t, x_t) + epsilon |f|_1 sum_t |l_t'| "
        "for all f = sum_i a_i k(x_i, .), epsilon = max |k - k~|, l_t' the slope at the same sum with k~"
    )
    formula: ClassVar[str] = (
        r"$R(f) \le \frac{\lVert f \rVert^2 + \epsilon \lVert f \rVert_1^2}{2 \eta} + \frac{\eta}{2} \sum_t g_t^2\, "
        r"k(x_t, x_t) + \epsilon \lVert f \rVert_1 \sum_t \lvert \ell_t' \rvert$ for all $f = \sum_i a_i k(x_i, "
        r"\cdot)$, $\epsilon = \max \lvert k - \tilde k \rvert$, $\ell_t'$ the slope at the same sum with $\tilde "
        "k$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        fourier = left_as_evidence(run, "its frequencies", "frequencies" in run.evidence)
        return (*super().assumptions(run), fourier)

    def explained(self, run: Transcript, functions: StandIns) -> Array:
        mass = functions.masses
        start = (functions.squared_norms + functions.kernel_error * np.square(mass)) / (2.0 * self._eta(run))
        return np.asarray(start + functions.kernel_error * mass * np.cumsum(np.abs(functions.slopes), axis=0))


@dataclass(frozen=True)
class NystromAgainstTheSpace(_AgainstTheSpace):
    """Regret bound of gradient descent on Nyström features, against every f of the RKHS (theory E15).

    Let f~ be the projection of f onto the features' span. At x_t, f and f~ differ by at most |f| e_t^(1/2), where
    e_t = k(x_t, x_t) - k~(x_t, x_t) for the features' kernel k~. To the bound, round t adds |f| e_t^(1/2) times the
    absolute slope of the loss at f~(x_t).
    """

    name: ClassVar[str] = "ogd-nystrom-rkhs"
    paper: ClassVar[str] = f"{PAPER}, the bound of NOGD, with the projection's residuals as they are"
    statement: ClassVar[str] = (
        "R(f) <= |f|^2 / (2 eta) + (eta / 2) sum_t g_t^2 k(x_t, x_t) + |f| sum_t |l_t'| e_t^1/2 for all f, "
        "e_t = k(x_t, x_t) - k~(x_t, x_t), l_t' the slope at the projection of f"
    )
    formula: ClassVar[str] = (
        r"$R(f) \le \frac{\lVert f \rVert^2}{2 \eta} + \frac{\eta}{2} \sum_t g_t^2\, k(x_t, x_t) + \lVert f \rVert "
        r"\sum_t \lvert \ell_t' \rvert \sqrt{e_t}$ for all $f$, $e_t = k(x_t, x_t) - \tilde k(x_t, x_t)$, $\ell_t'$ "
        "the slope at the projection of $f$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), subspaces_within(run))

    def explained(self, run: Transcript, functions: StandIns) -> Array:
        missed = np.abs(functions.slopes) * functions.residuals[:, np.newaxis]
        norms = np.sqrt(functions.squared_norms)
        return np.asarray(functions.squared_norms / (2.0 * self._eta(run)) + norms * np.cumsum(missed, axis=0))

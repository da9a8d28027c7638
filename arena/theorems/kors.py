"""Guarantees of KORS for its dictionary (Calandriello, Lazaric and Valko 2017, ICML, Theorem 2; theory E9).

Symbols:

- gamma, beta, epsilon and delta are the parameters of KORS.
- e_s is the row of coordinates of the point of round s in the span of all points.
- p_s is the probability with which KORS accepts this point.
- A_t = gamma I + the sum of e_s' e_s over the rounds s <= t.
- A_t^I, the sketch, is gamma I + the sum of e_s' e_s / p_s over the rounds s <= t in which KORS accepted the point.
- tau_t = e_t A_t^-1 e_t' is the ridge leverage of round t.

Let beta >= 3 log(T/delta) / epsilon^2 and epsilon < 1. (The paper allows epsilon = 1, which divides by zero.) Then
three statements hold with probability 1 - delta in all rounds t: the sketch is close to A_t; leverages are
overestimated, but not by much; and the dictionary is small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.hindsight.checkpoints import checkpoints, step_curve
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_different_points, left_as_evidence, until_one_fails
from arena.theorems.dimensions import point_surprises, surprises_computable
from arena.theorems.recomputed.points import DictionaryCoordinates, coordinates, embed

THEOREM = "Calandriello, Lazaric and Valko 2017 (ICML), Theorem 2"
COIN_OPERATIONS = 2e9  # most operations to recompute the probabilities; beyond them the assumption fails
COIN_PRECISION = 1e-3  # relative error of a probability that rounding may cause
# exp(|I_t| - (e - 1) sum_s p_s) is a supermartingale. The papers' bound on |I_t| is 3 sum_s p_s: if this sum is far
# below 1, a single accepted point exceeds it.
BY_COINS = 2.4  # (e - 1) S + log(1/delta) <= max(3 S, 2.4 log(1/delta)) for every S >= 0


@dataclass(frozen=True, eq=False)
class KorsPath:
    """Decisions of KORS, one for each round: whether it accepted the point, and the probability of acceptance.

    `points` are the different points of the match, and `which` has the index of each round's point in `points`.
    """

    accepted: NDArray[np.bool_]
    probabilities: Array
    points: Array
    which: NDArray[np.intp]


def accepted_rounds(run: Transcript) -> Array | None:
    """Return the numbers of the rounds whose points KORS accepted, counted from 1; None if they are not recorded."""
    # "accepted" if a point joins the dictionary after its own round, "accepted_rounds" if in its own round
    found = run.evidence.get("accepted", run.evidence.get("accepted_rounds"))
    return None if found is None else found[found <= run.rounds]


def kors_evidence(run: Transcript) -> Assumption:
    """Assumption: the evidence has the rounds whose points KORS accepted, and each round's acceptance probability."""
    probabilities = run.evidence.get("probabilities")
    there = accepted_rounds(run) is not None and probabilities is not None and len(probabilities) >= run.rounds
    return left_as_evidence(run, "KORS' acceptances and probabilities", there)


@once_per_match
def kors_path(run: Transcript) -> KorsPath:
    """Return the `KorsPath` of a match: acceptances and probabilities from the evidence, and the different points."""
    accepted = np.zeros(run.rounds, dtype=bool)
    numbers = accepted_rounds(run)
    assert numbers is not None
    accepted[numbers.astype(int) - 1] = True
    points, which = np.unique(run.points + 0.0, axis=0, return_inverse=True)
    return KorsPath(accepted, run.evidence["probabilities"][: run.rounds], points, which.reshape(-1))


def sketch_errors(run: Transcript, ridge: float, rounds: Sequence[int]) -> list[float]:
    """Return, for each t in `rounds`, the least epsilon with (1 - epsilon) A_t <= A_t^I <= (1 + epsilon) A_t.

    A_t is `ridge` I plus the sum of e_s' e_s over the rounds s <= t, where the row e_s has the coordinates of x_s in
    the span of all points. In A_t^I the sum has only the terms of accepted points, each divided by the probability of
    acceptance.
    """
    path = kors_path(run)
    E = coordinates(run.game.kernel, path.points)
    weights = np.divide(1.0, path.probabilities, out=np.zeros(run.rounds), where=path.accepted)
    errors = []
    for t in rounds:
        counts = np.bincount(path.which[:t], minlength=len(E))
        sketch = np.bincount(path.which[:t], weights=weights[:t], minlength=len(E))
        exact = E.T @ (counts[:, np.newaxis] * E) + ridge * np.eye(E.shape[1])
        estimate = E.T @ (sketch[:, np.newaxis] * E) + ridge * np.eye(E.shape[1])
        ratios = scipy.linalg.eigh(estimate, exact, eigvals_only=True)
        errors.append(float(np.abs(ratios - 1.0).max(initial=0.0)))
    return errors


@once_per_match
def dictionary(run: Transcript) -> DictionaryCoordinates:
    """Return the `DictionaryCoordinates` of the match's points in the span of the points that KORS accepted."""
    return embed(run.game.kernel, run.points, np.flatnonzero(kors_path(run).accepted) + 1)


def projection_errors(run: Transcript, rounds: Sequence[int]) -> list[float]:
    """Return the largest eigenvalue of K_t - P K_t P for each t in `rounds`.

    P K_t P is the matrix of the inner products of the points' projections onto the dictionary's span after round t.
    """
    span = dictionary(run)
    return [
        unexplained_norm(run, slice(0, t), span.coordinates[:, : int(np.searchsorted(span.since, t, side="right"))])
        for t in rounds
    ]


def unexplained_norm(run: Transcript, rounds: slice, coordinates: Array) -> float:
    """Return the largest eigenvalue of K - F F', where K is the kernel matrix of the points x_t of `rounds`.

    Row t of F has the coordinates of the projection of x_t onto a subspace. `coordinates` has such a row for each
    distinct point of the match, in the order of `dictionary(run).points`.
    """
    span = dictionary(run)
    here, counts = np.unique(span.which[rounds], return_counts=True)
    if not len(here):
        return 0.0
    rest = run.game.kernel.gram(span.points[here], span.points[here])
    rest.flat[:: len(here) + 1] = span.diagonal[here]
    rest -= coordinates[here] @ coordinates[here].T
    roots = np.sqrt(counts)
    return max(float(np.linalg.eigvalsh(rest * roots * roots[:, np.newaxis])[-1]), 0.0)


@dataclass(frozen=True)
class KorsTheorem(Theorem):
    """Base class of theorems on KORS, with the parameters of KORS and the assumptions that these theorems share."""

    ridge: float | None = parameter(None, "gamma, the ridge of KORS (none: the game's lambda)", above=0)
    beta: float | None = parameter(None, "oversampling (none: the least that the theorem allows)", above=0)
    epsilon: float = parameter(0.5, "accuracy", above=0, below=1)
    delta: float = parameter(0.1, "the probability with which it may fail", above=0, below=1)

    @property
    def confidence(self) -> float:
        return 1.0 - self.delta

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self.sampled_as_needed(run, few_different_points)

    def sampled_as_needed(
        self, run: Transcript, computable: Callable[[Transcript], Assumption]
    ) -> tuple[Assumption, ...]:
        """Return the assumptions on KORS, followed by `computable(run)`.

        - KORS' decisions are recorded. If this fails, the other assumptions are left out.
        - No probability of acceptance is zero.
        - beta is large enough.
        - `computable(run)`, the assumption that the theorem's quantities can be computed in this match.
        """
        return until_one_fails(
            lambda: (kors_evidence(run),),
            lambda: (never_limited(run), self._beta_suffices(run), computable(run)),
        )

    def scale(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)

    def least_beta(self, run: Transcript) -> float:
        """Return 3 log(T/delta) / epsilon^2, the least oversampling beta of KORS that the theorem allows."""
        return 3.0 * float(np.log(run.rounds / self.delta)) / self.epsilon**2

    def sampling(self, run: Transcript) -> float:
        """Return beta, the oversampling of KORS."""
        return self.least_beta(run) if self.beta is None else self.beta

    def gamma(self, run: Transcript) -> float:
        """Return gamma, the ridge of KORS."""
        return run.game.at(self.ridge)

    @property
    def rho(self) -> float:
        """The number rho = (1 + epsilon) / (1 - epsilon), the factor by which KORS may overestimate a leverage."""
        return (1.0 + self.epsilon) / (1.0 - self.epsilon)

    def _beta_suffices(self, run: Transcript) -> Assumption:
        given, needed = self.sampling(run), self.least_beta(run)
        statement = "beta >= 3 log(T/delta) / epsilon^2"
        return Assumption(statement, given >= needed * (1 - 1e-12), f"{given:g} of {needed:g}")


def never_limited(run: Transcript) -> Assumption:
    """Assumption: no limit on the dictionary's size has made the probability of a point with k(x, x) > 0 zero."""
    points = run.game.kernel.diagonal(run.points) > 0
    least = float(kors_path(run).probabilities[points].min(initial=1.0))
    return Assumption("no limit stopped the sampling", least > 0, f"least {least:g}")


def coins_of_kors(run: Transcript, ridge: float, beta: float, epsilon: float) -> Assumption:
    """Assumption: the recorded probabilities equal the recomputed probabilities of KORS with these parameters.

    If recomputing takes more than `COIN_OPERATIONS` operations, the assumption fails.
    """
    path = kors_path(run)
    statement = "every probability is min(1, beta times the estimated leverage)"
    E = coordinates(run.game.kernel, path.points)
    starts = np.append(0, np.flatnonzero(path.accepted) + 1)
    work = len(starts) * E.shape[1] ** 3
    if work > COIN_OPERATIONS:
        return Assumption(statement, False, "there are too many points to compute them again")
    A, worst = ridge * np.eye(E.shape[1]), 0.0
    for start, stop in itertools.pairwise(np.append(starts, run.rounds)):
        rows = E[path.which[start:stop]]
        energy = np.sum(rows * np.linalg.solve(A, rows.T).T, axis=1)
        expected = np.minimum(1.0, beta * (1.0 + epsilon) * energy / (1.0 + energy))
        off = np.abs(path.probabilities[start:stop] - expected) / np.maximum(expected, np.finfo(float).tiny)
        worst = max(worst, float(off.max(initial=0.0)))
        if stop > start:
            A += np.outer(rows[-1], rows[-1]) / path.probabilities[stop - 1]
    return Assumption(statement, worst <= COIN_PRECISION, f"off by a share of up to {worst:.2g}")


def dictionary_sizes(run: Transcript) -> Array:
    """Return the number of points accepted up to each round; a point that is accepted twice counts twice."""
    return np.asarray(np.cumsum(kors_path(run).accepted, dtype=float))


@dataclass(frozen=True)
class KorsAccuracy(KorsTheorem):
    """The sketch A_t^I equals A_t up to a relative error of epsilon in every direction, with probability 1 - delta.

    A_t is gamma I plus the sum of e_s' e_s over the rounds s <= t, where the row e_s has the coordinates of x_s in the
    span of all points. In A_t^I the sum has only the terms of accepted points, each divided by the probability of
    acceptance. The error is measured at checkpoints.
    """

    name: ClassVar[str] = "kors-accuracy"
    paper: ClassVar[str] = f"{THEOREM} (1)"
    statement: ClassVar[str] = "(1 - epsilon) A_t <= A_t^I <= (1 + epsilon) A_t for all t, with probability 1 - delta"
    formula: ClassVar[str] = (
        r"$(1 - \epsilon) A_t \preceq A_t^{\mathcal{I}} \preceq (1 + \epsilon) A_t$ for all $t$, with probability "
        r"$1 - \delta$"
    )
    quantity: ClassVar[str] = "relative error of the sketch"

    def measured(self, run: Transcript) -> Array:
        rounds = checkpoints(run.rounds, ratio=1.5)
        return step_curve(run.rounds, rounds, sketch_errors(run, self.gamma(run), rounds))

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, self.epsilon)


@dataclass(frozen=True)
class KorsProjection(KorsTheorem):
    """With probability 1 - delta, no eigenvalue of K_t - P K_t P exceeds gamma epsilon / (1 - epsilon).

    P K_t P is the matrix of the inner products of the points' projections onto the dictionary's span.
    """

    name: ClassVar[str] = "kors-projection"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), Proposition 1 (1)"
    statement: ClassVar[str] = "|K_t - P K_t P| <= gamma epsilon / (1 - epsilon) for all t, with probability 1 - delta"
    formula: ClassVar[str] = (
        r"$\lVert K_t - P K_t P \rVert \le \frac{\gamma \epsilon}{1 - \epsilon}$ for all $t$, with probability $1 - "
        r"\delta$"
    )
    quantity: ClassVar[str] = "largest unexplained eigenvalue"

    def measured(self, run: Transcript) -> Array:
        rounds = checkpoints(run.rounds, ratio=1.5)
        return step_curve(run.rounds, rounds, projection_errors(run, rounds))

    def scale(self, run: Transcript) -> Array:
        # the trace of K_t bounds the eigenvalues of K_t and of P K_t P
        return np.asarray(np.cumsum(run.game.kernel.diagonal(run.points)))

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, self.gamma(run) * self.epsilon / (1.0 - self.epsilon))


@dataclass(frozen=True)
class KorsOverestimation(KorsTheorem):
    """With probability 1 - delta, each estimated leverage is 1 to (1 + epsilon) / (1 - epsilon) times the leverage.

    This is checked on the probabilities of acceptance, which are min(1, beta times the estimated leverage).
    """

    name: ClassVar[str] = "kors-overestimation"
    paper: ClassVar[str] = f"{THEOREM} (3)"
    statement: ClassVar[str] = (
        "min(1, beta tau_t) <= p_t <= min(1, beta rho tau_t) for all t, rho = (1 + epsilon)/(1 - epsilon), "
        "with probability 1 - delta"
    )
    formula: ClassVar[str] = (
        r"$\min(1, \beta \tau_t) \le p_t \le \min(1, \beta \rho \tau_t)$ for all $t$, $\rho = \frac{1 + \epsilon}{1 "
        r"- \epsilon}$, with probability $1 - \delta$"
    )
    quantity: ClassVar[str] = "largest factor beyond the limits"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self.sampled_as_needed(run, surprises_computable)

    def measured(self, run: Transcript) -> Array:
        found = point_surprises(run, self.gamma(run))
        leverage, p = self.sampling(run) * found / (1.0 + found), kors_path(run).probabilities
        below, above = np.minimum(1.0, leverage) / p, p / np.minimum(1.0, self.rho * leverage)
        never = (leverage == 0.0) & (p == 0.0)  # where k(x, x) = 0
        return np.maximum.accumulate(np.where(never, 1.0, np.maximum(below, above)))

    def allowed(self, run: Transcript) -> Array:
        return np.ones(run.rounds)


@dataclass(frozen=True)
class KorsSize(KorsTheorem):
    """KORS accepts at most max(3 rho beta d_onl(gamma), 2.4 log(1/delta)) points, with probability 1 - 2 delta.

    Here rho = (1 + epsilon) / (1 - epsilon), and d_onl is the online dimension. Let |I_t| be the number of points
    accepted up to round t, p_s the probability of accepting the point of round s, and tau_s the leverage of this point.
    The bound follows from two inequalities for all t, each with probability 1 - delta:

    - |I_t| <= (e - 1) sum_s p_s + log(1/delta);
    - p_s <= beta rho tau_s, by `kors-overestimation`.
    """

    name: ClassVar[str] = "kors-size"
    paper: ClassVar[str] = f"{THEOREM} (2), corrected"
    statement: ClassVar[str] = (
        "|I_t| <= max(3 rho beta d_onl(gamma), 2.4 log(1/delta)) for all t, with probability 1 - 2 delta"
    )
    formula: ClassVar[str] = (
        r"$\lvert \mathcal{I}_t \rvert \le \max\left( 3 \rho \beta\, d_{\text{onl}}(\gamma),\ 2.4 "
        r"\log\frac{1}{\delta} \right)$ for all $t$, with probability $1 - 2 \delta$"
    )
    quantity: ClassVar[str] = "size of the dictionary"

    def most(self, run: Transcript) -> float:
        return float(run.rounds)

    @property
    def confidence(self) -> float:
        return max(0.0, 1.0 - 2.0 * self.delta)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self.sampled_as_needed(run, surprises_computable)

    def measured(self, run: Transcript) -> Array:
        return dictionary_sizes(run)

    def allowed(self, run: Transcript) -> Array:
        found = point_surprises(run, self.gamma(run))
        dimension = np.cumsum(found / (1.0 + found))
        by_coins_alone = BY_COINS * np.log(1.0 / self.delta)
        return np.asarray(np.maximum(3.0 * self.rho * self.sampling(run) * dimension, by_coins_alone))


@dataclass(frozen=True)
class EpochsInEffectiveDimension(KorsSize):
    """Bound on the number of points that KORS accepts, and on the number J of epochs of PROS-N-KONS.

    It follows from `kors-size` and d_onl <= d_eff (1 + log(1 + |K| / gamma)), where |K| is the largest eigenvalue of
    the kernel matrix K. The assumption 1 + log(1 + tr K_T / gamma) <= log(2T/delta) excludes small gamma.
    """

    name: ClassVar[str] = "pros-n-kons-epochs"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), Proposition 1 (2), with room for few coins"
    statement: ClassVar[str] = (
        "J <= max(3 rho beta d_eff(gamma) log(2T/delta), 2.4 log(1/delta)) for all t, with probability 1 - 2 delta, "
        "if e (1 + tr K_T / gamma) <= 2T/delta"
    )
    formula: ClassVar[str] = (
        r"$J \le \max\left( 3 \rho \beta\, d_{\text{eff}}(\gamma) \log\frac{2 T}{\delta},\ 2.4 \log\frac{1}{\delta} "
        r"\right)$ for all $t$, with probability $1 - 2 \delta$, if $e \left( 1 + \frac{\operatorname{tr} "
        r"K_T}{\gamma} \right) \le \frac{2 T}{\delta}$"
    )
    quantity: ClassVar[str] = "number of epochs"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        trace = float(run.game.kernel.diagonal(run.points).sum())
        left, right = math.e * (1.0 + trace / self.gamma(run)), 2.0 * run.rounds / self.delta
        wide = Assumption("e (1 + tr K_T / gamma) <= 2T/delta", left <= right, f"{left:.4g} of {right:.4g}")
        return (*super().assumptions(run), wide)

    def allowed(self, run: Transcript) -> Array:
        logarithm = math.log(2.0 * run.rounds / self.delta)
        dimension = run.comparator.effective_dimensions(self.gamma(run))
        by_coins_alone = BY_COINS * np.log(1.0 / self.delta)
        return np.asarray(np.maximum(3.0 * self.rho * self.sampling(run) * dimension * logarithm, by_coins_alone))

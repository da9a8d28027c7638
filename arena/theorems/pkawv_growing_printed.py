"""Theorem 9 of Jezequel et al. 2019 as printed, for subspaces that need not be nested: it is false (theory E6).

Subspaces are nested if each contains the one before it. The bound of a round costs O(n^3) for n points and atoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.components.span import Span
from arena.record.theorem import Theorem, labels_within, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds

# If subspaces are not nested, no factorisation can be updated from round to round, so projections are dense matrices.
DENSE_LIMIT = 500  # most rounds


@dataclass(frozen=True)
class PkawvGrowingPrinted(Theorem):
    """Published regret bound for any sequence of subspaces; it is false for dictionaries that drop atoms (theory E6).

    The proof uses P_{t+1} P_t = P_t for the projections P_t onto the subspaces; this holds only for nested subspaces.
    A one-dimensional subspace that changes its direction is a counterexample. Term t of the bound's second sum has the
    factor t - 1; with `generous` the factor is t.
    """

    name: ClassVar[str] = "pkawv-growing-printed"
    monotone: ClassVar[bool] = True
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Theorem 9"
    statement: ClassVar[str] = (
        "R_lambda <= sum_t y_t^2 |P_t phi_t|^2_{(P_t C_t P_t + lambda I)^-1} + sum_{t <= T+1} (mu_{t-1} + lambda) "
        "mu_{t-1} (t-1) B^2 / lambda^2 for any subspaces, mu_t = |(P_{t+1} - P_t) C_t^1/2|^2, P_{T+1} = I"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le \sum_t y_t^2 \lVert P_t \phi_t \rVert^2_{(P_t C_t P_t + \lambda I)^{-1}} + \sum_{t \le "
        r"T+1} \frac{(\mu_{t-1} + \lambda)\, \mu_{t-1} (t - 1) B^2}{\lambda^2}$ for any subspaces, $\mu_t = \lVert "
        r"(P_{t+1} - P_t)\, C_t^{1/2} \rVert^2$, $P_{T+1} = I$"
    )

    regularisation: float | None = parameter(None, "lambda of learner and comparator (none: the game's)", above=0)
    generous: bool = parameter(False, "put t for the factor t - 1, which makes the bound larger")

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        known = "accepted_rounds" in run.evidence or "atoms" in run.evidence
        return (
            squared_loss(run, self.regularisation),
            labels_within(run, run.game.label_bound),
            Assumption("the learner left its dictionary as evidence", known),
            few_rounds(run, DENSE_LIMIT),
        )

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self.regularisation)

    def allowed(self, run: Transcript) -> Array:
        return dense_bound(run, run.game.at(self.regularisation), 1 if self.generous else 0)


def dense_bound(run: Transcript, regularisation: float, more: int) -> Array:
    """Return the printed bound of Theorem 9 of Jezequel et al. 2019 for every prefix, at lambda = `regularisation`.

    In print, term t of the bound's second sum has the factor t - 1. Here it is t - 1 + `more`, where `more` is 0 or 1.
    """
    points, projections = projections_of(run)
    covariance = np.zeros((points.shape[1], points.shape[1]))
    factor = run.game.label_bound**2 / regularisation**2
    estimation = approximation = 0.0
    bound = np.empty(run.rounds)
    for t in range(run.rounds):
        if t:
            revealed = _spectral(projections[t] - projections[t - 1], covariance)
            approximation += (revealed + regularisation) * revealed * (t + more)
        covariance += np.outer(points[t], points[t])
        own = projections[t] @ points[t]
        inside = projections[t] @ covariance @ projections[t] + regularisation * np.eye(len(covariance))
        estimation += run.labels[t] ** 2 * float(own @ np.linalg.solve(inside, own))
        missing = _spectral(np.eye(len(covariance)) - projections[t], covariance)
        last = (missing + regularisation) * missing * (t + 1 + more)
        bound[t] = estimation + factor * (approximation + last)
    return bound


def _spectral(difference: Array, covariance: Array) -> float:
    """Return the largest eigenvalue of D C D; D is the difference of two projections and C a covariance matrix."""
    if not np.abs(difference).max(initial=0.0) > 1e-12:
        return 0.0
    return max(float(np.linalg.eigvalsh(difference @ covariance @ difference)[-1]), 0.0)


def projections_of(run: Transcript) -> tuple[Array, list[Array]]:
    """Return coordinates of all points, and for each round the matrix of the projection onto the dictionary's span.

    Both refer to one orthonormal basis of a space that contains all points and atoms.
    """
    atoms, joined, left = dictionary_of(run)
    span = Span(run.game.kernel, run.game.dimension)
    for x in np.concatenate([atoms, run.points]):
        span.add(x)
    coordinates = span.coordinates(atoms)
    projections: list[Array] = []
    before: NDArray[np.bool_] | None = None
    for now in range(1, run.rounds + 1):
        there = (joined <= now) & (now < left)
        if before is not None and np.array_equal(there, before):
            projections.append(projections[-1])
            continue
        basis = _orthonormal(coordinates[there], len(span))
        projections.append(basis @ basis.T)
        before = there
    return span.coordinates(run.points), projections


def _orthonormal(rows: Array, dimension: int) -> Array:
    """Return orthonormal columns that span the given rows; the columns have `dimension` entries."""
    if not len(rows):
        return np.zeros((dimension, 0))
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[values > 1e-7 * values.max(initial=0.0)].T)


def dictionary_of(run: Transcript) -> tuple[Array, Array, Array]:
    """Return (atoms, joined, left): the dictionary's atoms, and the rounds in which each atom joins and leaves.

    Rounds are counted from 1. An atom that stays leaves at infinity.
    """
    evidence = run.evidence
    if "atoms" in evidence:
        atoms = evidence["atoms"]
        joined = evidence.get("joined_rounds", np.ones(len(atoms)))
        return atoms, joined, evidence.get("left_rounds", np.full(len(atoms), np.inf))
    accepted = evidence["accepted_rounds"]
    accepted = accepted[accepted <= run.rounds]
    return run.points[accepted.astype(int) - 1], accepted, np.full(len(accepted), np.inf)

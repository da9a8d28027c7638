"""The bound of Theorem 9 of Jezequel et al. 2019 for any dictionaries, with projections as dense matrices.

Nothing is assumed of the subspaces, so nothing can be updated: a round costs O(n^3). For counterexamples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.components.span import Span
from arena.record.transcript import Transcript


def dense_bound(run: Transcript, regularisation: float) -> Array:
    """Both sums of the theorem, for every prefix."""
    points, projections = projections_of(run)
    covariance = np.zeros((points.shape[1], points.shape[1]))
    factor = run.game.label_bound**2 / regularisation**2
    estimation = approximation = 0.0
    bound = np.empty(run.rounds)
    for t in range(run.rounds):
        if t:
            revealed = spectral(projections[t] - projections[t - 1], covariance)
            approximation += (revealed + regularisation) * revealed * t
        covariance += np.outer(points[t], points[t])
        own = projections[t] @ points[t]
        inside = projections[t] @ covariance @ projections[t] + regularisation * np.eye(len(covariance))
        estimation += run.labels[t] ** 2 * float(own @ np.linalg.solve(inside, own))
        missing = spectral(np.eye(len(covariance)) - projections[t], covariance)
        last = (missing + regularisation) * missing * (t + 1)
        bound[t] = estimation + factor * (approximation + last)
    return bound


def spectral(difference: Array, covariance: Array) -> float:
    """The largest eigenvalue of D C D."""
    if not np.abs(difference).max(initial=0.0) > 1e-12:
        return 0.0
    return max(float(np.linalg.eigvalsh(difference @ covariance @ difference)[-1]), 0.0)


def projections_of(run: Transcript) -> tuple[Array, list[Array]]:
    """The points in orthonormal coordinates of all that occurs, and the projection of each round's subspace."""
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
        basis = orthonormal(coordinates[there], len(span))
        projections.append(basis @ basis.T)
        before = there
    return span.coordinates(run.points), projections


def orthonormal(rows: Array, dimension: int) -> Array:
    """Orthonormal columns that span these rows."""
    if not len(rows):
        return np.zeros((dimension, 0))
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[values > 1e-7 * values.max(initial=0.0)].T)


def dictionary_of(run: Transcript) -> tuple[Array, Array, Array]:
    """The atoms, and the rounds in which each of them joins and leaves."""
    evidence = run.evidence
    if "atoms" in evidence:
        atoms = evidence["atoms"]
        joined = evidence.get("joined_rounds", np.ones(len(atoms)))
        return atoms, joined, evidence.get("left_rounds", np.full(len(atoms), np.inf))
    accepted = evidence["accepted_rounds"]
    accepted = accepted[accepted <= run.rounds]
    return run.points[accepted.astype(int) - 1], accepted, np.full(len(accepted), np.inf)

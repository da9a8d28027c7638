"""What the subspaces of a learner leave of the points: the eigenvalues of K - K~, and the traces that bound them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from arena.arrays import Array
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.subspaces import subspaces_of

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

EIGEN_LIMIT = 2048  # rounds up to which eigenvalues are computed; beyond them traces bound them


@once_per_match
def unexplained(run: Transcript) -> Array:
    """An upper bound on the largest eigenvalue of K_t - K~_t for every prefix, K~_t in the subspace of round t.

    It is exact in rounds 1, 2, 4, ... and in the last one (of the first 2048). Between them it grows by the trace of
    what comes in, which is sound because a larger subspace leaves less; in a fixed subspace it cannot exceed the next
    exact value either.
    """
    subspaces = subspaces_of(run)
    assert subspaces is not None
    exact = sorted(
        {*(2**k for k in range(EIGEN_LIMIT.bit_length()) if 2**k <= run.rounds), min(run.rounds, EIGEN_LIMIT)}
    )
    traces = np.cumsum(residuals(run))
    bound = np.empty(run.rounds)
    for start, stop in zip(exact, [*exact[1:], run.rounds + 1], strict=True):
        largest = largest_unexplained(run, start)
        bound[start - 1 : stop - 1] = largest + traces[start - 1 : stop - 1] - traces[start - 1]
        if subspaces.fixed:
            bound[: start - 1] = np.minimum(bound[: start - 1], largest)
    return bound


def residuals(run: Transcript) -> Array:
    """k(x_t, x_t) minus the squared norm of its projection onto the subspace of its round."""
    subspaces = subspaces_of(run)
    assert subspaces is not None
    return np.asarray(np.maximum(run.game.kernel.diagonal(run.points) - subspaces.norms(), 0.0))


def largest_unexplained(run: Transcript, rounds: int) -> float:
    """The largest eigenvalue of K - K~ for the first rounds, in the subspace of the last of them."""
    subspaces = subspaces_of(run)
    assert subspaces is not None
    X, F = run.points[:rounds], subspaces.coordinates[:rounds, : subspaces.sizes[rounds - 1]]
    missing = run.game.kernel.gram(X, X) - F @ F.T
    missing.flat[:: rounds + 1] = run.game.kernel.diagonal(X) - np.einsum("ij,ij->i", F, F)
    return max(largest_eigenvalue(missing), 0.0)


def largest_eigenvalue(matrix: Array) -> float:
    """Of a symmetric matrix; LAPACK's routine for a single one may give up on a matrix of nothing but rounding."""
    last = len(matrix) - 1
    try:
        return float(scipy.linalg.eigvalsh(matrix, subset_by_index=[last, last], check_finite=False)[0])
    except np.linalg.LinAlgError:
        return float(np.linalg.eigvalsh(matrix)[-1])

"""The subspaces of a learner, ridge regression in them, and the part of the points that they leave unexplained.

A learner that works in finitely many dimensions predicts with functions of a subspace H_t, fixed or growing. The
evidence describes the subspaces by one of these:

- `features` (one row for each round), `taylor_degree` or `frequencies`: fixed features;
- `atoms` with a matrix `transform`: fixed features, the kernel values at the atoms times the matrix;
- `atoms`, perhaps with `joined_rounds` and `left_rounds`: a dictionary, fixed or changing in these rounds;
- `accepted_rounds`: the points of these rounds form the dictionary, each from its own round on.

K~ is the kernel matrix of the points' projections onto the subspaces, and K - K~ is the unexplained part of K.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array, few_different
from arena.components.span import INDEPENDENT, Span
from arena.game.kernels import Gaussian
from arena.guards.disk import on_disk_if_large, release, rows_of
from arena.linalg.cholesky import factor_above, triangular_solve
from arena.record.cached import once_per_match

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

BLOCK = 256  # most rounds that are computed at once, within one subspace
EIGEN_LIMIT = 2048  # rounds up to which eigenvalues are computed; beyond them traces bound them
FEW = 500  # different points: up to this number, features are computed once for each


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class Subspaces:
    """Coordinates of the points in the learner's subspaces: one row for each round, one column for each dimension.

    In row t, the first `sizes[t]` columns are the coordinates in the subspace of this round. If the subspaces are not
    `nested`, they are the coordinates in the span of all subspaces up to this round.
    """

    coordinates: Array
    sizes: NDArray[np.int64]
    within: bool = True  # whether the subspaces lie in the RKHS
    nested: bool = True  # whether each subspace contains the one before it
    remark: str = ""  # the reason, if they are not nested

    @property
    def fixed(self) -> bool:
        """True if the subspace is the same from the first round on."""
        return self.nested and int(self.sizes[0]) == int(self.sizes[-1])

    def norms(self) -> Array:
        """Return the squared norm of each point's projection onto the learner's subspace in its round."""
        columns = np.arange(self.coordinates.shape[1])
        return np.asarray((np.square(self.coordinates) * (columns < self.sizes[:, np.newaxis])).sum(axis=1))


@once_per_match
def subspaces_of(run: Transcript) -> Subspaces | None:
    """Return the subspaces that the evidence of this match describes; None if it describes none."""
    evidence = run.evidence
    if "features" in evidence and len(evidence["features"]) >= run.rounds:
        features = np.asarray(evidence["features"], dtype=float)[: run.rounds]
        gram = run.game.kernel.gram(run.points, run.points) - features @ features.T
        scale = float(run.game.kernel.diagonal(run.points).max())
        return _fixed(features, within=bool(np.linalg.eigvalsh(gram)[0] >= -1e-9 * scale * run.rounds))
    if "taylor_degree" in evidence and isinstance(run.game.kernel, Gaussian):
        degree, bandwidth = int(evidence["taylor_degree"]), run.game.kernel.bandwidth
        return _fixed_at(run.points, lambda X: monomials(X / bandwidth, degree))
    if "frequencies" in evidence:
        return _fixed_at(run.points, partial(_waves, evidence["frequencies"]), within=False)
    if "transform" in evidence and "atoms" in evidence:
        atoms, transform = evidence["atoms"], evidence["transform"]
        return _fixed_at(run.points, lambda X: np.asarray(run.game.kernel.gram(X, atoms) @ transform))
    if "atoms" in evidence:
        atoms = evidence["atoms"]
        joined = evidence.get("joined_rounds", np.ones(len(atoms)))
        return _dictionary(run, atoms, joined, evidence.get("left_rounds"))
    if "accepted_rounds" in evidence:
        rounds = evidence["accepted_rounds"]
        # The last coin may belong to a round that was interrupted.
        rounds = rounds[rounds <= run.rounds]
        return _dictionary(run, run.points[rounds.astype(int) - 1], rounds, None)
    return None


def _fixed(features: Array, within: bool = True) -> Subspaces:
    # With more features than rounds, fewer coordinates have the same inner products.
    if features.shape[1] > len(features):
        features = np.asarray(np.linalg.qr(features.T, mode="r")).T
    return Subspaces(features, np.full(len(features), features.shape[1], dtype=np.int64), within)


def _fixed_at(points: Array, features_of: Callable[[Array], Array], within: bool = True) -> Subspaces:
    """Return the `Subspaces` of fixed features of the match's `points`, computed by `features_of(X)`.

    `within` is true if the features lie in the RKHS.
    """
    if not few_different(points, FEW):
        return _fixed(rows_of(features_of, points), within)
    # the features are computed once for each different point
    different, which = np.unique(points, axis=0, return_inverse=True)
    few = _fixed(features_of(different), within).coordinates
    return _fixed(few[which.reshape(-1)], within)


def monomials(X: Array, degree: int) -> Array:
    """Return the Taylor features of the Gaussian kernel with bandwidth 1, one row for each row x of X.

    They are exp(-|x|^2 / 2) prod_i x_i^p_i / sqrt(p_i!) for all exponents p >= 0 whose sum is at most `degree`.

    >>> monomials(np.zeros((1, 2)), 1)
    array([[1., 0., 0.]])
    """
    # the factors of one coordinate, for every exponent
    factors = [np.exp(-0.5 * np.square(X))]
    for exponent in range(1, degree + 1):
        factors.append(factors[-1] * X / np.sqrt(exponent))
    products, sums = np.ones((len(X), 1)), np.zeros(1, dtype=int)
    for i in range(X.shape[1]):
        parts = [(products[:, sums + p <= degree] * factors[p][:, i : i + 1], sums[sums + p <= degree] + p)
                 for p in range(degree + 1)]  # fmt: skip
        products = np.concatenate([part for part, _ in parts], axis=1)
        sums = np.concatenate([total for _, total in parts])
    return products


def _waves(frequencies: Array, X: Array) -> Array:
    """Return the Fourier features of each row x of X: all cos(w'x) / n^(1/2), then all sin(w'x) / n^(1/2).

    The n rows of `frequencies` are the w.
    """
    # Computed in place to save memory in a long match.
    phases = X @ frequencies.T
    features = np.empty((len(X), 2 * len(frequencies)))
    np.cos(phases, out=features[:, : len(frequencies)])
    np.sin(phases, out=features[:, len(frequencies) :])
    features /= np.sqrt(len(frequencies))
    return features


def _dictionary(run: Transcript, atoms: Array, joined: Array, left: Array | None) -> Subspaces:
    """Return the `Subspaces` of a dictionary whose `atoms` join and leave in the given rounds.

    An atom in the span of the earlier ones adds no coordinate. If `left` is None, no atom leaves.
    """
    span, since = Span(run.game.kernel, run.game.dimension), []
    for i in np.argsort(joined, kind="stable"):
        if joined[i] <= run.rounds and span.add(atoms[i]):
            since.append(joined[i])
    sizes = np.searchsorted(np.array(since), np.arange(1, run.rounds + 1), side="right").astype(np.int64)
    missed = None if left is None else first_lost_direction(run, atoms, joined, left)
    remark = "" if missed is None else f"the atom that leaves in round {missed} is not in the span of the others"
    return Subspaces(span.coordinates(run.points), sizes, nested=missed is None, remark=remark)


def first_lost_direction(run: Transcript, atoms: Array, joined: Array, left: Array) -> int | None:
    """Return the first round in which the span of the dictionary loses a direction; None if it never does.

    `joined` and `left` have the rounds in which each of the `atoms` joins and leaves the dictionary.
    """
    for now in np.unique(left[left <= run.rounds]):
        rest = Span(run.game.kernel, run.game.dimension)
        for atom in atoms[(joined <= now) & (now < left)]:
            rest.add(atom)
        gone = atoms[left == now]
        residual = rest.residual(gone, rest.coordinates(gone))
        if (residual > 10 * INDEPENDENT * run.game.kernel.diagonal(gone)).any():
            return int(now)
    return None


@dataclass(frozen=True, eq=False)
class SubspaceRidge:
    """Ridge regression in subspaces, fixed or growing: one number for each round in every array (theory E6).

    Let H_t be the learner's subspace of round t, and f_s the coordinates of x_s in H_t.

    - `surprise`: f_t' A_t^-1 f_t with A_t = lambda I + sum_{s < t} f_s f_s'.
    - `increments`: the amount by which round t raises the least regularised loss of the functions in H_t.
    - `revealed`: the largest eigenvalue of sum_{s < t} n_s n_s', where n_s is the part of f_s in the dimensions that
      H_t adds to H_{t-1}; 0 if it adds none.
    """

    surprise: Array
    increments: Array
    revealed: Array

    @property
    def stretch(self) -> Array:
        """The stretch s_t = 1 + `surprise` of every round t."""
        return np.asarray(1.0 + self.surprise)

    @property
    def leverage(self) -> Array:
        """The leverage 1 - 1 / s_t of the point of every round t, where s_t is the stretch."""
        return np.asarray(self.surprise / (1.0 + self.surprise))


@once_per_match
def ridge_in_subspaces(run: Transcript, regularisation: float) -> SubspaceRidge:
    """Return the results of ridge regression in the learner's subspaces, with lambda = `regularisation`."""
    subspaces = subspaces_of(run)
    assert subspaces is not None
    F, sizes, y = subspaces.coordinates, subspaces.sizes, run.labels
    rounds = len(y)
    surprise, increments, revealed = np.zeros(rounds), np.zeros(rounds), np.zeros(rounds)
    changes = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), rounds]
    matrix, products, known = np.empty((0, 0)), np.empty(0), 0
    for first, last in itertools.pairwise(changes):
        size = int(sizes[first])
        past = F[:first, :size]
        new = past[:, known:]
        cross = past[:, :known].T @ new
        corner = regularisation * np.eye(size - known) + new.T @ new
        matrix = np.block([[matrix, cross], [cross.T, corner]])
        products = np.concatenate([products, new.T @ y[:first]])
        lower = _factor(matrix, regularisation)
        revealed[first] = np.linalg.norm(new, 2) ** 2 if new.size else 0.0
        known = size
        for start in range(first, last, BLOCK):
            rows = slice(start, min(start + BLOCK, last))
            block = np.array(F[rows, :size])
            release(F)
            whitened = _solve(lower, np.ascontiguousarray(block.T))
            corner = factor_above(np.eye(len(block)) + whitened.T @ whitened, 1.0)
            residuals = triangular_solve(corner, y[rows] - _solve(lower, products) @ whitened)
            explained = np.square(np.tril(corner, -1)).sum(axis=1)
            surprise[rows] = np.maximum(np.square(whitened).sum(axis=0) - explained, 0.0)
            increments[rows] = np.square(residuals)
            matrix = matrix + block.T @ block
            products = products + block.T @ y[rows]
            if rows.stop < last:
                lower = _factor(matrix, regularisation)
    return SubspaceRidge(on_disk_if_large(surprise), on_disk_if_large(increments), on_disk_if_large(revealed))


def _factor(matrix: Array, floor: float) -> Array:
    return factor_above(matrix, floor) if len(matrix) else matrix


def _solve(lower: Array, B: Array) -> Array:
    return triangular_solve(lower, B) if len(lower) else B


@once_per_match
def unexplained(run: Transcript) -> Array:
    """Return, for every round t, an upper bound on the largest eigenvalue of K_t - K~_t.

    K~_t is the kernel matrix of the points' projections onto the learner's subspace of round t. The bound is exact in
    the rounds 1, 2, 4, ... and T. If T exceeds `EIGEN_LIMIT`, the last exact round is `EIGEN_LIMIT` in place of T.
    """
    subspaces = subspaces_of(run)
    assert subspaces is not None
    exact = sorted(
        {*(2**k for k in range(EIGEN_LIMIT.bit_length()) if 2**k <= run.rounds), min(run.rounds, EIGEN_LIMIT)}
    )
    # between these rounds, each point adds at most its residual, as a larger subspace leaves less unexplained
    traces = np.cumsum(residuals(run))
    bound = np.empty(run.rounds)
    for start, stop in zip(exact, [*exact[1:], run.rounds + 1], strict=True):
        largest = largest_unexplained(run, start)
        bound[start - 1 : stop - 1] = largest + traces[start - 1 : stop - 1] - traces[start - 1]
        # in a fixed subspace the eigenvalues increase with the rounds
        if subspaces.fixed:
            bound[: start - 1] = np.minimum(bound[: start - 1], largest)
    return bound


def residuals(run: Transcript) -> Array:
    """Return k(x_t, x_t) minus the squared norm of k(x_t, .) projected onto the learner's subspace of round t."""
    subspaces = subspaces_of(run)
    assert subspaces is not None
    return np.asarray(np.maximum(run.game.kernel.diagonal(run.points) - subspaces.norms(), 0.0))


def largest_unexplained(run: Transcript, rounds: int) -> float:
    """Return the largest eigenvalue of K - K~ for the first `rounds` rounds.

    K~ is the kernel matrix of the points' projections onto the learner's subspace of the last of these rounds.
    """
    subspaces = subspaces_of(run)
    assert subspaces is not None
    X, F = run.points[:rounds], subspaces.coordinates[:rounds, : subspaces.sizes[rounds - 1]]
    missing = run.game.kernel.gram(X, X) - F @ F.T
    missing.flat[:: rounds + 1] = run.game.kernel.diagonal(X) - np.einsum("ij,ij->i", F, F)
    return max(largest_eigenvalue(missing), 0.0)


def largest_eigenvalue(matrix: Array) -> float:
    """Return the largest eigenvalue of a symmetric matrix."""
    last = len(matrix) - 1
    # LAPACK's routine for a single eigenvalue may fail on a matrix of rounding errors only.
    try:
        return float(scipy.linalg.eigvalsh(matrix, subset_by_index=[last, last], check_finite=False)[0])
    except np.linalg.LinAlgError:
        return float(np.linalg.eigvalsh(matrix)[-1])

"""The subspaces in which a learner has played: their coordinates of all points, from what it left as evidence.

A learner that works in finitely many dimensions competes with the functions of a subspace H_t of the RKHS, fixed or
growing. The evidence says which:

- `features` (one row for each round), `taylor_degree` or `frequencies`: fixed features;
- `atoms`, perhaps with a `transform` of their kernels: fixed features of a dictionary;
- `atoms` with the `joined_rounds` and perhaps `left_rounds` of each: a dictionary that changes;
- `accepted_rounds`: a dictionary of points of the match, each from its round on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, few_different
from arena.components.features.taylor import Taylor
from arena.components.span import INDEPENDENT, Span
from arena.game.kernels import Gaussian
from arena.theorems.recomputed.once import once_per_match

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

FEW = 500  # different points that are worth a look for them


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class Subspaces:
    """The coordinates of all points in the largest subspace; in round t only the first `sizes[t]` of them count."""

    coordinates: Array
    sizes: NDArray[np.int64]
    within: bool = True  # they are subspaces of the RKHS
    nested: bool = True  # each contains the one before it
    remark: str = ""  # the reason, if they are not

    @property
    def fixed(self) -> bool:
        """It is one and the same subspace from the first round on."""
        return self.nested and int(self.sizes[0]) == int(self.sizes[-1])

    def norms(self) -> Array:
        """The squared norm of each point's projection onto the subspace of its round."""
        columns = np.arange(self.coordinates.shape[1])
        return np.asarray((np.square(self.coordinates) * (columns < self.sizes[:, np.newaxis])).sum(axis=1))


@once_per_match
def subspaces_of(run: Transcript) -> Subspaces | None:
    """The subspaces that the evidence of this match tells of; none if it does not."""
    evidence = run.evidence
    if "features" in evidence and len(evidence["features"]) >= run.rounds:
        features = np.asarray(evidence["features"], dtype=float)[: run.rounds]
        gram = run.game.kernel.gram(run.points, run.points) - features @ features.T
        scale = float(run.game.kernel.diagonal(run.points).max())
        return _fixed(features, within=bool(np.linalg.eigvalsh(gram)[0] >= -1e-9 * scale * run.rounds))
    if "taylor_degree" in evidence and isinstance(run.game.kernel, Gaussian):
        taylor = Taylor(int(evidence["taylor_degree"])).begun(run.game, np.random.default_rng(0))
        return _fixed_at(run.points, taylor.features)
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
        rounds = rounds[rounds <= run.rounds]  # a coin may have been tossed in a round that did not come to its end
        return _dictionary(run, run.points[rounds.astype(int) - 1], rounds, None)
    return None


def _fixed(features: Array, within: bool = True) -> Subspaces:
    if features.shape[1] > len(features):  # fewer coordinates have the same inner products
        features = np.asarray(np.linalg.qr(features.T, mode="r")).T
    return Subspaces(features, np.full(len(features), features.shape[1], dtype=np.int64), within)


def _fixed_at(points: Array, features_of: Callable[[Array], Array], within: bool = True) -> Subspaces:
    """The same; few points that come again and again are told apart by as many coordinates, and computed once."""
    if not few_different(points, FEW):
        return _fixed(features_of(points), within)
    different, which = np.unique(points, axis=0, return_inverse=True)
    few = _fixed(features_of(different), within).coordinates
    return _fixed(few[which.reshape(-1)], within)


def _waves(frequencies: Array, X: Array) -> Array:
    """Cosines, then sines, of the phases; made in place, since a long match has many."""
    phases = X @ frequencies.T
    features = np.empty((len(X), 2 * len(frequencies)))
    np.cos(phases, out=features[:, : len(frequencies)])
    np.sin(phases, out=features[:, len(frequencies) :])
    features /= np.sqrt(len(frequencies))
    return features


def _dictionary(run: Transcript, atoms: Array, joined: Array, left: Array | None) -> Subspaces:
    """The span of those atoms that are there; a point that lies in the span already adds no coordinate."""
    span, since = Span(run.game.kernel, run.game.dimension), []
    for i in np.argsort(joined, kind="stable"):
        if joined[i] <= run.rounds and span.add(atoms[i]):
            since.append(joined[i])
    sizes = np.searchsorted(np.array(since), np.arange(1, run.rounds + 1), side="right").astype(np.int64)
    missed = None if left is None else first_loss(run, atoms, joined, left)
    remark = "" if missed is None else f"the atom that leaves in round {missed} is not in the span of the others"
    return Subspaces(span.coordinates(run.points), sizes, nested=missed is None, remark=remark)


def first_loss(run: Transcript, atoms: Array, joined: Array, left: Array) -> int | None:
    """The first round in which the span of the dictionary loses a direction, if it ever does."""
    for now in np.unique(left[left <= run.rounds]):
        rest = Span(run.game.kernel, run.game.dimension)
        for atom in atoms[(joined <= now) & (now < left)]:
            rest.add(atom)
        gone = atoms[left == now]
        residual = rest.residual(gone, rest.coordinates(gone))
        if (residual > 10 * INDEPENDENT * run.game.kernel.diagonal(gone)).any():
            return int(now)
    return None

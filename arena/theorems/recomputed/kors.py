"""What KORS did on the path of a match, from what the learner left as evidence.

With the different points in coordinates E of their span, A_t = gamma I + E' N_t E holds every round and its sketch
A_t^I = gamma I + E' W_t E the accepted ones, each weighted with one over its probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.theorem import Assumption
from arena.record.transcript import Transcript
from arena.theorems.recomputed.embedding import Embedding, embed
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.surprises import coordinates

MOST_POINTS = 2000  # different points whose spectra are computed


@dataclass(frozen=True, eq=False)
class KorsPath:
    """The accepted rounds, the probability in each, the different points, and which of them each round had."""

    accepted: NDArray[np.bool_]
    probabilities: Array
    points: Array
    which: NDArray[np.intp]


def accepted_rounds(run: Transcript) -> Array | None:
    """The rounds, from 1, whose points KORS accepted, if the learner left them as evidence."""
    found = run.evidence.get("accepted", run.evidence.get("accepted_rounds"))
    return None if found is None else found[found <= run.rounds]


def kors_evidence(run: Transcript) -> Assumption:
    """The learner says which points KORS accepted, and at which probability."""
    probabilities = run.evidence.get("probabilities")
    there = accepted_rounds(run) is not None and probabilities is not None and len(probabilities) >= run.rounds
    return Assumption("the learner left KORS' acceptances and probabilities as evidence", there)


@once_per_match
def kors_path(run: Transcript) -> KorsPath:
    """What KORS did."""
    accepted = np.zeros(run.rounds, dtype=bool)
    numbers = accepted_rounds(run)
    assert numbers is not None
    accepted[numbers.astype(int) - 1] = True
    points, which = np.unique(run.points + 0.0, axis=0, return_inverse=True)
    return KorsPath(accepted, run.evidence["probabilities"][: run.rounds], points, which.reshape(-1))


def sketch_errors(run: Transcript, ridge: float, rounds: Sequence[int]) -> list[float]:
    """After each of these rounds: the least epsilon with (1 - epsilon) A_t <= A_t^I <= (1 + epsilon) A_t."""
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
def dictionary(run: Transcript) -> Embedding:
    """The span of the accepted points as it grew."""
    return embed(run.game.kernel, run.points, np.flatnonzero(kors_path(run).accepted) + 1)


def projection_errors(run: Transcript, rounds: Sequence[int]) -> list[float]:
    """After each of these rounds: the largest eigenvalue of K_t minus its projection onto the dictionary."""
    span = dictionary(run)
    return [
        unexplained_norm(run, slice(0, t), span.coordinates[:, : int(np.searchsorted(span.since, t, side="right"))])
        for t in rounds
    ]


def unexplained_norm(run: Transcript, rounds: slice, coordinates: Array) -> float:
    """The largest eigenvalue of these rounds' K minus its projection; one row of coordinates for each point."""
    span = dictionary(run)
    here, counts = np.unique(span.which[rounds], return_counts=True)
    if not len(here):
        return 0.0
    rest = run.game.kernel.gram(span.points[here], span.points[here])
    rest.flat[:: len(here) + 1] = span.diagonal[here]
    rest -= coordinates[here] @ coordinates[here].T
    roots = np.sqrt(counts)
    return max(float(np.linalg.eigvalsh(rest * roots * roots[:, np.newaxis])[-1]), 0.0)

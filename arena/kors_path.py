"""What KORS did on the path of a match, from what the learner left as evidence.

With the different points in coordinates E of their span, A_t = gamma I + E' N_t E holds every round and its sketch
A_t^I = gamma I + E' W_t E the accepted ones, each weighted with one over its probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from arena.arrays import Array
from arena.once import once_per_match
from arena.span import Span
from arena.surprises import coordinates
from arena.theorem import Assumption
from arena.transcript import Transcript

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
        ratios = eigh(E.T @ (sketch[:, np.newaxis] * E) + ridge * np.eye(E.shape[1]), exact, eigvals_only=True)
        errors.append(float(np.abs(ratios - 1.0).max(initial=0.0)))
    return errors


def projection_errors(run: Transcript, rounds: Sequence[int]) -> list[float]:
    """After each of these rounds: the largest eigenvalue of K_t minus its projection onto the dictionary."""
    path = kors_path(run)
    span, known, errors = Span(run.game.kernel, run.points.shape[1]), 0, []
    for t in rounds:
        for x in run.points[known:t][path.accepted[known:t]]:
            span.add(x)
        known = t
        here, counts = np.unique(path.which[:t], return_counts=True)
        errors.append(unexplained_norm(span, path.points[here], counts.astype(float)))
    return errors


def unexplained_norm(span: Span, points: Array, counts: Array) -> float:
    """The largest eigenvalue of K minus its projection onto the span, for points that came so many times."""
    if not len(points):
        return 0.0
    coordinates, roots = span.coordinates(points), np.sqrt(counts)
    rest = span.kernel.gram(points, points) - coordinates @ coordinates.T
    return max(float(np.linalg.eigvalsh(rest * roots * roots[:, np.newaxis])[-1]), 0.0)

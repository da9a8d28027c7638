"""An identity: the points that span the features of `pivoted-cholesky` are chosen greedily from candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.game import Game
from arena.record.cached import once_per_match
from arena.record.theorem import Identity
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import left_as_evidence

NEAR = 1e-6  # relative difference of residuals that rounding may explain
LEAST = 1e-9  # share of k(x, x) below which a residual is rounding


@dataclass(frozen=True)
class PivotedPoints(Identity):
    """Each chosen point is the candidate with the largest residual, until no residual exceeds a tolerance.

    The candidates are evenly spread points of the game's box. The residual of a candidate x is k(x, x) minus the
    squared norm of the projection of k(x, .) onto the span of the points chosen before. The tolerance is `missing`
    times the largest k(x, x). At most `points` points are chosen.

    The deviation is 1 if a chosen point is not a candidate, or if too many points were chosen. Otherwise it is the
    largest amount, divided by the largest k(x, x), by which

    - the residual of a candidate exceeds the residual of the point that is chosen next;
    - a residual exceeds the tolerance after the last choice, if fewer than `points` points were chosen.
    """

    name: ClassVar[str] = "pivoted-points"
    paper: ClassVar[str] = "Harbrecht, Peters and Schneider 2012, section 2; Roberts 2018 for the candidates"
    statement: ClassVar[str] = (
        "the next point is a candidate whose residual is the largest; the last residual is at most the tolerance "
        "unless all points are chosen"
    )
    formula: ClassVar[str] = (
        r"$k(x, x) - \lVert P_j\, k(x, \cdot) \rVert^2$ at the next point $x$ is the largest of all candidates; the "
        "last one is at most the tolerance unless all points are chosen"
    )

    missing: float = parameter(1e-6, "largest share of k(x, x) that may be missing at a candidate", above=0)
    points: int = parameter(200, "how many points are chosen at most", at_least=1)
    candidates: int = parameter(2000, "from how many points of the box", at_least=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        recorded = "atoms" in run.evidence and "candidates" in run.evidence
        return (left_as_evidence(run, "the points that it chose among candidates", recorded),)

    def scale(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)

    def measured(self, run: Transcript) -> Array:
        return np.full(run.rounds, choice_deviation(run, self.missing, self.points, self.candidates))


def kronecker_points(game: Game, count: int) -> Array:
    """Return the first `count` points of a Kronecker sequence in the game's box, one row each.

    Coordinate i of point n is low_i + (high_i - low_i) ((1/2 + n g^-i) mod 1), where n and i are counted from 1. Here
    g > 1 solves g^(d+1) = g + 1, and d is the dimension of the box.
    """
    power = game.dimension + 1
    root = scipy.optimize.brentq(lambda g: g**power - g - 1.0, 1.0, 2.0, xtol=1e-15)
    steps = np.array([root**-i for i in range(1, power)])
    shares = np.array([(0.5 + number * steps) % 1.0 for number in range(1, count + 1)])
    return np.asarray(game.low * (1.0 - shares) + game.high * shares)


@once_per_match
def choice_deviation(run: Transcript, missing: float, points: int, candidates: int) -> float:
    """Return the deviation of the recorded points from the greedy choice among `candidates` points of the box.

    The docstring of `PivotedPoints` defines the deviation; 0 means equality up to rounding. The greedy choice ends
    after `points` points, or when no residual exceeds `missing` times the largest k(x, x).
    """
    atoms, kernel = np.asarray(run.evidence["atoms"], dtype=float), run.game.kernel
    found = kronecker_points(run.game, candidates)
    width = float((run.game.high - run.game.low).max())
    size = max(float(kernel.diagonal(found).max()), 1e-300)
    if len(atoms) > min(points, candidates):
        return 1.0
    residuals, coordinates = kernel.diagonal(found), np.zeros((len(found), 0))
    worst = 0.0
    for atom in atoms:
        offsets = np.abs(found - atom).max(axis=1)
        pivot = int(offsets.argmin())
        if offsets[pivot] > NEAR * width:
            return 1.0
        own = float(residuals[pivot])
        worst = max(worst, (float(residuals.max()) - own) / size - NEAR * own / size - LEAST)
        if own <= LEAST * size:
            return max(worst, 0.0)
        column = kernel.gram(found, found[pivot : pivot + 1])[:, 0] - coordinates @ coordinates[pivot]
        coordinates = np.column_stack([coordinates, column / own**0.5])
        residuals = np.maximum(residuals - np.square(coordinates[:, -1]), 0.0)
    if len(atoms) < min(points, candidates):
        worst = max(worst, float(residuals.max()) / size - max(missing * (1.0 + NEAR), LEAST))
    return max(worst, 0.0)

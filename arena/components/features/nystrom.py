"""Features made from a dictionary of points: coordinates of a point's projection onto the span of the dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array, first_best
from arena.components.features.embedding import Embedding
from arena.components.span import INDEPENDENT, Span
from arena.game.game import Game
from arena.game.kernels import Kernel
from arena.specs.parameters import parameter


class _Dictionary(Embedding):
    """Base class of embeddings whose features are orthonormal coordinates in the span of a few points."""

    span: Span

    @property
    def dimension(self) -> int:
        return len(self.span)

    def features(self, X: Array) -> Array:
        """Return orthonormal coordinates of k(x, .), projected onto the dictionary's span, for each row x of `X`."""
        return self.span.coordinates(X)

    def evidence(self) -> Mapping[str, Any]:
        """Return the points of the dictionary; the features are coordinates in their span."""
        return {"atoms": self.span.atoms.view()}


@dataclass(unsafe_hash=True)
class Nystrom(_Dictionary):
    """Coordinates in the span of points drawn uniformly from the box before the first round.

    The points of the match may be far from all drawn points.

    >>> embedding = Nystrom(points=20).begun(Game(), np.random.default_rng(0))
    >>> atom = embedding.span.atoms.view()[:1]
    >>> float(np.square(embedding.features(atom)).sum().round(12))  # k(x, x) for a point of the dictionary
    1.0
    """

    name: ClassVar[str] = "nystrom"
    paper: ClassVar[str] = "Williams and Seeger 2001; Jezequel, Gaillard and Rudi 2019, section 3.2"
    cost: ClassVar[str] = "O(m d + m^2) a point for m points"

    points: int = parameter(50, "m, how many points are drawn from the box", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.span = Span(game.kernel, game.dimension)
        for x in rng.uniform(game.low, game.high, size=(self.points, game.dimension)):
            self.span.add(x)


@dataclass(unsafe_hash=True)
class PivotedCholesky(_Dictionary):
    """Coordinates in the span of points that are chosen greedily from a fixed set of candidates.

    The next point is always the candidate that is farthest from the span of the points chosen so far. The candidates
    are spread evenly over the box (a low-discrepancy sequence), so there is no randomness.

    >>> embedding = PivotedCholesky(tolerance=1e-3).begun(Game(), np.random.default_rng(0))
    >>> bool(np.square(embedding.features(np.array([[0.3, -0.8]]))).sum() > 1 - 1e-3)  # nearly k(x, x)
    True
    """

    name: ClassVar[str] = "pivoted-cholesky"
    paper: ClassVar[str] = "Fine and Scheinberg 2001; Harbrecht, Peters and Schneider 2012"
    cost: ClassVar[str] = "O(m d + m^2) a point for m points; O(candidates m (m + d)) once"

    tolerance: float = parameter(1e-6, "largest share of k(x, x) that may be missing at a candidate", above=0)
    points: int = parameter(200, "how many points are chosen at most", at_least=1)
    candidates: int = parameter(2000, "from how many points of the box", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        candidates = spread_evenly(game, self.candidates)
        tolerance = max(self.tolerance, INDEPENDENT)
        self.span = greedy_span(game.kernel, candidates, min(self.points, len(candidates)), tolerance)

    def evidence(self) -> Mapping[str, Any]:
        """Return the chosen points, and the number of candidates."""
        return {**super().evidence(), "candidates": self.candidates}


def greedy_span(kernel: Kernel, candidates: Array, points: int, tolerance: float) -> Span:
    """Return the span of at most `points` candidates, chosen greedily.

    Each step chooses the candidate that is farthest from the span so far: a pivot of the Cholesky factor of the
    candidates' kernel matrix. Choosing ends when every candidate's squared distance to the span is at most `tolerance`
    times the largest k(x, x).
    """
    span = Span(kernel, candidates.shape[1])
    coordinates = np.zeros((points, len(candidates)))
    prior = kernel.diagonal(candidates)
    residual = prior.copy()
    for found in range(points):
        pivot = int(first_best(residual))
        if residual[pivot] <= tolerance * prior.max() or not span.add(candidates[pivot]):
            break
        cross = kernel.gram(candidates[pivot : pivot + 1], candidates)[0]
        cross -= coordinates[:found, pivot] @ coordinates[:found]
        coordinates[found] = cross / residual[pivot] ** 0.5
        residual = np.maximum(residual - np.square(coordinates[found]), 0.0)
        residual[pivot] = 0.0
    return span


def spread_evenly(game: Game, count: int) -> Array:
    """Return `count` points that are spread evenly over the game's box.

    The points are a Kronecker sequence whose steps are powers of a generalised golden ratio (Roberts 2018).
    """
    ratio = 2.0
    for _ in range(60):  # the root of ratio^(d + 1) = ratio + 1
        ratio = (1.0 + ratio) ** (1.0 / (game.dimension + 1))
    steps = ratio ** -np.arange(1.0, game.dimension + 1)
    units = (0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0
    return np.asarray(game.low + units * (game.high - game.low))

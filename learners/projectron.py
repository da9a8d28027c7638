"""Projectrons: Perceptrons that project a point onto their atoms' span rather than store it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.game import Game
from arena.kernels import Kernel
from arena.learners.perceptron import MistakeDriven
from arena.parameters import parameter
from arena.span import INDEPENDENT, Span
from arena.theorem import Theorem
from arena.theorems.mistakes import ProjectronMistakes, ProjectronPlusPlusMistakes


class SpanFunction:
    """A function in the span of few atoms, by its orthonormal coordinates, with the coordinates of what comes next."""

    def __init__(self, kernel: Kernel, dimension: int):
        self.span = Span(kernel, dimension)
        self.weights = np.empty(0)
        self._coefficients: Array | None = None
        self.look_at(np.empty((0, dimension)))

    def __len__(self) -> int:
        return len(self.span)

    def at(self, X: Array) -> Array:
        """The values at these rows: the coefficients of the kernels are solved for once and kept."""
        if not len(self):
            return np.zeros(len(X))
        if self._coefficients is None:
            self._coefficients = self.span.cholesky.solve_transposed(self.weights)
        return np.asarray(self.span.kernel.gram(X, self.span.atoms.view()) @ self._coefficients)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_coefficients": None}  # what was solved for to predict is no part of the state

    def look_at(self, X: Array) -> None:
        """These points come next: compute their kernels, coordinates and values together."""
        self.next, self.gram = X, self.span.kernel.gram(X, X)
        self._coordinates = np.empty((len(X), len(self) + len(X)))  # room for those of them that become atoms
        self._coordinates[:, : len(self)] = self.span.coordinates(X)
        self._values = self._coordinates[:, : len(self)] @ self.weights

    def value(self, i: int) -> float:
        """The value at x_i, the i-th of the points that come next."""
        return self._values.item(i)

    def coordinates(self, i: int) -> Array:
        """Those of x_i."""
        return self._coordinates[i, : len(self)]

    def put_projected(self, i: int, weight: float) -> None:
        """Add weight times the projection of k(x_i, .) onto the span."""
        step = weight * self.coordinates(i)
        self.weights = self.weights + step
        self._values += self._coordinates[:, : len(self)] @ step
        self._coefficients = None

    def put(self, i: int, weight: float) -> None:
        """Add weight * k(x_i, .) with x_i as a new atom, which must not lie in the span."""
        size, own = len(self), self.coordinates(i).copy()
        residual = self.gram[i, i] - own @ own
        self.put_projected(i, weight)
        new = (self.gram[i] - self._coordinates[:, :size] @ own) / residual**0.5
        self._coordinates[:, size] = new
        self.span.cholesky.append(own, self.gram.item(i, i))
        self.span.atoms.append(self.next[i])
        self.weights = np.append(self.weights, weight * residual**0.5)
        self._values += weight * residual**0.5 * new


@dataclass
class Projectron(MistakeDriven[SpanFunction]):
    """Projects a mistake onto the span of the atoms where little is lost (Orabona et al. 2009); O(B^2) a round.

    On a mistake, f + y k(x, .) is projected onto the atoms' span if the point is at most `threshold` away from it, and
    the point becomes an atom otherwise. With a budget every point is projected once the budget is spent, as in the
    public code; no mistake bound is known for that. Kept in orthonormal coordinates, in which nothing is inverted.

    >>> from arena import play
    >>> play(Projectron(), "repeated(points=20)", rounds=100).rounds
    100
    """

    name: ClassVar[str] = "projectron"
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009"
    cost: ClassVar[str] = "O(B d) time a round, O(B^2) on mistakes; O(B^2) memory for B atoms"

    _bound: ClassVar[type[ProjectronMistakes]] = ProjectronMistakes

    threshold: float = parameter(
        0.1, "eta: the largest distance to the span that is projected away (below 0.01 rounding decides)", at_least=0.01
    )
    budget: int | None = parameter(None, "the largest number of atoms (none: no limit but the threshold)", at_least=1)

    @property
    def theorems(self) -> Sequence[Theorem]:
        """The mistake bound, unless there is a budget."""
        return () if self.budget is not None else (self._bound(self.threshold),)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """The zero function."""
        super().begin(game, rng)
        self.function = SpanFunction(game.kernel, game.dimension)

    def correct(self, i: int, prediction: float, sign: float) -> None:
        """Project the point or store it."""
        spent = self.budget is not None and len(self.function) >= self.budget
        if spent or self.distance(i) <= self.threshold:
            self.function.put_projected(i, sign)
        else:
            self.function.put(i, sign)

    def distance(self, i: int) -> float:
        """How far the i-th point that the function looks at is from the span; zero within rounding."""
        own, diagonal = self.function.coordinates(i), self.diagonal(i)
        squared = diagonal - float(own @ own)
        return squared**0.5 if squared > INDEPENDENT * diagonal else 0.0


@dataclass
class ProjectronPlusPlus(Projectron):
    """The Projectron that also learns from right but small margins (Orabona et al. 2009); O(B^2) a round.

    Where 0 < y f(x) < 1 and the projection carries enough of the point, a part of it is added within the span.

    >>> from arena import play
    >>> play(ProjectronPlusPlus(), "repeated(points=20)", rounds=100).rounds
    100
    """

    name: ClassVar[str] = "projectron-pp"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009"
    _bound: ClassVar[type[ProjectronMistakes]] = ProjectronPlusPlusMistakes

    def strengthen(self, i: int, prediction: float, sign: float) -> None:
        """A step within the span, as long as the hinge loss pays for what the projection loses."""
        own = self.function.coordinates(i)
        norm = float(own @ own)
        hinge = 1.0 - sign * prediction
        lost = self.distance(i) / self.threshold
        if norm > 0.0 and hinge >= lost:
            step = min(hinge / norm, 2.0 * (hinge - lost) / norm, 1.0)
            self.function.put_projected(i, sign * step)

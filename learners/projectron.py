"""Projectrons: Perceptrons that add a point's projection onto the span of their atoms, instead of the point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.components.span import INDEPENDENT, SpanFunction
from arena.game.game import Game
from arena.learners.perceptron import MistakeDriven
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.mistakes import ProjectronMistakes, ProjectronPlusPlusMistakes
from arena.theorems.projectrons import ProjectronIdentity, ProjectronPlusPlusIdentity


@dataclass
class Projectron(MistakeDriven[SpanFunction]):
    """The Perceptron that projects a point onto the span of the atoms if it is close to that span.

    Let f be the learner's function, y the label's sign, and d the distance of k(x, .) from the span of the atoms. On a
    mistake, f changes:

    - if d > `threshold`, y k(x, .) is added to f, and the point becomes an atom;
    - otherwise the projection of y k(x, .) onto the span is added to f, and there is no new atom.

    If there is a budget and it is spent, every mistake is projected, as in the public code. No mistake bound is known
    for this variant.

    >>> from arena import play
    >>> play(Projectron(), "repeated(points=20)", rounds=100).rounds
    100
    """

    name: ClassVar[str] = "projectron"
    formula: ClassVar[str] = (
        r"$f_{t+1} = f_t + y_t P k(x_t, \cdot)$ where $y_t f_t(x_t) \le 0$, $P$ the projection onto the span "
        r"of the atoms if that moves $k(x_t, \cdot)$ by $\eta$ at most, and no projection otherwise"
    )
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009"
    cost: ClassVar[str] = "O(B d) time a round, O(B^2) on mistakes; O(B^2) memory for B atoms"
    memory_growth: ClassVar[str] = "quadratic"  # without a budget only the threshold limits the number of atoms

    _bound: ClassVar[type[ProjectronMistakes]] = ProjectronMistakes
    _identity: ClassVar[type[ProjectronIdentity]] = ProjectronIdentity

    threshold: float = parameter(
        0.1, "eta: the largest distance to the span that is projected away (below 0.01 rounding decides)", at_least=0.01
    )
    budget: int | None = parameter(None, "the largest number of atoms (none: no limit but the threshold)", at_least=1)

    @property
    def theorems(self) -> Sequence[Theorem]:
        bounds = () if self.budget is not None else (self._bound(self.threshold),)
        return (*bounds, self._identity(self.threshold, self.budget))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.function = SpanFunction(game.kernel, game.dimension)

    def correct(self, i: int, prediction: float, sign: float) -> None:
        spent = self.budget is not None and len(self.function) >= self.budget
        if spent or self.distance(i) <= self.threshold:
            self.function.put_projected(i, sign)
        else:
            self.function.put(i, sign)

    def distance(self, i: int) -> float:
        """Return the distance of k(x_i, .) to the span of the atoms; 0 if the distance may be due to rounding.

        Here x_i is row `i` of the current block.
        """
        own, diagonal = self.function.coordinates(i), self.diagonal(i)
        squared = diagonal - float(own @ own)
        return squared**0.5 if squared > INDEPENDENT * diagonal else 0.0


@dataclass
class ProjectronPlusPlus(Projectron):
    """The Projectron that also learns from right predictions with a margin below 1.

    Let y be the label's sign, and d the distance of k(x, .) from the span of the atoms. If 0 < y f(x) < 1, and d is at
    most `threshold` times the hinge loss 1 - y f(x), a multiple of the projection of y k(x, .) onto the span is added
    to f.

    >>> from arena import play
    >>> play(ProjectronPlusPlus(), "repeated(points=20)", rounds=100).rounds
    100
    """

    name: ClassVar[str] = "projectron-pp"
    formula: ClassVar[str] = (
        r"the rule of `projectron`, and $f_{t+1} = f_t + \tau_t y_t P k(x_t, \cdot)$ where $0 < y_t f_t(x_t) "
        r"< 1$, $\tau_t \le 1$"
    )
    _bound: ClassVar[type[ProjectronMistakes]] = ProjectronPlusPlusMistakes
    _identity: ClassVar[type[ProjectronIdentity]] = ProjectronPlusPlusIdentity

    def strengthen(self, i: int, prediction: float, sign: float) -> None:
        """Take a step along the projection of k(x_i, .) onto the span of the atoms, if k(x_i, .) is close to the span.

        The step is taken if the distance of k(x_i, .) to the span is at most `threshold` times the hinge loss
        1 - `sign` * `prediction`. Here x_i is row `i` of the current block, and `sign` is its label's sign.
        """
        own = self.function.coordinates(i)
        norm = float(own @ own)
        hinge = 1.0 - sign * prediction
        lost = self.distance(i) / self.threshold
        if norm > 0.0 and hinge >= lost:
            step = min(hinge / norm, 2.0 * (hinge - lost) / norm, 1.0)
            self.function.put_projected(i, sign * step)

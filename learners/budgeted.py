"""Stochastic gradient descent that removes or merges atoms to keep a budget, the largest number of atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from arena.components.base_classes import SequentialLearner
from arena.components.evidence_log import RemovalLog
from arena.components.gradient_descent import gradient_rate
from arena.components.kernel_sums import BudgetedSum
from arena.components.merging import best_merger
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena.game.losses import KINK, Hinge
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.descent import OgdPerturbed, OgdStronglyConvexPerturbed
from arena.theorems.removals import BestMergers, PegasosRemovalsIdentity, RemovalsIdentity
from arena.theorems.samplers import LightestRemoved


@dataclass
class BudgetedGradientDescent(SequentialLearner[BudgetedSum]):
    """Kernel gradient descent that removes a random atom when the budget is spent.

    B is here the budget. When an atom is removed, the others are multiplied by B / (B - 1), which leaves the expected
    function unchanged. Absolute values of coefficients are limited to `cap`. Any loss is allowed. Some public code
    differs: it removes the oldest atom and does not multiply the others (theory B15, G5).

    >>> from arena import play
    >>> int(play(BudgetedGradientDescent(budget=5), "repeated(points=20)", rounds=100).sizes[-1, 1])
    5
    """

    name: ClassVar[str] = "bogd"
    formula: ClassVar[str] = (
        r"$f_{t+1} = \frac{B}{B - 1} (1 - \eta \sigma) (f_t - a_i k(x_i, \cdot)) - \eta g_t k(x_t, \cdot)$, "
        r"$i$ a random one of the $B$ atoms, $a_i$ its coefficient, $\sigma$ the shrinkage"
    )
    family: ClassVar[str] = "first order, budgeted"
    paper: ClassVar[str] = "Zhao, Wang, Wu, Jin and Hoi 2012, uniform sampling"
    cost: ClassVar[str] = "O(B d) time a round and memory"
    memory_growth: ClassVar[str] = "constant"

    budget: int = parameter(100, "B, the largest number of atoms", at_least=2)
    rate: float | None = parameter(
        None, "eta, the constant step (none: 1/sqrt(T), over the largest k(x, x) if above 1)", above=0
    )
    shrinkage: float = parameter(0.0, "lambda of NORMA", at_least=0)
    cap: float | None = parameter(None, "the largest coefficient (none: the game's label bound)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        own: dict[str, Any] = {"rate": self.rate, "shrinkage": self.shrinkage}
        return (OgdPerturbed(**own), RemovalsIdentity(**own))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.loss, self.rng = game.loss, rng
        self.eta = gradient_rate(game) if self.rate is None else self.rate
        if self.eta * self.shrinkage > 1.0:
            raise ArenaError(
                f"bogd: each step shrinks f by 1 - rate * shrinkage, which must not be negative, "
                f"but rate * shrinkage = {self.eta * self.shrinkage:g}: lower one of them"
            )
        self.largest = game.label_bound if self.cap is None else self.cap
        self.function = BudgetedSum(game.kernel, game.dimension, self.budget)
        self.log = RemovalLog(game, factors=())
        self.round = 0

    def learn(self, i: int, prediction: float, y: float) -> None:
        self.round += 1
        function, budget = self.function, float(self.budget)
        weight = -self.eta * self.loss.derivative_at(prediction, y)
        factor = 1.0 - self.eta * self.shrinkage
        function.shrink(factor)
        if weight and function.full:
            # removing a random atom and scaling the others leaves the expected f unchanged
            function.shrink(budget / (budget - 1.0))
            factor = factor * budget / (budget - 1.0)
            place = int(self.rng.integers(self.budget))
            self.log.remove(self.round, *function.part(place))
            function.remove(place)
        self.log.append("factors", factor)
        if weight:
            function.put(i, weight)
            self.log.remove(self.round, *function.cap(self.largest))

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays about removals and shrinking; {} in a match of more than 20,000 rounds.

        - `removed_rounds`, `removed_weights`, `removed_points`: the round, coefficient and point of each removed atom.
          If a coefficient exceeds `cap`, its excess is recorded like a removed atom.
        - `factors`: for each round the number by which all coefficients were multiplied: 1 - eta * shrinkage, or
          (1 - eta * shrinkage) * B / (B - 1) if an atom was removed at random. eta is the step, and B the budget.
        """
        return self.log.arrays()


@dataclass
class BudgetedSGD(SequentialLearner[BudgetedSum]):
    """Pegasos on a budget: stochastic gradient descent that removes or merges an atom when there is one too many.

    The objective is (lambda / 2) |f|^2 + hinge(y f(x)), where y is the label's sign, whatever the game's loss is. The
    step in round t is 1 / (lambda t). An atom has a coefficient a and a point x. If there is one atom too many,
    `maintenance` decides:

    - `remove` removes the atom with the smallest a^2 k(x, x);
    - `merge` replaces the atom with the smallest |a| and another atom by a single one on the line through their points.
      The other atom is chosen so that f changes least. With a budget of 1, `merge` does the same as `remove`.

    The public code differs: it gives the first atom the |coefficient| 1 in place of 1 / (lambda t) (theory B15, G5).

    >>> from arena import play
    >>> int(play(BudgetedSGD(budget=5), "repeated(points=20)", rounds=100).sizes[-1, 1])
    5
    """

    name: ClassVar[str] = "bsgd"
    formula: ClassVar[str] = (
        r"$f_{t+1} = \left( 1 - \frac{1}{t} \right) f_t + \frac{y_t}{\lambda t} k(x_t, \cdot)$ where $y_t "
        "f_t(x_t) < 1$, without the last term elsewhere; then an atom is removed or merged if there are more "
        "than $B$"
    )
    family: ClassVar[str] = "first order, budgeted"
    paper: ClassVar[str] = "Wang, Crammer and Vucetic 2012"
    cost: ClassVar[str] = "O(B d) time a round and memory"
    memory_growth: ClassVar[str] = "constant"

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)
    maintenance: Literal["merge", "remove"] = parameter("merge", "what is done with an atom too many")
    regularisation: float | None = parameter(
        None, "lambda of (lambda / 2) |f|^2 + mean loss (none: the game's; its own objective has 2 lambda / T)", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        own: dict[str, Any] = {"shrinkage": self.regularisation, "loss": Hinge()}
        merges = self.maintenance == "merge" and self.budget > 1
        kept = BestMergers() if merges else LightestRemoved(self.budget, self.regularisation)
        return (OgdStronglyConvexPerturbed(**own), PegasosRemovalsIdentity(**own), kept)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if self.maintenance == "merge" and not isinstance(game.kernel, Gaussian):
            raise ArenaError(
                f"bsgd: atoms can be merged for the gaussian kernel alone, and the game's is {game.kernel.name}: "
                "use bsgd(maintenance=remove)"
            )
        self.strength = game.at(self.regularisation)
        self.function = BudgetedSum(game.kernel, game.dimension, self.budget + 1)
        self.log = RemovalLog(game)
        self.round = 0

    def learn(self, i: int, prediction: float, y: float) -> None:
        self.round += 1
        function, sign = self.function, 1.0 if y > 0 else -1.0
        function.shrink(1.0 - 1.0 / self.round)
        if y and sign * prediction < 1.0 - KINK:
            function.put(i, sign / (self.strength * self.round))
            if function.full and self.maintenance == "merge" and self.budget > 1:
                self._merge()
            elif function.full:
                squares = np.square(function.weights) * function.kernel.diagonal(function.points)
                self._take_out(function.lightest(squares))

    def _merge(self) -> None:
        """Merge the atom with the smallest absolute coefficient, and the atom whose merger with it changes f least."""
        function, weights = self.function, self.function.weights
        lightest = function.lightest(np.abs(weights))
        merger = best_merger(weights, lightest, function.among_atoms(lightest), function.lightest)
        point = merger.share * function.points[lightest] + (1.0 - merger.share) * function.points[merger.partner]
        for place in sorted((lightest, merger.partner), reverse=True):
            self._take_out(place)
        function.put_point(point, merger.weight)
        self.log.remove(self.round, np.array([-merger.weight]), point[np.newaxis])

    def _take_out(self, place: int) -> None:
        self.log.remove(self.round, *self.function.part(place))
        self.function.remove(place)

    def evidence(self) -> Mapping[str, Any]:
        """Return the round, coefficient and point of each removed atom; {} in a match of more than 20,000 rounds.

        The arrays are `removed_rounds`, `removed_weights` and `removed_points`. A merger is recorded as three removals:
        of both atoms, and of the new atom with its coefficient negated.
        """
        return self.log.arrays()

"""Stochastic gradient descent that replaces atoms by random Fourier features to keep a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.components.base_classes import SequentialLearner
from arena.components.evidence_log import RemovalLog
from arena.components.features.fourier import Fourier
from arena.components.two_spaces import DualFunction
from arena.errors import ArenaError
from arena.game.game import Game, lambda_too_small, largest_in_box
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.dual_sgd import OgdTwoSpaces
from arena.theorems.samplers import TwoSpacesIdentity

SMALLEST = 1e-98  # least lambda, so that 1 / lambda^3 times powers of labels and kernel values does not overflow


@dataclass
class DualSGD(SequentialLearner[DualFunction]):
    """Pegasos that replaces atoms by their random Fourier features when the budget is spent.

    Pegasos is stochastic gradient descent on (lambda / 2) |f|^2 + loss with steps 1 / (lambda t). When the budget is
    spent, the `moved` atoms with the smallest absolute coefficients are replaced: each k(x, .) becomes its
    approximation in the Fourier features. The frequencies are drawn from the kernel's spectrum. For the Gaussian kernel
    of bandwidth s they are normal with deviation 1 / s; the authors' public code has 1 / s^2 (theory B12, G4).

    If the slope of the loss is unbounded, f is projected onto the ball |f|^2 <= 2 l / lambda, where l is the loss of
    the prediction 0 at the label B. This ball contains the minimiser of the objective.

    >>> from arena import play
    >>> int(play(DualSGD(budget=20), "repeated(points=40)", rounds=100).sizes[-1, 1]) <= 20
    True
    """

    name: ClassVar[str] = "dual-sgd"
    formula: ClassVar[str] = (
        r"$f_{t+1} = \left( 1 - \frac{1}{t} \right) f_t - \frac{g_t}{\lambda t} k(x_t, \cdot)$; once there "
        r"are $B$ atoms, $k(x_i, \cdot)$ of the lightest becomes the Fourier features of $x_i$"
    )
    family: ClassVar[str] = "first order, budgeted"
    paper: ClassVar[str] = "Le, Nguyen, Nguyen and Phung 2016, k-merging"
    cost: ClassVar[str] = "O((B + D) d) time a round and memory"
    memory_growth: ClassVar[str] = "constant"

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)
    moved: int = parameter(10, "k, how many atoms move together", at_least=1)
    frequencies: int = parameter(200, "D, random frequencies (2 D features)", at_least=1)
    regularisation: float | None = parameter(
        None, "lambda of (lambda / 2) |f|^2 + mean loss (none: the game's; its own objective has 2 lambda / T)", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (OgdTwoSpaces(shrinkage=self.regularisation), TwoSpacesIdentity(self.regularisation))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if self.moved > self.budget:
            raise ArenaError(
                f"dual-sgd: {self.moved} atoms cannot move out of {self.budget}: lower moved or raise budget"
            )
        self.loss, self.round = game.loss, 0
        # |f|^2 is at most 2 B^2 / lambda, so that squares of steps are at most of the order (B k)^2 / lambda^3
        size = max(1.0, game.label_bound * largest_in_box(game))
        self.strength, smallest = game.at(self.regularisation), SMALLEST * size ** (2 / 3)
        if self.strength < smallest:
            raise lambda_too_small(self.strength, smallest, "squares of its steps overflow")
        embedding = Fourier(self.frequencies)
        embedding.begin(game, rng)
        self.function = DualFunction(game, self.budget, embedding)
        self.log = RemovalLog(game)
        at_zero = float(game.loss.value(np.zeros(1), np.array([game.label_bound]))[0])
        steep = math.isinf(game.loss.lipschitz(math.inf, game.label_bound))
        self.largest = 2.0 * at_zero / self.strength if steep else math.inf

    def learn(self, i: int, prediction: float, y: float) -> None:
        self.round += 1
        function = self.function
        weight = -self.loss.derivative_at(prediction, y) / (self.strength * self.round)
        function.shrink(1.0 - 1.0 / self.round)
        if weight:
            if function.core.full:
                self._make_room()
            function.put(i, weight)
        if function.squared_norm > self.largest:
            function.shrink((self.largest / function.squared_norm) ** 0.5)

    def _make_room(self) -> None:
        core, places = self.function.core, self.function.lightest(self.moved)
        self.log.remove(self.round, core.weights[places], core.points[places])
        self.function.move(places)

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays about the atoms that Fourier features replaced; {} in a match of more than 20,000 rounds.

        The first three arrays have one entry for each replaced atom.

        - `removed_rounds`: the round in which the atom was replaced.
        - `removed_weights`: the atom's coefficient.
        - `removed_points`: the atom's point.
        - `dual_frequencies`: the frequencies of the features, in one row each.
        """
        return self.log.arrays(dual_frequencies=self.function.embedding.spectrum)

"""The Forgetron: a Perceptron that shrinks its function before it removes the oldest atom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.components.kernel_sums import BudgetedSum
from arena.game.game import Game
from arena.learners.perceptron import MistakeDriven
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.mistakes import SMALLEST_BUDGET, ForgetronMistakes
from arena.theorems.recursions import ForgetronIdentity

SHARE = 15 / 32  # largest damage as a share of the number of mistakes, for which the mistake bound holds


@dataclass
class Forgetron(MistakeDriven[BudgetedSum]):
    """The self-tuned Forgetron: a Perceptron with a budget that shrinks f before it removes the oldest atom.

    On a mistake the point becomes an atom. If there is then one atom too many, f is multiplied by a factor, and the
    oldest atom is removed. The damage of a removal is the amount that it adds to the mistake bound. The factor is the
    largest number in (0, 1] for which the damage of all removals so far is at most 15/32 of the number of mistakes.
    Some public code differs: its factor may be above 1 (theory B14, G6).

    >>> from arena import play
    >>> int(play(Forgetron(budget=5), "repeated(points=20)", rounds=100).sizes[-1, 1])
    5
    """

    name: ClassVar[str] = "forgetron"
    formula: ClassVar[str] = (
        r"$f_{t+1} = \phi_t (f_t + y_t k(x_t, \cdot) - a_i k(x_i, \cdot))$ where $y_t f_t(x_t) \le 0$, $i$ "
        r"the oldest of more than $B$ atoms, $\phi_t \le 1$ the largest factor that keeps the damage within "
        "the paper's limit"
    )
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Dekel, Shalev-Shwartz and Singer 2008"
    cost: ClassVar[str] = "O(B d) time a round and memory"
    memory_growth: ClassVar[str] = "linear"  # there are few atoms, but every mistake is recorded

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)

    @property
    def theorems(self) -> Sequence[Theorem]:
        bound = (ForgetronMistakes(self.budget),) if self.budget >= SMALLEST_BUDGET else ()
        return (*bound, ForgetronIdentity(self.budget))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        # one place more than the budget, for the new atom while the oldest one is still there
        self.function = BudgetedSum(game.kernel, game.dimension, self.budget + 1)
        self.damage = 0.0

    def correct(self, i: int, prediction: float, sign: float) -> None:
        function = self.function
        function.put(i, sign)
        if not function.full:
            return
        oldest = int(function.born.argmin())
        # delta and mu in the paper: the absolute value of the oldest atom's coefficient, and the atom's margin y f(x)
        weight = float(function.weights[oldest])
        value = float(function.weights @ function.among_atoms(oldest))
        size, margin = abs(weight), value if weight > 0 else -value
        # phi in the paper; `self.damage` is Q, the damage of all earlier removals
        factor = largest_factor(size, margin, SHARE * len(self.mistakes) - self.damage)
        function.shrink(factor)
        function.remove(oldest)
        self.damage += damage(factor, size, margin)


def damage(factor: float, size: float, margin: float) -> float:
    """Return how much the removal of an atom adds to the mistake bound, if f is first multiplied by `factor`.

    Let x be the atom's point, and a its coefficient before the multiplication. `size` is |a|, and `margin` is
    sign(a) f(x) with f before the multiplication.
    """
    return (size * factor) ** 2 + 2.0 * size * factor * (1.0 - factor * margin)


def largest_factor(size: float, margin: float, allowed: float) -> float:
    """Return the largest factor in (0, 1] with `damage(factor, size, margin)` <= `allowed`."""
    if damage(1.0, size, margin) <= allowed:
        return 1.0
    square = size**2 - 2.0 * size * margin
    return float(allowed / (size + np.sqrt(size**2 + square * allowed)))

"""The kernel Perceptron, the averaged Perceptron, and a Perceptron that removes random atoms to keep a budget."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.components.base_classes import Function, SequentialLearner
from arena.components.kernel_sums import BudgetedSum, KernelExpansion
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.averaging import AveragedPerceptronIdentity, AveragedPerceptronUpdates
from arena.theorems.kernel_recursions import RandomBudgetIdentity
from arena.theorems.mistakes import ZERO_MARGIN, PerceptronMistakes
from arena.theorems.recursions import PerceptronIdentity


class MistakeDriven(SequentialLearner[Function]):
    """Base class of learners that learn from mistakes: rounds with y f(x) <= 0, where y is the label's sign.

    The prediction is the value f(x), not its sign, and the game's loss judges it. Labels of zero are ignored. A
    subclass that defines `strengthen` learns from right predictions, too.
    """

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.round = 0
        self.mistakes: list[int] = []

    def learn(self, i: int, prediction: float, y: float) -> None:
        self.round += 1
        sign = 1.0 if y > 0 else -1.0
        if not y:
            return
        if sign * prediction <= ZERO_MARGIN * self.diagonal(i):
            self.mistakes.append(self.round)
            self.correct(i, prediction, sign)
        elif sign * prediction < 1.0:
            self.strengthen(i, prediction, sign)

    @abc.abstractmethod
    def correct(self, i: int, prediction: float, sign: float) -> None:
        """Learn from a mistake at x_i, row `i` of the current block; `sign` is the label's sign."""

    def strengthen(self, i: int, prediction: float, sign: float) -> None:
        """Learn from a right prediction whose margin is below 1; by default nothing changes.

        The point is row `i` of the current block. The margin is `prediction` times `sign`, the label's sign.
        """

    def diagonal(self, i: int) -> float:
        """Return k(x_i, x_i) for x_i, row `i` of the current block."""
        return self.function.gram.item(i, i)

    def evidence(self) -> Mapping[str, Any]:
        """Return `mistake_rounds`, the rounds of the mistakes."""
        return {"mistake_rounds": np.array(self.mistakes, dtype=float)}


@dataclass
class Perceptron(MistakeDriven[KernelExpansion]):
    """The kernel Perceptron: on a mistake y f(x) <= 0, where y is the label's sign, f <- f + y k(x, .).

    Mistakes at equal points share an atom, which changes no prediction.

    >>> from arena import play
    >>> play(Perceptron(), "alternating", rounds=100).predictions[:3]
    array([0., 1., 0.])
    """

    name: ClassVar[str] = "perceptron"
    formula: ClassVar[str] = r"$f_{t+1} = f_t + y_t k(x_t, \cdot)$ where $y_t f_t(x_t) \le 0$, $y_t$ the label's sign"
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Rosenblatt 1958; Freund and Schapire 1999"
    cost: ClassVar[str] = "O(M d) time a round and memory for M mistakes"
    memory_growth: ClassVar[str] = "linear"

    theorems = (PerceptronMistakes(), PerceptronIdentity())

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.function = KernelExpansion(game.kernel)

    def correct(self, i: int, prediction: float, sign: float) -> None:
        self.function.put(i, sign)


@dataclass
class RandomizedBudgetPerceptron(MistakeDriven[BudgetedSum]):
    """The Perceptron that removes a random atom when the budget is spent.

    >>> from arena import play
    >>> int(play(RandomizedBudgetPerceptron(budget=5), "repeated(points=20)", rounds=100).sizes[-1, 1])
    5
    """

    name: ClassVar[str] = "rbp"
    formula: ClassVar[str] = (
        r"$f_{t+1} = f_t - a_i k(x_i, \cdot) + y_t k(x_t, \cdot)$ where $y_t f_t(x_t) \le 0$, $i$ a random "
        "one of the $B$ atoms, $a_i$ its coefficient"
    )
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Cavallanti, Cesa-Bianchi and Gentile 2007"
    cost: ClassVar[str] = "O(B d) time a round and memory"
    memory_growth: ClassVar[str] = "linear"  # there are few atoms, but every mistake is recorded

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (RandomBudgetIdentity(self.budget),)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.rng = rng
        self.function = BudgetedSum(game.kernel, game.dimension, self.budget)
        self.removed: list[int] = []

    def correct(self, i: int, prediction: float, sign: float) -> None:
        if self.function.full:
            place = int(self.rng.integers(self.budget))
            self.removed.append(self.function.born.item(place))
            self.function.remove(place)
        self.function.put(i, sign)

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays about the mistakes, each of which makes an atom.

        - `mistake_rounds`: the rounds of all mistakes.
        - `removed_mistakes`: the indices, in `mistake_rounds`, of the mistakes whose atoms were removed.
        """
        return {**super().evidence(), "removed_mistakes": np.array(self.removed, dtype=float)}


@dataclass
class AveragedPerceptron(Learner):
    """The mean of the functions f_1, ..., f_t with which the kernel Perceptron predicted in rounds 1 to t.

    The Perceptron learns from its own mistakes, not from mistakes of the mean. Theorems bound only the number of the
    Perceptron's own mistakes.

    >>> from arena import play
    >>> play(AveragedPerceptron(), "far-point", rounds=4).predictions.round(3)
    array([0.   , 0.5  , 0.667, 0.75 ])
    """

    name: ClassVar[str] = "averaged-perceptron"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{1}{t} \sum_{s \le t} f_s(x_t)$, $f_{s+1} = f_s + y_s k(x_s, \cdot)$ where $y_s "
        r"f_s(x_s) \le 0$"
    )
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Freund and Schapire 1999, section 3"
    cost: ClassVar[str] = "O(M d) time a round and memory for M mistakes of the Perceptron below"
    memory_growth: ClassVar[str] = "linear"

    theorems = (AveragedPerceptronUpdates(), AveragedPerceptronIdentity())

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.kernel, self.round = game.kernel, 1
        self.points, self.signs, self.mistakes = GrowingArray((game.dimension,)), GrowingArray(), GrowingArray()

    def peek(self, X: Array) -> Array:
        return self._sum(X, (self.round - self.mistakes.view()) / self.round)

    def update(self, x: Array, y: float) -> None:
        sign, X = float(np.sign(y)), x[np.newaxis]
        margin = sign * float(self._sum(X, np.ones(len(self.signs)))[0])
        if sign and margin <= ZERO_MARGIN * float(self.kernel.diagonal(X)[0]):
            self.points.append(x)
            self.signs.append(sign)
            self.mistakes.append(self.round)
        self.round += 1

    def evidence(self) -> Mapping[str, Any]:
        """Return `update_rounds`, the rounds of the kernel Perceptron's own mistakes."""
        return {"update_rounds": self.mistakes.view()}

    @property
    def dictionary_size(self) -> int:
        return len(self.signs)

    def _sum(self, X: Array, weights: Array) -> Array:
        """Return sum_s weights_s sign_s k(x_s, x) for each row x of `X`.

        The sum is over the mistakes s; x_s is the point of mistake s, and sign_s the sign of its label.
        """
        if not len(self.signs):
            return np.zeros(len(X))
        return np.asarray(self.kernel.gram(X, self.points.view()) @ (weights * self.signs.view()))

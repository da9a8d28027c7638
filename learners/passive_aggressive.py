"""Passive-aggressive learning with kernels: PA, PA-I and PA-II, for signs and for numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.components.base_classes import SequentialLearner
from arena.components.kernel_sums import KernelExpansion
from arena.game.game import Game
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.kernel_recursions import PaIdentity
from arena.theorems.passive_aggressive import PaLosses, PaOneLosses, PaOneMistakes, PaSteps, PaTwoLosses, Task


@dataclass
class KernelPA(SequentialLearner[KernelExpansion]):
    """Passive-aggressive: f <- f + tau s k(x, .) with tau = loss / k(x, x).

    In classification s is the label's sign, and the loss is the hinge loss max(0, 1 - s f(x)). In regression s is the
    sign of label - f(x), and the loss is max(0, |f(x) - label| - epsilon). With the kernel `linear` this is the
    algorithm for w'x.

    >>> from arena import play
    >>> play(KernelPA(), "repeated(points=5)", rounds=100).verdict("pa").holds
    True
    """

    name: ClassVar[str] = "pa"
    formula: ClassVar[str] = (
        r"$f_{t+1} = f_t + \tau_t y_t k(x_t, \cdot)$, $\tau_t = \frac{\max(0, 1 - y_t f_t(x_t))}{k(x_t, "
        "x_t)}$, $y_t$ the label's sign"
    )
    family: ClassVar[str] = "first order"
    paper: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, Figures 1 and 3"
    cost: ClassVar[str] = "O(M d) time a round and memory for M rounds with a loss"
    memory_growth: ClassVar[str] = "linear"

    task: Task = parameter("classification", "hinge loss of signs, or epsilon-insensitive loss of labels")
    epsilon: float = parameter(0.1, "a deviation that costs nothing, in regression", at_least=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        # PA has no parameter C
        return (PaLosses(task=self.task, epsilon=self.epsilon), *self._of_steps("pa", 1.0))

    def _of_steps(self, steps: Literal["pa", "pa-1", "pa-2"], aggressiveness: float) -> Sequence[Theorem]:
        """Return the theorems about the step sizes of a variant of the learner.

        `steps` is the variant's name, and `aggressiveness` its parameter C; "pa" does not use C.
        """
        return [kind(steps=steps, aggressiveness=aggressiveness, task=self.task, epsilon=self.epsilon)
                for kind in (PaSteps, PaIdentity)]  # fmt: skip

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.function = KernelExpansion(game.kernel)

    def learn(self, i: int, prediction: float, y: float) -> None:
        if self.task == "regression":
            loss, towards = max(abs(prediction - y) - self.epsilon, 0.0), math.copysign(1.0, y - prediction)
        else:
            towards = float(np.sign(y))
            loss = max(1.0 - towards * prediction, 0.0)
        diagonal = self.function.gram.item(i, i)
        if loss and towards and diagonal:
            self.function.put(i, towards * self.step(loss, diagonal))

    def step(self, loss: float, diagonal: float) -> float:
        """Return the size of the step along k(x, .) for this loss at a point x; `diagonal` is k(x, x)."""
        return loss / diagonal


@dataclass
class _Limited(KernelPA):
    """Base class of PA-I and PA-II: a parameter C shortens the steps, so that a wrong label changes f(x) less."""

    aggressiveness: float = parameter(1.0, "C: the larger, the longer the steps", above=0)

    def _promise(self, kind: type[PaOneLosses | PaTwoLosses]) -> Theorem:
        return kind(aggressiveness=self.aggressiveness, task=self.task, epsilon=self.epsilon)


@dataclass
class KernelPAOne(_Limited):
    """PA-I: tau = min(C, loss / k(x, x)).

    As in `pa`, f <- f + tau s k(x, .), where s is 1 if the prediction should be larger, and otherwise -1. C is here the
    `aggressiveness`, not the bound of predictions.

    >>> from arena import play
    >>> play(KernelPAOne(), "repeated(points=5)", rounds=100).verdict("pa-1").holds
    True
    """

    name: ClassVar[str] = "pa-1"
    formula: ClassVar[str] = (
        r"$f_{t+1} = f_t + \tau_t y_t k(x_t, \cdot)$, $\tau_t = \min\left( C, \frac{\max(0, 1 - y_t "
        r"f_t(x_t))}{k(x_t, x_t)} \right)$, $y_t$ the label's sign"
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        mistakes = (self._promise(PaOneMistakes),) if self.task == "classification" else ()
        return (self._promise(PaOneLosses), *mistakes, *self._of_steps("pa-1", self.aggressiveness))

    def step(self, loss: float, diagonal: float) -> float:
        return min(self.aggressiveness, loss / diagonal)


@dataclass
class KernelPATwo(_Limited):
    """PA-II: tau = loss / (k(x, x) + 1 / (2 C)).

    As in `pa`, f <- f + tau s k(x, .), where s is 1 if the prediction should be larger, and otherwise -1. C is here the
    `aggressiveness`, not the bound of predictions.

    >>> from arena import play
    >>> play(KernelPATwo(), "repeated(points=5)", rounds=100).verdict("pa-2").holds
    True
    """

    name: ClassVar[str] = "pa-2"
    formula: ClassVar[str] = (
        r"$f_{t+1} = f_t + \tau_t y_t k(x_t, \cdot)$, $\tau_t = \frac{\max(0, 1 - y_t f_t(x_t))}{k(x_t, x_t) "
        "+ 1 / (2 C)}$, $y_t$ the label's sign"
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (self._promise(PaTwoLosses), *self._of_steps("pa-2", self.aggressiveness))

    def step(self, loss: float, diagonal: float) -> float:
        return loss / (diagonal + 0.5 / self.aggressiveness)

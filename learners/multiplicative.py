"""Multiplicative updates of linear predictors: exponentiated gradient and balanced Winnow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.linear_recursions import EgIdentity, WinnowIdentity
from arena.theorems.multiplicative import EgSquared, ExponentiatedGradient, WinnowMistakes, exponentiated_rate


class Multiplicative(Learner):
    """Base class of learners with 2 d positive weights that add up to 1, one for each coordinate of (x, -x).

    The prediction is w'x with w = `radius` (v+ - v-), where v+ are the weights of the coordinates of x, and v- the
    weights of the coordinates of -x.
    """

    radius: float

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.logarithms = np.zeros(2 * game.dimension)
        self._weigh()

    def predict(self, x: Array) -> float:
        return float(self.weights @ x)

    def multiply(self, x: Array, exponent: float) -> None:
        """Multiply the weight of each coordinate z_i of (x, -x) by exp(exponent z_i).

        Then all weights are scaled to add up to 1.
        """
        self.logarithms = self.logarithms + exponent * np.concatenate([x, -x])
        self._weigh()

    def _weigh(self) -> None:
        v = scipy.special.softmax(self.logarithms)
        half = len(v) // 2
        self.weights = self.radius * (v[:half] - v[half:])


@dataclass
class EG(Multiplicative):
    """Exponentiated gradient with positive and negative weights: v_i <- v_i exp(-eta g_t U z_i), scaled to add up to 1.

    There is one weight v_i for each coordinate z_i of (x, -x). U is the `radius`, eta is the `rate`, and g_t is the
    derivative of the loss at the prediction. The prediction is w'x with w = U (v+ - v-), where v+ are the weights of x
    and v- the weights of -x. So |w|_1 <= U. With the default rate, the regret bound grows with the root of the
    logarithm of the dimension.

    >>> from arena import play
    >>> play(EG(), "repeated(points=5)", rounds=100).verdict("eg").holds
    True
    """

    name: ClassVar[str] = "eg"
    formula: ClassVar[str] = (
        r"$v_i \leftarrow \frac{v_i e^{-\eta g_t U x_{t,i}}}{Z_t}$, $\hat y_t = U (v^+ - v^-)^\top x_t$, "
        "$Z_t$ the sum of the numerators"
    )
    family: ClassVar[str] = "linear"
    paper: ClassVar[str] = "Kivinen and Warmuth 1997, EG+-"
    cost: ClassVar[str] = "O(d) time a round, O(d) memory"
    memory_growth: ClassVar[str] = "constant"

    radius: float = parameter(1.0, "U, the largest |w|_1", above=0)
    rate: float | None = parameter(None, "eta (none: (2 log(2 d) / T)^1/2 / (U X L))", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        given = (self.radius, self.rate)
        return (ExponentiatedGradient(*given), EgSquared(*given), EgIdentity(*given))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.loss = game.loss
        self.eta = exponentiated_rate(game, self.radius) if self.rate is None else self.rate

    def update(self, x: Array, y: float) -> None:
        self.multiply(x, -self.eta * self.radius * self.loss.derivative_at(self.predict(x), y))


@dataclass
class Winnow(Multiplicative):
    """Balanced Winnow: predicts w'x with w = v+ - v-, and multiplies the weights v by exponentials on mistakes.

    There is one weight v_i for each coordinate z_i of (x, -x); v+ are the weights of x, and v- the weights of -x. On a
    mistake y w'x <= 0, where y is the label's sign, v_i <- v_i exp(eta y z_i), scaled to add up to 1. eta is the
    `rate`. Rounds with the label zero are ignored.

    >>> from arena import play
    >>> play(Winnow(), "repeated(points=5)", rounds=100).verdict("winnow-mistakes").holds
    True
    """

    name: ClassVar[str] = "winnow"
    formula: ClassVar[str] = (
        r"$v_i \leftarrow \frac{v_i e^{\eta y_t x_{t,i}}}{Z_t}$ where $y_t w_t^\top x_t \le 0$, $w = v^+ - "
        "v^-$, $Z_t$ the sum of the numerators"
    )
    family: ClassVar[str] = "perceptrons"
    paper: ClassVar[str] = "Littlestone 1988 and 1989; scaled as in Cesa-Bianchi and Lugosi 2006, section 12.2"
    cost: ClassVar[str] = "O(d) time a round, O(d) memory"
    memory_growth: ClassVar[str] = "constant"

    rate: float = parameter(0.1, "eta, the logarithm of a weight's change per unit of its coordinate", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (WinnowMistakes(self.rate), WinnowIdentity(self.rate))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.radius = 1.0
        super().begin(game, rng)

    def update(self, x: Array, y: float) -> None:
        if y and np.sign(y) * self.predict(x) <= 0:
            self.multiply(x, self.rate * float(np.sign(y)))

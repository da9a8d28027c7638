"""Gradient methods for linear predictors w'x + b, with O(d) memory: SGD, AdaGrad and FTRL-proximal.

There is one weight for each coordinate of x, whatever kernel the game has. The theorems on these learners compare them
with linear predictors.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.components.gradient_descent import linear_rate, longest_step
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Squared
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.adaptive import AdaGradBound, AdaGradNorms, FtrlProximalBound
from arena.theorems.linear_descent import LinearGradientDescent, RiverDescent, ScikitLearnDescent, Steps
from arena.theorems.linear_recursions import AdaGradIdentity, FtrlProximalIdentity, SgdIdentity


class LinearPredictor(Learner):
    """Base class of learners that predict w'x + b, and learn from the derivative of the loss at the prediction."""

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.loss = game.loss
        self.weights, self.offset = np.zeros(game.dimension), 0.0

    def predict(self, x: Array) -> float:
        return float(self.weights @ x) + self.offset

    def update(self, x: Array, y: float) -> None:
        self.step(x, self.loss.derivative_at(self.predict(x), y))

    @abc.abstractmethod
    def step(self, x: Array, slope: float) -> None:
        """Learn from `slope`, the derivative of the loss at the prediction for `x`."""


@dataclass
class LinearSgd(LinearPredictor):
    """Gradient descent on the weights of w'x + b: w <- (1 - eta_t shrinkage) w - eta_t g_t x, b <- b - eta_t g_t.

    g_t is the derivative of the loss at the prediction. With eta the `rate`, the parameter `steps` chooses eta_t:

    - `constant`: eta;
    - `inverse-scaling`: eta / t^power;
    - `inverse`: 1 / (1 / eta + shrinkage (t - 1)), which scikit-learn calls `optimal`.

    If 1 - eta_t shrinkage is negative, it is replaced by 0, as in scikit-learn: shrinking must not reverse the signs of
    weights. The theorems exclude this case.

    >>> from arena import play
    >>> play(LinearSgd(), "repeated(points=5)", rounds=100).verdict("sgd").holds
    True
    """

    name: ClassVar[str] = "sgd"
    formula: ClassVar[str] = (
        r"$w_{t+1} = (1 - \eta_t \sigma) w_t - \eta_t g_t x_t$, $b_{t+1} = b_t - \eta_t g_t$, $g_t = "
        r"\ell'(w_t^\top x_t + b_t, y_t)$, $\sigma$ the shrinkage"
    )
    family: ClassVar[str] = "linear"
    paper: ClassVar[str] = "Zinkevich 2003; Bottou 2012, with the conventions of scikit-learn"
    cost: ClassVar[str] = "O(d) time a round, O(d) memory"
    memory_growth: ClassVar[str] = "constant"

    rate: float | None = parameter(None, "eta, the first step (none: 1/sqrt(T) over the largest |x|^2 + 1)", above=0)
    steps: Steps = parameter("constant", "eta, eta / t^power, or 1 / (1 / eta + shrinkage (t - 1))")
    power: float = parameter(0.5, "of inverse-scaling steps", at_least=0, at_most=10)
    shrinkage: float = parameter(0.0, "of |w|^2 / 2 in the objective; b is not shrunk", at_least=0)
    intercept: bool = parameter(True, "whether there is a b")
    halved: bool = parameter(False, "whether the squared loss is (prediction - label)^2 / 2, as in scikit-learn")

    @property
    def theorems(self) -> Sequence[Theorem]:
        steps = (self.rate, self.steps, self.power, self.shrinkage, self.intercept, self.halved)
        return (LinearGradientDescent(*steps), SgdIdentity(*steps), *self._of_libraries())

    def _of_libraries(self) -> Sequence[Theorem]:
        """Return the regret bound of the scikit-learn or river model that takes the same steps.

        The result is empty if there is no such model.
        """
        if self.rate is None or self.steps == "inverse":
            return ()
        if self.halved:
            schedule: Literal["constant", "invscaling"] = "constant" if self.steps == "constant" else "invscaling"
            shared = ScikitLearnDescent(self.rate, schedule, self.power, fit_intercept=self.intercept)
            return (replace(shared, alpha=self.shrinkage) if self.shrinkage else replace(shared, penalty=None),)
        if self.intercept and self.steps != "constant":
            return ()
        power = 0.0 if self.steps == "constant" else self.power
        return (RiverDescent(self.rate, power, self.shrinkage, self.rate if self.intercept else 0.0),)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.half = 0.5 if self.halved and isinstance(game.loss, Squared) else 1.0
        self.eta = linear_rate(game) if self.rate is None else self.rate
        self.round = 0

    def step(self, x: Array, slope: float) -> None:
        self.round += 1
        eta = self.eta
        if self.steps == "inverse-scaling":
            eta /= self.round**self.power
        elif self.steps == "inverse":
            eta = 1.0 / (1.0 / eta + self.shrinkage * (self.round - 1))
        change = eta * self.half * slope
        self.weights = max(1.0 - eta * self.shrinkage, 0.0) * self.weights - change * x
        if self.intercept:
            self.offset -= change


def _check_intercept_rate(name: str, rate: float, game: Game) -> None:
    """Raise an `ArenaError` if constant steps `rate` of the intercept overshoot the loss further in every round."""
    if rate > (longest := longest_step(game)):
        raise ArenaError(
            f"{name}: in this game the intercept diverges if its step intercept_rate is above {longest:.3g}, but it is "
            f"{rate:g}: lower it, or choose intercept_rate=0 for no intercept"
        )


@dataclass
class AdaGrad(LinearPredictor):
    """Diagonal AdaGrad: w_i <- w_i - eta g_i / (epsilon + sum of g_i^2 so far)^(1/2); b moves by constant steps.

    The prediction is w'x + b. Here g is the gradient of the loss with respect to w, and eta is the `rate`.

    >>> from arena import play
    >>> play(AdaGrad(), "repeated(points=5)", rounds=100).verdict("adagrad").holds
    True
    """

    name: ClassVar[str] = "adagrad"
    formula: ClassVar[str] = (
        r"$w_i \leftarrow w_i - \frac{\eta g_i}{\sqrt{\epsilon + \sum_{s \le t} g_{s,i}^2}}$, $g_s = "
        r"\ell'(\hat y_s, y_s) x_s$"
    )
    family: ClassVar[str] = "linear"
    paper: ClassVar[str] = "Duchi, Hazan and Singer 2011, Figure 1, with diagonal matrices and no projection"
    cost: ClassVar[str] = "O(d) time a round, O(d) memory"
    memory_growth: ClassVar[str] = "constant"

    rate: float = parameter(0.1, "eta", above=0)
    epsilon: float = parameter(1e-8, "added to the sums of squares", at_least=0)
    intercept_rate: float = parameter(0.01, "the constant step of b; 0 for no b", at_least=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (
            AdaGradBound(self.rate, self.epsilon, intercept_rate=self.intercept_rate),
            AdaGradNorms(self.rate, self.epsilon, intercept_rate=self.intercept_rate),
            AdaGradIdentity(self.rate, self.epsilon, self.intercept_rate),
        )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        _check_intercept_rate(self.name, self.intercept_rate, game)
        self.squares = np.full(game.dimension, self.epsilon)

    def step(self, x: Array, slope: float) -> None:
        gradient = slope * x
        self.squares = self.squares + np.square(gradient)
        length = np.sqrt(self.squares)
        self.weights = self.weights - self.rate * np.divide(gradient, length, out=np.zeros(len(x)), where=length > 0)
        self.offset -= self.intercept_rate * slope


@dataclass
class FtrlProximal(LinearPredictor):
    """Follows the regularised leader with proximal regularisers; each weight has its own step size.

    The prediction is w'x + b. If the parameter `l1` is positive, a weight stays exactly zero until the sum of its
    gradients exceeds `l1` in absolute value. The intercept b is learnt by gradient descent with constant steps.

    >>> from arena import play
    >>> play(FtrlProximal(), "repeated(points=5)", rounds=100).verdict("ftrl-proximal").holds
    True
    """

    name: ClassVar[str] = "ftrl-proximal"
    formula: ClassVar[str] = (
        r"$w_i = -\frac{\operatorname{sign}(z_i) \max(0, \lvert z_i \rvert - l_1)}{(\beta + \sqrt{n_i}) / "
        r"\alpha + l_2}$, $n_i = \sum_s g_{s,i}^2$, $z_i = \sum_s \left( g_{s,i} - \frac{\sqrt{n_{s,i}} - "
        r"\sqrt{n_{s-1,i}}}{\alpha} w_{s,i} \right)$"
    )
    family: ClassVar[str] = "linear"
    paper: ClassVar[str] = "McMahan et al. 2013, Algorithm 1"
    cost: ClassVar[str] = "O(d) time a round, O(d) memory"
    memory_growth: ClassVar[str] = "constant"

    alpha: float = parameter(0.05, "of the steps", above=0)
    beta: float = parameter(1.0, "of the steps", above=0)
    l1: float = parameter(0.0, "of |w|_1", at_least=0)
    l2: float = parameter(1.0, "of |w|^2 / 2", at_least=0)
    intercept_rate: float = parameter(0.01, "the constant step of b; 0 for no b", at_least=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        given = (self.alpha, self.beta, self.l1, self.l2, self.intercept_rate)
        return (FtrlProximalBound(*given), FtrlProximalIdentity(*given))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        _check_intercept_rate(self.name, self.intercept_rate, game)
        self.z, self.n = np.zeros(game.dimension), np.zeros(game.dimension)

    def step(self, x: Array, slope: float) -> None:
        g = slope * x
        sigma = (np.sqrt(self.n + np.square(g)) - np.sqrt(self.n)) / self.alpha
        self.z = self.z + g - sigma * self.weights
        self.n = self.n + np.square(g)
        shrunk = np.sign(self.z) * np.maximum(np.abs(self.z) - self.l1, 0.0)
        self.weights = -shrunk / ((self.beta + np.sqrt(self.n)) / self.alpha + self.l2)
        self.offset -= self.intercept_rate * slope

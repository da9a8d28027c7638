"""Losses: the cost of a prediction given its label.

A loss has a value and a derivative in the prediction, both for arrays and for single numbers. It also has the constants
that theorems need for predictions within [-C, C] and labels within [-B, B]:

- `lipschitz`: an upper bound on |derivative|;
- `smoothness`: a Lipschitz constant of the derivative, infinite if there is a kink;
- `curvature`: the largest sigma with l(w) >= l(u) + l'(u)(w - u) + (sigma / 2) (l'(u)(w - u))^2 for all predictions w
  and u; zero if no positive sigma satisfies the inequality.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.specs.parameters import Configured, parameter

# Predictions this close to a kink count as on it. Otherwise rounding would choose the side, and two correct ways to
# compute the same prediction would go separate ways from there on.
KINK = 1e-10


# eq=False: two losses of a user's subclass that is no dataclass are equal only if they are the same object.
@dataclass(frozen=True, eq=False)
class Loss(Configured, abc.ABC):
    """Base class of losses: the cost of a prediction given its label.

    - `classifies` marks losses whose labels are signs: a prediction is a mistake if its sign is wrong.
    - `power` is the p with loss(c u, c y) = c^p loss(u, y) for all c > 0, if parameters such as epsilon are also
      multiplied by c. It is None if there is no such p.
    """

    classifies: ClassVar[bool] = False
    power: ClassVar[int | None] = None

    @abc.abstractmethod
    def value(self, prediction: Array | float, label: Array | float) -> Array:
        """Return the cost of each prediction."""

    @abc.abstractmethod
    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        """Return the derivative of the cost with respect to each prediction."""

    def derivative_at(self, prediction: float, label: float) -> float:
        """Return the derivative at a single prediction, as a float."""
        return float(self.derivative(prediction, label))

    @abc.abstractmethod
    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """Return an upper bound on |derivative| for predictions and labels within their bounds."""

    def largest_difference(self, prediction_bound: float, label_bound: float) -> float:
        """Return an upper bound on |loss(u) - loss(w)| for predictions u and w and labels within their bounds."""
        return 2.0 * self.lipschitz(prediction_bound, label_bound) * prediction_bound

    def largest(self, prediction_bound: float, label_bound: float) -> float:
        """Return the largest loss of one round for predictions and labels within their bounds.

        The loss must be convex in the prediction and in the label. Then it is largest where both are at plus or minus
        their bounds.

        >>> Squared().largest(1.0, 1.0), Absolute().largest(2.0, 1.0)
        (4.0, 3.0)
        """
        predictions = prediction_bound * np.array([-1.0, 1.0, -1.0, 1.0])
        return float(np.max(self.value(predictions, label_bound * np.array([-1.0, -1.0, 1.0, 1.0]))))

    @abc.abstractmethod
    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """Return a Lipschitz constant of the derivative for predictions and labels within their bounds.

        It is infinite if the loss has a kink.
        """

    @abc.abstractmethod
    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """Return the largest sigma >= 0 with l(w) >= l(u) + l'(u)(w - u) + (sigma / 2) (l'(u)(w - u))^2.

        Here l(u) is the loss of the prediction u, and l' its derivative. The inequality must hold for all predictions u
        and w and all labels within their bounds.
        """


@dataclass(frozen=True)
class Squared(Loss):
    """The squared loss (prediction - label)^2."""

    name: ClassVar[str] = "squared"
    power: ClassVar[int | None] = 2

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        return np.square(prediction - label)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        return np.asarray(2.0 * (prediction - label))

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return 2.0 * (label_bound + prediction_bound)

    def largest_difference(self, prediction_bound: float, label_bound: float) -> float:
        return (label_bound + prediction_bound) ** 2

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        return 2.0

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        return 0.5 / (label_bound + prediction_bound) ** 2


class _PiecewiseLinear(Loss):
    """Base class of losses that are linear between kinks: smoothness is infinite, curvature zero."""

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        return math.inf

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        return 0.0


class MarginLoss(Loss):
    """Base class of losses phi(m) of the margin m = label * prediction, with phi convex and decreasing.

    Labels are meant to be -1 or +1. For |label| <= B the Lipschitz constant is B times that of phi, and the smoothness
    is B^2 times that of phi.
    """

    classifies: ClassVar[bool] = True

    @abc.abstractmethod
    def of_margin(self, margin: Array | float) -> Array:
        """Return the cost of each margin, which is label * prediction."""

    @abc.abstractmethod
    def slope(self, margin: Array | float) -> Array:
        """Return the derivative of the cost with respect to the margin label * prediction; it is at most zero."""

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        return self.of_margin(prediction * label)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        return np.asarray(label * self.slope(prediction * label))


@dataclass(frozen=True)
class Hinge(_PiecewiseLinear, MarginLoss):
    """The hinge loss max(0, 1 - m) of the margin m = label * prediction; at the kink its derivative is 0."""

    name: ClassVar[str] = "hinge"

    def of_margin(self, margin: Array | float) -> Array:
        return np.maximum(0.0, 1.0 - margin)

    def slope(self, margin: Array | float) -> Array:
        return np.where(np.asarray(margin) < 1.0 - KINK, -1.0, 0.0)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return label_bound


@dataclass(frozen=True)
class SmoothHinge(MarginLoss):
    """The hinge with a parabola of width `tau` in place of its kink; it is at most tau / 2 below the hinge."""

    name: ClassVar[str] = "smooth-hinge"

    tau: float = parameter(0.5, "width of the parabola", above=0)

    def of_margin(self, margin: Array | float) -> Array:
        short = np.maximum(0.0, 1.0 - margin)
        return np.where(short >= self.tau, short - self.tau / 2, np.square(short) / (2 * self.tau))

    def slope(self, margin: Array | float) -> Array:
        return -np.clip((1.0 - margin) / self.tau, 0.0, 1.0)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return label_bound

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        return label_bound**2 / self.tau

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        return 0.0


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """The squared hinge loss max(0, 1 - m)^2 of the margin m = label * prediction."""

    name: ClassVar[str] = "squared-hinge"

    def of_margin(self, margin: Array | float) -> Array:
        return np.square(np.maximum(0.0, 1.0 - margin))

    def slope(self, margin: Array | float) -> Array:
        return -2.0 * np.maximum(0.0, 1.0 - margin)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return 2.0 * label_bound * (1.0 + label_bound * prediction_bound)

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        return 2.0 * label_bound**2

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        margin = label_bound * prediction_bound
        # a product that overflows is infinite, whereas ** raises an error
        on_the_slope = 0.5 / ((1.0 + margin) * (1.0 + margin))
        if margin <= 1.0:
            return on_the_slope
        # Beyond this, predictions can also lie on the flat part, which has less curvature (theory A).
        return min(on_the_slope, (3.0 * margin - 1.0) / (8.0 * margin * margin * (1.0 + margin)))


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """The logistic loss log(1 + exp(-m)) of the margin m = label * prediction."""

    name: ClassVar[str] = "logistic"

    def of_margin(self, margin: Array | float) -> Array:
        return np.logaddexp(0.0, -margin)

    def slope(self, margin: Array | float) -> Array:
        return -np.asarray(scipy.special.expit(-margin))

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return label_bound

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        return label_bound**2 / 4.0

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        return math.exp(-label_bound * prediction_bound)


@dataclass(frozen=True)
class EpsilonInsensitive(_PiecewiseLinear):
    """The loss max(0, |prediction - label| - epsilon): misses of up to epsilon cost nothing."""

    name: ClassVar[str] = "epsilon-insensitive"
    power: ClassVar[int | None] = 1

    epsilon: float = parameter(0.1, "width of the tube on either side", at_least=0)

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        return np.maximum(0.0, np.abs(prediction - label) - self.epsilon)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        miss = prediction - label
        return np.asarray(np.sign(miss) * (np.abs(miss) > self.epsilon + KINK))

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        return 1.0


@dataclass(frozen=True)
class Absolute(EpsilonInsensitive):
    """The absolute loss |prediction - label|; if prediction and label are equal, its derivative is 0."""

    name: ClassVar[str] = "absolute"

    epsilon: float = parameter(0.0, "no tube", at_least=0, at_most=0)

"""Losses: what a prediction costs when the label is known.

A loss gives its value and its derivative in the prediction, for arrays as well as for numbers, and the constants that
theorems need for predictions within [-C, C] and labels within [-B, B]:

- `lipschitz`: the largest |derivative|;
- `smoothness`: the Lipschitz constant of the derivative (infinite at a kink);
- `curvature`: the largest sigma with l(w) >= l(u) + l'(u)(w - u) + (sigma / 2) (l'(u)(w - u))^2, zero if none.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from arena.arrays import Array
from arena.specs.parameters import Configured, parameter

KINK = 1e-10  # closer than this to a kink is on it: else rounding would decide, and two ways to compute would part


@dataclass(frozen=True, eq=False)  # a subclass that is no dataclass of its own is equal to nothing but itself
class Loss(Configured, abc.ABC):
    """What a prediction costs when the label is known.

    `classifies` says that labels are signs and that a prediction errs when its sign is wrong.
    """

    classifies: ClassVar[bool] = False

    @abc.abstractmethod
    def value(self, prediction: Array | float, label: Array | float) -> Array:
        """The cost of each prediction."""

    @abc.abstractmethod
    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        """Its derivative in the prediction."""

    def derivative_at(self, prediction: float, label: float) -> float:
        """The derivative for one prediction: what was said of arrays holds for numbers."""
        return float(self.derivative(prediction, label))

    @abc.abstractmethod
    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """The largest |derivative|."""

    @abc.abstractmethod
    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """The Lipschitz constant of the derivative."""

    @abc.abstractmethod
    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """The sigma of the directional-curvature assumption."""


@dataclass(frozen=True)
class Squared(Loss):
    """(prediction - label)^2."""

    name: ClassVar[str] = "squared"

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        """The cost of each prediction."""
        return np.square(prediction - label)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        """Its derivative in the prediction."""
        return np.asarray(2.0 * (prediction - label))

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """2 (B + C)."""
        return 2.0 * (label_bound + prediction_bound)

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """Two, everywhere."""
        return 2.0

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """1 / (2 (B + C)^2)."""
        return 0.5 / (label_bound + prediction_bound) ** 2


class _LinearInPieces(Loss):
    """With kinks, and without curvature."""

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """Infinite: there are kinks."""
        return math.inf

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """None: it is linear in pieces."""
        return 0.0


class MarginLoss(Loss):
    """A convex loss of the margin m = y z alone, for labels -1 and +1: it falls until the margin is large enough.

    For labels of another size the margin grows with them, and with it the constants: |y| <= B gives B times the
    Lipschitz constant and B^2 times the smoothness of the loss in the margin.
    """

    classifies: ClassVar[bool] = True

    @abc.abstractmethod
    def of_margin(self, margin: Array | float) -> Array:
        """The cost as a function of the margin."""

    @abc.abstractmethod
    def slope(self, margin: Array | float) -> Array:
        """Its derivative in the margin, at most zero."""

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        """The cost of each prediction."""
        return self.of_margin(prediction * label)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        """Its derivative in the prediction."""
        return np.asarray(label * self.slope(prediction * label))


@dataclass(frozen=True)
class Hinge(_LinearInPieces, MarginLoss):
    """max(0, 1 - m); at the kink the derivative is 0."""

    name: ClassVar[str] = "hinge"

    def of_margin(self, margin: Array | float) -> Array:
        """The cost as a function of the margin."""
        return np.maximum(0.0, 1.0 - margin)

    def slope(self, margin: Array | float) -> Array:
        """-1 below the kink."""
        return np.where(np.asarray(margin) < 1.0 - KINK, -1.0, 0.0)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """B."""
        return label_bound


@dataclass(frozen=True)
class SmoothHinge(MarginLoss):
    """The hinge with its kink replaced by a parabola of width tau: below the hinge by at most tau / 2."""

    name: ClassVar[str] = "smooth-hinge"

    tau: float = parameter(0.5, "width of the parabola", above=0)

    def of_margin(self, margin: Array | float) -> Array:
        """The cost as a function of the margin."""
        short = np.maximum(0.0, 1.0 - margin)
        return np.where(short >= self.tau, short - self.tau / 2, np.square(short) / (2 * self.tau))

    def slope(self, margin: Array | float) -> Array:
        """From -1 to 0 along the parabola."""
        return -np.clip((1.0 - margin) / self.tau, 0.0, 1.0)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """B."""
        return label_bound

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """B^2 / tau."""
        return label_bound**2 / self.tau

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """None: it has a linear part."""
        return 0.0


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """max(0, 1 - m)^2."""

    name: ClassVar[str] = "squared-hinge"

    def of_margin(self, margin: Array | float) -> Array:
        """The cost as a function of the margin."""
        return np.square(np.maximum(0.0, 1.0 - margin))

    def slope(self, margin: Array | float) -> Array:
        """-2 max(0, 1 - m)."""
        return -2.0 * np.maximum(0.0, 1.0 - margin)

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """2 B (1 + B C)."""
        return 2.0 * label_bound * (1.0 + label_bound * prediction_bound)

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """2 B^2."""
        return 2.0 * label_bound**2

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """1 / (2 (1 + m)^2) for margins up to m = B C; where m > 1 the flat part costs some of it (theory A)."""
        m = label_bound * prediction_bound
        naive = 0.5 / (1.0 + m) ** 2
        return naive if m <= 1.0 else min(naive, (3.0 * m - 1.0) / (8.0 * m**2 * (1.0 + m)))


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """log(1 + exp(-m))."""

    name: ClassVar[str] = "logistic"

    def of_margin(self, margin: Array | float) -> Array:
        """The cost as a function of the margin."""
        return np.logaddexp(0.0, -margin)

    def slope(self, margin: Array | float) -> Array:
        """-1 / (1 + exp(m))."""
        return -np.asarray(expit(-margin))

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """B."""
        return label_bound

    def smoothness(self, prediction_bound: float, label_bound: float) -> float:
        """B^2 / 4."""
        return label_bound**2 / 4.0

    def curvature(self, prediction_bound: float, label_bound: float) -> float:
        """exp(-B C)."""
        return math.exp(-label_bound * prediction_bound)


@dataclass(frozen=True)
class EpsilonInsensitive(_LinearInPieces):
    """max(0, |prediction - label| - epsilon): small misses are free."""

    name: ClassVar[str] = "epsilon-insensitive"

    epsilon: float = parameter(0.1, "width of the tube on either side", at_least=0)

    def value(self, prediction: Array | float, label: Array | float) -> Array:
        """The cost of each prediction."""
        return np.maximum(0.0, np.abs(prediction - label) - self.epsilon)

    def derivative(self, prediction: Array | float, label: Array | float) -> Array:
        """The sign of the miss, zero inside the tube and on its edge."""
        miss = prediction - label
        return np.asarray(np.sign(miss) * (np.abs(miss) > self.epsilon + KINK))

    def lipschitz(self, prediction_bound: float, label_bound: float) -> float:
        """One."""
        return 1.0


@dataclass(frozen=True)
class Absolute(EpsilonInsensitive):
    """|prediction - label|; at zero the derivative is 0."""

    name: ClassVar[str] = "absolute"

    epsilon: float = parameter(0.0, "no tube", at_least=0, at_most=0)

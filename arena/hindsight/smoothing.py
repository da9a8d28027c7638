"""Losses with two derivatives, for Newton's method: parabolas of some width replace the kinks.

A smoothed loss is at most width / 2 below the loss. The minimum of the smoothed objective has a dual vector a, with one
number for each round. In the problem without smoothing, this minimum and a have a duality gap. Round t adds at most
width |b_t| (1 - |b_t|) to the gap. Here b_t is a_t / y_t if the loss is a function of the label times the prediction,
and a_t otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Loss, SmoothHinge, SquaredHinge
from arena.hindsight.duals import Dual

SMOOTH = (Logistic, SquaredHinge, SmoothHinge)
KINKED = (Hinge, EpsilonInsensitive, Absolute)
FLAT = 1e-6  # least second derivative of the logistic loss, relative to y^2: Newton steps divide by its root


def can_be_smoothed(loss: Loss) -> bool:
    """Return whether `Smoothed`, which replaces the kinks of a loss by parabolas, supports the loss.

    Subclasses of supported losses are not supported, since they may compute other values.
    """
    return type(loss) in SMOOTH + KINKED


@dataclass
class Smoothed:
    """A loss for the labels `y`, with parabolas of this `width` in place of kinks (0 for a loss without kinks).

    >>> smoothed = Smoothed.of(Hinge(), np.array([1.0, 1.0]))
    >>> smoothed.width = 0.5
    >>> smoothed.slope(np.array([0.0, 0.9])).round(6), smoothed.bend(np.array([0.0, 0.9]))
    (array([-1. , -0.2]), array([0., 2.]))
    """

    loss: Loss
    y: Array
    width: float

    @classmethod
    def of(cls, loss: Loss, y: Array) -> Smoothed:
        """Return the smoothed loss with which Newton's method begins: wide parabolas replace the kinks of `loss`."""
        size = 1.0 if loss.classifies else max(float(np.abs(y).max(initial=0.0)), 1e-300)
        return cls(loss, y, 2.0 * size if type(loss) in KINKED else 0.0)

    def slope(self, z: Array) -> Array:
        """Return the first derivative of the smoothed loss at each prediction."""
        if not self.width:
            return np.asarray(self.loss.derivative(z, self.y))
        short, sign = self._short(z)
        return np.asarray(sign * np.clip(short / self.width, 0.0, 1.0))

    def bend(self, z: Array) -> Array:
        """Return the second derivative of the smoothed loss at each prediction; it is zero where the loss is linear."""
        squared = np.square(self.y)
        if isinstance(self.loss, SquaredHinge):
            return np.asarray(2.0 * squared * (self.y * z < 1.0))
        if isinstance(self.loss, Logistic):
            share = np.divide(-self.slope(z), self.y, out=np.zeros_like(z), where=self.y != 0.0)
            return np.asarray(squared * np.maximum(share * (1.0 - share), FLAT))
        short, sign = self._short(z)
        width = self.loss.tau if isinstance(self.loss, SmoothHinge) else self.width
        return np.asarray(np.square(sign) / width * ((short >= 0.0) & (short < width)))

    def narrowed(self, factor: float, z: Array) -> Array:
        """Multiply the parabolas' width by `factor`; return predictions for the new loss.

        At these predictions the new loss has the slopes that the old loss has at the predictions `z`.
        """
        short, sign = self._short(z)
        beyond = (1.0 - factor) * np.where((short > 0.0) & (short < self.width), short, 0.0)
        self.width *= factor
        return np.asarray(z - np.divide(beyond, sign, out=np.zeros_like(z), where=sign != 0.0))

    def gap(self, a: Array) -> float:
        """Return a bound on the duality gap that smoothing causes; `a` is the dual vector of the smoothed minimum."""
        size = np.abs(self._share(a))
        return self.width * float((size * np.maximum(1.0 - size, 0.0)).sum())

    def variables(self, a: Array, dual: Dual) -> Array:
        """Return the variables of `dual` that give the dual vector `a`, each clipped to [dual.low, dual.high]."""
        if len(dual.scale) > len(a):
            return np.asarray(np.clip(np.concatenate([a, -a]), dual.low, dual.high))
        b = self._share(a)
        # Where the label is 0, phi(0) is the largest value: of the entropy, of b - quadratic b^2, or of b.
        b[dual.scale == 0.0] = 0.5 if dual.entropy else 0.5 / dual.quadratic if dual.quadratic else 1.0
        return np.asarray(np.clip(b, dual.low, dual.high))

    def _share(self, a: Array) -> Array:
        """Return a_t / y_t for each round if the loss depends on label times prediction alone, and a_t otherwise."""
        return np.divide(a, self.y, out=np.zeros_like(a), where=self.y != 0.0) if self.loss.classifies else a

    def _short(self, z: Array) -> tuple[Array, Array]:
        """Return, for each prediction z, a number that is positive where the loss is positive, and its derivative in z.

        The number is |z - y| - epsilon for the epsilon-insensitive and the absolute loss, otherwise 1 - y z.
        """
        if isinstance(self.loss, EpsilonInsensitive):
            miss = z - self.y
            return np.abs(miss) - self.loss.epsilon, np.where(miss < 0.0, -1.0, 1.0)
        return 1.0 - self.y * z, -self.y

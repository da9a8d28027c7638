"""The least sum of losses of a function f with |f| <= U, as a curve in U.

For the squared loss, ridge regression with all lambda > 0 gives the curve. Let s_i and u_i be the eigenvalues and
eigenvectors of the kernel matrix, and c_i = u_i'y. Then the solution f for lambda has

    loss = sum_i (lambda c_i / (s_i + lambda))^2,    |f|^2 = sum_i s_i (c_i / (s_i + lambda))^2.

Let f_0 be the function of least norm among the functions of least loss. Every U < |f_0| is the norm of a solution, so
one eigendecomposition gives the whole curve.

For every convex loss the curve is convex and falls. If two points lie on or above the curve, so does the line between
them. If the penalised optimum for lambda is at least l, the curve lies on or above l - lambda U^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.pivots import UNIT
from arena.hindsight.spaces import Space
from arena.hindsight.watching import Watch

HALVINGS = 200
RANGE = np.array([-36.0, 36.0])  # range of log lambda, around the logarithm of the largest eigenvalue
NEGLIGIBLE = 1e-13  # eigenvalues relative to the largest that count as 0


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The eigenvalues of a kernel matrix, and the squared inner products of its eigenvectors with the labels."""

    values: Array
    weights: Array

    @classmethod
    def of(cls, gram: Array, y: Array) -> Spectrum:
        """Return the `Spectrum` of the kernel matrix `gram` and the labels `y`, by one eigendecomposition."""
        values, vectors = np.linalg.eigh(gram)
        values = np.where(values > NEGLIGIBLE * max(float(values[-1]), 0.0), values, 0.0)
        return cls(values, np.square(vectors.T @ y))

    @property
    def largest_norm(self) -> float:
        """The least norm of a function with the least sum of squared losses; a larger norm does not lower the loss."""
        inside = self.values > 0
        return float(np.sqrt((self.weights[inside] / self.values[inside]).sum()))

    def least_loss(self, norm: float) -> float:
        """Return the least sum of squared losses of a function f with |f| <= norm, by bisection over lambda.

        >>> round(Spectrum.of(np.eye(1), np.array([3.0])).least_loss(1.0), 9)  # (3 - 1)^2
        4.0
        """
        if norm >= self.largest_norm:
            return float(self.weights[self.values == 0].sum())
        low, high = np.log(max(float(self.values[-1]), 1e-300)) + RANGE
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            inside = float(self.weights @ (self.values / np.square(self.values + np.exp(middle)))) <= norm**2
            low, high = (low, middle) if inside else (middle, high)
        at = np.exp(high)  # the end at which |f| <= norm
        return float(self.weights @ np.square(at / (self.values + at))) if norm > 0 else float(self.weights.sum())


@dataclass(frozen=True, eq=False)
class NormPath:
    """Bounds on the least loss of functions with |f| <= U, as a function of U.

    - For each i there is a function with a norm of at most `norms[i]` and a loss of at most `losses[i]`. For i = 0 it
      is f = 0, whose loss is at least `losses[0]` (1 - `rounding`).
    - The least penalised loss for `lambdas[i]` is at least `optima[i]`.

    The loss may be any loss with a known dual.
    """

    norms: Array
    losses: Array
    lambdas: Array
    optima: Array
    rounding: float

    @classmethod
    def of(cls, space: Space, loss: Loss, y: Array, lambdas: Array, *, watch: Watch | None = None) -> NormPath:
        """Return the `NormPath` made from the best functions for the values of lambda in `lambdas`.

        `watch` is called with the progress.
        """
        found = []
        for done, at in enumerate(lambdas.tolist()):
            if watch is not None:
                watch("best functions of every norm", done, len(lambdas))
            found.append(best_for_loss(space, loss, y, regularisation=at))
        norms = np.array([0.0, *(np.sqrt(each.squared_norm) * (1.0 + 1e-12) for each in found)])
        rounding = (2.0 * len(y) + 64.0) * UNIT
        at_zero = float(loss.value(np.zeros(len(y)), y).sum()) * (1.0 + rounding)
        losses = np.array([at_zero, *(each.loss for each in found)])
        return cls(norms, losses, lambdas, np.array([each.lower for each in found]), 3.0 * rounding)

    def least_loss(self, norm: float) -> tuple[float, float]:
        """Return a lower and an upper bound on the least loss of functions with |f| <= norm."""
        if norm == 0.0:
            return float(self.losses[0] * (1.0 - self.rounding)), float(self.losses[0])
        penalties = self.lambdas * norm**2
        below = max(0.0, float((self.optima - penalties - 4.0 * UNIT * (self.optima + penalties)).max()))
        inside = self.norms <= norm
        above = float(self.losses[inside].min())
        for i in np.flatnonzero(inside).tolist():
            beyond = ~inside
            share = (norm - self.norms[i]) / (self.norms[beyond] - self.norms[i])
            mixed = ((1.0 - share) * self.losses[i] + share * self.losses[beyond]) * (1.0 + 8.0 * UNIT)
            above = min(above, float(mixed.min(initial=np.inf)))
        return min(below, above), above

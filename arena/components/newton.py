"""Online Newton steps in R^r, for any number of coordinates that may grow (theory B7, B9, D5).

With A_0 = ridge I and u_1 = 0, round t reads

    ahead = f_t' u_t,   q = f_t' A_{t-1}^-1 f_t,   prediction = Clip(ahead),   g = the loss's derivative there,
    A_t   = A_{t-1} + eta_t g^2 f_t f_t',
    A_t u_{t+1} = A_{t-1} u_t + c_t f_t   with   c_t = eta_t g^2 prediction - g - (ahead - prediction) / q.

The last term is the projection onto {w : |f_t' w| <= C} in the norm of A. The papers divide c_t by g sqrt(eta), which
is 0/0 where the projection is active and g = 0; with c_t itself nothing breaks.

Within a block of rounds only two things matter: the matrix of f_i' A^-1 f_j, which every round changes by a rank-one
term, and the vector of f_i' u. `newton_block` plays a block given these two, wherever they come from.

Here A is kept as its triangular root, A = R' R, and gets its new gradients by an orthogonal transformation: the root of
A + F' D^2 F is the triangle of the QR decomposition of [R; D F]. No difference is ever formed, so A stays above ridge I
whatever happens.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from arena.arrays import Array, GrowingArray

BLOCK = 64  # rounds whose matrix work is shared; the scalars of a round cost O(BLOCK^2)
PANEL = 16  # columns that the orthogonal transformation eliminates together
EDGE = 1 - 1e-12  # times the bound: from here on a prediction is the bound itself
LEEWAY = 1 + 1e-6  # for the rounding of a bound that may hold with equality

Derivative = Callable[[float, float], float | Array]
Keep = Callable[[int, float], bool]  # (row, derivative of the loss) -> whether A gets this gradient


class Played(NamedTuple):
    """What a block of rounds leaves behind: one entry for each of them."""

    predictions: Array
    weights: Array  # eta_t g_t^2, or zero where A does not get the gradient
    coefficients: Array  # c_t
    energies: Array  # g_t^2 f_t' A_t^-1 f_t, the currency of the regret bounds
    norm: float  # a bound on the norm of u in A after the last round


class OnlineNewton:
    """Online Newton steps in R^r, with predictions clipped to [-bound, bound].

    >>> newton = OnlineNewton(lambda prediction, label: 2 * (prediction - label), ridge=1.0, bound=1.0)
    >>> newton.grow(1)
    >>> newton.play(np.ones((3, 1)), np.array([1.0, 1.0, 1.0]), np.full(3, 0.125))
    array([0., 1., 1.])
    """

    def __init__(self, derivative: Derivative, *, ridge: float, bound: float):
        self.derivative = derivative
        self.ridge, self.bound = ridge, bound
        self.solution = np.zeros(0)
        self.energies = GrowingArray()
        self._root: Array | None = None  # R; none before the first gradient, when A = ridge I
        self._norm = 0.0

    def __len__(self) -> int:
        return len(self.solution)

    def grow(self, coordinates: int) -> None:
        """More coordinates, in which nothing has happened yet: A gets `ridge` on its diagonal, u gets zeros."""
        if self._root is not None and coordinates:
            old, self._root = self._root, self._initial_root(len(self) + coordinates)
            self._root[: len(self), : len(self)] = old
        self.solution = np.concatenate([self.solution, np.zeros(coordinates)])

    def restart(self) -> None:
        """Forget every round: u = 0 and A = ridge I."""
        self.solution, self._root, self._norm = np.zeros(len(self)), None, 0.0

    def predict(self, F: Array) -> Array:
        """The clipped predictions for rows of features."""
        return clipped(F @ self.solution, self.bound)

    def play(self, F: Array, y: Array, steps: Array, *, forget: bool = False) -> Array:
        """Play rounds with these features, labels and steps eta; their predictions.

        With `forget` it restarts after them, and is spared what only later rounds would need.
        """
        predictions = np.empty(len(F))
        for start in range(0, len(F), BLOCK):
            rows = slice(start, start + BLOCK)
            last = forget and start + BLOCK >= len(F)
            predictions[rows] = self._play_block(F[rows], y[rows], steps[rows], absorb=not last)
        if forget:
            self.restart()
        return predictions

    def _play_block(self, F: Array, y: Array, steps: Array, *, absorb: bool) -> Array:
        if not len(self):
            self.energies.extend(np.zeros(len(F)))
            return np.zeros(len(F))
        covariance, ahead = self._covariance(F), F @ self.solution
        played = newton_block(
            covariance, ahead, y, steps, derivative=self.derivative, bound=self.bound, norm=self._norm
        )
        self._norm = played.norm
        self.energies.extend(played.energies)
        if absorb:
            self._absorb(F, played.weights, played.coefficients - played.weights * ahead)
        return played.predictions

    def _covariance(self, F: Array) -> Array:
        """F A^-1 F'."""
        if self._root is None:
            return np.asarray(F @ F.T / self.ridge)
        whitened = scipy.linalg.blas.dtrsm(1.0, self._root, F, side=1)
        return np.asarray(whitened @ whitened.T)

    def _absorb(self, F: Array, weights: Array, changes: Array) -> None:
        """A += F' D^2 F and u += A^-1 F' (c - D^2 F u): A u changes by F' c, but fewer digits are lost."""
        root = self._initial_root(len(self)) if self._root is None else self._root
        if weights.any():
            rows = np.asfortranarray(np.sqrt(weights)[:, np.newaxis] * F)
            root = scipy.linalg.lapack.dtpqrt(0, min(PANEL, len(self)), root, rows, overwrite_a=1, overwrite_b=1)[0]
        halfway = scipy.linalg.blas.dtrsv(root, changes @ F, trans=1)
        self.solution = self.solution + scipy.linalg.blas.dtrsv(root, halfway)
        self._root = root

    def _initial_root(self, size: int) -> Array:
        root = np.zeros((size, size), order="F")
        np.fill_diagonal(root, self.ridge**0.5)
        return root


def clipped(ahead: Array, bound: float) -> Array:
    """The values clipped to [-bound, bound], and put on the edge where only rounding keeps them off it.

    After a projection they lie on the edge exactly, and a loss may have its kink there (the hinge's is at 1, and C = 1
    is usual): rounding must not decide on which side of it a prediction falls.
    """
    return np.asarray(np.where(np.abs(ahead) >= EDGE * bound, np.copysign(bound, ahead), ahead))


def newton_block(
    covariance: Array,
    ahead: Array,
    y: Array,
    steps: Array,
    *,
    derivative: Derivative,
    bound: float,
    norm: float,
    keep: Keep | None = None,
) -> Played:
    """Play a block of rounds, given f_i' A^-1 f_j and f_i' u for its rows before the first.

    `keep` may leave the gradient of a round out of A (theory B8): it is asked once the derivative is known. `norm`
    bounds |u|_A before the first round. As |f' u| <= |u|_A sqrt(q), no projection needs to undo more than that: a
    larger value is rounding, which would grow from round to round where |f|^2 / ridge has more digits than a float.
    """
    covariance, ahead = np.array(covariance, order="F"), ahead.copy()
    predictions, weights, coefficients, energies = [], [], [], []
    edge = EDGE * bound
    for i, (label, step) in enumerate(zip(y.tolist(), steps.tolist(), strict=True)):
        row = covariance[:, i].copy()
        q, reach = max(float(row[i]), 0.0), float(ahead[i])
        prediction = reach if -edge < reach < edge else math.copysign(bound, reach)
        slope = float(derivative(prediction, label))
        weight = step * slope * slope
        if weight and keep is not None and not keep(i, slope):
            weight = 0.0
        back = 0.0
        if q and reach != prediction:
            possible = LEEWAY * norm * math.sqrt(q)
            back = (min(max(reach, -possible), possible) - prediction) / q
        shrink = 1.0 / (1.0 + weight * q)
        scipy.linalg.blas.daxpy(row, ahead, a=-(back + slope * shrink))  # u moves by this multiple of A^-1 f
        if weight:
            scipy.linalg.blas.dger(
                -weight * shrink, row, row, a=covariance, overwrite_a=1, overwrite_x=0, overwrite_y=0
            )
        energy = slope * slope * q * shrink
        norm = math.sqrt(norm * norm + weight * prediction * prediction) + math.sqrt(energy)
        predictions.append(prediction)
        weights.append(weight)
        coefficients.append(weight * prediction - slope - back)
        energies.append(energy)
    return Played(np.array(predictions), np.array(weights), np.array(coefficients), np.array(energies), norm)

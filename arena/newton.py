"""Online Newton steps in R^r, for any number of coordinates that may grow (theory B7, B9, D5).

With A_0 = ridge I and u_1 = 0, round t reads

    ahead = f_t' u_t,   q = f_t' A_{t-1}^-1 f_t,   prediction = Clip(ahead),   g = the loss's derivative there,
    A_t   = A_{t-1} + eta_t g^2 f_t f_t',
    A_t u_{t+1} = A_{t-1} u_t + c_t f_t   with   c_t = eta_t g^2 prediction - g - (ahead - prediction) / q.

The last term is the projection onto {w : |f_t' w| <= C} in the norm of A. The papers divide c_t by g sqrt(eta), which
is 0/0 where the projection is active and g = 0; with c_t itself nothing breaks.

A is kept as its triangular root, A = R' R, and gets its new gradients by an orthogonal transformation: the root of
(A + F' D^2 F) is the triangle of the QR decomposition of [R; D F]. No difference is ever formed, so A stays above
ridge I whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import blas, lapack

from arena.arrays import Array, GrowingArray

BLOCK = 64  # rounds whose matrix work is shared; the scalars of a round cost O(BLOCK^2)
PANEL = 16  # columns that the orthogonal transformation eliminates together

Derivative = Callable[[float, float], float]
Keep = Callable[[int, float], bool]  # (row, derivative of the loss) -> whether A gets this gradient


class OnlineNewton:
    """Online Newton steps with predictions clipped to [-bound, bound].

    >>> newton = OnlineNewton(lambda prediction, label: 2 * (prediction - label), ridge=1.0, bound=1.0)
    >>> newton.grow(1)
    >>> newton.play(np.ones((3, 1)), np.array([1.0, 1.0, 1.0]), np.full(3, 0.125))
    array([0., 1., 1.])
    """

    def __init__(self, derivative: Derivative, *, ridge: float, bound: float):
        self.derivative = derivative
        self.ridge, self.bound = ridge, bound
        self.root = np.zeros((0, 0), order="F")
        self.solution = np.zeros(0)
        self.energies = GrowingArray()  # g_t^2 f_t' A_t^-1 f_t of every round: the theorems' currency

    def __len__(self) -> int:
        return len(self.solution)

    def grow(self, coordinates: int) -> None:
        """More coordinates, in which nothing has happened yet: A gets `ridge` on its diagonal, u gets zeros."""
        if not coordinates:
            return
        old, new = len(self), len(self) + coordinates
        root = np.zeros((new, new), order="F")
        root[:old, :old] = self.root
        root.T.flat[old * (new + 1) :: new + 1] = self.ridge**0.5
        self.root = root
        self.solution = np.concatenate([self.solution, np.zeros(coordinates)])

    def restart(self) -> None:
        """Forget every round: u = 0 and A = ridge I."""
        self.solution = np.zeros(len(self))
        self.root = np.zeros_like(self.root)
        np.fill_diagonal(self.root, self.ridge**0.5)

    def predict(self, F: Array) -> Array:
        """The clipped predictions for rows of features."""
        return np.asarray(np.clip(F @ self.solution, -self.bound, self.bound))

    def play(self, F: Array, y: Array, steps: Array, *, keep: Keep | None = None) -> Array:
        """Play rounds with these features, labels and steps eta; their predictions.

        `keep` may leave the gradient of a round out of A (theory B8): it is asked once the derivative is known.
        """
        predictions = np.empty(len(F))
        for start in range(0, len(F), BLOCK):
            rows = slice(start, start + BLOCK)
            predictions[rows] = self._play_block(F[rows], y[rows], steps[rows], keep, start)
        return predictions

    def _play_block(self, F: Array, y: Array, steps: Array, keep: Keep | None, first: int) -> Array:
        """All that a round needs of A^-1 is covariance = F A^-1 F', which every round changes by a rank-one term.

        `ahead` holds F u, brought up to date in the same way: u moves by `pull` times A^-1 f.
        """
        if not len(self):
            return self._play_without_features(y, steps, keep, first)
        covariance, start = self._covariance(F), F @ self.solution
        ahead, bound, slope_at = start.copy(), self.bound, self.derivative
        predictions, weights, targets, energies = [], [], [], []
        for i, (label, step) in enumerate(zip(y.tolist(), steps.tolist(), strict=True)):
            row = covariance[:, i].copy()
            q, reach = max(float(row[i]), 0.0), float(ahead[i])
            prediction = min(max(reach, -bound), bound)
            slope = float(slope_at(prediction, label))
            weight = step * slope * slope
            if weight and keep is not None and not keep(first + i, slope):
                weight = 0.0
            back = (reach - prediction) / q if q and reach != prediction else 0.0
            shrink = 1.0 / (1.0 + weight * q)
            blas.daxpy(row, ahead, a=-(back + slope * shrink))
            if weight:
                blas.dger(-weight * shrink, row, row, a=covariance, overwrite_a=1, overwrite_x=0, overwrite_y=0)
            predictions.append(prediction)
            weights.append(weight)
            targets.append(weight * (prediction - start[i]) - slope - back)
            energies.append(slope * slope * q * shrink)
        self.energies.extend(np.array(energies))
        self._absorb(F, np.sqrt(np.array(weights)), np.array(targets))
        return np.array(predictions)

    def _covariance(self, F: Array) -> Array:
        whitened = blas.dtrsm(1.0, self.root, F, side=1)
        return np.asfortranarray(whitened @ whitened.T)

    def _absorb(self, F: Array, weights: Array, targets: Array) -> None:
        """A += F' D^2 F, and u += A^-1 F' (c - D^2 F u), the same as A_new u_new = A_old u_old + F' c."""
        if weights.any():
            rows = np.asfortranarray(weights[:, np.newaxis] * F)
            self.root = lapack.dtpqrt(0, min(PANEL, len(self)), self.root, rows, overwrite_a=1, overwrite_b=1)[0]
        halfway = blas.dtrsv(self.root, targets @ F, trans=1)
        self.solution = self.solution + blas.dtrsv(self.root, halfway)

    def _play_without_features(self, y: Array, steps: Array, keep: Keep | None, first: int) -> Array:
        """In R^0 every prediction is zero; coins are tossed all the same."""
        for i, label in enumerate(y.tolist()):
            slope = float(self.derivative(0.0, label))
            if keep is not None and steps[i] * slope:
                keep(first + i, slope)
        self.energies.extend(np.zeros(len(y)))
        return np.zeros(len(y))

"""Online Newton steps, in R^r and in an RKHS (theory B7, B9, D5).

The second-order matrix starts at A_0 = ridge I, and the iterate at u_1 = 0. Round t predicts with w_t, the projection
of u_t onto {w : |f_t' w| <= C} in the norm sqrt(w' A_{t-1} w). Then a step is taken against the gradient
g_t f_t, where f_t are the features of the round:

    A_t = A_{t-1} + weight_t f_t f_t',   u_{t+1} = w_t - g_t A_t^-1 f_t.

`OnlineNewton` (in R^r) and `KernelNewton` (in an RKHS) hold u and A. They divide the rounds into blocks; within a block
the state is a `NewtonBlock`. The learner chooses the weights and plays the rounds of each block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy

from arena.arrays import Array, GrowingArray, point_key
from arena.components.kernel_sums import KernelExpansion
from arena.components.weighted_points import WeightedPoints
from arena.game.game import Game
from arena.game.kernels import Kernel

BLOCK = 64  # rounds whose matrix work is shared; the scalars of a round cost O(BLOCK^2)
PANEL = 16  # columns that the orthogonal transformation eliminates together
EDGE = 1 - 1e-12  # predictions beyond this multiple of the bound become the bound
LEEWAY = 1 + 1e-6  # factor of a bound that may hold with equality, so that rounding does not break it


def clip(value: float, bound: float) -> float:
    """Return `value` clipped to [-bound, bound]; a value within rounding of +-bound becomes +-bound."""
    # After a projection the prediction is exactly at an end, and a loss may have its kink there (the hinge loss has it
    # at 1, and C = 1 is usual). Rounding must not decide on which side of the kink a prediction is.
    edge = EDGE * bound
    return value if -edge < value < edge else math.copysign(bound, value)


def clip_all(values: Array, bound: float) -> Array:
    """Return the array of `clip(value, bound)` for each of `values`."""
    return np.asarray(np.where(np.abs(values) >= EDGE * bound, np.copysign(bound, values), values))


class NewtonBlock:
    """The state of online Newton steps within a block of rounds with features f_i.

    Let u be the iterate and A the second-order matrix before the next round: ridge I plus weight_t f_t f_t' for each
    past round t. `covariance` is the matrix of all f_i' A^-1 f_j, `ahead` is the vector of all f_i' u, and `norm` is an
    upper bound on sqrt(u'A u).
    """

    def __init__(self, covariance: Array, ahead: Array, norm: float):
        self.ahead = ahead.copy()
        self.norm = norm
        self._covariance = np.array(covariance, order="F")
        self.weights: list[float] = []  # weight_t
        self.coefficients: list[float] = []  # c_t, with A_t u_{t+1} = A_{t-1} u_t + c_t f_t
        self.energies: list[float] = []  # g_t^2 f_t' A_t^-1 f_t, whose sum is in the regret bounds

    def step(self, i: int, prediction: float, slope: float, weight: float) -> None:
        """Play round `i`, which has the features f_i: project the iterate u, and take a Newton step.

        First u is projected so that f_i' u = `prediction`. Then `weight` f_i f_i' is added to the second-order matrix
        A, and `slope` A^-1 f_i is subtracted from u; `slope` is the derivative of the loss at the prediction.
        """
        row, ahead = self._covariance[:, i].copy(), self.ahead
        q, reach = max(row.item(i), 0.0), ahead.item(i)
        back = 0.0
        if q and reach != prediction:
            # |f' u| <= |u|_A sqrt(f' A^-1 f): a larger value is due to rounding, and without this limit the error would
            # grow from round to round if |f|^2 / ridge has more digits than a float
            possible = LEEWAY * self.norm * math.sqrt(q)
            back = (min(max(reach, -possible), possible) - prediction) / q
        shrink = 1.0 / (1.0 + weight * q)
        scipy.linalg.blas.daxpy(row, ahead, a=-(back + slope * shrink))  # u changes by this multiple of A^-1 f
        if weight:
            scipy.linalg.blas.dger(
                -weight * shrink, row, row, a=self._covariance, overwrite_a=1, overwrite_x=0, overwrite_y=0
            )
        energy = slope * slope * q * shrink
        self.norm = math.sqrt(self.norm * self.norm + weight * prediction * prediction) + math.sqrt(energy)
        self.weights.append(weight)
        # the papers keep c / (g sqrt(eta)), which is 0/0 if the slope g is zero and the projection changes u
        self.coefficients.append(weight * prediction - slope - back)
        self.energies.append(energy)


class OnlineNewton:
    """The iterate u and the second-order matrix A = ridge I + sum_t weight_t f_t f_t' of online Newton steps in R^r.

    f_t are the features of round t; their number r can grow. A is stored as an upper triangular matrix R with A = R' R.
    """

    def __init__(self, *, ridge: float):
        self.ridge = ridge
        self.solution = np.zeros(0)
        self.energies = GrowingArray()
        self._root: Array | None = None  # R; None before the first gradient, while A = ridge I
        self._norm = 0.0

    def __len__(self) -> int:
        return len(self.solution)

    def grow(self, coordinates: int) -> None:
        """Add this number of coordinates, which were zero in all rounds so far.

        The iterate u gets zeros, and the second-order matrix A gets `ridge` on its diagonal.
        """
        if self._root is not None and coordinates:
            old, self._root = self._root, self._initial_root(len(self) + coordinates)
            self._root[: len(self), : len(self)] = old
        self.solution = np.concatenate([self.solution, np.zeros(coordinates)])

    def restart(self) -> None:
        """Forget every round: the iterate u becomes 0, and the second-order matrix A becomes ridge I."""
        self.solution, self._root, self._norm = np.zeros(len(self)), None, 0.0

    def ahead(self, F: Array) -> Array:
        """Return f' u for each row f of the features `F`: the iterate u's predictions, before u is projected."""
        return np.asarray(F @ self.solution)

    def blocks(self, F: Array, *, restart: bool = False) -> Iterator[tuple[slice, NewtonBlock]]:
        """Yield, for each block of the rounds with the features `F`, the slice of its rows and a `NewtonBlock`.

        The caller plays the rounds by the method `step` of the `NewtonBlock`, before the next block is requested. With
        `restart`, the iterate becomes 0 and the second-order matrix `ridge` I after the last block.
        """
        for start in range(0, len(F), BLOCK):
            rows = slice(start, start + BLOCK)
            ahead = self.ahead(F[rows])
            block = NewtonBlock(self._covariance(F[rows]), ahead, self._norm)
            yield rows, block
            self._norm = block.norm
            self.energies.extend(np.array(block.energies))
            if len(self) and not (restart and start + BLOCK >= len(F)):
                weights = np.array(block.weights)
                self._absorb(F[rows], weights, np.array(block.coefficients) - weights * ahead)
        if restart:
            self.restart()

    def _covariance(self, F: Array) -> Array:
        """Return F A^-1 F' for the features `F` and the second-order matrix A of the Newton steps."""
        if self._root is None:
            return np.asarray(F @ F.T / self.ridge)
        whitened = scipy.linalg.blas.dtrsm(1.0, self._root, F, side=1)
        return np.asarray(whitened @ whitened.T)

    def _absorb(self, F: Array, weights: Array, changes: Array) -> None:
        """Add a block of rounds with the features `F` to the second-order matrix A and the iterate u.

        Let D^2 be the diagonal matrix of `weights`, and c = `changes`. First F' D^2 F is added to A. Then A^-1 F' c is
        added to u, with the new A.
        """
        root = self._initial_root(len(self)) if self._root is None else self._root
        if weights.any():
            rows = np.asfortranarray(np.sqrt(weights)[:, np.newaxis] * F)
            # QR of the rows of R and of D F subtracts nothing, so rounding cannot make A smaller than ridge I
            root = scipy.linalg.lapack.dtpqrt(0, min(PANEL, len(self)), root, rows, overwrite_a=1, overwrite_b=1)[0]
        # `changes` is c - D^2 F u, with the earlier u, so that A u changes by F' c; computing A u would lose digits
        halfway = scipy.linalg.blas.dtrsv(root, changes @ F, trans=1)
        self.solution = self.solution + scipy.linalg.blas.dtrsv(root, halfway)
        self._root = root

    def _initial_root(self, size: int) -> Array:
        root = np.zeros((size, size), order="F")
        np.fill_diagonal(root, self.ridge**0.5)
        return root


class KernelNewton:
    """The iterate u and the second-order matrix A of online Newton steps in an RKHS (KONS, theory B7).

    Over the past rounds s, with weights D_s^2 and coefficients c_s,

        A = ridge I + sum_s D_s^2 phi_s phi_s',                     u = A^-1 sum_s c_s phi_s,
        phi(x)' A^-1 phi(x') = (k(x, x') - z(x)' z(x')) / ridge,    phi(x)' u = (f(x) - z(x)' zeta) / ridge.

    - f = sum_s c_s k(x_s, .), and v is the vector of all f(x_s).
    - D is the diagonal matrix of all D_s, and K the kernel matrix of the points x_s.
    - L is the lower Cholesky factor of D K D + ridge I.
    - z(x) = L^-1 D k(x) with k(x) = (k(x_s, x))_s, and zeta = L^-1 D v.

    The cost grows with the number of different points.
    """

    def __init__(self, kernel: Kernel, dimension: int, *, ridge: float):
        self.kernel, self.ridge = kernel, ridge
        self.function = KernelExpansion(kernel)  # f
        self.gradients = WeightedPoints(kernel, dimension, ridge=ridge)
        self.energies = GrowingArray()
        self._pull: Array = np.empty(0)  # zeta
        self._norm = 0.0

    def ahead(self, X: Array) -> Array:
        """Return phi(x)' u for each row x of `X`: the iterate u's predictions, before u is projected."""
        return self._ahead(X, self.gradients.coordinates(X))

    def blocks(self, X: Array) -> Iterator[tuple[slice, NewtonBlock]]:
        """Yield, for each block of the points `X`, the slice of its rows and a `NewtonBlock`.

        The caller plays the rounds by the method `step` of the `NewtonBlock`, before the next block is requested.
        """
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            coordinates = self.gradients.coordinates(X[rows])
            covariance = self.gradients.covariance(X[rows], coordinates)
            block = NewtonBlock(covariance / self.ridge, self._ahead(X[rows], coordinates), self._norm)
            yield rows, block
            self._norm = block.norm
            self.energies.extend(np.array(block.energies))
            self._absorb(X[rows], block, coordinates, covariance)

    def _ahead(self, X: Array, coordinates: Array) -> Array:
        return np.asarray((self.function.at(X) - self._pull @ coordinates) / self.ridge)

    def _absorb(self, X: Array, block: NewtonBlock, coordinates: Array, covariance: Array) -> None:
        for x, coefficient in zip(X, block.coefficients, strict=True):
            self.function.add(x, coefficient)
        self._pull = self._pull + coordinates @ np.array(block.coefficients)
        kept, weights = each_point_once(X, np.array(block.weights))
        if not kept:
            return
        before, triangle = self.gradients.extend(X[kept], weights, coordinates[:, kept], covariance[np.ix_(kept, kept)])
        left = np.sqrt(weights) * self.function.at(X[kept]) - before @ self._pull
        self._pull = np.concatenate([self._pull, triangle.solve(left)])
        if self.gradients.fold():
            self._pull = self.gradients.values(self.function.at)


def each_point_once(X: Array, weights: Array) -> tuple[list[int], Array]:
    """Return (indices, totals): the first index of each different row of `X`, and its total weight.

    Row i has the weight weights[i]. A total weight is summed over all equal rows. Rows of weight 0 are ignored.
    """
    first: dict[bytes, int] = {}
    totals: dict[bytes, float] = {}
    for row in np.flatnonzero(weights).tolist():
        key = point_key(X[row])
        first.setdefault(key, row)
        totals[key] = totals.get(key, 0.0) + float(weights[row])
    return list(first.values()), np.array(list(totals.values()))


class NewtonSteps:
    """The step sizes eta_t of a second-order learner, in the order of the rounds.

    `share` is a factor, by default 1. The first case that applies determines the steps:

    - `dimension` d is given: share sqrt(d / t) / (L C), the choice of Calandriello et al. (2017, ICML) for a known
      effective dimension d.
    - `fixed` is given: all steps are `fixed`.
    - The loss has a curvature sigma > 0 on [-C, C]: all steps are share * sigma. The theorems allow at most sigma.
    - Any other loss (hinge, absolute): share / (L C sqrt(t)), the choice of Theorem 1 in that paper.

    >>> NewtonSteps(Game(), None).take(2)  # squared loss, B = C = 1
    array([0.125, 0.125])
    """

    def __init__(self, game: Game, fixed: float | None, *, share: float = 1.0, dimension: float | None = None):
        self.constant = share * game.loss.curvature(game.clip, game.label_bound) if fixed is None else fixed
        self.slope = game.loss.lipschitz(game.clip, game.label_bound) * game.clip / share
        if dimension is not None:
            self.constant, self.slope = 0.0, self.slope / math.sqrt(dimension)
        self.round = 0

    def take(self, rounds: int) -> Array:
        """Return the step sizes of the next `rounds` rounds; the next call returns the steps after these."""
        numbers = np.arange(self.round + 1, self.round + rounds + 1)
        self.round += rounds
        if self.constant > 0:
            return np.full(rounds, self.constant)
        return np.asarray(1.0 / (self.slope * np.sqrt(numbers)))

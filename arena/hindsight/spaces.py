"""Features of a sequence, and bounds on the errors that rounding and missing features cause.

A certificate (`arena.hindsight.other_losses`) needs the predictions and the norm of a function, and the number a'K a
for a dual vector a and the kernel matrix K. There are three ways to compute these for n rounds and r features, each
with a bound on the rounding errors:

- `function` and `kernel_form` use the features, in time O(n r).
- `sharp_function` uses the kernel's values between rounds and pivots, in time O(n r). `sharp_kernel_form` uses the
  kernel's values at all pairs of rounds, in time O(n^2). The errors of these two are smaller: the only large error
  is the rounding of the kernel's own values.
- The methods of `ExactSpace` are for kernels that are inner products of a few explicit numbers.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel, Linear, Polynomial
from arena.hindsight.certificate import CHUNK, affordable
from arena.hindsight.pivots import UNIT, Pivots, pivots_of_stream

EXPLICIT = 128  # most features of a kernel's own that are used
SPANNED = 1e-14  # share of k(x, x): a point with a residual below it lies in the span, whatever lambda is
PAIRS = 2**16  # values of the kernel that are summed together, so that they stay in the cache


@dataclass(frozen=True)
class Function:
    """A function of the RKHS: its predictions, a bound on the error of each, and an upper bound on its squared norm."""

    predictions: Array
    error: Array
    squared_norm: float

    @classmethod
    def zero(cls, rounds: int) -> Function:
        return cls(np.zeros(rounds), np.zeros(rounds), 0.0)


class Space:
    """Features F of a sequence, with the residual of each point and bounds on rounding."""

    def __init__(self, pivots: Pivots, X: Array):
        self.pivots, self.X, self.kernel = pivots, X, pivots.kernel
        self.F = pivots.coordinates(X)
        self.residual, self.reach = pivots.certified_residual(X, self.F)
        self.scale = np.sqrt(pivots.kernel.diagonal(X))

    @classmethod
    def of(cls, kernel: Kernel, X: Array, *, features: int | None = None, spanned: float = SPANNED) -> Space:
        """Return the features of a sequence of points `X`, as a `Space`.

        - If `features` is a number, the features come from at most `features` greedy pivots.
        - If `features` is None and the kernel has few features of its own (`explicit_features`), these are used.
        - If `features` is None for any other kernel, the features come from at most `affordable(len(X))` greedy pivots.

        A point with a residual of at most `spanned` times the largest k(x, x) does not become a pivot.
        """
        if features is None and (explicit := explicit_features(kernel, X)) is not None:
            return ExactSpace(kernel, X, explicit)
        chunks = lambda: (X[at : at + CHUNK] for at in range(0, len(X), CHUNK))
        rank = affordable(len(X)) if features is None else features
        return cls(pivots_of_stream(kernel, chunks, tolerance=0.0, rank=rank, spanned=spanned), X)

    def first(self, rounds: int) -> Space:
        """Return the space of the first `rounds` points, with the same features."""
        part = copy.copy(self)
        for name in ("X", "F", "residual", "reach", "scale"):
            setattr(part, name, getattr(self, name)[:rounds])
        return part

    def columns(self, tolerance: float) -> int:
        """Return the number of columns of `F` to keep, from the first one on; it is at least 1 if `F` has columns.

        The squared entries of the other columns sum to at most `tolerance`.
        """
        energy = np.einsum("ij,ij->j", self.F, self.F)
        return max(int((np.cumsum(energy[::-1])[::-1] > tolerance).sum()), min(1, len(energy)))

    def kernel_form(self, a: Array) -> float:
        """Return an upper bound on a'K a, from the features and the points' residuals."""
        product, norm = a @ self.F, float(a @ a)
        beyond = min(float(self.residual.sum()) * norm, float(np.sqrt(self.residual) @ np.abs(a)) ** 2)
        rounding = 3.0 * self.pivots.unit * float(self.reach.sum()) + self.unit * float(np.square(self.scale).sum())
        return float((float(product @ product) + beyond) * (1.0 + self.unit) + rounding * norm)

    def function(self, weights: Array) -> Function:
        """Return the `Function` with these weights on the features."""
        # Let f = sum_j b_j k(z_j, .) for the pivots z_j, and m = sum_j |b_j| sqrt(k(z_j, z_j)). Then f(x) is w'F(x) up
        # to an error of unit sqrt(k(x, x)) m, and |f|^2 is |w|^2 up to an error of unit m^2.
        mass = float(self.pivots.amplification(weights[np.newaxis])[0])
        norm = float(weights @ weights) * (1.0 + self.unit) + self.unit * mass**2
        return Function(self.F @ weights, self.unit * mass * self.scale, norm)

    def sharp_kernel_form(self, a: Array) -> float:
        """Return an upper bound on a'K a, sharper than `kernel_form`, from the kernel's values at all pairs of rounds.

        It takes O(n^2) time for n rounds.
        """
        return self._form(self.X, a)

    def sharp_function(self, weights: Array) -> Function:
        """Return the `Function` with these weights on the features, with smaller error bounds than `function` gives.

        The predictions are computed from the kernel's values between rounds and pivots, not from the features.
        """
        points, weights = self.pivots.points, self.pivots.combination(weights)
        predictions, error = self._combination(self.X, points, weights)
        return Function(predictions, error, self._form(points, weights))

    def _form(self, Z: Array, b: Array) -> float:
        """Return an upper bound on |f|^2 for f = sum_j b_j k(z_j, .), where z_j are the rows of `Z`."""
        values, error = self._combination(Z, Z, b)
        terms = b * values
        off = float(np.abs(b) @ error) + 2.0 * UNIT * float(np.abs(terms).sum())
        return float(max(math.fsum(terms) + (1.0 + 1e-9) * off, 0.0) * (1.0 + 4.0 * UNIT))

    def _combination(self, X: Array, Z: Array, b: Array) -> tuple[Array, Array]:
        """Return the values of sum_j b_j k(z_j, .) at each row of `X`, and a bound on the error of each value.

        The z_j are the rows of `Z`.
        """
        # Let c be `Kernel.roundings` and u = 2^-53, so that k(x, z) is off by at most u c sqrt(k(x, x) k(z, z)). Each
        # product and the sum add one rounding more. So the value at x is off by at most
        #     u (c sqrt(k(x, x)) sum_j |b_j| sqrt(k(z_j, z_j)) + 2 sum_j |b_j k(x, z_j)|).
        # The factor 1 + 1e-9 covers terms quadratic in u and the rounding of the bound itself.
        values, mass = np.empty(len(X)), np.empty(len(X))
        many = max(1, PAIRS // max(len(Z), 1))
        for start in range(0, len(X), many):
            rows = slice(start, start + many)
            gram = self.kernel.gram(X[rows], Z)
            mass[rows] = np.abs(gram) @ np.abs(b)
            values[rows] = summed(gram * b)
        own = self.kernel.roundings(X.shape[1]) * float(np.sqrt(self.kernel.diagonal(Z)) @ np.abs(b))
        error = own * np.sqrt(self.kernel.diagonal(X)) + 2.0 * mass
        return values, (1.0 + 1e-9) * UNIT * error

    @property
    def unit(self) -> float:
        """A bound on the relative rounding error of sums over rounds and features."""
        return 4.0 * (len(self.X) + self.pivots.unit / UNIT) * UNIT


class ExactSpace(Space):
    """The space of a linear or polynomial kernel, whose own few features represent every point exactly.

    Each feature is off by at most `roundings` units of rounding, and all residuals are zero.
    """

    def __init__(self, kernel: Kernel, X: Array, explicit: Explicit):
        self.kernel, self.X, self.F, self.roundings = kernel, X, explicit.features, explicit.roundings
        self.scale = np.sqrt(kernel.diagonal(X))
        self.residual = self.reach = np.zeros(len(X))

    def kernel_form(self, a: Array) -> float:
        product = summed((self.F * a[:, np.newaxis]).T)
        units = 2.0 + self.roundings
        error = (1.0 + 1e-9) * units * UNIT * (np.abs(a) @ np.abs(self.F))
        return float(np.square(np.abs(product) + error).sum() * (1.0 + self.unit))

    def function(self, weights: Array) -> Function:
        units = len(weights) + 1.0 + self.roundings
        error = (1.0 + 1e-9) * units * UNIT * (np.abs(self.F) @ np.abs(weights))
        return Function(self.F @ weights, error, float(weights @ weights) * (1.0 + self.unit))

    def sharp_kernel_form(self, a: Array) -> float:
        return self.kernel_form(a)

    def sharp_function(self, weights: Array) -> Function:
        return self.function(weights)

    @property
    def unit(self) -> float:
        return float(2.0 * self.F.shape[1] + 16.0) * UNIT


def spanned_at(kernel: Kernel, X: Array, regularisation: float) -> float:
    """Return a number e: a point with a residual of at most e max k(x, x) need not become a pivot.

    If lambda (`regularisation`) is small or `X` has many rows, residuals change the least penalised loss more, and e is
    smaller.
    """
    # Ignoring residuals of up to e in n rounds moves the optimum by at most e n |a|^2 / (4 lambda), where a is the dual
    # vector. So a smaller lambda gets a smaller share.
    largest = float(kernel.diagonal(X).max(initial=0.0)) * max(len(X), 1)
    return next((e for e in (1e-11, 1e-12, 1e-13) if e * largest <= 1e-7 * regularisation), SPANNED)


@dataclass(frozen=True)
class Explicit:
    """Features whose inner products are kernel values, and the relative error of the features in units of 2^-53."""

    features: Array
    roundings: float


def explicit_features(kernel: Kernel, X: Array) -> Explicit | None:
    """Return the features of a linear kernel, or the monomials of a polynomial kernel.

    The result is None if these are more than `EXPLICIT` features, for other kernels, and for subclasses of the classes
    `Linear` and `Polynomial`.

    >>> explicit_features(Polynomial(degree=2, offset=1.0), np.array([[3.0]])).features ** 2  # (x z + 1)^2
    array([[81., 18.,  1.]])
    """
    if type(kernel) not in (Linear, Polynomial):
        return None
    assert isinstance(kernel, (Linear, Polynomial))
    degree = kernel.degree if isinstance(kernel, Polynomial) else 1
    wide = np.hstack([X, np.full((len(X), 1), math.sqrt(kernel.offset))]) if kernel.offset else X
    if math.comb(wide.shape[1] + degree - 1, degree) > EXPLICIT:
        return None
    columns = []
    for chosen in itertools.combinations_with_replacement(range(wide.shape[1]), degree):
        orders = math.factorial(degree) // math.prod(math.factorial(n) for n in Counter(chosen).values())
        columns.append(math.sqrt(orders) * wide[:, chosen].prod(axis=1))
    return Explicit(np.ascontiguousarray(np.stack(columns, axis=1)), 2.0 * degree + 2.0)


def summed(terms: Array) -> Array:
    """Return the sums over the last axis, with errors as if each sum were rounded once; `terms` is overwritten."""
    # Terms are added in pairs, again and again, and the rounding error of every addition is added at the end. For s =
    # x + y and v = s - x, this error is exactly (x - (s - v)) + (y - v) (Knuth).
    size = terms.shape[-1]
    lost = np.zeros(terms.shape[:-1])
    while size > 1:
        half = (size + 1) // 2
        x, y = terms[..., : size - half], terms[..., half:size]
        s = x + y
        v = s - x
        y -= v
        np.subtract(s, v, out=v)
        x -= v
        lost += (x + y).sum(axis=-1)
        x[...] = s
        size = half
    return np.asarray(terms[..., 0] + lost) if size else lost

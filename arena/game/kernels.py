"""Kernels: a kernel measures the similarity of two points, and its RKHS has the functions that the comparator may use.

A kernel has two methods, both for many rows at once: `gram` returns the matrix of its values between two sets of
points, and `diagonal` the vector of k(x, x).

>>> kernel = Gaussian(bandwidth=2.0)
>>> kernel.gram(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(4)
array([[1.    , 0.6065]])
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.distances import CLOSE, DIRECT_DIMENSIONS, squared_distances, squared_norms
from arena.specs.parameters import Configured, parameter

FAR = 1e4  # exp(-FAR) is 0 in double precision


# eq=False: two kernels of a user's subclass that is no dataclass are equal only if they are the same object.
@dataclass(frozen=True, eq=False)
class Kernel(Configured, abc.ABC):
    """Base class of kernels k(x, x'): positive semi-definite functions of two points."""

    @abc.abstractmethod
    def gram(self, X: Array, Z: Array) -> Array:
        """Return the matrix of k(x_i, z_j) for the rows x_i of `X` and z_j of `Z`."""

    @abc.abstractmethod
    def diagonal(self, X: Array) -> Array:
        """Return the vector of k(x_i, x_i) for the rows x_i of `X`."""

    def roundings(self, dimension: int) -> float:
        """Return a bound on the rounding error of k(x, z), in units of 2^-53 sqrt(k(x, x) k(z, z))."""
        return 4.0 * dimension + 32.0


class RadialKernel(Kernel):
    """Base class of kernels that are functions of the difference x - x', with k(x, x) = 1."""

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def _distance_roundings(self, dimension: int) -> float:
        """Return a bound on the relative error of a computed |x - x'|^2, in units of 2^-53."""
        return (dimension + 2.0) * (1.0 if dimension <= DIRECT_DIMENSIONS else 1.0 / CLOSE)


@dataclass(frozen=True)
class Gaussian(RadialKernel):
    """The Gaussian kernel exp(-|x - x'|^2 / (2 bandwidth^2))."""

    name: ClassVar[str] = "gaussian"
    bandwidth: float = parameter(1.0, "distance at which the similarity has dropped to exp(-1/2)", above=0)

    def gram(self, X: Array, Z: Array) -> Array:
        values = squared_distances(X, Z)
        with np.errstate(over="ignore"):  # far beyond the bandwidth exp underflows to 0, which is right
            values *= -0.5 / self.bandwidth**2
        return np.exp(values, out=values)

    def roundings(self, dimension: int) -> float:
        # An error of one unit in the exponent s changes exp(-s) by s exp(-s) <= 0.37 units; exp itself adds one unit.
        return 0.37 * (self._distance_roundings(dimension) + 3.0) + 1.0


@dataclass(frozen=True)
class Laplacian(RadialKernel):
    """The kernel exp(-|x - x'|_1 / bandwidth), where |.|_1 is the sum of the absolute values of the coordinates."""

    name: ClassVar[str] = "laplacian"
    bandwidth: float = parameter(1.0, "distance at which the similarity has dropped to exp(-1)", above=0)

    def gram(self, X: Array, Z: Array) -> Array:
        values = np.asarray(scipy.spatial.distance.cdist(X, Z, "cityblock"))
        with np.errstate(over="ignore"):  # as in the Gaussian kernel
            values /= -self.bandwidth
        return np.asarray(np.exp(values, out=values))

    def roundings(self, dimension: int) -> float:
        return 0.37 * (dimension + 1.0) + 1.0  # as in the Gaussian kernel


@dataclass(frozen=True)
class Matern(RadialKernel):
    """The Matérn kernel; a larger `smoothness` gives smoother functions (Rasmussen and Williams 2006, eq. 4.17)."""

    name: ClassVar[str] = "matern"
    bandwidth: float = parameter(1.0, "length scale", above=0)
    smoothness: float = parameter(1.5, "0.5 is exp(-r), 2.5 nearly Gaussian", choices=(0.5, 1.5, 2.5))

    def gram(self, X: Array, Z: Array) -> Array:
        with np.errstate(over="ignore"):
            r = np.sqrt(squared_distances(X, Z) * (2 * self.smoothness)) / self.bandwidth
        r = np.minimum(r, FAR)  # where exp(-r) is 0; products with infinity would be NaN
        polynomial = {0.5: 1.0, 1.5: 1.0 + r, 2.5: 1.0 + r + r**2 / 3.0}[self.smoothness]
        return np.asarray(polynomial * np.exp(-r))

    def roundings(self, dimension: int) -> float:
        # An error of one unit in r changes the value by r |k'(r)| <= 0.61 units; polynomial, exp and product add 8.
        return 0.61 * (0.5 * self._distance_roundings(dimension) + 3.5) + 8.0


@dataclass(frozen=True)
class Linear(Kernel):
    """The kernel x'z + offset of two points x and z: linear functions, with an intercept if the offset is positive."""

    name: ClassVar[str] = "linear"
    offset: float = parameter(0.0, "added to every value", at_least=0)

    def gram(self, X: Array, Z: Array) -> Array:
        return np.asarray(X @ Z.T + self.offset)

    def roundings(self, dimension: int) -> float:
        return dimension + 1.0

    def diagonal(self, X: Array) -> Array:
        return np.asarray(squared_norms(X) + self.offset)


@dataclass(frozen=True)
class Polynomial(Kernel):
    """The kernel (x'z + offset)^degree of two points x and z: polynomials of at most this degree."""

    name: ClassVar[str] = "polynomial"
    degree: int = parameter(2, "highest degree", at_least=1)
    offset: float = parameter(1.0, "weight of the lower degrees", at_least=0)

    def gram(self, X: Array, Z: Array) -> Array:
        return np.asarray((X @ Z.T + self.offset) ** self.degree)

    def roundings(self, dimension: int) -> float:
        return self.degree * (dimension + 1.0) + 2.0

    def diagonal(self, X: Array) -> Array:
        return np.asarray((squared_norms(X) + self.offset) ** self.degree)

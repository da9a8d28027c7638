"""Laws of growth, such as log T, and tests whether measured values agree with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.arrays import Array
from arena.engine.growth import exponent

MARGIN = 0.15


@dataclass(frozen=True)
class Law:
    """A law of growth, given by a function `grows` of the horizon.

    Values agree with the law if their exponent is close to the exponent of `grows` over the same horizons. It may be
    smaller by `lower` and larger by `upper`. If `added` is given, `Measured.added` must lie between these two limits,
    too.
    """

    text: str
    grows: Callable[[Array], Array]
    lower: float = MARGIN  # by how much a measured exponent may be smaller
    upper: float = MARGIN  # and larger
    added: tuple[float, float] | None = None  # limits of the last doubling's increase over that of the first

    def allowed(self, horizons: Array) -> tuple[float, float]:
        """Return the smallest and the largest exponent over these horizons that agree with the law."""
        expected = exponent(horizons, self.grows(horizons))
        return expected - self.lower, expected + self.upper


def restarts(T: Array) -> Array:
    """Return 1 + log(T / 1.5), to which the number of atoms of KORS is proportional if all T points are equal.

    The parameters of KORS are beta = gamma = 1 and epsilon = 0.5.
    """
    return 1.0 + np.log(T / 1.5)


BOUNDED = Law(  # it may shrink: the comparator is charged lambda |f|^2
    "O(1)", np.ones_like, lower=np.inf, added=(-np.inf, 0.5)
)
LOG = Law(
    "log T", np.log1p, added=(0.5, 1.6)
)  # each doubling adds the same; of a root, 1.4 times as much as the one before
RESTARTS = Law("J", restarts, added=(0.5, 1.6))
RESTARTS_LOG = Law("J log T", lambda T: restarts(T) * np.log(T))
ROOT = Law("√T", np.sqrt)
LINEAR = Law("T", lambda T: T)
SQUARE = Law("T²", lambda T: T**2)
TO_LINEAR = Law("T", lambda T: T, upper=np.inf)  # on its way to a larger share of the rounds
POLYLOG = Law("polylog", lambda T: T**0.45, lower=np.inf)  # an exponent of at most 0.6


class Measured(NamedTuple):
    """Regrets, or numbers of mistakes, at several horizons, and the law with which they are compared."""

    horizons: Array
    values: Array
    law: Law

    @property
    def exponent(self) -> float:
        """The exponent p of the power T^p that is fitted to the values; values below 1e-12 count as 1e-12."""
        return exponent(self.horizons, np.maximum(self.values, 1e-12))

    @property
    def added(self) -> float:
        """How much the last step between horizons adds to the value, divided by how much the first step adds.

        If the last step adds at most 1% of the last value, it counts as zero.
        """
        steps = np.diff(self.values)
        last = steps[-1] if abs(steps[-1]) > 0.01 * self.values[-1] else 0.0
        return float(last / max(abs(steps[0]), 1e-12))

    @property
    def agrees(self) -> bool:
        """True if the values agree with the law."""
        low, high = self.law.allowed(self.horizons)
        least, most = self.law.added or (-np.inf, np.inf)
        return low <= self.exponent <= high and least <= self.added <= most

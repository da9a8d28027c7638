"""Laws of growth, and whether measured values agree with one."""

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
    """A law of growth: values agree if their exponent is that of `grows` over the same horizons, within the margins."""

    text: str
    grows: Callable[[Array], Array]
    lower: float = MARGIN  # by how much a measured exponent may be smaller
    upper: float = MARGIN  # and larger
    added: tuple[float, float] | None = None  # limits of the last doubling's increase over that of the first

    def allowed(self, horizons: Array) -> tuple[float, float]:
        """The smallest and the largest exponent over these horizons that agree with the law."""
        expected = exponent(horizons, self.grows(horizons))
        return expected - self.lower, expected + self.upper


def restarts(T: Array) -> Array:
    """How many atoms KORS accepts in T rounds at one point (beta = gamma = 1, epsilon = 0.5), up to a factor."""
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
    """The regrets or mistakes at the horizons, to be compared with a law."""

    horizons: Array
    values: Array
    law: Law

    @property
    def exponent(self) -> float:
        """The exponent in T; values below 1e-12 count as 1e-12."""
        return exponent(self.horizons, np.maximum(self.values, 1e-12))

    @property
    def added(self) -> float:
        """The last doubling's increase divided by the first's; less than 1 % of the last value counts as none."""
        steps = np.diff(self.values)
        last = steps[-1] if abs(steps[-1]) > 0.01 * self.values[-1] else 0.0
        return float(last / max(abs(steps[0]), 1e-12))

    @property
    def agrees(self) -> bool:
        """True if the values agree with the law."""
        low, high = self.law.allowed(self.horizons)
        least, most = self.law.added or (-np.inf, np.inf)
        return low <= self.exponent <= high and least <= self.added <= most

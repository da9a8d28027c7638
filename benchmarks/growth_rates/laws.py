"""How something may grow, and what is measured of it."""

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
    """How something grows: its exponent is that of `grows` over the same horizons, give or take the margin."""

    text: str
    grows: Callable[[Array], Array]
    lower: float = MARGIN  # by how much the exponent may be smaller
    upper: float = MARGIN  # and larger
    added: tuple[float, float] | None = None  # what the last doubling of T may add, over what the first one added

    def allowed(self, horizons: Array) -> tuple[float, float]:
        """The smallest and the largest exponent over these horizons."""
        expected = exponent(horizons, self.grows(horizons))
        return expected - self.lower, expected + self.upper


def restarts(T: Array) -> Array:
    """How often KORS accepts one repeated point in T rounds, for beta = gamma = 1 and epsilon = 0.5, up to a factor."""
    return 1.0 + np.log(T / 1.5)


BOUNDED = Law(  # it may shrink: the comparator is charged lambda |f|^2
    "O(1)", np.ones_like, lower=np.inf, added=(-np.inf, 0.5)
)
LOG = Law("log T", np.log1p, added=(0.5, 1.6))  # each doubling adds the same; of a root's, each adds 1.4 times as much
RESTARTS = Law("J", restarts, added=(0.5, 1.6))
RESTARTS_LOG = Law("J log T", lambda T: restarts(T) * np.log(T))
ROOT = Law("√T", np.sqrt)
LINEAR = Law("T", lambda T: T)
TO_LINEAR = Law("T", lambda T: T, upper=np.inf)  # on its way to a larger share of the rounds
POLYLOG = Law("polylog", lambda T: T**0.45, lower=np.inf)  # an exponent of at most 0.6


class Measured(NamedTuple):
    """What came out: horizons, the regrets or mistakes there, and whether their exponent is the law's."""

    horizons: Array
    values: Array
    law: Law

    @property
    def exponent(self) -> float:
        """In T. What stays below 1e-12 does not grow."""
        return exponent(self.horizons, np.maximum(self.values, 1e-12))

    @property
    def added(self) -> float:
        """What the last doubling of T adds, over what the first one added; a hundredth of the whole is nothing."""
        steps = np.diff(self.values)
        last = steps[-1] if abs(steps[-1]) > 0.01 * self.values[-1] else 0.0
        return float(last / max(abs(steps[0]), 1e-12))

    @property
    def agrees(self) -> bool:
        """Whether it grew as the law says."""
        low, high = self.law.allowed(self.horizons)
        least, most = self.law.added or (-np.inf, np.inf)
        return low <= self.exponent <= high and least <= self.added <= most

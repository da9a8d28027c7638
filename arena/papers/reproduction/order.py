"""Comparison of a table with the paper's: which pairs of algorithms are ranked as published, and which in reverse."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from arena.papers.reproduction.published import Published
from arena.papers.reproduction.running import Measured, PartResult

NAMED = 6  # largest number of pairs that a text names


@dataclass(frozen=True)
class Order:
    """A comparison of the measured order of algorithms with the published one, pair by pair.

    - `pairs` is the number of pairs with a published order: their published values differ by more than the sum of
      their standard deviations.
    - `reversed` has the pairs (name, name) of algorithms whose measured order is the reverse. The first name is that of
      the algorithm with the smaller published value.
    """

    pairs: int
    reversed: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        if not self.pairs:
            return ""
        same = f"{self.pairs - len(self.reversed)} of {self.pairs} pairs of algorithms are in the published order"
        if not self.reversed:
            all_of_them = "the pair" if self.pairs == 1 else f"all {self.pairs} pairs"
            return f"Order: {all_of_them} of algorithms {'is' if self.pairs == 1 else 'are'} in the published order."
        named = ", ".join(f"{better} below {worse}" for better, worse in self.reversed[:NAMED])
        more = f", and {len(self.reversed) - NAMED} more" if len(self.reversed) > NAMED else ""
        return f"Order: {same}. Published, and not so here: {named}{more}."


def order_of(part: PartResult) -> Order:
    """Return the `Order` of a part: the published order of its algorithms, compared with the measured order.

    If several rows have the same published number, only the first of these rows counts.
    """
    first: dict[Published, Measured] = {}
    for each in part.rows:
        if each.row.published and each.values:
            first.setdefault(each.row.published, each)
    pairs, turned = 0, []
    for one, other in itertools.combinations(first.values(), 2):
        better, worse = sorted((one, other), key=_published)
        if _published(worse) - _published(better) <= _deviation(better) + _deviation(worse):
            continue
        pairs += 1
        if np.mean(better.values) > np.mean(worse.values):
            turned.append((better.row.algorithm, worse.row.algorithm))
    return Order(pairs, tuple(turned))


def _published(measured: Measured) -> float:
    assert measured.row.published is not None
    return measured.row.published.value


def _deviation(measured: Measured) -> float:
    assert measured.row.published is not None
    return measured.row.published.std or 0.0

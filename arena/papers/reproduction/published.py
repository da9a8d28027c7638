"""The numbers that papers published in tables, or that were read off the curves of figures.

`published.csv` has one row for each number. Its sources are

- calandriello2017b: Calandriello, Lazaric and Valko (NIPS), tables 1 and 2;
- jezequel2019: Jezequel, Gaillard and Rudi (NeurIPS), figures 3 and 4;
- le2022: Le, Nguyen and Phung, tables 1 and 2.
"""

from __future__ import annotations

import csv
import functools
import importlib.resources
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

MISWEIGHTED, SCRIPTS = ", weights 1/p^2", ", as in the scripts"  # ends of names of variants of an algorithm


@dataclass(frozen=True)
class Published:
    """A published number, with its standard deviation, dictionary size and seconds where these are published."""

    source: str
    table: str
    setting: str
    dataset: str
    algorithm: str
    metric: str
    value: float
    std: float | None
    size: float | None
    seconds: float | None


@functools.cache
def all_published() -> tuple[Published, ...]:
    """Return all published numbers.

    >>> len(all_published())
    165
    """
    text = importlib.resources.files("arena.papers.reproduction").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(_published(row) for row in csv.DictReader(text.splitlines()))


def _published(row: dict[str, str]) -> Published:
    std, size, seconds = (float(row[key]) if row[key] else None for key in ("std", "support_vectors", "seconds"))
    texts = {key: row[key] for key in ("source", "table", "setting", "dataset", "algorithm", "metric")}
    return Published(**texts, value=float(row["value"]), std=std, size=size, seconds=seconds)


def published(source: str, table: str, dataset: str, algorithm: str, setting: str = "") -> Published | None:
    """Return the published number of an algorithm on a data set; None if no such number is published.

    A paper may have several numbers for the same algorithm and data set. They differ in `Published.setting`, a text
    such as `alpha=1 gamma=1`. The first number whose text contains the argument `setting` is returned. A variant of an
    algorithm (`MISWEIGHTED`, `SCRIPTS`) has the algorithm's number.

    >>> published("calandriello2017b", "1", "casp", "PROS-N-KONS").value
    0.06773
    """
    wanted = (source, table, dataset, algorithm.removesuffix(MISWEIGHTED).removesuffix(SCRIPTS))
    found = [
        each
        for each in all_published()
        if (each.source, each.table, each.dataset, each.algorithm) == wanted and setting in each.setting
    ]
    return found[0] if found else None


class Compared(Protocol):
    """A row of a table, which may have a published number."""

    @property
    def published(self) -> Published | None: ...


R = TypeVar("R", bound=Compared)


def by_number(rows: Iterable[R]) -> dict[Published, R]:
    """Return the first row that has each published number: it plays the algorithm as the paper states it."""
    first: dict[Published, R] = {}
    for row in rows:
        if row.published is not None:
            first.setdefault(row.published, row)
    return first

"""The cells of a model's row in the table, and the comparison of two measurements of the same model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from .model import Model
from .row import Row

COLUMNS = ("model", "kind", "checks", "theorem", "growth, linear", "growth, kernel", "diverges", "us")
NEAR = 0.06  # allowed difference of two measurements on different machines; for numbers above 1 a share
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def cells(model: Model, row: Row) -> list[str]:
    """Return the texts of the cells in a model's row, one for each of `COLUMNS`."""
    if row.error:
        return [model.name, model.family, row.error.replace("|", "\\|"), "", "", "", "", ""]
    return [
        model.name,
        model.family,
        _checks(row),
        "; ".join(map(_verdict, row.verdicts)) or f"none: {model.why}",
        _growth(row, "linear"),
        _growth(row, "kernel"),
        _divergence(row),
        f"{row.microseconds:.0f}",
    ]


def markdown_row(texts: Sequence[str]) -> str:
    """Return the texts as a row of a table."""
    return f"| {' | '.join(texts)} |"


def different_columns(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the columns in which two measurements of a model differ; `one` and `other` are rows of the table.

    The times are not compared. Numbers on growth and theorems may differ by 0.06, or by 6 % if they are larger than 1.

    >>> row = ["m", "linear", "16 of 16", "none: why", "0.50 (3.1, greedy)", "1.00 (9, greedy)", "no", "5"]
    >>> different_columns(row, [*row[:4], "0.52 (3.1, greedy)", *row[5:7], "900"])
    []
    >>> different_columns(row, [*row[:2], "15 of 16: plays", *row[3:]])
    ['checks']
    """
    pairs = zip(COLUMNS, one, other, strict=True)
    return [column for column, mine, theirs in pairs if column != "us" and not _alike(column, mine, theirs)]


def _alike(column: str, mine: str, theirs: str) -> bool:
    if not column.startswith("growth") and column != "theorem":
        return mine == theirs
    numbers = [list(map(float, NUMBER.findall(text))) for text in (mine, theirs)]
    if NUMBER.sub("", mine) != NUMBER.sub("", theirs) or len(numbers[0]) != len(numbers[1]):
        return False
    return all(abs(a - b) <= NEAR * max(1.0, abs(a), abs(b)) for a, b in zip(*numbers, strict=True))


def _checks(row: Row) -> str:
    total = row.passed + len(row.failed)
    failed = f": not {', '.join(row.failed)}" if row.failed else ""
    return f"{row.passed} of {total}{failed}" if total else "not made"


def _verdict(verdict: dict[str, Any]) -> str:
    """Return the theorem's name, its verdict and its tightness as text."""
    name, outcome = verdict["theorem"].partition("(")[0], verdict["outcome"]
    if outcome == "violated":
        return f"`{name}` **violated**"
    if outcome != "holds":
        return f"`{name}` {outcome}"
    if verdict["exact"]:
        return f"`{name}` holds, identity"
    return f"`{name}` holds" + ("" if verdict["tightness"] is None else f", {100 * verdict['tightness']:.0f}%")


def _growth(row: Row, space: str) -> str:
    regret, exponent, adversary = row.growth[space]
    if math.isinf(regret):
        diverged = any(each["where"] == space for each in row.diverges)
        return f"{'diverges' if diverged else 'forfeits'} ({adversary.partition('(')[0]})"
    return f"{exponent:.2f} ({regret:.3g}, {adversary.partition('(')[0]})"


def _divergence(row: Row) -> str:
    """Return as text the first round in which predictions diverge, in the box [-1, 1] and in the wide box."""
    said = []
    for name, places in (("", ("linear", "kernel")), ("wide: ", ("wide",))):
        found = [each for each in row.diverges if each["where"] in places]
        if found:
            first = min(found, key=lambda each: each["round"])
            said.append(f"{name}round {first['round']} ({first['adversary'].partition('(')[0]})")
    return "; ".join(said) or "no"

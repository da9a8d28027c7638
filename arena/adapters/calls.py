"""How a model of another library is called in a round, as Python code, for scripts that need no arena."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Calls:
    """The code of one round, with the point `x`, a list of numbers, the label `y` and the round `t`, counted from 0.

    `row` makes `row`, the point as the library wants it, or is empty; `predict` is an expression, `learn` a statement.
    """

    row: str
    predict: str
    learn: str
    imports: tuple[str, ...] = ()


def dictionary(names: Sequence[str]) -> str:
    """Return the code of the point as a dictionary of its features.

    >>> dictionary(["temp", "price"])
    'dict(zip(["temp", "price"], x))'
    """
    if list(names) == [f"x{i}" for i in range(len(names))]:
        return '{f"x{i}": value for i, value in enumerate(x)}'
    return f"dict(zip({json.dumps(list(names), ensure_ascii=False)}, x))"

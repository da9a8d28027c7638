"""Python code that calls a model of another library in one round, for scripts that do not need the arena."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Calls:
    """The code of one round, in which `x` is the point, a list of numbers, `y` the label, and `t` the round from 0.

    The field `row` is a statement that assigns the point in the library's own form to a variable `row`, or empty.
    `predict` is an expression, `learn` a statement, and `imports` are statements for the script's beginning.
    """

    row: str
    predict: str
    learn: str
    imports: tuple[str, ...] = ()


def dictionary(names: Sequence[str]) -> str:
    """Return the code that makes a dictionary of named features from the point `x`.

    >>> dictionary(["temp", "price"])
    'dict(zip(["temp", "price"], x))'
    """
    if list(names) == [f"x{i}" for i in range(len(names))]:
        return '{f"x{i}": value for i, value in enumerate(x)}'
    return f"dict(zip({json.dumps(list(names), ensure_ascii=False)}, x))"

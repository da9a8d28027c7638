"""Python code that calls a model of another library, for scripts that do not need the arena."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Calls:
    """Pieces of Python code that play one round with a model, for a standalone script.

    In the code, `x` is the point as a list of numbers, `y` is the label, and `t` is the number of the round, from 0.

    - `row` is a statement that assigns the point to a variable `row`, in the library's own form; it may be empty.
    - `predict` is an expression for the prediction, and `learn` is a statement that learns the label.
    - `imports` are the import statements that this code needs.
    """

    row: str
    predict: str
    learn: str
    imports: tuple[str, ...] = ()


def dictionary(names: Sequence[str]) -> str:
    """Return code that makes a dictionary of the point `x`; its keys are the names of the features.

    >>> dictionary(["temp", "price"])
    'dict(zip(["temp", "price"], x))'
    """
    if list(names) == [f"x{i}" for i in range(len(names))]:
        return '{f"x{i}": value for i, value in enumerate(x)}'
    return f"dict(zip({json.dumps(list(names), ensure_ascii=False)}, x))"

"""Explains the letters in the statements of theorems, for readers who do not know the papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

LETTERS = {  # pattern of a letter in a statement: the letter as printed, and its meaning
    r"R_\{?lambda|R_\{?1|R_\{?alpha": (
        "R_lambda",
        "regret to the best function f in hindsight, its penalty lambda |f|^2 included",
    ),
    r"T\b": ("T", "number of rounds"),
    r"B\b": ("B", "the game's bound on labels (--label-bound)"),
    r"C\b": ("C", "the game's bound on predictions (--prediction-bound)"),
    r"lambda": ("lambda", "the game's regularisation"),
    r"(?:x|y)_t": ("x_t, y_t", "point and label of round t"),
    r"g_t": ("g_t", "derivative of the loss at the prediction of round t"),
    r"k\(": ("k(x, x')", "the kernel"),
    r"K_T|K_t": ("K_T", "kernel matrix of all points"),
    r"v_t": ("v_t", "variance of ridge regression at x_t: large far from all earlier points"),
    r"m_t": ("m_t", "prediction of ridge regression at x_t"),
    r"d_eff": ("d_eff", "effective dimension, tr K (K + lambda I)^-1: about how many directions the points fill"),
    r"d_onl": ("d_onl", "online effective dimension, the sum of the leverages v_t / (lambda + v_t)"),
}


def letters_in(statement: str, parameters: Sequence[dict[str, Any]] = ()) -> list[tuple[str, str]]:
    """Return pairs (letter, meaning) for the letters in `statement` whose meaning is the same in most theorems.

    A letter with which the description of one of the theorem's `parameters` begins stands for this parameter.

    >>> letters_in("R <= B^2 log(1 + T)")
    [('T', 'number of rounds'), ('B', "the game's bound on labels (--label-bound)")]
    >>> letters_in("at most B atoms", [{"name": "budget", "about": "B, the number of atoms"}])
    [('B', 'the parameter budget, the number of atoms')]
    """
    found = [pair for pattern, pair in LETTERS.items() if re.search(rf"(?<![A-Za-z_]){pattern}", statement)]
    return [(letter, _own_meaning(letter, parameters) or meaning) for letter, meaning in found]


def _own_meaning(letter: str, parameters: Sequence[dict[str, Any]]) -> str:
    for row in parameters:
        if match := re.match(rf"{re.escape(letter)}(?=[ ,:]|$)", row["about"] or ""):
            return f"the parameter {row['name']}{row['about'][match.end() :]}"
    return ""

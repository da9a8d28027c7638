"""The formulas of theorems as HTML, with MathML in place of their LaTeX.

The MathML comes from a table in the package, which `make docs` makes from the registered theorems.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from html import escape

from arena.record.theorem import Theorem

TABLE = "mathml.json"


def parts(formula: str) -> list[tuple[str, bool]]:
    r"""Return the parts of a formula, in their order, as pairs (text, whether it is LaTeX).

    >>> parts(r"mistakes $\\le N$ for all $u$")
    [('mistakes ', False), ('\\\\le N', True), (' for all ', False), ('u', True)]
    """
    found = [(text, place % 2 == 1) for place, text in enumerate(formula.split("$"))]
    return [each for each in found if each[0]]


@functools.cache
def table() -> dict[str, str]:
    """Return {LaTeX: MathML} for every piece of LaTeX in the formulas of the registered theorems."""
    text = importlib.resources.files("arena.theorems").joinpath(TABLE).read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def formula_html(theorem: Theorem) -> str:
    """Return the theorem's formula as HTML; "" if it has none, or if `table()` lacks the MathML of its LaTeX.

    The result is also "" if the theorem's parameters change its statement, since the formula does not change with them.
    """
    formula = theorem.formula
    if not formula or theorem.statement != type(theorem).statement:
        return ""
    known, found = table(), parts(formula)
    if any(is_math and text not in known for text, is_math in found):
        return ""
    return "".join(known[text] if is_math else _prose(text) for text, is_math in found)


def markdown(formula: str) -> str:
    """Return a formula as Markdown, with its LaTeX as code between dollar signs.

    >>> markdown("mistakes $N$")
    'mistakes $`N`$'
    """
    return "".join(f"$`{text}`$" if is_math else text for text, is_math in parts(formula))


def _prose(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))

"""Writes the MathML of all formulas of theorems into the package: `python docs/mathml.py`."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

from latex2mathml.converter import convert

from arena.specs import registry
from arena.theorems.formulas import TABLE, parts

PLACE = Path(__file__).resolve().parents[1] / "arena" / "theorems" / TABLE


LONG = 40  # characters of LaTeX from which a formula is cut into several elements, between which browsers break lines
CUT = re.compile(r" (?=(?:\\[lg]e|[=<+-]) )")
CLOSED = {"{": "}", "(": ")", "[": "]"}
RELATIONS = "⪯⟨⟩"  # which the converter takes for identifiers


def mathml(latex: str) -> str:
    """Return a formula in LaTeX as MathML; a long formula is cut before relations and sums into several elements."""
    return " ".join(map(_element, _cuts(latex) if len(latex) > LONG else [latex]))


def _cuts(latex: str) -> list[str]:
    """Return the pieces of a formula, cut before each relation, plus and minus outside brackets."""
    cuts = [found.start() for found in CUT.finditer(latex) if _depth(latex[: found.start()]) == 0]
    ends = [0, *cuts, len(latex)]
    pieces = [latex[start:end].strip() for start, end in itertools.pairwise(ends)]
    return [each for each in pieces if each]


def _depth(latex: str) -> int:
    plain = re.sub(r"\\[{}]", "", latex)
    return sum(plain.count(one) for one in CLOSED) - sum(plain.count(one) for one in CLOSED.values())


def _element(latex: str) -> str:
    """Return a piece of LaTeX as one `math` element, with large operators and fractions in full size."""
    made = re.sub(r"&#x([0-9A-F]+);", _character, convert(latex, display="block"))
    made = re.sub(rf"<mi>([{RELATIONS}])</mi>", r"<mo>\1</mo>", made)
    made = re.sub(r"^(<math[^>]*><mrow>)<mo>", r'\1<mo form="infix">', made)
    made = made.replace(' display="block"', ' displaystyle="true"', 1)
    return made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "", 1)


def _character(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return found[0] if character in "<>&\"'" else character


def text() -> str:
    """Return the table of all formulas as JSON, one line for each piece of LaTeX."""
    theorems = [registry.find("theorem", name) for name in registry.entries("theorem")]
    pieces = {piece for each in theorems for piece, is_math in parts(each.formula) if is_math}
    return json.dumps({piece: mathml(piece) for piece in sorted(pieces)}, ensure_ascii=False, indent=0) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")

"""Each theorem has a formula that agrees with its plain statement, and the MathML is up to date."""

import dataclasses
import json
import re
import runpy
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import pytest

from arena.record.theorem import Theorem
from arena.specs import registry
from arena.specs.building import build
from arena.theorems.formulas import formula_html, parts, table
from arena_tests import FULL

NAMES = list(registry.entries("theorem"))
GREEK = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "eta",
    "lambda",
    "mu",
    "kappa",
    "sigma",
    "rho",
    "tau",
    "theta",
    "phi",
)
WORDS = ("log", "max", "min", "det", "d_eff", "d_onl", "hinge", "entropy", "sign", "exp", "clip", "diag", "probability")
SHOWN = {"epsilon": "\u03f5", "lambda": "\u03bb", "eta": "\u03b7", "sigma": "\u03c3", "alpha": "\u03b1", "mu": "\u03bc"}


def facts(text):
    """Return the Greek letters, the functions, and the numbers other than 0, 1 and 2 of a statement."""
    text = text.replace("eps'", "epsilon'").replace("power_t", "power")
    text = re.sub(r"d_\{ text\{(\w+)\}\}", r"d_\1", text.replace("\\", " "))
    letters = {each for each in GREEK if re.search(rf"(?<![A-Za-z]){each}(?![A-Za-z])", text)}
    numbers = [each for each in re.findall(r"\d+(?:\.\d+)?", text) if each not in ("0", "1", "2")]
    return letters, {each for each in WORDS if each in text}, sorted(numbers)


@pytest.mark.parametrize("name", NAMES)
def test_every_theorem_has_a_formula_that_says_what_its_statement_says(name):
    theorem = registry.find("theorem", name)
    assert theorem.formula, f"{name} has no formula: write its statement with LaTeX between dollar signs"
    assert "|" not in theorem.formula, (
        "a bar would end the cell of a table: write \\lvert x \\rvert or \\lVert x \\rVert"
    )
    for what, in_formula, in_statement in zip(
        ("Greek letters", "functions", "numbers"), facts(theorem.formula), facts(theorem.statement), strict=True
    ):
        assert in_formula == in_statement, f"{name}: formula and statement name different {what}"
    relations = {"\\le ": "<=", "\\ge ": ">=", "\\preceq ": "<="}
    for latex, plain in relations.items():
        assert latex not in theorem.formula or plain in theorem.statement


def test_the_table_of_mathml_is_what_the_script_writes():
    """A new formula is shown as plain text until `make docs` writes the table again."""
    script = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "mathml.py"))
    kept, made = json.loads(script["PLACE"].read_text(encoding="utf-8")), json.loads(script["text"]())
    assert kept == made if FULL else kept.items() <= made.items(), "run: python docs/mathml.py"


def test_mathml_is_well_formed_and_has_the_letters_of_its_latex():
    for latex, mathml in table().items():
        whole = ElementTree.fromstring(f"<p>{mathml}</p>")
        assert {each.tag for each in whole} == {"math"}
        seen = "".join(whole.itertext())
        assert "\\" not in seen.replace("power\\_t", "")
        for word, letter in SHOWN.items():
            assert (f"\\{word}" in latex) == (letter in seen), latex


def test_html_holds_prose_and_mathematics():
    text = formula_html(build("theorem", "awv-leverage"))
    assert text.count("<math") == 3  # cut before the relation, so that lines can break
    assert "</math> with <math" in text
    assert formula_html(build("theorem", "kors-identity")).count("<code>limit</code>") == 1


def test_a_statement_that_depends_on_parameters_has_no_formula():
    assert formula_html(build("theorem", "at-most"))
    assert formula_html(build("theorem", "at-most(comparator=constant)")) == ""


@dataclasses.dataclass(frozen=True)
class Mine(Theorem):
    statement: ClassVar[str] = "a < b"
    formula: ClassVar[str] = "<b>loss</b> $\\le$"


def test_formulas_of_users_are_escaped_and_fall_back_to_the_statement():
    assert formula_html(Mine()) == ""  # the LaTeX is not in the table
    known = next(iter(table()))
    other = type("Other", (Mine,), {"formula": f"<b>loss</b> ${known}$"})()
    assert formula_html(other).startswith("&lt;b&gt;loss&lt;/b&gt; <math")
    assert parts("a $b$ c") == [("a ", False), ("b", True), (" c", False)]

"""Explanations of theorems: what they assume, which learners promise them, and a small match as an example."""

from __future__ import annotations

import re
from typing import Any

from arena.errors import ArenaError
from arena.papers.errata import ERRATA, SERIOUSNESS, Erratum
from arena.papers.markdown import numbers
from arena.papers.tightness import PRINTED, default_promises, example, promised_by
from arena.record.theorem import Theorem
from arena.record.verdict import DEVIATION
from arena.specs import registry
from arena.specs.building import build


def theorem_rows() -> list[dict[str, Any]]:
    """Return a row for each theorem: its kind, name, statement, formula and paper, and the players that promise it.

    These are adversaries for a lower bound, and learners otherwise.
    """
    classes = [registry.find("theorem", name) for name in registry.entries("theorem")]
    return [
        {
            "kind": "lower bound" if cls.lower else "theorem",
            "name": cls.name,
            "statement": cls.statement,
            "formula": cls.formula,
            "paper": cls.paper,
            "promised_by": _learners(cls.name),
        }
        for cls in classes
    ]


def algorithm_rows() -> list[dict[str, Any]]:
    """Return a row for each learner that promises theorems: its family, name, description, bounds and identities.

    The description is the beginning of the class's docstring, up to the first full stop, colon or semicolon.
    """
    rows = []
    for name, theorems in default_promises().items():
        cls = registry.find("learner", name)
        exact = [each.name for each in theorems if each.quantity == DEVIATION]
        bounds = [each.name for each in theorems if each.name not in exact]
        about = re.split(r"[.:;](?:\s|$)", (cls.__doc__ or "").strip())[0]
        if theorems:
            rows.append(
                {"family": cls.family, "name": name, "about": " ".join(about.split()), "bounds": bounds, "exact": exact}
            )
    return sorted(rows, key=lambda row: (row["family"], row["name"]))


def explain(cls: type[Theorem]) -> dict[str, Any]:
    """Return what `arena show` prints about a theorem, as a dictionary.

    - "assumes": the assumptions, in words.
    - "holds": a phrase such as "in every match that meets its assumptions" or "in expectation, ...".
    - "promised_by": the learners that promise the theorem, or the adversaries that promise a lower bound.
    - "example": the command and the verdicts of a small match, which is played now; None if none is found.
    - "erratum": how serious the error is, and its place in the paper, for a statement that is wrong as printed; the
      example is then the erratum's match. For other theorems the text is empty.

    If the theorem cannot be built without parameters, all values except "assumes" are empty.
    """
    found: dict[str, Any] = {"assumes": list(cls.assumes), "holds": "", "promised_by": [], "example": None}
    found["erratum"] = ""
    try:
        theorem: Theorem = build("theorem", cls)
    except ArenaError:  # the theorem needs parameters
        return found
    if registry.entries("theorem").get(cls.name):
        erratum = next((each for each in ERRATA if each.name == cls.name), None)
        found |= _refuted(erratum) if erratum else _promised(theorem)
    return found | {"holds": _when_it_holds(theorem)}


def _promised(theorem: Theorem) -> dict[str, Any]:
    found: dict[str, Any] = {"promised_by": _learners(theorem.name)}
    played = example(theorem.name)
    if played is None:
        return found
    if not theorem.assumes:
        found["assumes"] = [each.statement for each in played.run.verdict(theorem).assumptions]
    return found | {"example": {"command": played.command, "verdicts": [played.verdict]}}


def _refuted(erratum: Erratum) -> dict[str, Any]:
    judged = erratum.judged()
    verdicts = [f"{each.theorem}: {numbers(each)}" for each in (judged.printed, judged.corrected)]
    return {
        "assumes": [each.statement for each in judged.premises],
        "erratum": f"{erratum.seriousness} ({erratum.place}): {SERIOUSNESS[erratum.seriousness]}",
        "example": {"command": "arena reproduce errata", "verdicts": verdicts},
    }


def _learners(theorem: str) -> list[str]:
    return sorted({spec.partition("(")[0] for spec in promised_by(theorem)})


def _when_it_holds(theorem: Theorem) -> str:
    if theorem.name.endswith(PRINTED):
        return "not as printed"
    if theorem.in_expectation:
        return "in expectation, so it is judged over many seeds"
    if theorem.confidence < 1:
        return f"with probability {theorem.confidence:g}, so it is judged over many seeds"
    if theorem.demanded:
        return "if the learner is good enough"
    if theorem.lower:
        return "in every match against an adversary that promises it"
    return "in every match that meets its assumptions"

"""Pages of the documentation that commands make."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import number_of
from arena.papers.errata import InWords, Judged
from arena.papers.tightness import Tightness
from arena.record.theorem import Verdict


def numbers(verdict: Verdict) -> str:
    """A verdict in one line: holds with its numbers, the violation, or why it is not applicable."""
    if not verdict.applicable:
        return f"not applicable: {verdict.reason}"
    if verdict.violated:
        return verdict.reason
    return f"holds: {verdict.quantity} {verdict.measured:.4g} of {verdict.allowed:.4g}"


def share(row: Tightness) -> str:
    """Measured over allowed, as a percentage with the digits that matter near 100 %."""
    if not row.matches:
        return "no match"
    return "exact" if row.ratio is None else f"{row.ratio:.2%}"


def errata_page(
    judged: Sequence[Judged], in_words: Sequence[InWords], remarks: Sequence[tuple[str, str]], kinds: Mapping[str, str]
) -> str:
    """The text of docs/errata.md."""
    about = """
        Statements of the papers that are wrong as printed, each with how serious that is. `arena reproduce errata`
        judges a small transcript that is shipped with the package by each statement of the first part and by its
        correction. Both are theorems like any other, so `arena play ... --bound NAME` judges your own matches by them,
        and `arena show NAME` explains them. Remarks at the end are no errata.
    """
    notation = """
        Statements are in the notation of this project: R_lambda <= X stands for regret(f) <= lambda |f|^2 + X for all f
        that the paper compares with, and names of parameters are those of the learners. Where a paper compares with
        the best f alone, the match exceeds the bound with that one, too.
    """
    seriousness = "".join(f"- *{kind}*: {meaning}\n" for kind, meaning in kinds.items())
    shown = "\n".join(_shown(each) for each in judged)
    words = _table(
        ("Where", "Seriousness", "What is wrong"), [(each.where, each.seriousness, each.wrong) for each in in_words]
    )
    noted = _table(("Where", "Remark"), remarks)
    head = _page("Errata", "arena reproduce errata --markdown", about)
    return (
        f"{head}{seriousness}\n{_wrapped(notation)}\n\n## Shown by a match\n\n{shown}\n## In words\n\n{words}\n"
        f"## Remarks\n\nNothing here is wrong: limits of what the papers say, and settings outside of it.\n\n{noted}"
    )


def _shown(each: Judged) -> str:
    """One erratum as a section: what is printed, what it assumes, the match, and the correction."""
    erratum = each.erratum
    played = f"{each.run.learner} against {each.run.adversary}, {number_of(each.run.rounds, 'round')}"
    items = {
        "Seriousness": erratum.seriousness,
        "As printed": f"`{each.statement}` (`{each.printed.theorem}`)",
        "It is stated for": erratum.assumes,
        "What is wrong": erratum.wrong,
        "The match": f"{played}: {each.excess}.",
        "Chance": erratum.chance,
        "Premises, all met on the match": "; ".join(map(str, each.premises)),
        "Corrected": f"`{each.correction}` (`{each.corrected.theorem}`)",
        "On the same match": numbers(each.corrected),
    }
    title = f"### {each.paper} ({erratum.place})\n\n"
    return title + "".join(f"- **{head}.** {text}\n" for head, text in items.items())


def tightness_page(rows: Sequence[Tightness], rounds: int) -> str:
    """The text of docs/results/tightness.md."""
    about = f"""
        Every learner plays every adversary of a small suite for {rounds} rounds. Each match is judged by the theorems
        that its learner promises and by those that no learner promises. The table shows the highest share of each bound
        that was used at the end of a match, and by whom: 100 % means that the bound is attained. *exact* is an
        identity, whose bound is rounding alone. Bounds that count dimensions, horizons or probabilities are loose on
        matches as short as these.
    """
    table = _table(
        ("Theorem", "Measured / allowed", "Matches", "By", "To play it again"),
        [
            (
                f"`{row.theorem}`",
                share(row),
                str(row.matches),
                f"{row.learner} against {row.adversary}" if row.learner else "",
                f"`{row.command}`" if row.command else "",
            )
            for row in rows
        ],
    )
    return _page("How tight the theorems are", "arena reproduce tightness --markdown", about) + table


def theorems_page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The text of docs/theorems.md."""
    about = """
        The theorems by which matches are judged. `arena show NAME` adds assumptions, parameters and an example,
        `arena play ... --bound NAME` judges any learner by it. Names that end with `-printed` are statements that are
        wrong as published, kept to show [their failure](errata.md). [Another table](results/tightness.md) shows how
        close a match comes to each bound.
    """
    table = _table(
        ("Theorem", "Statement", "Promised by", "From"),
        [
            (f"`{row['name']}`", f"`{row['statement']}`", ", ".join(row["promised_by"]) or "no learner", row["paper"])
            for row in rows
        ],
    )
    return _page("Theorems", "arena list theorems --markdown", about) + table


def _page(title: str, command: str, about: str) -> str:
    return f"<!-- Made by `{command}`; do not edit. -->\n\n# {title}\n\n{_wrapped(about)}\n\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), width=120, break_on_hyphens=False)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

"""The pages of the documentation that commands of the arena print as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import number_of
from arena.papers.errata import IN_WORDS, REMARKS, SERIOUSNESS, JudgedErratum
from arena.papers.tightness import NO_THEOREM, Suite, Tally
from arena.record.verdict import Verdict
from arena.theorems.formulas import markdown


def numbers(verdict: Verdict) -> str:
    """Return a verdict as one line.

    The line has the measured and the allowed value if the theorem holds. Otherwise it describes the violation, or gives
    the reason why the theorem does not apply.
    """
    if not verdict.applicable:
        return f"not applicable: {verdict.reason}"
    if verdict.violated:
        return verdict.reason
    return f"holds: {verdict.quantity} {verdict.measured:.4g} of {verdict.allowed:.4g}"


def errata_page(judged: Sequence[JudgedErratum]) -> str:
    """Return the text of docs/errata.md; `judged` are the errata that a match shows."""
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
    seriousness = "".join(f"- *{kind}*: {meaning}\n" for kind, meaning in SERIOUSNESS.items())
    shown = "\n".join(_shown(each) for each in judged)
    words = table(("Where", "Seriousness", "What is wrong"), IN_WORDS)
    noted = table(("Where", "Remark"), REMARKS)
    head = page("Errata", "arena reproduce errata --markdown", about)
    return (
        f"{head}{seriousness}\n{wrapped(notation)}\n\n## Shown by a match\n\n{shown}\n## In words\n\n{words}\n"
        f"## Remarks\n\nNothing here is wrong: limits of what the papers say, and settings outside of it.\n\n{noted}"
    )


def _shown(each: JudgedErratum) -> str:
    """Return a section about an erratum: the printed statement and its assumptions, the match, and the correction."""
    erratum = each.erratum
    played = f"{each.run.learner} against {each.run.adversary}, {number_of(each.run.rounds, 'round')}"
    items = {
        "Seriousness": erratum.seriousness,
        "As printed": f"`{each.printed.about.statement}` (`{each.printed.theorem}`)",
        "It is stated for": erratum.assumes,
        "What is wrong": erratum.wrong,
        "The match": f"{played}: {each.excess}.",
        "Chance": erratum.chance,
        "Premises, all met on the match": "; ".join(map(str, each.premises)),
        "Corrected": f"`{each.corrected.about.statement}` (`{each.corrected.theorem}`)",
        "On the same match": numbers(each.corrected),
    }
    title = f"### {each.printed.about.paper} ({erratum.place})\n\n"
    return title + "".join(f"- **{head}.** {text}\n" for head, text in items.items())


def tightness_page(found: Suite, rounds: int) -> str:
    """Return the text of docs/results/tightness.md; `found` has the results of matches with `rounds` rounds each."""
    about = f"""
        Every learner plays every adversary of a small suite for {rounds} rounds. Each match is judged by the theorems
        that its learner promises, by the lower bounds that its adversary promises, and by the theorems that no learner
        promises. Bounds that count dimensions, horizons or probabilities are loose on matches as short as these.
    """
    words = """
        *Measured / allowed* is the highest share of a bound that was used at the end of a match; 100 % means that the
        bound is attained. *exact* is an equation, whose bound is rounding alone; *an identity* is an inequality that
        allows as much as is measured whatever the learner does (the Perceptron's bound at g = 0), so that its share
        says nothing. *Vacuous* counts the matches in which the bound allows as much as is possible in the game: for a
        regret, the largest loss with predictions within [-C, C] and labels within [-B, B] in every round. A learner
        that does not clip may lose more; clipping alone, without any theorem, ensures that much.
    """
    upper = table(
        ("Theorem", "Measured / allowed", "Matches", "Vacuous", "By", "To play it again"),
        [_tightness_cells(row) for row in found.theorems if not row.lower],
    )
    about_lower = """
        What adversaries force. The share is the lower bound over the regret: 100 % means that a learner has no more
        than what is forced.
    """
    lower = table(
        ("Lower bound", "Bound / regret", "Matches", "Broken", "By", "To play it again"),
        [_tightness_cells(row) for row in found.theorems if row.lower],
    )
    both = """
        Each theorem of each learner that bounds a regret or mistakes: the match in which the largest share of the
        bound was used, and the match in which a lower bound of the same regret is closest to it. Where the two are
        equal, *they meet*: neither can be improved there. A lower bound is about the regret at the game's lambda; for
        a theorem on the regret to another comparator it is moved by the difference of the comparators' losses, which
        the moves determine. Theorems about other quantities have none. `ons` is far from its bound because of its
        constants: the proof's max(4 G D, 1 / sigma) became 5 (1 / sigma + G D), and log(1 + T (gamma G D)^2) with
        gamma G D <= 1/8 became log T. The sum of `ons-gradients`, before these two steps, is 7 % of it in 200 rounds
        of one coordinate and contrary labels, and 13 % in 2,000; the regret is 70 % and 89 % of that sum.
    """
    rows = [row for row in found.promises if row.about_losses]
    learners = table(
        (
            "Learner",
            "Theorem",
            "Best adversary",
            "Regret",
            "Upper bound",
            "Vacuous",
            "Between lower and upper",
            "There",
        ),
        [_promise_cells(row) for row in rows],
    )
    head = page("How tight the theorems are", "arena reproduce tightness --markdown", about)
    return (
        f"{head}{wrapped(words)}\n\n{upper}\n## Lower bounds\n\n{wrapped(about_lower)}\n\n{lower}\n"
        f"## Both sides, for every learner\n\n{wrapped(both)}\n\n{learners}"
    )


def _tightness_cells(row: Tally) -> tuple[str, ...]:
    return (
        f"`{row.theorem}`",
        row.share,
        str(row.applied),
        str(row.violations) if row.lower else row.vacuous_in or str(row.vacuous or ""),
        f"{row.learner} against {row.adversary}" if row.learner else "",
        f"`{row.command}`" if row.command else "",
    )


def _promise_cells(row: Tally) -> tuple[str, ...]:
    closest, without = row.ratio is not None, row.theorem == NO_THEOREM
    between = ""
    if row.sides is not None:
        meet = "they meet: " if row.sides.meet else ""
        between = f"{meet}{row.sides.lower:.5g} <= {row.sides.measured:.5g} <= {row.sides.upper:.5g}"
    if without and closest:
        between = f"{row.allowed:.4g} <= {row.measured:.4g}"
    return (
        f"`{row.owner}`",
        "none" if without else f"`{row.theorem}`",
        row.adversary if closest else row.status,
        f"{row.measured:.4g}" if closest else "",
        "none" if without else f"{row.allowed:.4g}" if closest else "",
        row.vacuous_in or (f"{row.vacuous} of {row.applied}" if row.vacuous else ""),
        between,
        row.sides_adversary or (row.adversary if without else ""),
    )


def theorems_page(rows: Sequence[Mapping[str, Any]], algorithms: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of docs/theorems.md; `rows` has a row for each theorem, `algorithms` one for each learner."""
    about = r"""
        The theorems by which matches are judged, for the prediction $`\hat y_t`$ and the label $`y_t`$ at the point
        $`x_t`$. `arena show NAME` adds assumptions, parameters, an example, and the statement as plain text,
        `arena play ... --bound NAME` judges any learner by it. Names that end with `-printed` are statements that are
        wrong as published, kept to show [their failure](errata.md). [Another table](results/tightness.md) shows how
        close a match comes to each bound.
    """
    about_lower = """
        What every learner, or every learner of a class, must lose against the adversary that promises it. Matches
        against that adversary are judged by it without being asked; a regret below it means that the adversary, or the
        lower bound, is wrong.
    """
    upper, lower = ([row for row in rows if (row["kind"] == "lower bound") is below] for below in (False, True))
    heads = ("Statement", "Promised by", "From")
    start = page("Theorems", "arena list theorems --markdown", about) + _by_algorithm(algorithms)
    start += "## All theorems\n\n" + table(("Theorem", *heads), _stated(upper))
    return f"{start}\n## Lower bounds\n\n{wrapped(about_lower)}\n\n" + table(("Lower bound", *heads), _stated(lower))


def _by_algorithm(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the section of docs/theorems.md with a table of algorithms, their bounds and their identities."""
    about = """
        A learner of yours that is one of these algorithms is judged by its theorems if you name them:
        `--bound rls-identity`, `theorem="rls-identity"`, or the attribute `theorems` of its class. An *identity* says
        which predictions the algorithm makes, so that it sees any mistake; a *bound* limits the regret or another
        quantity, and a small mistake may stay below it.
        Models of scikit-learn and river [promise theirs by themselves](testing-model.md#the-theorem-of-its-algorithm).
        Without a theorem, [demand a number](testing-model.md#a-number-that-the-tests-watch).
    """
    cells = [
        (
            row["family"],
            f"{row['about']} (`{row['name']}`)",
            *(", ".join(map("`{}`".format, row[key])) or "-" for key in ("exact", "bounds")),
        )
        for row in rows
    ]
    heads = ("Family", "Algorithm", "Identity", "Bounds")
    return f"## Which theorem is mine?\n\n{wrapped(about)}\n\n{table(heads, cells)}\n"


def _stated(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            f"`{row['name']}`",
            markdown(row["formula"]) or f"`{row['statement']}`",
            ", ".join(row["promised_by"]) or "no learner",
            row["paper"],
        )
        for row in rows
    ]


def page(title: str, command: str, about: str) -> str:
    """Return the first lines of a page: a comment with the command that makes it, the title, and an introduction."""
    return f"<!-- Made by `{command}`; do not edit. -->\n\n# {title}\n\n{wrapped(about)}\n\n"


def wrapped(text: str) -> str:
    """Return the text in lines of at most 120 characters."""
    return textwrap.fill(" ".join(text.split()), width=120, break_on_hyphens=False)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with these headings and rows."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

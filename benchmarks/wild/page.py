"""Text of the page docs/in-the-wild.md: tables, findings, and every failure with its script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import fill

from .catalogue import LEFT_OUT
from .cells import COLUMNS, cells, markdown_row
from .findings import FINDINGS
from .measuring import DIMENSION, FREE, FULL, WIDE, WIDE_ADVERSARIES
from .model import ROUNDS, SHORT, Model
from .row import Failure, Row
from .strongest import STRONGEST

LINE = 120
MOST_LINES = 20  # lines of a script

INTRODUCTION = """# In the wild

Public models of other libraries, played against. Made by `python -m benchmarks.wild`, which measures every model of
`benchmarks/wild/catalogue.py` whose library is installed (`benchmarks/wild/requirements.txt`), on any machine with the
same numbers except those of time. `tests/quality/test_in_the_wild.py` makes five rows again and compares them with this
page.

{summary}

A failure in this table is a fact about one model with the parameters in the table against an opponent, and no
judgement of its library. Most of the models here were made for data that no opponent chooses, and do that well.
[What was found](#what-was-found) says which failures contradict the library's own documentation or the paper that it
cites, and which are limits that follow from the algorithm.

## How to read the tables

- **checks**: how many of the checks of [the contract](testing.md) passed, of those that could be made
  (`arena check SPEC`), and the names of those that failed.
- **theorem**: the theorem of the algorithm, if the arena knows one, with its verdict after a hunt of {matches} matches
  of {hunted} rounds, and the largest tightness (measured over allowed; 100% is a bound that was reached). An identity
  allows nothing but rounding, and has no tightness. A theorem is judged under the loss for which the algorithm was
  made, where a classifier's scores are not clipped (C = {free:g}).
- **growth**: the exponent with which the regret grew in the second half of {rounds} rounds ({short} for slow models),
  in the match with the largest regret against five strong adversaries; 1 means a constant loss each round beyond the
  best predictor in hindsight, 0.5 a square root, 0 a bounded regret. In parentheses stand this regret and the
  adversary; regrets below 1, the loss of predicting zero in one round, count as 1. A model that
  breaks a rule, for instance because asking it twice gives two answers, forfeits. *linear* compares with the best
  linear function, *kernel* with the best function of the Gaussian kernel; both under the squared loss, in {dimension}
  dimensions, with features and labels in [-1, 1].
  An exponent above 1 means that the adversary needed the first half to find the weakness.
- **diverges**: the first round with a prediction beyond 1,000 times the largest label, or none that is finite: in the
  box [-1, 1] of the growth matches, then in a *wide* box, [-{wide:g}, {wide:g}], which stands for features that were
  not scaled. The documentation of scikit-learn and river asks for scaled features, and that of padasip for steps that
  are small enough for them, so that the wide box is outside of what these promise.
- **us**: microseconds a round, prediction and update, the median over random rows through the adapter, on the machine
  that measured. It serves to compare rows, and differs from run to run.

The five adversaries force the most regret upon models of other libraries, by their mean rank among 20 adversaries
(`python -m benchmarks.wild --strongest`): {strongest}. In the wide box play {others}.

Classifiers play under the squared loss with labels in [-1, 1] by the balance of their probabilities, or by their
scores, clipped; they learn the labels' signs. That is not what they optimise, and their growth rates are to be compared
with those of other classifiers alone.

Outside the theory are trees, rules, neighbours, forests, networks, factorisation machines, naive Bayes and most
ensembles: no theorem bounds their regret, so there is nothing that they could violate. Adaptive and normalised steps
without a theorem in the arena are listed with the reason. For all of them the growth of the regret and the divergence
are measured, and a number of your own can be demanded (`at-most`, see [My model must not get worse](testing-model.md)).
"""


def page(models: Sequence[Model], rows: Sequence[Row]) -> str:
    """Return the text of docs/in-the-wild.md."""
    parts = [
        _filled(INTRODUCTION.format(
            summary=_summary(rows), matches=FULL.matches, hunted=FULL.hunted_rounds, free=FREE, dimension=DIMENSION,
            rounds=ROUNDS, short=SHORT, wide=WIDE, strongest=_listed(STRONGEST), others=_listed(WIDE_ADVERSARIES),
        )),
        *_tables(models, rows),
        *_found(rows),
        *_failures(rows),
        *_absent(),
    ]  # fmt: skip
    return "\n".join(parts).rstrip() + "\n"


def table(models: Sequence[Model], rows: Sequence[Row]) -> str:
    """Return the tables and the failures, for the terminal."""
    return "\n".join([*_tables(models, rows), *_failures(rows)])


def _filled(text: str) -> str:
    """Return the text with its paragraphs and list items in lines of at most 120 characters."""
    paragraphs = [part for part in re.split(r"\n\n|\n(?=- )", text.strip()) if part]
    filled = [
        fill(" ".join(part.split()), LINE, subsequent_indent="  " if part.startswith("- ") else "")
        for part in paragraphs
    ]
    return re.sub(r"(\n- .*(?:\n  .*)*)\n(?=\n- )", r"\1", "\n\n".join(filled)) + "\n"


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _summary(rows: Sequence[Row]) -> str:
    """Return sentences that count the measured models, and the models that fail in each way."""
    measured = [row for row in rows if not row.error]
    judged = [row for row in measured if any(each["outcome"] != "not applicable" for each in row.verdicts)]
    broken = [row for row in judged if any(each["outcome"] == "violated" for each in row.verdicts)]
    usual = [row for row in measured if any(each["where"] != "wide" for each in row.diverges)]
    wide = [row for row in measured if any(each["where"] == "wide" for each in row.diverges)]
    return (
        f"**{len(measured)} models of {len({row.library for row in measured})} libraries were measured**; "
        f"{sum(not row.failed for row in measured)} of them pass every check that can be made. {len(judged)} are "
        f"algorithms with a theorem, and {len(judged) - len(broken)} of these obey it. {len(usual)} diverge where "
        f"features and labels are in [-1, 1], and {len(wide)} in the wide box."
        + (f" {len(rows) - len(measured)} rows were not measured." if len(measured) < len(rows) else "")
    )


def _tables(models: Sequence[Model], rows: Sequence[Row]) -> Iterator[str]:
    """Yield one table for each library."""
    pairs = list(zip(models, rows, strict=True))
    for library, group in groupby(pairs, key=lambda pair: pair[0].library):
        chosen = list(group)
        version = next((row.version for _, row in chosen if row.version), None)
        yield f"## {library} {version or ''}".rstrip() + "\n"
        yield markdown_row(COLUMNS)
        yield markdown_row(["---"] * len(COLUMNS))
        yield from (markdown_row(cells(model, row)) for model, row in chosen)
        yield "\nSpecs: " + "; ".join(f"{model.name}: `{model.spec}`" for model, _ in chosen) + ".\n"


def _found(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the section of findings; a finding is left out if it concerns no measured row."""
    yield "## What was found\n"
    yield (
        "Each finding was compared with the library's documentation, its source and what is known of its issues before "
        "it was written down. The scripts are below, under the model's name.\n"
    )
    for finding in FINDINGS:
        if any(finding.concerns(row) for row in rows):
            yield f"### {finding.title}\n\n{fill(finding.text, LINE)}\n"
            if finding.script:
                yield f"```text\n{finding.script.strip()}\n```\n"


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the section of all failures, each with its message and its script."""
    yield "## Every failure\n"
    yield (
        "The smallest sequence on which the model still fails in the same way, and a script that needs its library "
        "alone. A check that fails without a sequence is repeated by `arena check SPEC`.\n"
    )
    for row in rows:
        if row.failures:
            yield f"### {row.library}: {row.name}\n"
            for failure in row.failures:
                yield from _failure(failure)


def _failure(failure: Failure) -> Iterator[str]:
    size = "" if not failure.rounds else f", in {failure.rounds} {'round' if failure.rounds == 1 else 'rounds'}"
    yield f"**{failure.kind}: {failure.name}**{size}. {_plain(failure.message)}\n"
    if failure.script and len(failure.script.strip().splitlines()) <= MOST_LINES:
        yield f"```text\n{failure.script.strip()}\n```\n"
    if failure.command:
        yield f"The long match: `{failure.command}`\n"


def _plain(message: str) -> str:
    """Return a message as a sentence, with Markdown's special characters escaped."""
    return message.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_").rstrip(".") + "."


def _absent() -> Iterator[str]:
    yield "## Not in the table\n"
    yield "| package | why |\n| --- | --- |"
    yield from (f"| {name} | {why} |" for name, why in LEFT_OUT.items())

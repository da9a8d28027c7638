"""Text of the page docs/results/growth.md."""

from __future__ import annotations

from collections.abc import Callable

from arena.engine.growth import exponent
from growth_rates.corrections import CORRECTIONS, note_of
from growth_rates.laws import Measured
from growth_rates.rows import ROWS, Cell, cells, missing
from growth_rates.sequences import COLUMNS

Results = dict[tuple[str, str], Measured]  # by the row's label and the column

PAGE = """\
# How regrets grow

Made by `python benchmarks/growth.py --full --write`. `tests/theorems/test_growth_table.py` asserts every cell, in
`make full` with matches as long as here. The laws are those of theory F11.

Each learner plays four matches, each twice as long as the one before. The sequences are hard for some learners:

{columns}

The exponent is the slope of log(regret) against log(T). Regret is measured against the regularised optimum of the whole
RKHS with lambda = 1; for the Perceptron family it is the number of mistakes (against the greedy adversary the regret),
for DualSVRG the regret in its own smooth hinge loss. Learners that toss coins are averaged over some seeds. Against the
greedy adversary the exponent is that of the last doubling in one match. Bandwidths are 1, in F4 0.2, in F1 0.3.

An exponent agrees with a law if it differs by at most 0.15 from the law's exponent over the same horizons. A bounded
regret may also shrink, and polylog means at most 0.6. The exponent of log T is about 0.1 here, which the margin does
not separate from O(1). Therefore the last doubling of T must add between 0.5 and 1.6 times as much as the first for
log T and J, and less than half as much for O(1). J is the number of restarts, which grows like log T where points
repeat.

The longest match has 100,000 rounds, and fewer in F8, where learners that keep a row for each different point need
O(t^2) time for round t. The learners after DualSVRG, for which the theory predicts nothing, play at most 20,000 rounds.
Linear functions fit neither the 25 labels of F4 nor the distant points of F8, where AdaGrad and FTRL-proximal overshoot
by more and more; at the origin, F2, only learners with an intercept lose anything. Passive-aggressive learners, Winnow
and the averaged Perceptron are measured by their mistakes.

## What was found

A law in bold differs from the theory's table, whose entry follows in brackets, with the number of the reason.

{laws}

{corrections}

Learners without a row:

{missing}

## Measured exponents

The exponent; in brackets that of the law over the same horizons; the regret, or the mistakes, of the longest match.

{exponents}
"""


def page(measured: Results) -> str:
    """Return the text of the page."""
    return PAGE.format(
        columns="\n".join(f"- **{column}**: {text}." for column, text in COLUMNS.items()),
        laws=table(law_in_words),
        corrections="\n".join(f"{number}. {text}" for number, (_, _, text) in enumerate(CORRECTIONS, 1)),
        missing="\n".join(f"- `{name}`: {why}." for name, why in missing().items()),
        exponents=table(lambda cell: in_words(measured[cell.row.label, cell.column])),
    )


def table(text: Callable[[Cell], str]) -> str:
    """Return a table with a row for each learner; `text` formats the cells."""
    lines = ["| learner | " + " | ".join(COLUMNS) + " |", "| --- |" + " --- |" * len(COLUMNS)]
    for row in ROWS:
        texts = {cell.column: text(cell) for cell in cells() if cell.row is row}
        name = f"`{row.spec}`{row.label.removeprefix(row.spec)}"
        lines.append(f"| {name} | " + " | ".join(texts.get(column, "") for column in COLUMNS) + " |")
    return "\n".join(lines)


def law_in_words(cell: Cell) -> str:
    """Return the law that was found for a cell.

    If a correction explains why this law is not the predicted one, the text also has the predicted law and the
    correction's number.
    """
    note = note_of(cell)
    return cell.law.text if note is None else f"**{cell.law.text}** ({cell.predicted}) [{note}]"


def in_words(found: Measured) -> str:
    """Return as text the measured exponent, the law's exponent over the same horizons, and the last value."""
    law = exponent(found.horizons, found.law.grows(found.horizons.astype(float)))
    mark = "" if found.agrees else " (!)"
    return f"{found.exponent:.2f}{mark} ({law:.2f}); {found.values[-1]:,.4g} at {found.horizons[-1]:,}"

"""How the regret of every online learner grows, measured: the tables of docs/results/growth.md.

Every cell is a learner on a sequence that is hard for some learners. The learner plays matches of several horizons, and
an exponent is fitted to its regrets.

    python benchmarks/growth.py                    prints the exponents, of matches as short as in the tests
    python benchmarks/growth.py --full             plays up to 100,000 rounds where a round's cost does not grow
    python benchmarks/growth.py --full --write     writes the page
"""

from __future__ import annotations

import sys

from _tools import publish
from growth_rates.measuring import measure
from growth_rates.page import in_words, page
from growth_rates.rows import cells


def main(arguments: list[str]) -> None:
    write, full = "--write" in arguments, "--full" in arguments
    measured = {}
    for cell in cells():
        found = measured[cell.row.label, cell.column] = measure(cell, full=full)
        if not write:
            verdict = "as" if found.agrees else "NOT AS"
            print(f"{cell.row.label}, {cell.column}: {in_words(found)}, {verdict} {cell.law.text}", flush=True)
    if write:
        publish(page(measured), "growth.md", write=True)


if __name__ == "__main__":
    main(sys.argv[1:])

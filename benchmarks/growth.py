"""Measures how the regret of every online learner grows: the tables of docs/results/growth.md.

A cell of the tables is a learner on a sequence that is hard for some learners. The learner plays matches of several
horizons, and an exponent is fitted to its regrets.

    python benchmarks/growth.py                    prints the exponents of short matches, as in the tests
    python benchmarks/growth.py --full             prints the exponents of matches of up to 100,000 rounds
    python benchmarks/growth.py --full --write     writes the page, too
    python benchmarks/growth.py --kept FILE        keeps finished cells in a file, and measures only the other cells
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from _tools import publish
from growth_rates.laws import Measured
from growth_rates.measuring import measure
from growth_rates.page import in_words, page
from growth_rates.rows import Cell, cells


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how the regret of every online learner grows.")
    parser.add_argument("--full", action="store_true", help="up to 100,000 rounds")
    parser.add_argument("--write", action="store_true", help="write docs/results/growth.md")
    parser.add_argument(
        "--kept", type=Path, metavar="FILE", help="read finished cells from this file, and append to it"
    )
    options = parser.parse_args()
    kept = kept_in(options.kept)
    measured = {}
    for cell in cells():
        found = measured[cell.row.label, cell.column] = kept.get(name(cell)) or measure(cell, full=options.full)
        verdict = "as" if found.agrees else "NOT AS"
        print(f"{name(cell)}: {in_words(found)}, {verdict} {cell.law.text}", flush=True)
        if options.kept and name(cell) not in kept:
            with options.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps([name(cell), found.horizons.tolist(), found.values.tolist()]) + "\n")
    if options.write:
        publish(page(measured), "growth.md", write=True)


def name(cell: Cell) -> str:
    """Return the name of a cell, which consists of its row and its column."""
    return f"{cell.row.label}, {cell.column}"


def kept_in(file: Path | None) -> dict[str, Measured]:
    """Return the measurements in a file that an earlier run of the same size wrote; the keys are the cells' names.

    Measurements of cells that are no longer in the table are left out. The laws come from the table and not from the
    file.
    """
    lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
    laws = {name(cell): cell.law for cell in cells()}
    rows = (json.loads(line) for line in lines)
    return {cell: Measured(np.array(T), np.array(values), laws[cell]) for cell, T, values in rows if cell in laws}


if __name__ == "__main__":
    main()

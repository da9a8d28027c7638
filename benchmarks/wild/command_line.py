"""The options of `python -m benchmarks.wild`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .catalogue import chosen
from .measuring import FULL, QUICK
from .page import page, table
from .row import Row
from .running import rows_of
from .strongest import ranking

PAGE = Path(__file__).parents[2] / "docs" / "in-the-wild.md"


def main(given: Sequence[str] | None = None) -> int:
    """Measure the models, then write the page or print the rows; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild", description="Measure public models.")
    parser.add_argument("--only", metavar="PATTERN", help="models whose library and name match, such as 'river *'")
    parser.add_argument("--quick", action="store_true", help="few and short matches, without the checks")
    parser.add_argument("--again", action="store_true", help="measure again what was measured before")
    parser.add_argument("--kept", action="store_true", help="measure nothing: write the page with what was measured")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--strongest", action="store_true", help="rank the adversaries by the regret that they force")
    options = parser.parse_args(given)
    if options.strongest:
        print("\n".join(f"{rank:5.1f}  {name}" for name, rank in ranking()))
        return 0
    models = chosen(options.only)
    if not models:
        print(f"no model matches {options.only!r}; the libraries and names are those of the table", file=sys.stderr)
        return 2
    effort = QUICK if options.quick else FULL
    workers = 0 if options.kept else max(1, options.workers)
    rows = rows_of(models, effort, workers=workers, again=options.again, notify=_progress)
    if options.only is None and not options.quick:
        PAGE.write_text(page(models, rows), encoding="utf-8")
        print(f"written: {PAGE}")
    else:
        print(table(models, rows))
    return 0


def _progress(row: Row) -> None:
    print(f"{row.library} {row.name}: {row.error or f'{row.seconds:.1f} s'}", file=sys.stderr, flush=True)

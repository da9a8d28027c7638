"""The command `python -m benchmarks`."""

from __future__ import annotations

import argparse
import fnmatch
import json
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

import arena
from arena.linalg.threads import one_thread

from . import baseline, engine, growing, judges, learners, memory, opponents
from .machine import rates
from .measuring import Result, Spread, measure
from .page import as_json, page

PAGE = Path(__file__).parents[2] / "docs" / "results" / "speed.md"
REPEATS = {"full": 5, "quick": 2}
FELL, WRONG = 1, 2
DESCRIPTION = """Measure the program's speed as ratios, side by side in one run.

Exit codes: 0, all is well; 1, with --check, a ratio fell below the baseline by more than the noise and the factor;
2, wrong arguments, or no row has this name."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--quick", action="store_true", help="smaller sizes and fewer repeats: about a minute")
    made.add_argument("--only", metavar="PATTERN", help="rows whose group/name contains this, or matches it with * ?")
    made.add_argument("--json", action="store_true", help="print JSON instead of the page")
    made.add_argument("--check", action="store_true", help="compare the ratios with the baseline")
    made.add_argument("--factor", type=float, help="by which factor a ratio may fall (1.5; with --quick 4)")
    made.add_argument(
        "--write", action="store_true", help="write the baseline; of a full run also docs/results/speed.md"
    )
    made.add_argument("--output", metavar="FILE", type=Path, help="write the page, or the JSON, to this file")
    made.add_argument("--repeats", type=int, help="how often each row is timed (5; with --quick 2)")
    return made


def matcher(pattern: str | None) -> Callable[[str], bool]:
    """Return a function that decides whether a benchmark is wanted, by its name "GROUP/NAME".

    A pattern with `*` or `?` must match the whole name, and any other pattern a part of it. Without a pattern every
    benchmark is wanted.
    """
    if pattern is None:
        return lambda _: True
    if any(sign in pattern for sign in "*?"):
        return lambda name: fnmatch.fnmatch(name, pattern)
    return lambda name: pattern in name


def measured(*, quick: bool, repeats: int, wanted: Callable[[str], bool]) -> Iterator[Result]:
    """Yield the result of each wanted benchmark as soon as it is measured."""
    machine = rates()
    for kind in (learners, opponents, judges, engine):
        for case in kind.cases(quick=quick):
            if wanted(f"{case.group}/{case.name}"):
                yield measure(case, machine, repeats)
    yield from growing.results(quick=quick, repeats=repeats, wanted=wanted)
    yield from memory.results(quick=quick, wanted=wanted)


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks, print or write the page, compare with the baseline if asked, and return the exit code."""
    given = parser().parse_args(arguments)
    mode = "quick" if given.quick else "full"
    repeats = given.repeats or REPEATS[mode]
    found = []
    with one_thread():
        machine = {name: Spread.of([rate() for _ in range(5)]) for name, rate in rates().items()}
        for result in measured(quick=given.quick, repeats=repeats, wanted=matcher(given.only)):
            found.append(result)
            print(f"{result.group}/{result.name}", file=sys.stderr, flush=True)
    if not found:
        print(f"no row has {given.only!r} in its name", file=sys.stderr)
        return WRONG
    remark = f"Python {platform.python_version()}, NumPy {np.__version__}, arena {arena.version.__version__}."
    flags = " --quick" if given.quick else ""
    text = (
        json.dumps(as_json(found, machine), indent=1) + "\n"
        if given.json
        else page(found, machine, repeats=repeats, arguments=flags, remark=remark)
    )
    output = given.output or (PAGE if given.write and not (given.json or given.only or given.quick) else None)
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")
    ratios = baseline.ratios_of(found)
    if given.write:
        baseline.write(mode, ratios)
    return verdict(ratios, mode, given.factor or baseline.FACTOR[mode]) if given.check else 0


def verdict(ratios: baseline.Ratios, mode: str, factor: float) -> int:
    """Print the ratios that have fallen below the baseline, and return the exit code."""
    before = baseline.read(mode)
    falls = baseline.fallen(ratios, before, factor)
    compared = len(set(ratios) & set(before))
    for fall in falls:
        print(f"fell: {fall}", file=sys.stderr)
    print(f"{compared} ratios compared with the baseline, {len(falls)} fell by a factor of {factor:g}", file=sys.stderr)
    return FELL if falls else 0

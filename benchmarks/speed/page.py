"""Text of the page docs/results/speed.md, and the same results as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .machine import UNITS
from .measuring import Result, Spread

HEADER = """# Speed: ratios measured side by side

Made by `python -m benchmarks{arguments} --write`. {remark}

Each row's sides are timed in turn, A B A B, {repeats} times, in processor time on one thread; ratios are taken within a
turn. A cell holds the median, and in brackets the quartiles. All ratios are measures of speed or thrift: larger is
better, and 1 means as fast as the other side. `python -m benchmarks --check` compares them with
`benchmarks/speed/baseline.json`.

## The machine

| rate | |
| --- | --: |
"""
TITLES = {
    "learners": (
        "Learners",
        "Times are microseconds a round: in blocks, round by round, and as the paper prints the algorithm, in plain "
        "NumPy without checks. For learners marked with * the pseudo-code is a definition that the tests use, which "
        "solves every system anew; for libsvm and llsvm it is scikit-learn. The share of the machine's rate is the "
        "time that the round's matrix products, exponentials and tangents would take at the rates above, over the time "
        "in blocks.",
    ),
    "adversaries": (
        "Adversaries",
        "The naive twin of an adaptive adversary asks row by row, and solves a dense system for each answer of the "
        "comparator; that of an oblivious adversary is asked round by round, with the comparator's answers solved "
        "densely, too. Times are microseconds a round.",
    ),
    "hindsight": (
        "Hindsight",
        "LAPACK's side makes the same kernel matrix, its Cholesky factor, and one triangular solve, which gives the "
        "optimum of every prefix. Times are microseconds a call.",
    ),
    "engine": ("The engine", "The bare loop calls the same players, checks nothing and records nothing."),
    "growth": (
        "Growth",
        "The exponent of the whole time over one variable, fitted to three sizes. Exponents below the theory's mean "
        "that smaller terms still count.",
    ),
    "memory": (
        "Memory",
        "Peak resident memory of a process of its own, less that of a process that plays a short match, beside the "
        "bytes that the record and the learner's state take at least.",
    ),
}
DEFINITIONS = ("krr", "clipped-krr", "kernel-awv", "dual-svrg", "pkawv-kors", "kons", "sketched-kons", "pros-n-kons",
               "con-kons", "b-kons", "late-labels")  # fmt: skip


def number(value: float) -> str:
    """Return a number as text, with three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cell(spread: Spread | None, scale: float = 1.0) -> str:
    """Return a median as text, with its quartiles in brackets."""
    if spread is None:
        return ""
    median, low, high = (number(scale * each) for each in (spread.median, spread.low, spread.high))
    return median if low == high else f"{median} [{low}, {high}]"


def pairs(results: Sequence[Result]) -> list[str]:
    """Return the lines of a table with one row for each result.

    Each result has one ratio and two sides: the time of the arena, and the time of its alternative.
    """
    lines = ["|  | size | ours, µs | beside | its time, µs | ratio |", "| --- | --- | --: | --- | --: | --: |"]
    for result in results:
        (_, time), (other, its) = result.seconds.items()
        [ratio] = result.ratios.values()
        name = f"`{result.name}`" if result.group == "adversaries" else result.name
        times = number(1e6 * time.median), other, number(1e6 * its.median)
        lines.append("| " + " | ".join([name, result.size, *times, cell(ratio)]) + " |")
    return lines


def table(results: Sequence[Result]) -> list[str]:
    """Return the lines of the table of a group of results."""
    if all(len(result.seconds) == 2 and len(result.ratios) == 1 for result in results):
        return pairs(results)
    sides = list(dict.fromkeys(side for result in results for side in result.seconds))
    ratios = list(dict.fromkeys(ratio for result in results for ratio in result.ratios))
    noted = any(result.note for result in results)
    titles = ["", "size", *(["measured"] if noted else []), *(f"{side}, µs" for side in sides), *ratios]
    lines = ["| " + " | ".join(titles) + " |", "| --- | --- |" + " --: |" * (len(titles) - 2)]
    for result in results:
        star = "*" if result.group == "learners" and result.name.partition("(")[0] in DEFINITIONS else ""
        cells = [f"`{result.name}`{star}" if result.group in ("learners", "adversaries") else result.name, result.size]
        cells += [result.note] if noted else []
        cells += [number(1e6 * result.seconds[side].median) if side in result.seconds else "" for side in sides]
        cells += [cell(result.ratios.get(ratio)) for ratio in ratios]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def rates_as_text(rates: Mapping[str, Spread]) -> list[str]:
    """Return the machine's rates as lines of a table."""
    lines = []
    for name, seconds in rates.items():
        factor, unit = UNITS[name]
        lines.append(f"| {name} | {number(factor / seconds.median)} {unit} |")
    return lines


def page(
    results: Sequence[Result], rates: Mapping[str, Spread], *, repeats: int, arguments: str = "", remark: str = ""
) -> str:
    """Return the text of the page."""
    lines = [HEADER.format(repeats=repeats, arguments=arguments, remark=remark).rstrip("\n"), *rates_as_text(rates)]
    for group, (title, text) in TITLES.items():
        rows = [result for result in results if result.group == group]
        if rows:
            lines += ["", f"## {title}", "", text, "", *table(rows)]
    return "\n".join(lines) + "\n"


def as_json(results: Sequence[Result], rates: Mapping[str, Spread]) -> dict[str, Any]:
    """Return the results and the machine's rates as plain values for JSON."""

    def plain(spreads: Mapping[str, Spread]) -> dict[str, list[float]]:
        return {name: [each.median, each.low, each.high] for name, each in spreads.items()}

    return {
        "machine": plain(rates),
        "rows": [
            {
                "group": each.group,
                "name": each.name,
                "size": each.size,
                "unit": each.unit,
                "seconds": plain(each.seconds),
                "ratios": plain(each.ratios),
                "note": each.note,
            }
            for each in results
        ],
    }

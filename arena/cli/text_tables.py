"""Prints tables as text, and remarks under the tables; numbers are not cut off, even on narrow terminals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.output import markup
from arena.cli.sparkline import scaled_sparkline
from arena.record.tables import SHOWN

LEAST_NAME_WIDTH, MOST_WORD_WIDTH = 12, 26  # a column of names may become as narrow as this, in characters
NARROWEST_SPARKLINE, WIDEST_SPARKLINE = 11, 16  # letters in a column of sparklines, whose heading has 11
BETWEEN = 2  # spaces between two columns
FARTHEST = 10_000  # width, in characters, of an output that is no terminal
MOST_LISTED = 10  # most items that are printed of a list
OVER_ROUNDS = "over rounds: the regret, from the first round to the last; each line has a scale of its own, from 0."
WORDS = (  # headings of columns that are aligned to the left, and folded if the terminal is too narrow
    "learner",
    "adversary",
    "  adversary",
    "game",
    "theorem",
    "worst match",
    "closest learner",
    "faster and better",
    "part",
    "found",
)
Columns = dict[str, list[str]]  # for each heading: its cells; a cell that is `Markup` is not escaped


def print_columns(
    console: Console,
    columns: Columns,
    *,
    left: Iterable[str] = WORDS,
    curves: Sequence[Sequence[float]] = (),
    last: list[str] | None = None,
) -> bool:
    """Print a table; return whether `curves` were drawn.

    - `curves` has the values of a curve for each row. The curves become a column of sparklines if there is room.
    - `last` has the cells of the last column, which has no heading.
    - `left` has the headings of columns that are aligned to the left, and folded if the terminal is too narrow.
    """
    has_room = console.width if console.is_terminal else FARTHEST  # nothing is folded in a pipe
    ending: Columns = {" ": last} if last is not None and any(last) else {}
    beside = sum(size + BETWEEN for size in _natural(columns | ending).values())
    width = min(has_room - beside, WIDEST_SPARKLINE)
    drawn = width >= NARROWEST_SPARKLINE and any(map(len, curves))
    lines: Columns = {}
    if drawn:
        plain = console.options.ascii_only
        lines["over rounds"] = [scaled_sparkline(each, width=width, plain=plain) for each in curves]
    columns = columns | lines | ending
    widths = _widths(columns, has_room, left)
    grid = Table(box=None, header_style="dim", pad_edge=False, padding=(0, BETWEEN, 0, 0))
    for name, size in widths.items():
        side: Literal["left", "right"] = "left" if name in (*left, *lines, "", " ") else "right"
        grid.add_column(markup(name), justify=side, overflow="fold", width=size)
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*map(markup, row))
    before = console.width
    console.width = max(before, sum(widths.values()) + BETWEEN * len(widths))  # rich would cut numbers off
    console.print(grid, soft_wrap=False)
    console.width = before
    return drawn


def _natural(columns: Columns) -> dict[str, int]:
    """Return {heading: least width at which no cell is folded}."""
    return {
        name: max(len(name), *(Text.from_markup(markup(cell)).cell_len for cell in cells))
        for name, cells in columns.items()
    }


def _widths(columns: Columns, room: int, left: Iterable[str]) -> dict[str, int]:
    """Return {heading: width} for the columns of a table of the width `room`.

    If there is too little room, columns in `left` become narrower, the widest one first.
    """
    widths = _natural(columns)
    longest_word = {
        name: max((len(word) for cell in columns[name] for word in cell.split()), default=0)
        for name in columns
        if name in left and name.strip()
    }
    for longest in (MOST_WORD_WIDTH, LEAST_NAME_WIDTH):  # words are folded only if there is no other way
        least = {name: max(min(longest, word), len(name)) for name, word in longest_word.items()}
        while sum(widths.values()) + BETWEEN * (len(widths) - 1) > room:
            wide = max(least, key=lambda name: widths[name] - least[name], default="")
            if not wide or widths[wide] <= least[wide]:
                break
            widths[wide] -= 1
    return widths


def number_columns(
    values: Sequence[Mapping[str, Any]], comparators: Sequence[Mapping[str, tuple[float, float] | None]]
) -> tuple[Columns, Columns]:
    """Return two groups of columns: the numbers in `SHOWN` that are known in some row, and regrets to comparators."""
    shown = {
        column.heading: [digits(each.get(column.name)) for each in values]
        for column in SHOWN
        if any(each.get(column.name) is not None for each in values)
    }
    names = dict.fromkeys(name for each in comparators for name in each)
    return shown, {f"to {name}": [interval(each.get(name)) for each in comparators] for name in names}


def print_list(console: Console, heading: str, lines: Sequence[object], *, style: str | None = None) -> None:
    """Print a heading, which is markup, and at most `MOST_LISTED` lines; print nothing if there are none."""
    if not lines:
        return
    console.print(heading)
    for line in lines[:MOST_LISTED]:
        console.print(f"  {markup(line)}", style=style)
    if len(lines) > MOST_LISTED:
        console.print(f"  and {len(lines) - MOST_LISTED:,} more (--json lists all)", style="dim")


def some(items: Sequence[object], most: int = MOST_LISTED) -> str:
    """Return a few items, separated by commas, and the number of the others.

    >>> some("abcd", most=2)
    'a, b and 2 more'
    """
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(map(str, items[:most])) + more


def print_text(console: Console, text: str) -> None:
    """Print a remark, wrapped between words on a terminal and in one line elsewhere."""
    if console.is_terminal:
        console.print(markup(text), style="dim", soft_wrap=False)
    else:
        console.print(markup(text))


def digits(value: float | None) -> str:
    """Return a number as text with four significant digits; `-` for None."""
    return "-" if value is None else f"{value:.4g}"


def interval(ends: tuple[float, float] | None) -> str:
    """Return an interval as text: one number if both ends are printed alike, otherwise both; `-` for None."""
    if ends is None:
        return "-"
    low, high = (f"{end:.4g}" for end in ends)
    return low if low == high else f"{low} to {high}"

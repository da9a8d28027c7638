"""Prints tables as text, and remarks under the tables; numbers are not cut off, even on narrow terminals."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.output import markup
from arena.cli.sparkline import scaled_sparkline

LEAST_NAME_WIDTH, MOST_WORD_WIDTH = 12, 26  # a column of names may become as narrow as this, in characters
NARROWEST_SPARKLINE, WIDEST_SPARKLINE = 11, 16  # letters in a column of sparklines, whose heading has 11
BETWEEN = 2  # spaces between two columns
FARTHEST = 10_000  # width, in characters, of an output that is no terminal
OVER_ROUNDS = "over rounds: the regret, from the first round to the last; each line has a scale of its own, from 0."


def print_columns(
    console: Console,
    columns: dict[str, list[str]],
    *,
    left: tuple[str, ...] = ("learner",),
    marked: tuple[str, ...] = (),
    curves: Sequence[Sequence[float]] = (),
    last: list[str] | None = None,
) -> bool:
    """Print a table; return whether `curves` were drawn.

    - `columns` maps each column's heading to its cells.
    - `curves` has the values of a curve for each row. The curves become a column of sparklines if there is room.
    - `last` has the cells of the last column, which has no heading.
    - `left` has the headings of columns that are aligned to the left, and folded if the terminal is too narrow.
    - `marked` has the headings of columns whose cells are markup of the library rich.
    """
    columns = dict(columns)
    has_room = console.width if console.is_terminal else FARTHEST  # nothing is folded in a pipe
    beside = sum(_natural(columns, marked).values()) + BETWEEN * len(columns)
    if last is not None and any(last):
        columns[" "], marked, left = last, (*marked, " "), (*left, " ")
        beside += _natural({" ": last}, marked)[" "] + BETWEEN
    width = min(has_room - beside, WIDEST_SPARKLINE)
    drawn = width >= NARROWEST_SPARKLINE and any(map(len, curves))
    if drawn:
        plain = console.options.ascii_only
        lines = [scaled_sparkline(each, width=width, plain=plain) for each in curves]
        at = len(columns) - (" " in columns)
        columns = dict([*columns.items()][:at]) | {"over rounds": lines} | dict([*columns.items()][at:])
        left = (*left, "over rounds")
    widths = _widths(columns, has_room, left=left, marked=marked)
    grid = Table(box=None, header_style="dim", pad_edge=False, padding=(0, BETWEEN, 0, 0))
    for name, size in widths.items():
        grid.add_column(markup(name), justify="left" if name in left else "right", overflow="fold", width=size)
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*(cell if name in marked else markup(cell) for name, cell in zip(columns, row, strict=True)))
    before = console.width
    console.width = max(before, sum(widths.values()) + BETWEEN * len(widths))  # rich would cut numbers off
    console.print(grid, soft_wrap=False)
    console.width = before
    return drawn


def _natural(columns: dict[str, list[str]], marked: tuple[str, ...]) -> dict[str, int]:
    """Return {heading: least width at which no cell is folded}; cells of columns in `marked` are markup of rich."""
    return {
        name: max(len(name), *(Text.from_markup(cell if name in marked else markup(cell)).cell_len for cell in cells))
        for name, cells in columns.items()
    }


def _widths(
    columns: dict[str, list[str]], room: int, *, left: tuple[str, ...], marked: tuple[str, ...]
) -> dict[str, int]:
    """Return {heading: width} for the columns of a table of the width `room`.

    If there is too little room, columns in `left` become narrower, the widest one first. The cells of columns in
    `marked` are markup of the library rich.
    """
    widths = _natural(columns, marked)
    names = [name for name in columns if name in left and name.strip() and name != "over rounds"]
    for longest in (MOST_WORD_WIDTH, LEAST_NAME_WIDTH):  # words are folded only if there is no other way
        least = {name: max(min(longest, _longest_word(columns[name])), len(name)) for name in names}
        while sum(widths.values()) + BETWEEN * (len(widths) - 1) > room:
            wide = max(names, key=lambda name: widths[name] - least[name], default="")
            if not wide or widths[wide] <= least[wide]:
                break
            widths[wide] -= 1
    return widths


def _longest_word(cells: list[str]) -> int:
    return max((len(word) for cell in cells for word in cell.split()), default=0)


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

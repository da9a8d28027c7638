"""Tables of text whose numbers are never cut off on narrow terminals, and remarks under the tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.output import markup

SHORTEST_NAME = 12  # least width of a column of names, in characters


def print_columns(
    console: Console,
    columns: dict[str, list[str]],
    *,
    left: tuple[str, ...] = ("learner",),
    marked: tuple[str, ...] = (),
) -> None:
    """Print columns; only names are folded, and only on a terminal that is too narrow."""
    grid = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    needed = 0
    for name, cells in columns.items():
        if name in left and name:
            least = SHORTEST_NAME
            grid.add_column(name, overflow="fold", min_width=least)
        else:
            shown = [Text.from_markup(cell).plain if name in marked else cell for cell in cells]
            least = max(map(len, (*shown, name)))
            grid.add_column(name, justify="left" if name in left else "right", no_wrap=True, min_width=least)
        needed += least + 2  # between columns
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*(cell if name in marked else markup(cell) for name, cell in zip(columns, row, strict=True)))
    before = console.width
    if not console.is_terminal:  # nothing is folded in a pipe
        needed = console.measure(grid, options=console.options.update(width=10_000)).maximum
    console.width = max(before, needed)  # rich would cut numbers off; a narrower terminal wraps the lines
    console.print(grid, soft_wrap=False)
    console.width = before


def print_text(console: Console, text: str) -> None:
    """Print a remark, wrapped between words on a terminal and in one line elsewhere."""
    if console.is_terminal:
        console.print(markup(text), style="dim", soft_wrap=False)
    else:
        console.print(markup(text))


def interval(ends: tuple[float, float] | None) -> str:
    """Return an interval as text: one number if both ends have the same printed digits, or `-` for None."""
    if ends is None:
        return "-"
    low, high = (f"{end:.4g}" for end in ends)
    return low if low == high else f"{low} to {high}"

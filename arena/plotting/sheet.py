"""`Sheet`: a figure of fixed width; its files have the same bytes in every run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena.errors import ArenaError, printable
from arena.plotting.style import NORMAL, WIDTHS, Columns, styled
from arena.version import __version__

FORMATS = ("pdf", "svg", "png")
MAKER = f"regret-arena {__version__}"
METADATA: dict[str, dict[str, Any]] = {  # no dates, so that the same figure gives the same file
    "pdf": {"Creator": MAKER, "CreationDate": None},
    "svg": {"Creator": MAKER, "Date": None},
    "png": {"Software": MAKER},
}
MOST_CHARACTERS = 44  # characters of the longest name in a figure


class Sheet(Figure):
    """A matplotlib figure that is saved with embedded fonts and without dates; notebooks display it."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save the figure to `fname`, a name or an open file.

        The format is the option `format`; without this option, it is the ending of the name, or PNG for an open file.
        """
        kind = options.get("format") or (Path(fname).suffix[1:].lower() if isinstance(fname, str | Path) else "png")
        with styled():
            super().savefig(fname, **{"metadata": METADATA.get(kind), **options})

    def content(self, kind: str) -> bytes:
        """Return the content of the figure's file in the format `kind`: "pdf", "svg" or "png"."""
        if kind not in FORMATS:
            raise ArenaError(f"figures are written as {', '.join(FORMATS)}, not as {kind!r}")
        file = io.BytesIO()
        self.savefig(file, format=kind)
        return file.getvalue()

    def _repr_png_(self) -> bytes:
        return self.content("png")


def sheet(columns: Columns, height: float) -> Sheet:
    """Return an empty figure as wide as one or two columns of a page, and `height` inches high.

    The function must be called inside `styled`, which sets the fonts and colours.
    """
    if columns not in WIDTHS:
        raise ArenaError(f"columns are 'one' or 'two', not {columns!r}")
    figure = Sheet(figsize=(WIDTHS[columns], height))
    FigureCanvasAgg(figure)
    return figure


def plain(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return a user's text on one line, without control characters.

    If the text is longer than `most` characters, its middle is left out.

    >>> plain("kernel-awv"), plain(100 * "x", 9)
    ('kernel-awv', 'xxxx…xxxx')
    """
    text = printable(text).replace("\n", " ")
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def titled(figure: Sheet, title: str, subtitle: str) -> None:
    """Write the title and the subtitle above the axes; long texts are broken into lines between words."""
    width, top = figure.get_figwidth(), figure.get_figheight()
    y = 1.0 - 0.05 / top
    for text, size, weight, colour in (
        (title, NORMAL + 1.0, "bold", "#222222"),
        (subtitle, NORMAL, "normal", "#6b6b6b"),
    ):
        if not text:
            continue
        drawn = figure.text(0.07 / width, y, "", size=size, weight=weight, color=colour, va="top", parse_math=False)
        _fill(figure, drawn, text, 0.98)
        lowest = float(drawn.get_window_extent().y0 - figure.bbox.y0) / figure.bbox.height
        y = min(y - 1.28 * size / 72 / top, lowest) - 0.015 / top


def _fill(figure: Sheet, drawn: Text, text: str, most: float) -> None:
    """Write `text` into `drawn`, with line breaks between words.

    `most` limits the right end of a line: 0 is the left edge of the figure, 1 its right edge.
    """
    lines: list[str] = []
    for word in plain(text, 400).split():
        word = plain(word)
        longer = f"{lines[-1]} {word}" if lines else word
        drawn.set_text(longer)
        right = (drawn.get_window_extent().x1 - figure.bbox.x0) / figure.bbox.width
        if lines and right > most:
            lines.append(word)
        else:
            lines[-1:] = [longer]
    drawn.set_text("\n".join(lines))


def width_of(figure: Sheet, text: str, size: float) -> float:
    """Return the width of a text in inches; `size` is the font size in points."""
    drawn = figure.text(0, 0, text, size=size, parse_math=False)
    width = float(drawn.get_window_extent().width) / figure.dpi
    drawn.remove()
    return width


def placed(figure: Sheet, *, left: float, right: float, bottom: float) -> Axes:
    """Return axes with these margins in inches, below the title."""
    width, height = figure.get_figwidth(), figure.get_figheight()
    low = bottom / height
    lowest = min((each.get_window_extent().y0 for each in figure.texts), default=figure.bbox.y1)
    top = float((lowest - figure.bbox.y0) / figure.bbox.height) - 0.09 / height
    return figure.add_axes((left / width, low, 1 - (left + right) / width, top - low))

"""Sizes, fonts and looks (colours, markers and dashes) of figures.

The colours are those of Okabe and Ito, but a wine red of Tol replaces their yellow, which is faint on paper. Readers
with deuteranopia, protanopia or tritanopia can distinguish these colours. Markers and dashes differ, too, so that the
figures can be read without colours.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Columns = Literal["one", "two"]

WIDTHS: dict[str, float] = {"one": 3.4, "two": 7.0}  # inches: a column of a page of two columns, and the whole page
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#661133")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
INK, FAINT, BAD, GUIDE, GRID = "#222222", "#6b6b6b", "#b00020", "#bdbdbd", "#e3e3e3"
SMALL, NORMAL = 6.5, 7.5  # font sizes in points

SETTINGS: dict[str, Any] = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],  # both come with matplotlib; the second one has more characters
    "mathtext.fontset": "stix",
    "font.size": NORMAL,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 7.0,
    "axes.labelsize": NORMAL,
    "axes.linewidth": 0.6,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
    "text.color": INK,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.4,
    "figure.dpi": 200.0,
    "savefig.dpi": 300.0,
    "pdf.fonttype": 42,  # whole TrueType fonts, which journals ask for
    "svg.fonttype": "path",  # the letters' shapes: no reader needs the font
    "svg.hashsalt": "regret-arena",  # ids that are the same in every run
}


@dataclass(frozen=True)
class Look:
    """The colour, the marker and the dash pattern of a curve or a point."""

    colour: str
    marker: str
    dash: Any = "-"


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name; up to 63 names have different looks.

    >>> looks(["krr", "kernel-awv"])["krr"]
    Look(colour='#0072B2', marker='o', dash='-')
    """
    return {
        name: Look(COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)], DASHES[at // len(COLOURS) % len(DASHES)])
        for at, name in enumerate(dict.fromkeys(names))
    }


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Context manager: inside the block matplotlib draws in the arena's style, whatever the user's own settings are.

    Users' names may have characters that are in no font. They are drawn as boxes, without a warning.
    """
    import matplotlib

    settings: Any = matplotlib.rcParams
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        settings.update(SETTINGS)
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        yield

"""The figures of a report as files for papers, as `arena report ... --figures FOLDER` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from arena.errors import ArenaError
from arena.guards.whole_files import make_folder, writing
from arena.plotting.sheet import FORMATS, Sheet
from arena.plotting.style import Columns
from arena.record.tables import Row
from arena.reports.regret_curves import PairCurve, against_figure, learner_figure, pair_curves
from arena.reports.sources import Matches
from arena.tournament.figures import KINDS, FigureData, tournament_figure

SINGLE = 8  # most matches of which each has a figure of its own
MOST_CHARACTERS = 60  # characters of the longest name in a file's name
Drawn = tuple[str, Callable[[], Sheet | None]]


def write_figures(matches: Matches, folder: str | Path, *, kind: str = "pdf", columns: Columns = "one") -> list[Path]:
    """Write the figures of these matches into a folder, and return the paths of the files.

    The figures are as wide as one or two `columns` of a page. The same matches give the same bytes. The folder is made
    if there is none. A file is replaced only if it is a figure of the arena.
    """
    if kind not in FORMATS:
        raise ArenaError(f"figures are written as {', '.join(FORMATS)}, not as {kind!r}")
    target = Path(folder)
    make_folder(target)
    written: list[Path] = []
    for name, draw in figures_of(matches, columns=columns):
        with np.errstate(all="ignore"):
            drawn = draw()
        if drawn is None:
            continue
        path = target / f"{_free(name, {each.stem for each in written})}.{kind}"
        content = drawn.content(kind)
        with writing(path, lambda _, path=path: is_figure(path)) as file:  # type: ignore[misc]
            file.write(content)
        written.append(path)
    return written


def figures_of(matches: Matches, *, columns: Columns = "one") -> Iterator[Drawn]:
    """Yield pairs of a figure's name and a function that draws it; raise an `ArenaError` if there is no match.

    The function returns None if the figure cannot be drawn.
    """
    tables = matches.tables()
    found = FigureData.of(tables)
    if not tables:
        raise ArenaError("there is no match to draw: play some with `arena tournament`, or name other stores")
    if len(found.series) > 1:
        for kind in KINDS:
            yield kind, lambda kind=kind: tournament_figure(found, kind, columns=columns)  # type: ignore[misc]
    curves = list(pair_curves(matches, tables))
    names = found.settings()
    for setting, name in names.items():
        these = [each for each in curves if each.setting == setting]
        yield from _against(found, these, name, columns)
    for learner in found.looks:
        these = [each for each in curves if each.learner == learner]
        if len(these) > 1:
            name = f"regret-of-{slug(found.names[learner])}"
            yield name, lambda these=these: learner_figure(found, these, names, columns=columns)  # type: ignore[misc]
    if len(tables) <= SINGLE:
        for each in tables:
            players = f"{slug(found.names[each.learner])}-against-{slug(found.names[each.adversary])}"
            name = f"match-{players}-seed-{each.seed}"
            yield name, lambda each=each: _match(matches, each, columns)  # type: ignore[misc]


def _against(found: FigureData, these: Sequence[PairCurve], name: str, columns: Columns) -> Iterator[Drawn]:
    if len(these) > 1:
        yield f"regret-against-{slug(name)}", lambda: against_figure(found, these, name, columns=columns)
    if these:
        yield f"growth-against-{slug(name)}", lambda: against_figure(found, these, name, growth=True, columns=columns)


def _match(matches: Matches, match: Row, columns: Columns) -> Sheet | None:
    try:
        run = matches.transcript(match)
        drawn = [each.theorem for each in run.judgement().verdicts if each.about is not None]
        return run.figure(drawn or "none", columns=columns)
    except ArenaError:  # no round, no regret, or a damaged file, which the report names in a table
        return None


def is_figure(path: Path) -> bool:
    """Return whether a file is a figure that the arena wrote."""
    content = path.read_bytes()
    return content.startswith((b"%PDF", b"\x89PNG", b"<?xml")) and b"regret-arena" in content


def slug(text: str) -> str:
    """Return the text as a part of a file's name, with only letters, digits, dots and hyphens.

    >>> slug("pkawv(degree=3)"), slug("./mine.py:Mine")
    ('pkawv-degree-3', 'mine.py-Mine')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:MOST_CHARACTERS].rstrip("-.") or "unnamed"


def _free(name: str, taken: set[str]) -> str:
    """Return `name`, with a number appended if it is in `taken`."""
    number, free = 2, name
    while free.lower() in {each.lower() for each in taken}:
        number, free = number + 1, f"{name}-{number}"
    return free

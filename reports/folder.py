"""The report of many matches as a folder: an index, and one page for each match that the index shows."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from arena.guards.whole_files import make_folder
from arena.reports.downsampled import columns_for
from arena.reports.match_section import Detail, SectionMaker, in_words
from arena.reports.overview import OverviewPage, gathered
from arena.reports.page import write_page
from arena.reports.pairings import Overview
from arena.reports.round_figures import kept_rounds
from arena.reports.scripts import scripted
from arena.reports.sources import Matches

INDEX = "index.html"
MOST_ON_ONE_PAGE = 300  # matches whose sections fit into one page of two megabytes
FILMED = 24  # matches that have a film, which takes seconds to make: the worst ones
MOST_JOINT = 2000  # largest number of regret curves in the index


def write_matches(matches: Matches, target: Path, *, folder: bool = False, title: str = "", command: str = "") -> Path:
    """Write the report of these matches, and return the path of the page to open.

    - If `folder` is true, the report is a folder of pages at `target`.
    - If there are too many matches for one page, the report is a folder with the name of `target` without `.html`.
    - Otherwise the report is the page `target`.

    `title` is the title of the report, and `command` the command that the report shows as its origin.
    """
    found = gathered(matches)
    if folder or len(found.shown) > MOST_ON_ONE_PAGE:
        return write_folder(matches, found, target if folder else target.with_suffix(""), title=title, command=command)
    with np.errstate(all="ignore"):
        page = OverviewPage(matches, found)
        return write_page(page.html(title, command, page.sections()), target)


def write_folder(matches: Matches, found: Overview, folder: Path, *, title: str = "", command: str = "") -> Path:
    """Write the report of these matches into a folder, and return the path of the index.

    `found` has the pairings and theorems of these matches. The pages of matches are written first, so that no link
    of the index is broken. Pages of an earlier report are replaced; other files stay as they are.
    """
    make_folder(folder)
    with np.errstate(all="ignore"):
        page = OverviewPage(matches, found, address="{}.html")
        title, versions = title or page.own_title(), defaultdict[str, set[str]](set)
        for place, (summary, setting) in enumerate(page.shown()):
            maker = SectionMaker(matches, Detail.alone(filmed=place < FILMED), found.names)
            section = maker.section(summary, setting)
            section.back = f"{INDEX}{page.origin(summary)}"
            data = {"matches": maker.charts, "measures": maker.styles}
            content = {
                "title": title, "headline": section.headline, "section": section, "index": INDEX,
                "versions": in_words(maker.versions),
            }  # fmt: skip
            write_page(scripted("match_page.html.j2", data, content), folder / f"{section.anchor}.html")
            for name, values in maker.versions.items():
                versions[name] |= values
            if place < MOST_JOINT and (match := maker.charts.get(section.anchor)) and match["regret_known"]:
                columns = columns_for(len(page.found.shown))
                page.charts[section.anchor] = match | {"charts": [_thinner(match["charts"][0], columns)]}
                for name in ("measures", "film"):
                    page.charts[section.anchor].pop(name, None)
        page.versions = versions
        return write_page(page.html(title, command, []), folder / INDEX)


def _thinner(chart: dict[str, Any], columns: int) -> dict[str, Any]:
    """Return a smaller copy of a chart, without the chart's bounds and with at most 4 * `columns` rounds."""
    measured = np.array([np.nan if each is None else each for each in chart["measured"]])
    kept = kept_rounds(measured, columns).tolist()
    fewer = {name: [chart[name][at] for at in kept] for name in ("round", "measured")}
    return {name: chart[name] for name in ("quantity", "growth") if name in chart} | fewer | {"bounds": []}

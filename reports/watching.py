"""A report that is written again whenever its matches change; open pages of the report refresh themselves."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arena.guards.whole_files import writing
from arena.reports.overview import OverviewPage
from arena.reports.page import write_page
from arena.reports.pairings import Overview
from arena.reports.scripts import Live
from arena.reports.sources import Matches
from arena.tournament.store_files import MATCHES

MARK = b"regretArenaVersion("


class WatchedReport:
    """A report that is written again when matches are added to its stores and files.

    A small script file beside the page holds the number of the newest version. Open pages load this file repeatedly,
    and reload themselves when the number changes, also pages at `file://` addresses.
    """

    def __init__(self, places: Sequence[Path], page: Path, *, title: str = "", command: str = "", trust: bool = False):
        self.places, self.page, self.trust = places, page, trust
        self.title, self.command = title, command
        self.beside = page.with_name(f"{page.stem}.live.js")
        self.version = ""
        self.matches = 0
        self._seen: object = None
        self._last = ""

    def update(self) -> bool:
        """Write the page if matches were added since the last call; return whether the page was written."""
        seen = self._state()
        if not seen or seen == self._seen:
            return False
        matches = Matches([each for each in self.places if each.exists()], trust=self.trust)
        if not (tables := matches.tables()):
            return False
        found = Overview.of(tables)
        with np.errstate(all="ignore"):
            page = OverviewPage(matches, found)
            sections = page.sections()
            version = str(time.time_ns())
            live = Live(self.beside.name, version)
            newest = page.html(self.title, self.command, sections, live=live)
            self._last = page.html(self.title, self.command, sections)
        self._seen, self.matches, self.version = seen, found.matches, version
        write_page(newest, self.page)
        self._announce()
        return True

    def finish(self) -> bool:
        """Write the last page again as one that no longer refreshes itself; return whether a page was ever written."""
        # no match is read, so this is fast after Ctrl-C
        if not self.version:
            return False
        write_page(self._last, self.page)
        self.version = "the last one"
        self._announce()
        return True

    def _state(self) -> list[tuple[str, int]]:
        """Return the modification times of the files and of the stores' folders.

        Adding a match changes at least one of these times.
        """
        watched = [
            each for place in self.places for each in ([place] if place.is_file() else place.glob(f"{MATCHES}/??"))
        ]
        found = []
        for each in sorted(watched):
            try:
                found.append((str(each), each.stat().st_mtime_ns))
            except OSError:  # removed meanwhile
                continue
        return found

    def _announce(self) -> None:
        with writing(self.beside, lambda head: head.startswith(MARK), durable=False) as file:
            file.write(MARK + json.dumps(self.version).encode() + b");\n")

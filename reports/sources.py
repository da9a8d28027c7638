"""`Matches`: the matches of a report.

A report first reads the summaries of all matches, and then the transcripts one at a time.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.record.judging import promises_of
from arena.record.storage import content_digest
from arena.record.transcript import Transcript
from arena.specs.addresses import names_code
from arena.tournament.playing import KEY, judged_summary
from arena.tournament.store import Store
from arena.tournament.summary import Failed, Summary

KEY_SHOWN = 16  # hexadecimal digits of a match's key that are its name on the page


class Matches:
    """The matches of stores (folders), and of files that `arena play --save` wrote.

    A match that is in several places counts once. Matches in stores are left out if their summaries are missing or
    damaged; `unread` is their number, once all `summaries` have been read.
    """

    def __init__(self, places: Sequence[str | Path], *, trust: bool = False):
        self.trust = trust
        self.unread = 0
        self.stores = [Store(path, trust=trust) for path in map(Path, places) if path.is_dir()]
        self.files = [path for path in map(Path, places) if not path.is_dir()]
        self._stores_of: dict[Path, Store] = {}

    def summaries(self) -> Iterator[Summary]:
        """Yield the summary of each match.

        Transcripts in files are read one at a time. Transcripts in stores are not read.
        """
        seen: set[str] = set()
        self.unread = 0
        for store in self.stores:
            read = 0
            for summary in store.summaries():
                read += 1
                if summary.key not in seen:
                    seen.add(summary.key)
                    self._stores_of[summary.path] = store
                    yield summary
            self.unread += len(store.keys()) - read
        for path in self.files:
            summary = self._summary_of_file(path)
            if summary.key not in seen:
                seen.add(summary.key)
                yield summary

    def failures(self) -> Iterator[Failed]:
        """Yield a `Failed` for each match in the stores that could not be played."""
        for store in self.stores:
            yield from store.failures()

    def transcript(self, summary: Summary) -> Transcript:
        """Return the transcript of a match.

        An `ArenaError` is raised if the file is damaged, or needs code that is not trusted.
        """
        store = self._stores_of.get(summary.path)
        return store.transcript(summary.key) if store else Transcript.load(summary.path, trust=self.trust)

    def bounds_of(self, summary: Summary) -> list[str]:
        """Return the theorems by which a match was judged, except theorems whose code is not trusted."""
        return [text for text in summary.versions if self.trust or not names_code(text)]

    def _summary_of_file(self, path: Path) -> Summary:
        run = Transcript.load(path, trust=self.trust)
        digest = content_digest(run)
        key: Any = run.header.get(KEY)
        name = key if isinstance(key, str) and key else digest
        summary = judged_summary(run, name, promises_of(run), content=digest)
        return dataclasses.replace(summary, path=path)


def anchor(summary: Summary) -> str:
    """Return the HTML id of a match's section: `match-` and the first digits of the match's key.

    A key that is not a hash is hashed first.
    """
    key = summary.key if re.fullmatch(r"[0-9a-f]{16,}", summary.key) else sha256(summary.key.encode()).hexdigest()
    return f"match-{key[:KEY_SHOWN]}"


def checked(places: Sequence[str | Path]) -> None:
    """Raise an `ArenaError` if one of these files and folders does not exist."""
    for place in places:
        if not Path(place).exists():
            raise ArenaError(
                f"there is no {place}: name the folder of a store, or a file of `arena play --save`. "
                "This makes a store: arena tournament krr kernel-awv --against alternating greedy"
            )

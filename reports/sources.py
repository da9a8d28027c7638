"""`Matches`: the matches of a report.

A report first reads the judgements of all matches, and then the transcripts one at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.record.storage import content_digest
from arena.record.tables import Entry, JudgedMatch, Row, Tables
from arena.record.transcript import Transcript
from arena.tournament.playing import KEY, Failed
from arena.tournament.store import Store

KEY_SHOWN = 16  # hexadecimal digits of a match's key that are its name on the page


class Matches:
    """The matches of stores (folders), and of files that `arena play --save` wrote.

    A match that is in several places counts once. Matches in stores are left out if their judgements are missing or
    damaged; `unread` is their number, once the `tables` have been read.
    """

    def __init__(self, places: Sequence[str | Path], *, trust: bool = False):
        self.trust = trust
        self.unread = 0
        self.stores = [Store(path, trust=trust) for path in map(Path, places) if path.is_dir()]
        self.files = [path for path in map(Path, places) if not path.is_dir()]
        self._stores_of: dict[str, Store] = {}

    def tables(self) -> Tables:
        """Return the tables of all matches."""
        tables, seen = Tables(), set[str]()
        self.unread = 0
        for store in self.stores:
            found = store.tables()
            for row in found:
                if row.key not in seen:
                    seen.add(row.key)
                    self._stores_of[str(row.path)] = store
                    tables.add(row.entry, str(row.path))
            self.unread += len(store.keys()) - len(found)
        for path in self.files:
            entry = self._entry_of_file(path)
            if entry.values["key"] not in seen:
                seen.add(entry.values["key"])
                tables.add(entry, str(path))
        return tables

    def failures(self) -> Iterator[Failed]:
        """Yield a `Failed` for each match in the stores that could not be played."""
        for store in self.stores:
            yield from store.failures()

    def transcript(self, match: Row) -> Transcript:
        """Return the transcript of a match.

        An `ArenaError` is raised if the file is damaged, or needs code that is not trusted.
        """
        store = self._stores_of.get(str(match.path))
        return store.transcript(match.key) if store else Transcript.load(match.path, trust=self.trust)

    def _entry_of_file(self, path: Path) -> Entry:
        run = Transcript.load(path, trust=self.trust)
        digest = content_digest(run)
        key: Any = run.header.get(KEY)
        predicted = sha256(run.predictions.tobytes()).hexdigest()  # of another version of the learner's code
        name = key if isinstance(key, str) and key else sha256(f"{digest}{predicted}".encode()).hexdigest()
        return Entry.of(JudgedMatch(run, run.judgement(), name, None, digest))


def anchor(match: Row) -> str:
    """Return the HTML id of a match's section: `match-` and the first digits of the match's key.

    A key that is not a hash is hashed first.
    """
    key = match.key if re.fullmatch(r"[0-9a-f]{16,}", match.key) else sha256(match.key.encode()).hexdigest()
    return f"match-{key[:KEY_SHOWN]}"

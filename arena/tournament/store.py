"""A folder of matches: transcripts named by the key of what determines them, and what is known of each beside it.

    matches/ab/KEY.npz     the transcript
    verdicts/ab/KEY.json   its summary: last values, verdicts, versions of the theorems
    failures/ab/KEY.json   instead of the two: a match that could not be played, with the reason

`ab` are the first two digits of the key. Every file is written under another name and then renamed, so that several
processes, also on several machines, may write into one folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.tournament.summary import Failed as Failed
from arena.tournament.summary import Summary as Summary


@dataclass(frozen=True)
class Verified:
    """Result of `Store.verify` and `Store.merge`.

    `matches` counts the sound matches; `damaged` lists files of the store that were torn or changed and are set aside,
    `foreign` those that the arena did not write, which stay where they are; each with the reason.
    """

    matches: int
    damaged: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


class Store:
    """The matches kept in a folder. Transcripts may name code of your own, which is run only with `trust`."""

    def __init__(self, folder: str | Path, *, trust: bool = False):
        self.folder = Path(folder)
        self.trust = trust

    def summaries(self) -> Iterator[Summary]:
        """Yield the summary of each match, in the order of the keys; no transcript is read."""
        raise NotImplementedError

    def failures(self) -> Iterator[Failed]:
        """Yield the matches that could not be played, in the order of the keys."""
        raise NotImplementedError

    def verify(self) -> Verified:
        """Read every file whole; set aside the damaged ones, report the foreign ones."""
        raise NotImplementedError

    def merge(self, other: Store) -> Verified:
        """Copy the matches of another store that this one lacks."""
        raise NotImplementedError

    def gc(self, keep: Callable[[Summary], bool]) -> int:
        """Delete the matches that are not kept, and what interrupted writers left; return the number of matches."""
        raise NotImplementedError

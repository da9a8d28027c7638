"""`StoreFiles`: paths of the files in a store, damaged and foreign files, and the records of failures."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, DamagedFile
from arena.guards.whole_files import head_of, make_folder, reason, refuse_address, writing
from arena.record.storage import is_transcript
from arena.record.transcript import Transcript
from arena.tournament.entries import entry_bytes, is_entry, read_entry
from arena.tournament.file_checks import AGAIN, key_in
from arena.tournament.plan import PlannedMatch
from arena.tournament.playing import Played
from arena.tournament.summary import Failed, Summary

MATCHES, VERDICTS, FAILURES, DAMAGED = "matches", "verdicts", "failures", "damaged"
SUFFIXES = {MATCHES: ".npz", VERDICTS: ".json", FAILURES: ".json"}
OURS = {MATCHES: is_transcript, VERDICTS: is_entry, FAILURES: is_entry}  # recognise the arena's files by first bytes
LEFT = 3600.0  # seconds after which a temporary file is taken for the rest of a killed process


class StoreFiles(ABC):
    """The folder in which a tournament keeps its matches and failures, in files that are named by the matches' keys.

    A subclass decides what is kept of a match, such as its transcript (`Store`) or only its curves.

    - `damaged` describes files that were moved to damaged/, and `foreign` files that the arena did not write.
    - `pack` is a function that makes the bytes of a match's file; it is called in the process that plays the match.
    """

    pack: Callable[[Transcript], bytes]

    def __init__(self, folder: str | Path):
        refuse_address(folder)
        self.folder = Path(folder)
        self.damaged: list[str] = []
        self.foreign: list[str] = []
        if self.folder.exists() and not self.folder.is_dir():
            raise ArenaError(f"{folder} is not a folder: name the folder of a store, or a new one")

    # ---- matches

    @abstractmethod
    def has(self, key: str) -> bool:
        """Return whether there is a file of the match with this key; only `find` checks the file's content."""

    @abstractmethod
    def find(self, match: PlannedMatch, claims: Any = "auto", comparators: Sequence[Any] = ()) -> Summary | None:
        """Return the summary of a match; None if its files are missing or damaged.

        The summary has verdicts on the theorems `claims`, and the regrets to `comparators`.
        """

    @abstractmethod
    def summaries(self) -> Iterator[Summary]:
        """Yield the summaries of all matches, in the order of the keys; missing or damaged summaries are left out."""

    @abstractmethod
    def add(self, match: PlannedMatch, played: Played) -> Summary:
        """Write the files of a match, remove the record of its failure, and return its summary."""

    # ---- failures

    def failures(self) -> Iterator[Failed]:
        """Yield the matches that could not be played, in the order of the keys."""
        for key in self._keys(FAILURES):
            if (failure := self.failure(key)) is not None:
                yield failure

    def failure(self, key: str) -> Failed | None:
        """Return the record of a match that could not be played; None if there is no record, or a damaged one.

        The file of a damaged record is moved to damaged/.
        """
        if not (path := self._path(FAILURES, key)).exists():
            return None
        try:
            return Failed(**read_entry(path, "failure")["failure"])
        except (DamagedFile, TypeError, KeyError) as error:
            self._set_aside(FAILURES, path, str(error))
        except ArenaError:  # another process has deleted it
            pass
        return None

    def add_failure(self, match: PlannedMatch, failure: Failed) -> None:
        """Record that a match could not be played."""
        values = {"determined": match.determined, "failure": dataclasses.asdict(failure)}
        with writing(self._place(FAILURES, match.key), is_entry, durable=False) as file:
            file.write(entry_bytes("failure", values))

    # ---- the folder

    def prepare(self) -> None:
        """Make the folder; raise an `ArenaError` if it cannot be written, or has files but is not a store."""
        marker = self.folder / "store.json"
        try:
            inside = {path.name for path in self.folder.iterdir()} if self.folder.exists() else set()
            others = {name for name in inside - {MATCHES, VERDICTS, FAILURES, DAMAGED} if not name.endswith(".part")}
            if others and not marker.exists() and MATCHES not in inside:
                raise ArenaError(f"{self.folder} holds other files, and is no store: name a new folder")
        except OSError as error:
            raise ArenaError(f"cannot read {self.folder}: {reason(error)}. Choose another folder.") from None
        make_folder(self.folder)
        with writing(marker, is_entry) as file:  # it also tests whether the folder can be written
            file.write(entry_bytes("store", {"format": 1}))

    def _delete_leftovers(self) -> None:
        """Delete the files in damaged/, and temporary files that have not changed for an hour."""
        now = time.time()
        for kind in SUFFIXES:
            for path in self.folder.glob(f"{kind}/??/.*.part"):
                with contextlib.suppress(OSError):
                    if now - path.stat().st_mtime > LEFT:
                        path.unlink()
        for path in self.folder.glob(f"{DAMAGED}/*"):
            path.unlink(missing_ok=True)

    def _report_foreign(self) -> None:
        """Add to `foreign` the files in the folder that do not have the name of a store's file."""
        for path in sorted(self.folder.rglob("*")):
            parts = path.relative_to(self.folder).parts
            named = len(parts) == 3 and parts[0] in SUFFIXES and key_in(path, SUFFIXES[parts[0]])
            ours = named or parts[0] == DAMAGED or parts == ("store.json",) or path.name.endswith(".part")
            if path.is_file() and not ours:
                self.foreign.append(f"{path} is not a file of the store")

    # ---- places

    def _path(self, kind: str, key: str, mark: str = "") -> Path:
        path = Path(f"{self.folder}/{kind}/{key[:2]}/{key}{mark}{SUFFIXES[kind]}")
        return path if mark or self._is_ours(kind, path) else self._path(kind, key, AGAIN)

    def _existing(self, kind: str, key: str) -> Path | None:
        path = self._path(kind, key)
        return path if path.exists() else None

    def _place(self, kind: str, key: str) -> Path:
        """Return the path of the file with this key in the folder `kind`; make the folders on the path."""
        path = self._path(kind, key)
        make_folder(path.parent)
        return path

    def _is_ours(self, kind: str, path: Path) -> bool:
        """Return False, and add a note to `foreign`, if `path` exists and the arena did not write it; else return True.

        `kind` is the folder of the file, which determines how its first bytes look.
        """
        try:
            ours = not (head := head_of(path)) or OURS[kind](head)
        except IsADirectoryError:
            ours = False
        except OSError:  # there is no file, or it may not be read
            return True
        if not ours:
            note = f"{path} was not written by the arena; it stays, and the match is kept beside it"
            if note not in self.foreign:
                self.foreign.append(note)
        return ours

    def _set_aside(self, kind: str, path: Path, why: str) -> None:
        self.damaged.append(why)
        with contextlib.suppress(OSError):
            (self.folder / DAMAGED).mkdir(exist_ok=True)
            unique = f"{path.name}.{kind}.{os.getpid()}.{time.time_ns()}"
            path.rename(self.folder / DAMAGED / unique)

    def _keys(self, kind: str) -> list[str]:
        suffix = SUFFIXES[kind]
        found = {key_in(path, suffix) for path in self.folder.glob(f"{kind}/??/*{suffix}")}
        return sorted(found - {""})

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
from arena.record.tables import Entry
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.tournament.entries import entry_bytes, is_entry, read_entry
from arena.tournament.plan import PlannedMatch
from arena.tournament.playing import Failed, Played

MATCHES, CURVES, FAILURES, DAMAGED = "matches", "verdicts", "failures", "damaged"
SUFFIXES = {MATCHES: ".npz", CURVES: ".json", FAILURES: ".json"}
OURS = {MATCHES: is_transcript, CURVES: is_entry, FAILURES: is_entry}  # recognise the arena's files by first bytes
AGAIN = ".again"  # added to a file's name if a foreign file has the usual name
LEFT = 3600.0  # seconds after which a temporary file is taken for the rest of a killed process


class StoreFiles(ABC):
    """The folder in which a tournament keeps its matches and failures, in files that are named by the matches' keys.

    A subclass decides what is kept of a match, such as its transcript (`Store`) or only its curves.

    - `damaged` describes files that were moved to damaged/, and `foreign` files that the arena did not write.
    - `pack` is called in the process that plays the match, before it is judged. It returns a function that makes the
      bytes of the match's file, given the match's judgement (`Entry.content`).
    """

    pack: Callable[[Transcript], Callable[[bytes], bytes]]

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
    def find(
        self,
        match: PlannedMatch,
        claims: Any = "auto",
        comparators: Sequence[Any] = (),
        promised: Sequence[Theorem] = (),
    ) -> tuple[Entry, Path] | None:
        """Return the entry and the file of a match; None if its file is missing or damaged.

        The entry has verdicts on the theorems `claims`, and the regrets to `comparators`. `promised` are theorems that
        the learner promises, if the learner was built.
        """

    @abstractmethod
    def add(self, match: PlannedMatch, played: Played) -> tuple[Entry, Path]:
        """Write the file of a match, remove the record of its failure, and return its entry and its file."""

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
            others = {name for name in inside - {MATCHES, CURVES, FAILURES, DAMAGED} if not name.endswith(".part")}
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

    def _files(self, kind: str) -> Iterator[tuple[str, Path]]:
        """Yield each key with its file, in the order of the keys."""
        found = ((key, self._existing(kind, key)) for key in self._keys(kind))
        yield from ((key, path) for key, path in found if path is not None)

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


def key_in(path: Path, suffix: str) -> str:
    """Return the key in the name of a store's file that ends in `suffix`, such as ".npz"; empty for other files."""
    key = path.name.removesuffix(suffix).removesuffix(AGAIN)
    own = len(key) == 64 and not set(key) - set("0123456789abcdef") and path.parent.name == key[:2]
    return key if own and path.name.endswith(suffix) else ""

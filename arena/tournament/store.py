"""A folder of matches: transcripts and summaries, in files that are named by the matches' keys.

    matches/ab/KEY.npz     the transcript
    verdicts/ab/KEY.json   its summary: last values, verdicts, versions of the theorems
    failures/ab/KEY.json   in place of these two files, if the match could not be played: the reason
    damaged/               files of the store that were incomplete or changed

KEY is the hash of everything that determines the match, and `ab` its first two digits. Processes on several machines
may write into one folder: every file is written under another name and then renamed. A match whose file is incomplete,
for instance after a power failure, is played again. A file KEY.npz that the arena did not write is not overwritten; the
match is then kept as KEY.again.npz.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.engine.code_transfer import places_in
from arena.errors import ArenaError, DamagedFile
from arena.guards.whole_files import writing
from arena.record.fields import LOWER_BOUNDS
from arena.record.judging import theorems_named
from arena.record.storage import (
    content_digest,
    header_and_content,
    is_transcript,
    load_transcript,
    seal_of,
    transcript_bytes,
)
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.specs.spelling import spec_text
from arena.tournament.entries import entry_bytes, is_entry, read_entry
from arena.tournament.export import frame
from arena.tournament.file_checks import Verified, check_is_of
from arena.tournament.plan import PlannedMatch
from arena.tournament.playing import KEY, Played, judged_summary, version_of
from arena.tournament.store_files import FAILURES, MATCHES, OURS, VERDICTS, StoreFiles
from arena.tournament.summary import Summary


class Store(StoreFiles):
    """The matches that are kept in a folder; see also `StoreFiles`.

    Specs in transcripts may name code outside the arena. `trust` says which of it may run: none (False), all (True), or
    the code in a collection of files and modules.
    """

    pack: Callable[[Transcript], bytes] = staticmethod(transcript_bytes)

    def __init__(self, folder: str | Path, *, trust: bool | Collection[str] = False):
        super().__init__(folder)
        self.trust = trust
        self._unwritten: dict[str, Summary] = {}
        self._versions: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}  # keys: claims and promised theorems

    # ---- reading

    def keys(self) -> list[str]:
        """Return the keys of all matches, sorted; no file is opened."""
        return self._keys(MATCHES)

    def has(self, key: str) -> bool:
        return self._existing(MATCHES, key) is not None

    def summaries(self) -> Iterator[Summary]:
        for key in self._keys(VERDICTS):
            if key in self._unwritten:
                yield self._unwritten[key]
                continue
            with contextlib.suppress(ArenaError, KeyError, TypeError, ValueError):
                if (transcript := self._existing(MATCHES, key)) is not None:
                    yield Summary.from_json(read_entry(self._path(VERDICTS, key), "summary")["summary"], transcript)

    def frame(self) -> dict[str, Any]:
        """Return a mapping from names to columns, for `pandas.DataFrame` or `polars.DataFrame`; each match is a row."""
        return frame(self.summaries())

    def transcript(self, key: str) -> Transcript:
        """Return the transcript of the match with this key.

        Raise `DamagedFile` if the file is damaged or belongs to another match, and `ArenaError` if there is no file.
        """
        path = self._existing(MATCHES, key)
        if path is None:
            raise ArenaError(f"{self.folder} has no match {key}")
        header, _ = self._header_and_content(key, path)
        game = header["game"]
        named = [*header["theorems"], *header.get(LOWER_BOUNDS, ()), game["kernel"], game["loss"]]
        return load_transcript(path, trust=self._trusts(named))

    def _header_and_content(self, key: str, path: Path) -> tuple[dict[str, Any], str]:
        header, content = header_and_content(path)
        if header["circumstances"].get(KEY) != key:
            raise DamagedFile(f"{path} is not the match that its name says: it was not written there by the arena")
        return header, content

    def _trusts(self, texts: Collection[str]) -> bool:
        """Return whether all code outside the arena that these specs name is trusted."""
        if isinstance(self.trust, bool):
            return self.trust
        return places_in(texts) <= set(self.trust)

    def find(self, match: PlannedMatch, claims: Any = "auto", comparators: Sequence[Any] = ()) -> Summary | None:
        """Return the summary of a match; None if the match's transcript file is missing or damaged.

        The summary has verdicts on the theorems `claims`, and the regrets to `comparators`. If the kept summary lacks
        any of these or is out of date, the match is judged again. A damaged file is moved to damaged/.
        """
        path = self._existing(MATCHES, match.key)
        if path is None:
            return None
        try:
            seal = seal_of(path)
            known = self._known(match.key, path, seal)
            names = {spec_text(each) for each in comparators}
            if known is None or not names <= known.comparators.keys() or self._outdated(known, claims):
                known = self._judged(match, path, seal, known, claims, comparators)
            check_is_of(match, known)
            return known
        except DamagedFile as error:
            self._set_aside(MATCHES, path, str(error))
            return None

    def _known(self, key: str, path: Path, seal: str) -> Summary | None:
        """Return the kept summary of the transcript file `path`, whose hash is `seal`.

        The result is None if the summary is missing or damaged, lacks fields, or belongs to a file with another hash.
        """
        beside = self._path(VERDICTS, key)
        try:
            values = read_entry(beside, "summary")
            current = values["seal"] == seal and Summary.is_current(values["summary"])
            return Summary.from_json(values["summary"], path) if current else None
        except (DamagedFile, KeyError, TypeError) as error:
            self._set_aside(VERDICTS, beside, str(error))
        except ArenaError:  # there is no summary
            pass
        return None

    def _outdated(self, known: Summary, claims: Any) -> bool:
        at = (claims, known.promised)
        versions = self._versions.get(at) if isinstance(claims, str) else None
        if versions is None:
            theorems = theorems_named(claims, self._theorems(known.promised))
            versions = {spec_text(each): version_of(each) for each in theorems}
            if isinstance(claims, str):
                self._versions[at] = versions
        return not versions.items() <= known.versions.items()

    def _theorems(self, texts: Collection[str]) -> list[Theorem]:
        """Return the theorems with these specs; a theorem whose code is not trusted is left out."""
        return [build("theorem", text) for text in texts if ":" not in text or self._trusts([text])]

    def _judged(
        self,
        match: PlannedMatch,
        path: Path,
        seal: str,
        known: Summary | None,
        claims: Any,
        comparators: Sequence[Any],
    ) -> Summary:
        """Judge a kept match by `claims` and by the theorems of its summary `known`; write and return a new summary."""
        run = self.transcript(match.key)
        run.comparators = tuple(comparators)
        check_is_of(match, run)
        theorems = theorems_named(claims, self._theorems(run.theorems))
        before = self._theorems(list(known.versions)) if known else []
        theorems = list({spec_text(each): each for each in (*theorems, *before)}.values())
        digest = content_digest(run)
        run.promised_from_below = tuple(self._theorems(run.lower_bounds))
        run.lower_bounds = tuple(map(spec_text, run.promised_from_below))  # `lower_bounds_of` builds no others
        summary = judged_summary(run, match.key, theorems, content=digest)
        if known:
            kept = known.comparators | summary.comparators
            summary = dataclasses.replace(summary, match_seconds=known.match_seconds, comparators=kept)
        summary = dataclasses.replace(summary, path=path)
        try:
            self._write_summary(summary, match.determined, seal)
        except ArenaError:  # the store can be read but not written
            self._unwritten[match.key] = summary
        return summary

    # ---- writing

    def add(self, match: PlannedMatch, played: Played) -> Summary:
        assert played.file is not None
        path = self._place(MATCHES, match.key)
        with writing(path, is_transcript, durable=False) as file:
            file.write(played.file)
        summary = dataclasses.replace(played.summary, path=path)
        self._write_summary(summary, match.determined, played.file[-64:].decode())
        self._path(FAILURES, match.key).unlink(missing_ok=True)
        return summary

    def _write_summary(self, summary: Summary, determined: dict[str, Any], seal: str) -> None:
        values = {"determined": determined, "seal": seal, "summary": summary.as_json()}
        with writing(self._place(VERDICTS, summary.key), is_entry, durable=False) as file:
            file.write(entry_bytes("summary", values))
        # Two tournaments that play the same match overwrite each other's files.
        with contextlib.suppress(ArenaError):  # the file was deleted
            if (there := seal_of(summary.path)) != seal:
                self._write_summary(summary, determined, there)

    def merge(self, other: Store) -> Verified:
        """Copy from another store the matches that this store lacks, except for damaged ones; return a report."""
        self.prepare()
        copied, damaged = 0, []
        for key in other.keys():  # noqa: SIM118 a store is no mapping
            if self._existing(MATCHES, key) is not None:
                continue
            try:
                source = other._existing(MATCHES, key)
                assert source is not None
                other._header_and_content(key, source)
                values = read_entry(other._path(VERDICTS, key), "summary")
                if values["seal"] != seal_of(source):
                    raise DamagedFile(f"{source} is not the file that its summary describes")
            except DamagedFile as error:
                damaged.append(str(error))
                continue
            except ArenaError as error:
                damaged.append(f"{key}: {error}")
                continue
            for kind, path in ((MATCHES, source), (VERDICTS, other._path(VERDICTS, key))):
                with writing(self._place(kind, key), OURS[kind], durable=False) as file:
                    file.write(path.read_bytes())
            copied += 1
        return Verified(copied, tuple(damaged), tuple(self.foreign))

    def gc(self, keep: Callable[[Summary], bool] = lambda _: True) -> int:
        """Delete leftovers, and matches for which `keep` returns False; return the number of deleted matches.

        Leftovers are the files in damaged/, and temporary files that have not changed for an hour.
        """
        deleted = 0
        for summary in list(self.summaries()):
            if not keep(summary):
                for path in (summary.path, self._path(VERDICTS, summary.key), self._path(FAILURES, summary.key)):
                    path.unlink(missing_ok=True)
                deleted += 1
        self._delete_leftovers()
        return deleted

    # ---- checking

    def verify(self) -> Verified:
        """Read all files completely and move damaged files to damaged/; return a report with the store's digest."""
        content, sound = hashlib.sha256(), 0
        for key in self.keys():
            path = self._existing(MATCHES, key)
            if path is None:
                continue
            try:
                _, digest = self._header_and_content(key, path)
            except DamagedFile as error:
                self._set_aside(MATCHES, path, str(error))
                continue
            if self._known(key, path, seal_of(path)) is None:
                self.damaged.append(f"{path} has no summary: run its tournament again, which makes it")
            sound += 1
            content.update(f"{key} {digest}\n".encode())
        for key in self._keys(FAILURES):
            self.failure(key)
        self._report_foreign()
        return Verified(sound, tuple(self.damaged), tuple(dict.fromkeys(self.foreign)), content.hexdigest())

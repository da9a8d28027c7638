"""A folder of matches: transcripts with their judgements, in files that are named by the matches' keys.

    matches/ab/KEY.npz     the transcript, with the match's row and judgement
    failures/ab/KEY.json   in place of this file, if the match could not be played: the reason
    damaged/               files of the store that were incomplete or changed

KEY is the hash of everything that determines the match, and `ab` its first two digits. Processes on several machines
may write into one folder: every file is written under another name and then renamed. A match whose file is incomplete,
for instance after a power failure, is played again. A file KEY.npz that the arena did not write is not overwritten; the
match is then kept as KEY.again.npz.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.engine.code_transfer import places_in
from arena.errors import ArenaError, DamagedFile
from arena.guards.whole_files import writing
from arena.record.fields import LOWER_BOUNDS
from arena.record.judging import judgement_of, theorems_named, version_of
from arena.record.storage import (
    check_seal,
    content_digest,
    digest_of_content,
    is_transcript,
    load_transcript,
    read_judgement,
    read_whole,
    transcript_bytes,
    with_judgement,
)
from arena.record.tables import Entry, JudgedMatch, Row, Tables
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.specs.spelling import spec_text
from arena.tournament.export import frame
from arena.tournament.plan import PlannedMatch
from arena.tournament.playing import KEY, Played
from arena.tournament.store_files import FAILURES, MATCHES, OURS, StoreFiles


@dataclass(frozen=True)
class Verified:
    """The result of `Store.verify` or `Store.merge`.

    - `matches` is the number of sound matches: their transcripts are whole, and belong to the keys in the files' names.
      For `merge` it is the number of copied matches.
    - `damaged` describes matches without a judgement, and files that are incomplete or changed.
    - `foreign` describes files that the arena did not write.
    - `digest` is a hash of the keys and contents of the sound matches, without times; empty for `merge`. Stores with
      equal digests have the same moves.
    """

    matches: int
    damaged: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    digest: str = ""


def packed(transcript: Transcript) -> Callable[[bytes], bytes]:
    """Return a function that makes the content of a match's file, given the match's judgement."""
    return functools.partial(with_judgement, transcript_bytes(transcript))


class Store(StoreFiles):
    """The matches that are kept in a folder; see also `StoreFiles`.

    Specs in transcripts may name code outside the arena. `trust` says which of it may run: none (False), all (True), or
    the code in a collection of files and modules.
    """

    pack: Callable[[Transcript], Callable[[bytes], bytes]] = staticmethod(packed)

    def __init__(self, folder: str | Path, *, trust: bool | Collection[str] = False):
        super().__init__(folder)
        self.trust = trust

    # ---- reading

    def keys(self) -> list[str]:
        """Return the keys of all matches, sorted; no file is opened."""
        return self._keys(MATCHES)

    def has(self, key: str) -> bool:
        return self._existing(MATCHES, key) is not None

    def tables(self) -> Tables:
        """Return the tables of all matches, in the order of the keys; matches without a judgement are left out."""
        tables = Tables()
        for _, path in self._files(MATCHES):
            with contextlib.suppress(ArenaError):
                if (entry := _entry(path)) is not None:
                    tables.add(entry, str(path))
        return tables

    def summaries(self) -> Iterator[Row]:
        """Yield the rows of all matches, in the order of the keys; matches without a judgement are left out."""
        yield from self.tables()

    def frame(self) -> dict[str, Any]:
        """Return a mapping from names to columns, for `pandas.DataFrame` or `polars.DataFrame`; each match is a row."""
        return frame(self.tables())

    def transcript(self, key: str) -> Transcript:
        """Return the transcript of the match with this key.

        Raise `DamagedFile` if the file is damaged or belongs to another match, and `ArenaError` if there is no file.
        """
        path = self._existing(MATCHES, key)
        if path is None:
            raise ArenaError(f"{self.folder} has no match {key}")
        return load_transcript(path, trust=functools.partial(self._may_run, key, path))

    def _may_run(self, key: str, path: Path, header: dict[str, Any]) -> bool:
        """Return whether all code outside the arena that a file names is trusted; the file must be that of the key."""
        _check_key(header, key, path)
        game = header["game"]
        return self._trusts([*header["theorems"], *header.get(LOWER_BOUNDS, ()), game["kernel"], game["loss"]])

    def _trusts(self, texts: Collection[str]) -> bool:
        """Return whether all code outside the arena that these specs name is trusted."""
        if isinstance(self.trust, bool):
            return self.trust
        return places_in(texts) <= set(self.trust)

    def find(
        self,
        match: PlannedMatch,
        claims: Any = "auto",
        comparators: Sequence[Any] = (),
        promised: Sequence[Theorem] = (),
    ) -> tuple[Entry, Path] | None:
        """Return the entry and the file of a match; None if its file is missing or damaged.

        The entry has verdicts on the theorems `claims`, and the regrets to `comparators`. If the kept judgement lacks
        any of these or is out of date, the match is judged again. The file keeps verdicts on other theorems, too. A
        damaged file is moved to damaged/.
        """
        path = self._existing(MATCHES, match.key)
        if path is None:
            return None
        try:
            check_seal(path)
            entry = None
            with contextlib.suppress(DamagedFile):  # a judgement of another version
                entry = _entry(path)
            names = {spec_text(each) for each in comparators}
            if (
                entry is None
                or not names <= entry.values["comparators"].keys()
                or self._is_outdated(entry, claims, promised)
            ):
                entry = self._judged(match, path, entry, claims, comparators, promised)
            _check_is_of(match, entry.values)
            return self._claimed(entry, claims, promised), path
        except DamagedFile as error:
            self._set_aside(MATCHES, path, str(error))
            return None

    def _claimed(self, entry: Entry, claims: Any, promised: Sequence[Theorem]) -> Entry:
        """Return the entry as it is judged by `claims` alone."""
        listed = claims if isinstance(claims, (list, tuple)) else [claims]
        texts = [each if isinstance(each, str) else spec_text(each) for each in listed]
        theorems = theorems_named(claims, self._theorems(entry.values["promised"], promised))
        own = entry.values["promised"] if "auto" in texts else ()  # also those that may not be built here
        return entry.claimed({*map(spec_text, theorems), *own}, texts)

    def _is_outdated(self, entry: Entry, claims: Any, promised: Sequence[Theorem]) -> bool:
        """Return whether the entry lacks a verdict on a claimed theorem, or has one on another version of it."""
        theorems = theorems_named(claims, self._theorems(entry.values["promised"], promised))
        known = {each.theorem: each.version for each in entry.judgement.on_theorems}
        return not {spec_text(each): version_of(each) for each in theorems}.items() <= known.items()

    def _theorems(self, texts: Collection[str], built: Sequence[Theorem] = ()) -> list[Theorem]:
        """Return the theorems with these specs, except those that are not `built` and whose code is not trusted."""
        known = {spec_text(each): each for each in built}
        found = (known.get(text) or self._theorem(text) for text in texts)
        return [each for each in found if each is not None]

    @functools.cache  # noqa: B019 - a store lives as long as the tournament
    def _theorem(self, text: str) -> Theorem | None:
        own = ":" in text or text.startswith("<")
        theorem: Theorem | None = None if own and not self._trusts([text]) else build("theorem", text)
        return theorem

    def _judged(
        self,
        match: PlannedMatch,
        path: Path,
        known: Entry | None,
        claims: Any,
        comparators: Sequence[Any],
        promised: Sequence[Theorem],
    ) -> Entry:
        """Judge a kept match by `claims` and by the claims of its entry `known`; keep and return the new entry."""
        run = self.transcript(match.key)
        run.comparators = tuple(comparators)
        _check_is_of(match, vars(run))
        digest = content_digest(run)
        run.promised, run.promised_from_below = (
            tuple(self._theorems(run.theorems, promised)), tuple(self._theorems(run.lower_bounds)),
        )  # fmt: skip
        claimed = list(claims) if isinstance(claims, (list, tuple)) else [claims]
        before = [] if known is None else [each for each in known.judgement.claims if each not in claimed]
        wanted = [each for each in (*claimed, *before) if each != "none"] or ["none"]
        judgement = judgement_of(run, wanted, lower=True)
        seconds = None if known is None else known.values["match_seconds"]
        entry = Entry.of(JudgedMatch(run, judgement, match.key, seconds, digest))
        if known is not None:
            entry = entry.with_comparators(known)
        with (
            contextlib.suppress(ArenaError),
            writing(path, is_transcript, durable=False) as file,
        ):  # it may be read-only
            file.write(with_judgement(path.read_bytes(), entry.content()))
        return entry

    # ---- writing

    def add(self, match: PlannedMatch, played: Played) -> tuple[Entry, Path]:
        assert played.file is not None
        path = self._place(MATCHES, match.key)
        with writing(path, is_transcript, durable=False) as file:
            file.write(played.file)
        self._path(FAILURES, match.key).unlink(missing_ok=True)
        return Entry.read(played.entry), path

    def merge(self, other: Store) -> Verified:
        """Copy from another store the matches that this store lacks, except for damaged ones; return a report."""
        self.prepare()
        copied, damaged = 0, []
        for key, source in other._files(MATCHES):
            if self.has(key):
                continue
            try:
                _check_key(read_whole(source)[0], key, source)
            except DamagedFile as error:
                damaged.append(str(error))
                continue
            except ArenaError as error:
                damaged.append(f"{key}: {error}")
                continue
            with writing(self._place(MATCHES, key), OURS[MATCHES], durable=False) as file:
                file.write(source.read_bytes())
            copied += 1
        return Verified(copied, tuple(damaged), tuple(self.foreign))

    def gc(self, keep: Callable[[Row], bool] = lambda _: True) -> int:
        """Delete leftovers, and matches for which `keep` returns False; return the number of deleted matches.

        Leftovers are the files in damaged/, and temporary files that have not changed for an hour.
        """
        deleted = 0
        for match in self.tables():
            if not keep(match):
                for path in (match.path, self._path(FAILURES, match.key)):
                    path.unlink(missing_ok=True)
                deleted += 1
        self._delete_leftovers()
        return deleted

    # ---- checking

    def verify(self) -> Verified:
        """Read all files completely and move damaged files to damaged/; return a report with the store's digest."""
        content, sound = hashlib.sha256(), 0
        for key, path in self._files(MATCHES):
            try:
                header, arrays, judgement = read_whole(path)
                _check_key(header, key, path)
            except DamagedFile as error:
                self._set_aside(MATCHES, path, str(error))
                continue
            try:
                Entry.read(judgement or b"{}")
            except DamagedFile:
                self.damaged.append(f"{path} has no judgement: run its tournament again, which makes it")
            sound += 1
            content.update(f"{key} {digest_of_content(header, arrays)}\n".encode())
        list(self.failures())  # damaged records are moved
        self._report_foreign()
        return Verified(sound, tuple(self.damaged), tuple(dict.fromkeys(self.foreign)), content.hexdigest())


def _entry(path: Path) -> Entry | None:
    judgement = read_judgement(path)
    return None if judgement is None else Entry.read(judgement)


def _check_key(header: dict[str, Any], key: str, path: Path) -> None:
    if header["circumstances"].get(KEY) != key:
        raise DamagedFile(f"{path} is not the match that its name says: it was not written there by the arena")


def _check_is_of(match: PlannedMatch, found: Any) -> None:
    """Raise `DamagedFile` if the match in a file has another learner, adversary or seed than the planned match."""
    planned = *match.names, match.seed
    there = found["learner"], found["adversary"], found["seed"]
    if planned != there:
        raise DamagedFile(
            f"{match.key} is {there[0]} against {there[1]}, seed {there[2]}, and not the match of its key, "
            f"{planned[0]} against {planned[1]}, seed {planned[2]}"
        )

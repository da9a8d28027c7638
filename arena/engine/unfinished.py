"""Long matches on the disk: the record is kept in files, and the learner's state is saved from time to time.

If a match was killed, the same command continues it. The command finds the folder of the match in the user's cache, and
loads the learner's last saved state. The record has predictions of the block after this state. The learner plays this
block again. If a new prediction differs from the recorded one in a single bit, the match starts again from the first
round.

A state is a pickled file. It is read only if the user owns it and no other user has permission to write it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import platform
import shutil
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from arena.data.streams import digest_of
from arena.engine.code_transfer import digest_here, names_in, place_of_name
from arena.engine.long_matches import bytes_of_record
from arena.errors import ArenaError
from arena.game.game import Game
from arena.guards.disk import UNUSED, DiskArray, no_room, own_cache
from arena.guards.whole_files import writing
from arena.players.adversary import Adversary
from arena.players.learner import Learner, UserLearner
from arena.players.view import Record
from arena.record.storage import game_as_json
from arena.specs.grammar import parse_spec
from arena.specs.spelling import is_unnamed
from arena.version import __version__

EVERY_ROUNDS = 2**17  # rounds after which the learner's state is kept again, if not earlier
EVERY_SECONDS = 10.0  # seconds after which the learner's state is kept again, if not earlier
SIZE_OF_HASH = 32
ONCE = "once-"  # prefix of folders that no other process continues
JUST_MADE = (
    60.0  # seconds for which such a folder is kept even without a lock: the process that makes it locks it later
)


class RecordOnDisk(Record):
    """A record whose arrays are files in `folder`; it begins with the first `kept` rounds of existing files."""

    def __init__(self, game: Game, folder: Path, kept: int = 0):
        self.points = DiskArray(folder / "points", (game.dimension,), kept)
        self.labels = DiskArray(folder / "labels", size=kept)
        self.predictions = DiskArray(folder / "predictions", size=kept)
        self.seconds = DiskArray(folder / "seconds", size=kept)
        self.arrays = (self.points, self.labels, self.predictions, self.seconds)


@dataclass(frozen=True)
class State:
    """The learner after `rounds` rounds; `sizes` has (round, size) for each change of the size of its dictionary."""

    rounds: int
    sizes: list[tuple[int, int]]
    learner: Learner


class UnfinishedMatch:
    """The folder of a match that is being played.

    A match can be continued if its players have specs and its moves are known beforehand. Then the folder's name is a
    hash of the match, by which the same command finds the folder again. Any other match has a temporary folder. `state`
    is the saved state from which the match continues; None if it starts at the first round.
    """

    def __init__(self, names: tuple[str, str], learner: Learner, adversary: Adversary, game: Game, seed: int):
        parent = own_cache("matches")
        self.resumable = adversary.known_moves is not None and not any(map(is_unnamed, names))
        self.game, self.pending, self.since, self.due = game, b"", 0, time.monotonic() + EVERY_SECONDS
        self.state: State | None = None
        self.repeated = np.empty(0)  # recorded predictions of the rounds after `state`, which must come out again
        self._lock: IO[str] | None = None
        try:
            parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _forget_old_ones(parent)
            if self.resumable:
                self.folder = parent / _key(names, learner, adversary, game, seed)
                self.folder.mkdir(exist_ok=True, mode=0o700)
                self.resumable = self._locked()
            if not self.resumable:
                self.folder = Path(tempfile.mkdtemp(dir=parent, prefix=ONCE))
                self._locked()
        except OSError as error:
            raise no_room("the record of the match", parent, error) from None
        try:
            self._check_room(bytes_of_record(game, adversary))
            self.record = self._begin()
        except ArenaError:
            self.leave()
            raise

    def after_block(self, learner: Learner, rounds: int, sizes: list[tuple[int, int]]) -> None:
        """Save the learner's state from time to time; to be called after each block.

        `rounds` is the number of rounds played. `sizes` has (round, size) for each change of the size of the learner's
        dictionary. Each state is kept in memory until the next call writes it to the disk. By then the record has the
        block after the state, which `confirmed` needs.
        """
        if not self.resumable:
            return
        if self.pending:
            self._keep()
        elif rounds - self.since >= EVERY_ROUNDS or time.monotonic() >= self.due:
            self.since, self.due = rounds, time.monotonic() + EVERY_SECONDS
            try:
                self.pending = pickle.dumps(State(rounds, list(sizes), learner))
            except Exception:  # a user's learner may raise anything here
                self.resumable = False

    def go_on(self, say: Callable[[str], None]) -> State | None:
        """Return the saved state from which the match continues, and announce it with `say`; None for a new match."""
        if self.state is not None:
            self.since = self.state.rounds
            say(f"continuing after {self.state.rounds:,} rounds of an earlier run")
        return self.state

    def confirmed(self, start: int, say: Callable[[str], None]) -> bool:
        """Return whether the learner's predictions from round `start` + 1 on agree with those of the earlier run.

        To be called after each block. Only the first call compares predictions; later calls return True, as does the
        first one if there was no earlier run. If predictions differ, the learner's saved state is deleted, the record
        is emptied, and `say` is called with a message.
        """
        again, recorded = self.record.predictions.view()[start:], self.repeated
        self.repeated, size = np.empty(0), min(len(again), len(recorded))
        if np.array_equal(again[:size], recorded[:size]):
            return True
        say("the learner's kept state does not give the recorded predictions: playing from the first round")
        self.state, self.resumable = None, False
        self._file.unlink(missing_ok=True)
        for array in self.record.arrays:
            array.shrink(0)
        return False

    def _begin(self) -> RecordOnDisk:
        """Return the record of the match up to the learner's saved state; an empty record if there is no saved state.

        Also set `self.state` to the saved state, and `self.repeated` to the recorded predictions after it.
        """
        if self.resumable and (state := self._load()) is not None:
            with contextlib.suppress(OSError, ValueError):  # a file is missing or torn
                record = RecordOnDisk(self.game, self.folder, state.rounds)
                self.state = state
                return record
        self.repeated = np.empty(0)
        return RecordOnDisk(self.game, self.folder)

    def end(self, record: object, *, to_continue: bool) -> None:
        """Keep the files of the match if `to_continue` is true and the match can be continued; otherwise delete them.

        Files are not deleted at once, but when Python deletes `record`, the object that reads them.
        """
        if to_continue and self.resumable:
            self.leave()
        else:
            weakref.finalize(record, self.drop)

    def drop(self) -> None:
        """Delete the folder of the match."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.leave()

    def leave(self) -> None:
        """Release the lock of the match's folder.

        Then another match, in this process or another one, can use the folder.
        """
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def _file(self) -> Path:
        return self.folder / "state"

    def _keep(self) -> None:
        content, self.pending = self.pending, b""
        try:
            for array in self.record.arrays:
                array.flush()
        except OSError as error:
            raise no_room("the record of the match", self.folder, error) from None
        with writing(self._file, lambda _: True, durable=True) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _load(self) -> State | None:
        """Return the learner's saved state; None if there is no state that can be used.

        Also set `self.repeated` to the recorded predictions of up to 4,096 rounds after this state.
        """
        try:
            about = self._file.stat()
            if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or about.st_uid != os.getuid():
                return None
            content = self._file.read_bytes()
            if hashlib.sha256(content[SIZE_OF_HASH:]).digest() != content[:SIZE_OF_HASH]:
                return None
            state = pickle.loads(content[SIZE_OF_HASH:])
            if not isinstance(state, State):
                return None
            with open(self.folder / "predictions", "rb") as file:
                file.seek(8 * state.rounds)
                self.repeated = np.frombuffer(file.read(8 * 2**12), dtype=float)
        except Exception:  # no state, or one of another version of a user's code
            return None
        return state if len(self.repeated) else None

    def _locked(self) -> bool:
        """Take the lock of the match's folder.

        The result is False if another process has the lock, or if the system has no file locks.
        """
        self._lock = _lock_of(self.folder)
        if self._lock is not None:
            weakref.finalize(self, self._lock.close)
        return self._lock is not None

    def _check_room(self, needed: float) -> None:
        held = sum(file.stat().st_size for file in self.folder.iterdir())
        free = shutil.disk_usage(self.folder).free
        if np.isfinite(needed) and needed - held > free:
            raise ArenaError(
                f"the record of this match takes {needed / 2**30:.1f} GiB on the disk, and {free / 2**30:.1f} are free "
                f"in {self.folder.parent}: make room there, play fewer rounds, or name another folder with "
                "REGRET_ARENA_CACHE"
            )


def _key(names: tuple[str, str], learner: Learner, adversary: Adversary, game: Game, seed: int) -> str:
    """Return a hash of all that determines the match, including users' files and the versions of the programs."""
    player = learner.given if isinstance(learner, UserLearner) else learner
    module = sys.modules.get(type(player).__module__)
    own = getattr(module, "__file__", None)
    content = {
        "players": names,
        "game": game_as_json(game),
        "seed": seed,
        "files": [digest_of(Path(path)) for path in adversary.files],
        "code": {
            name: digest_here(place_of_name(name))
            for text in names
            for name in names_in(parse_spec(text))
            if ".py:" in name
        },
        "module": digest_of(Path(own)) if own else "",
        "versions": (__version__, np.__version__, platform.python_version(), platform.machine()),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _lock_of(folder: Path) -> IO[str] | None:
    """Take the lock of a match's folder and return its open file; None if another process has it, or on Windows.

    The lock is released when the file is closed, at the latest when the process ends.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    file = open(folder / "lock", "a")  # noqa: SIM115
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def _forget_old_ones(parent: Path) -> None:
    """Delete the folders of matches in `parent` that no process uses.

    Temporary folders are deleted after a minute without a change, the others after thirty days.
    """
    for folder in parent.iterdir():
        with contextlib.suppress(OSError):  # a stray file, or a folder that another process has deleted
            last = max((file.stat().st_mtime for file in folder.iterdir()), default=folder.stat().st_mtime)
            kept = JUST_MADE if folder.name.startswith(ONCE) else UNUSED
            if time.time() - last > kept and (lock := _lock_of(folder)):
                shutil.rmtree(folder, ignore_errors=True)
                lock.close()

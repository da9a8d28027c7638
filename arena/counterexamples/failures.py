"""A folder of failures: shrunk matches in which learners failed. A hunt plays the kept failures of its learner first.

The folder is a cache that may be deleted at any time. Each failure is three files: the match in which the learner
failed, the shrunk match, and a JSON file. All three are named by a hash of the failure. The JSON file is written
last; a failure without it does not count.

Several processes may write at once. Other files in the folder are neither replaced nor deleted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from arena.counterexamples.case import Case, fresh, played
from arena.counterexamples.shrinking import Shrunk
from arena.errors import ArenaError, DamagedFile, nearest
from arena.guards.whole_files import HEAD, hide_from_git, reason, refuse_address, working_folder, writing
from arena.record.storage import game_as_json, is_transcript
from arena.record.transcript import Transcript
from arena.specs.building import build, registered_names_only
from arena.specs.spelling import identity, is_unnamed
from arena.version import __version__

FOLDER = ".arena"
FORMAT = 1
OURS = {"failures", "assertions", ".gitignore"}  # names that the arena writes in the top folder
PARTS = (".json", ".worst.npz", ".smallest.npz")
DAMAGE = (OSError, ValueError, TypeError, RecursionError, OverflowError)  # raised by damaged JSON files


@dataclass(frozen=True)
class Failure:
    """The content of the JSON file of a kept failure.

    - `theorem` is the broken theorem; None if the failure is a foul.
    - `rounds` is the number of moves of the shrunk match.
    - `when` is the time at which the failure was written (ISO 8601, UTC), and `version` the version of the arena.
    - The fields from `steps` on are as in `Shrunk`.
    """

    id: str
    learner: str
    theorem: str | None
    reason: str
    rounds: int
    when: str
    version: str
    steps: int
    seconds: float
    finished: bool
    one_by_one: bool


@dataclass(frozen=True)
class Replayed:
    """Result of playing a kept failure again: whether the learner still fails, the reason, and the transcript (`run`).

    `run` is None if the match could not be played.
    """

    failure: Failure
    fails: bool
    reason: str
    run: Transcript | None = None


class Failures:
    """The failures that are kept in a folder.

    `damaged` has a line for each failure that could not be read. A transcript may name kernels and theorems that are in
    a user's file; the code of that file is run only with `trust`.
    """

    def __init__(self, folder: str | Path = FOLDER, *, trust: bool = False):
        refuse_address(folder)
        self.top = Path(folder)
        self.folder = self.top / "failures"
        self._start = working_folder()  # a learner may change the working folder while it plays
        self.trust = trust
        self.damaged: list[str] = []

    @property
    def option(self) -> str:
        """The option of `arena failures` that selects this folder, ` --folder FOLDER`; empty for the default folder."""
        default = self._start / FOLDER
        if self._start / self.top == default:
            return ""
        with contextlib.suppress(ValueError):
            return f" --folder {shlex.quote(str((self._start / self.top).relative_to(self._start)))}"
        return f" --folder {shlex.quote(str(self.top))}"

    def add(self, shrunk: Shrunk) -> Failure:
        """Write a failure to the folder, unless it is kept there already; return the failure."""
        failure = _failure(shrunk)
        if not self._has(failure):
            self._make_folder()
            shrunk.worst.save(self._path(failure.id, ".worst.npz"))
            shrunk.smallest.save(self._path(failure.id, ".smallest.npz"))
            with writing(self._path(failure.id, ".json"), partial(_is_entry, failure.id)) as file:
                file.write(json.dumps({"format": FORMAT, **dataclasses.asdict(failure)}, indent=1).encode())
        return failure

    def kept(self, *, learner: str | None = None, theorem: str | None = None) -> list[Failure]:
        """Return the kept failures, oldest first, or only those of this learner and theorem if these are given."""
        return [
            failure
            for failure in sorted(self._read_all(), key=lambda failure: (failure.when, failure.id))
            if learner in (None, failure.learner) and theorem in (None, failure.theorem)
        ]

    def find(self, start: str) -> Failure:
        """Return the failure whose id starts with `start`; raise an `ArenaError` if there is none, or more than one."""
        failures = self.kept()
        found = [failure for failure in failures if failure.id.startswith(start)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ArenaError(f"{start!r} is the beginning of {len(found)} failures: give more of its digits")
        raise ArenaError(f"no failure {start!r} is kept in {self.folder}. {nearest(start, [f.id for f in failures])}")

    def file(self, failure: Failure) -> Path:
        """Return the path of the transcript of the match to which the failure was shrunk."""
        return self.folder / f"{failure.id}.smallest.npz"

    def worst(self, failure: Failure) -> Transcript:
        """Return the match in which the learner failed, as it was before shrinking."""
        return self._load(failure, ".worst.npz")

    def smallest(self, failure: Failure) -> Transcript:
        """Return the match to which the failure was shrunk."""
        return self._load(failure, ".smallest.npz")

    def shrunk(self, failure: Failure) -> Shrunk:
        """Return the failure as a `Shrunk`, like the result of `shrink`."""
        smallest, worst = self.smallest(failure), self.worst(failure)
        case = Case.of(smallest)
        theorem = failure.theorem if self.trust or failure.theorem is None else registered_names_only(failure.theorem)
        return Shrunk(
            worst=worst,
            smallest=smallest,
            points=case.points,
            labels=case.labels,
            theorem=theorem,
            verdict=None if theorem is None else smallest.verdict(theorem),
            steps=failure.steps,
            seconds=failure.seconds,
            finished=failure.finished,
            one_by_one=failure.one_by_one,
        )

    def replay_first(self, learner: Any, *, theorem: str | None = None, remove: bool = True) -> list[Replayed]:
        """Play the kept failures of this learner again, or only those of `theorem`; return the results.

        With `remove`, a failure is deleted if the learner no longer fails in the shrunk match. The failures of a
        learner without a spec are found by the learner's class, and are not deleted.
        """
        name = identity(learner, build("learner", fresh(learner)))
        replayed = []
        for failure in self.kept(learner=name, theorem=theorem):
            try:
                result = self.replay(failure, learner)
            except DamagedFile:
                continue  # `_load` has listed it in `damaged`
            except ArenaError as error:
                result = Replayed(failure, False, f"not played: {error}")
            replayed.append(result)
            if remove and result.run is not None and not result.fails and not is_unnamed(name):
                self.remove(failure)
        return replayed

    def replay(self, failure: Failure, learner: Any) -> Replayed:
        """Let this learner play the match to which the failure was shrunk; return the result."""
        shrunk = self.shrunk(failure)
        case = Case.of(shrunk.smallest)
        foul = shrunk.smallest.forfeit
        ended = foul is not None and foul.of_process
        run = played(learner, case, seed=shrunk.smallest.seed, one_by_one=failure.one_by_one, isolate=ended)
        if run.forfeit:
            return Replayed(failure, run.forfeit.side == "learner", str(run.forfeit), run)
        if shrunk.theorem is None:
            return Replayed(failure, False, "no foul any more", run)
        verdict = run.verdict(shrunk.theorem)
        return Replayed(failure, verdict.violated, str(verdict), run)

    def remove(self, failure: Failure) -> None:
        """Delete the files of a failure."""
        self._delete(failure.id)

    def clear(self) -> int:
        """Delete all failures, also damaged ones; return the number of deleted failures."""
        names = {path.name.partition(".")[0] for part in PARTS for path in self._files(part)}
        deleted = [name for name in sorted(names) if self._delete(name)]
        if deleted:
            with contextlib.suppress(OSError):  # the folder is not empty: it has other files
                self._place.rmdir()
        return len(deleted)

    def _delete(self, name: str) -> bool:
        """Delete the files that the arena wrote for the failure `name`; return whether there were any."""
        found = False
        for part in PARTS:
            path = self._path(name, part)
            if _is_ours(path, name, part):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise ArenaError(f"cannot delete {path}: {reason(error)}. Check its permissions.") from None
                found = True
        return found

    def _has(self, failure: Failure) -> bool:
        """Return whether the folder already has the failure, in files that are not damaged."""
        path = self._path(failure.id, ".json")
        try:
            _read(path)
            self.worst(failure)
            self.smallest(failure)
        except (FileNotFoundError, DamagedFile):
            return False
        except ArenaError:  # the files are sound, but name code that is not trusted
            return True
        except DAMAGE as error:
            self._note(f"{path}: {error}")
            return False
        return True

    def _read_all(self) -> Iterator[Failure]:
        for path in self._files(".json"):
            if not _is_ours(path, path.name.removesuffix(".json"), ".json"):
                continue
            try:
                yield _read(path)
            except FileNotFoundError:  # another process has deleted the file
                continue
            except DAMAGE as error:
                self._note(f"{path}: {error}")

    def _files(self, part: str) -> list[Path]:
        """Return all files in the folder whose names end in `part`, such as `.json`, also files of other programs."""
        try:
            return sorted(self._place.glob(f"*{part}"))
        except (OSError, ValueError) as error:
            raise ArenaError(f"cannot read {self.folder}: {reason(error)}. Choose another folder.") from None

    def _load(self, failure: Failure, part: str) -> Transcript:
        path = self._path(failure.id, part)
        try:
            run = Transcript.load(path, trust=self.trust)
            if run.learner != failure.learner:
                raise DamagedFile(f"{path} is a match of {run.learner}, but a failure of {failure.learner} is kept")
        except DamagedFile as error:
            self._note(str(error))
            raise
        return run

    def _note(self, why: str) -> None:
        if why not in self.damaged:
            self.damaged.append(why)

    def _path(self, name: str, part: str) -> Path:
        return self._place / f"{name}{part}"

    @property
    def _place(self) -> Path:
        return self._start / self.folder

    def _make_folder(self) -> None:
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            only_ours = {path.name for path in self._place.parent.iterdir()} <= OURS
        except (OSError, ValueError) as error:
            raise ArenaError(f"cannot make {self.folder}: {reason(error)}. Choose another folder.") from None
        hide_from_git(self._place.parent if only_ours else self._place)  # git must still see files of others


def _failure(shrunk: Shrunk) -> Failure:
    run = shrunk.smallest
    described: dict[str, Any] = {
        "learner": run.learner,
        "theorem": shrunk.theorem,
        "one_by_one": shrunk.one_by_one,
        "game": game_as_json(run.game),
        "seed": run.seed,
    }
    content = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    content.update(shrunk.points.tobytes())
    content.update(shrunk.labels.tobytes())
    return Failure(
        id=content.hexdigest()[:12],
        learner=run.learner,
        theorem=shrunk.theorem,
        reason=shrunk.reason,
        rounds=shrunk.rounds,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        steps=shrunk.steps,
        seconds=shrunk.seconds,
        finished=shrunk.finished,
        one_by_one=shrunk.one_by_one,
    )


def _is_ours(path: Path, name: str, part: str) -> bool:
    """Return whether the arena wrote this file as a part of the failure `name`."""
    try:
        if not re.fullmatch("[0-9a-f]{12}", name) or not path.is_file():
            return False
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError):
        return False
    return _is_entry(name, head) if part == ".json" else is_transcript(head)


def _is_entry(name: str, head: bytes) -> bool:
    """Return whether a file is the JSON file of the kept failure `name`, judged by the file's first bytes `head`."""
    return head.startswith(f'{{\n "format": {FORMAT},\n "id": "{name}",'.encode())


def _read(path: Path) -> Failure:
    """Return the failure in a JSON file.

    One of the errors in `DAMAGE` is raised if the file cannot be read, if a field is missing or wrong, or if another
    file of the failure is missing.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise ValueError("it is not a failure as this version keeps them")
    failure = Failure(**content)
    texts = [failure.learner, failure.reason, failure.when, failure.version]
    texts += [] if failure.theorem is None else [failure.theorem]
    counts, switches = (failure.rounds, failure.steps), (failure.finished, failure.one_by_one)
    sound = (
        failure.id == path.name.removesuffix(".json")
        and all(isinstance(each, str) for each in texts)
        and all(type(each) is int and each >= 0 for each in counts)
        and all(isinstance(each, bool) for each in switches)
        and type(failure.seconds) in (int, float)
        and math.isfinite(failure.seconds)
    )
    if not sound:
        raise ValueError("it does not say what a failure of its name says")
    missing = [part for part in PARTS if not path.with_name(failure.id + part).exists()]
    if missing:
        raise ValueError(f"its {missing[0]} is missing")
    return failure

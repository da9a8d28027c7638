"""A folder with files of a user, in which commands with bad input run, and the checks of what they do there."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from arena import play
from arena.cli import main
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking import shrink
from arena_tests.files import snapshot

PATIENCE = 200  # seconds, after which a command counts as hanging, also on a busy machine
MOST_CHARACTERS = 90_000  # characters that a command may print
MINE = """
class Mine:
    def predict(self, x): return 0.0
    def update(self, x, y): pass
"""


@dataclass(frozen=True)
class Case:
    """A command line, the exit codes that are right for it, and files that are written into the folder for it."""

    words: list[str]
    codes: tuple[int, ...] = (0, 1, 2)
    files: dict[str, bytes] = field(default_factory=dict)


class Playground:
    """A folder with files of a user, in which `run` runs cases."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "mine.py").write_text(MINE)
        (folder / "broken.py").write_text("def (")
        (folder / "thesis.html").write_text("<h1>Thesis</h1>")
        (folder / "results.json").write_text('{"accuracy": 0.9}')
        (folder / "data.csv").write_text("a,b,y\n1,2,1\n3,4,-1\n5,6,1\n")
        np.savez(folder / "data.npz", X=np.zeros((3, 2)), y=np.ones(3))
        (folder / "dir.npz").mkdir()
        (folder / "theirs" / "failures").mkdir(parents=True)
        (folder / "theirs" / "failures" / "results.json").write_text('{"accuracy": 0.9}')
        (folder / "theirs" / "failures" / "abcdefabcdef.worst.npz").write_bytes(b"PK\x03\x04 theirs")
        os.mkfifo(folder / "pipe.npz")
        play("krr", "alternating", rounds=4).save(folder / "match.npz")
        shrunk = shrink("krr", play("krr", "alternating", rounds=12), "awv-logdet")
        assert shrunk is not None
        store = Failures(folder / "store")
        self.failure = store.add(shrunk).id
        self.whole = snapshot(folder)  # of which the arena may replace its own files

    def run(self, case: Case) -> str:
        """Run a command in this process; return a text that says what it did wrong, or an empty text.

        Wrong are, for instance, an exception, a stack trace, broken JSON, a wrong exit code, and a change of the user's
        files.
        """
        self._write(case.files)
        with contextlib.chdir(self.folder), _alarm():
            words = [word.replace("\0", "") for word in case.words]  # no system passes them on
            result = CliRunner().invoke(main, words, prog_name="arena")
        after = snapshot(self.folder)
        problem = self._problem(case, result)
        if not problem and {"unpickled", "owned"} & {*after}:
            problem = "it ran code of its input"
        for name, content in {**self.whole, **case.files}.items():
            if not problem and not name.startswith(("store", "match.npz")) and after.get(name) != content:
                problem = f"it lost or changed {name}"
        for name in sorted({*after} - {*self.whole}, reverse=True):
            path = self.folder / name
            path.rmdir() if after[name] is None else path.unlink()
        self._write({name: content for name, content in self.whole.items() if after.get(name) != content})
        return problem

    def _write(self, files: dict[str, bytes | None]) -> None:
        for name, content in files.items():
            path = self.folder / name
            (path if content is None else path.parent).mkdir(parents=True, exist_ok=True)
            if content is not None:
                path.write_bytes(content)

    def _problem(self, case: Case, result) -> str:
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            return f"it raised {type(result.exception).__name__}: {result.exception!s:.300}"
        if result.exit_code not in case.codes:
            return f"its exit code is {result.exit_code} instead of {case.codes}: {result.output[:300]}"
        text = result.output
        if "Traceback (most recent call last)" in text:
            return "it printed a stack trace"
        if raised := re.search(r"cannot be used as an? \w+: .{,60} raised \w+", text):
            return f"a player of the arena failed: {raised[0]}"
        if len(text) > MOST_CHARACTERS:
            return f"it printed {len(text)} characters"
        if bad := {letter for letter in text if not letter.isprintable()} - {"\n", "\t"}:
            return f"it printed {bad}"
        if result.exit_code == 2 and len(result.stderr.strip()) < 10:
            return "it ended with 2 and said nothing"
        if _wants_json(case.words) and result.exit_code in (0, 1):
            with contextlib.suppress(ValueError):
                json.loads(result.stdout)
                return ""
            return f"its JSON is {result.stdout[:200]!r}"
        return ""


def _wants_json(words: list[str]) -> bool:
    """Return whether --json is one of the options, and not the value of the option before it."""
    at = words.index("--json") if "--json" in words else 0
    return at > 0 and not words[at - 1].startswith("-") and not {"-h", "--help", "--version"} & {*words}


@contextlib.contextmanager
def _alarm():
    """Context manager: raises `KeyboardInterrupt` in the block after `PATIENCE` seconds, as Ctrl-C does.

    A command that hangs then ends with the exit code of Ctrl-C, which no case accepts.
    """

    def press(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def as_npz(**arrays) -> bytes:
    """Return the bytes of an .npz archive with these arrays."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()

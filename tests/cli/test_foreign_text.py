"""Whatever players print, say or do, the terminal, the JSON and the files have the arena's text alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena import Transcript, play
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking import shrink
from arena.errors import printable
from arena_tests.files import parts, resealed

LEARNERS = """
import atexit, ctypes, os, subprocess, sys, threading, time

class Base:
    def predict(self, x): return 0.0
    def update(self, x, y): pass

class Talks(Base):
    def __init__(self):
        print("printed")
        os.write(1, b"written to the descriptor\\n")
        sys.__stdout__.write("buffered\\n")
        subprocess.run(["echo", "printed by a child"], check=True)
        ctypes.CDLL(None).puts(b"printed by C")
        atexit.register(lambda: print("printed at the end"))
    def update(self, x, y): print("printed in an update")

class Escapes(Base):
    def predict(self, x):
        raise ValueError("\\x1b[2J\\x1b]0;title\\x07\\x9b31m\\u202e\\nAgain: rm -rf ~" + "A" * 200_000)

class Prints(Base):
    def predict(self, x):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            stream.write("\\x1b[2J\\x1b]0;title\\x07\\r\\x9b31m")
            stream.writelines(["\\x1b[31mred\\x1b[0m\\n"])
        return 0.0

class Moves(Base):
    def __init__(self):
        os.makedirs("elsewhere", exist_ok=True)
        os.chdir("elsewhere")
"""


@pytest.fixture
def learners(write):
    return write("mine.py", LEARNERS)


@pytest.mark.parametrize(
    "words",
    [
        ("play", "{}:Talks", "greedy", "--rounds", 3),
        ("play", "{}:Talks", "alternating", "--rounds", 3, "--seeds", 2),
        ("check", "{}:Talks"),
        ("hunt", "{}:Talks", "--bound", "at-most(regret=1)", "--matches", 3),
        ("replay", "match.npz", "{}:Talks"),
    ],
)
def test_json_stands_alone_whatever_a_learner_prints(arena_process, learners, tmp_path, words):
    play("krr", "alternating", rounds=5).save(tmp_path / "match.npz")
    done = arena_process(*(str(word).format(learners) for word in words), "--json")
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stdout.count("\n") == 1
    assert "printed at the end" in done.stderr


def test_a_script_stands_alone_too(arena_process, learners, tmp_path):
    play(f"{tmp_path}/mine.py:Talks", "alternating", rounds=5).save(tmp_path / "match.npz")
    done = arena_process("shrink", "match.npz", f"{learners}:Talks", "--bound", "at-most(regret=0.01)")
    assert done.returncode == 1
    assert "printed" not in done.stdout
    compile(done.stdout, "script", "exec")


def test_nothing_that_a_terminal_obeys_is_printed(arena_process, learners):
    done = arena_process("play", f"{learners}:Escapes", "alternating", "--rounds", 3, "--traceback")
    assert done.returncode == 1
    for stream in (done.stdout, done.stderr):
        assert stream.isprintable() or not {c for c in stream if not c.isprintable()} - {"\n", " "}
        assert len(stream) < 40_000
    assert r"\x1b[2J\x1b]0;title\x07\x9b31m" in done.stdout
    assert "\nAgain: rm" not in done.stdout


@pytest.mark.parametrize("words", [(), ("--isolate",), ("--seeds", 2)])
def test_what_a_learner_prints_moves_no_cursor(arena_process, learners, words):
    done = arena_process("play", f"{learners}:Prints", "alternating", "--rounds", 3, *words)
    assert done.returncode == 0
    assert r"\x1b[2J\x1b]0;title\x07\r\x9b31m" in done.stderr
    assert "\x1b[31mred\x1b[0m\n" in done.stderr
    for stream in (done.stdout, done.stderr):
        plain = stream.replace("\x1b[31m", "").replace("\x1b[0m", "")
        assert not {c for c in plain if not c.isprintable()} - {"\n"}


def on_a_terminal(folder, *words):
    """Return what `arena` with these words writes to a terminal."""
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "arena", *words]
    parent, child = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=child, stdout=child, stderr=child, close_fds=True) as process:
        os.close(child)
        written = b""
        try:
            while chunk := os.read(parent, 1 << 16):
                written += chunk
        except OSError:  # the way in which Linux says that the other end is closed
            pass
    os.close(parent)
    assert process.returncode == 0
    return written


def test_on_a_terminal_the_bar_moves_the_cursor_and_a_learner_does_not(learners, tmp_path):
    written = on_a_terminal(tmp_path, "play", f"{learners}:Prints", "alternating", "--rounds", "300")
    assert b"\x1b[?25l" in written  # the bar hides the cursor
    for sequence in (b"\x1b[2J", b"\x1b]", b"\x07", "\x9b".encode()):
        assert sequence not in written


def test_the_bar_of_an_experiment_moves_the_cursor(tmp_path):
    words = ("calandriello2017a-section6", "--quick", "--workers", "0", "--seeds", "1", "-o", "out")
    written = on_a_terminal(tmp_path, "reproduce", *words)
    assert b"\x1b[?25l" in written
    assert rb"\x1b" not in written


def test_stack_traces_are_in_the_json_only_if_asked_for(arena, learners):
    words = ("play", f"{learners}:Escapes", "alternating", "--rounds", 3, "--json")
    assert json.loads(arena(*words).stdout)["forfeit"]["details"] == ""
    assert "Traceback" in json.loads(arena(*words, "--traceback").stdout)["forfeit"]["details"]


def test_messages_end_some_time(arena):
    for words in (["play", "x" * 100_000, "greedy"], ["\x1b[31m" * 9], ["play", "krr", "greedy", "--box", "y" * 10**5]):
        result = arena(*words)
        assert result.exit_code == 2
        assert len(result.output) < 5000
        assert "\x1b" not in result.output


def test_printable():
    assert printable("plain, ünïcödé\n\ttext") == "plain, ünïcödé\n\ttext"
    assert printable("\x1b\r\x85\u2028\ud800") == r"\x1b\r\x85\u2028\ud800"
    assert printable("a" * 500 + "b" * 500, 100) == "a" * 45 + " [...] " + "b" * 45


def test_a_learner_that_changes_the_folder_takes_no_files_with_it(arena, learners, monkeypatch, tmp_path):
    for words in (
        ("play", f"{learners}:Moves", "alternating", "--rounds", 3, "--save", "kept.npz", "--report", "page.html"),
        ("hunt", f"{learners}:Moves", "--bound", "at-most(regret=1)", "--matches", 3, "--save", "hunted"),
    ):
        result = arena(*words)
        assert result.exit_code in (0, 1), result.output
        monkeypatch.chdir(tmp_path)
    assert Path("kept.npz").exists()
    assert Path("page.html").exists()
    assert list(Path("hunted").rglob("*.npz"))
    assert not os.listdir("elsewhere")


def test_files_of_the_user_are_not_overwritten(arena):
    np.savez("data.npz", X=np.zeros((3, 2)), y=np.ones(3))
    Path("thesis.html").write_text("<h1>Thesis</h1>")
    before = Path("data.npz").read_bytes()
    for words in (("--save", "data.npz"), ("--report", "thesis.html")):
        result = arena("play", "krr", "alternating", "--rounds", 3, *words)
        assert result.exit_code == 2
        assert f"{words[1]} exists already and was not written by the arena: choose another name" in result.output
    assert Path("data.npz").read_bytes() == before
    assert Path("thesis.html").read_text() == "<h1>Thesis</h1>"
    for _ in range(2):  # our own files are replaced
        assert (
            arena("play", "krr", "alternating", "--rounds", 3, "--save", "a.npz", "--report", "a.html").exit_code == 0
        )


def test_the_file_that_is_replayed_stays(arena):
    play("krr", "alternating", rounds=5).save("match.npz")
    Path("link.npz").symlink_to("match.npz")
    for name in ("match.npz", "./match.npz", "link.npz"):
        result = arena("replay", "match.npz", "zero", "--save", name)
        assert result.exit_code == 2
        assert f"--save {Path(name)} is the file that is read: choose another name, to keep both" in result.output
    assert Transcript.load("match.npz").learner == "krr"


def test_a_link_stays_a_link(arena):
    arena("play", "krr", "alternating", "--rounds", 3, "--save", "target.npz")
    Path("link.npz").symlink_to("target.npz")
    Path("target.npz").chmod(0o600)
    assert arena("play", "zero", "alternating", "--rounds", 3, "--save", "link.npz").exit_code == 0
    assert Path("link.npz").is_symlink()
    assert Transcript.load("target.npz").learner == "zero"
    assert Path("target.npz").stat().st_mode & 0o777 == 0o600


EVIL = "krr'; touch owned; '\n$(touch owned)`touch owned`\nimport os; os.system('touch owned')"


def test_what_is_printed_for_copying_runs_nothing(arena, tmp_path):
    """Commands and scripts with the hostile names of a forged file run no part of these names."""
    run = shrink("krr", play("krr", "alternating", rounds=30), "awv-logdet")
    failure = Failures().add(run)
    for part in (".smallest.npz", ".worst.npz"):
        path = tmp_path / ".arena" / "failures" / f"{failure.id}{part}"
        header, arrays = parts(path.read_bytes())
        path.write_bytes(resealed({**header, "learner": EVIL, "adversary": EVIL}, arrays))
    entry = tmp_path / ".arena" / "failures" / f"{failure.id}.json"
    entry.write_text(json.dumps({**json.loads(entry.read_text()), "learner": EVIL}, indent=1))
    shown = arena("failures", "show").output
    assert [line for line in shown.splitlines() if "owned" in line] == [
        line for line in shown.splitlines() if "owned" in line and line.startswith(("#", "learner = "))
    ]
    script = shown.replace("run = play(", "def play(*_, **__): raise SystemExit\nrun = play(")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False, capture_output=True)
    for line in shown.splitlines():
        if line.startswith(("# again: ", "# the long match: ")):
            command = line.partition(": ")[2].replace("arena", "true", 1)
            subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False, capture_output=True)
    assert arena("failures", "promote", "--to", ".").exit_code == 0
    (test,) = tmp_path.glob("test_*.py")
    compile(test.read_text(), "test", "exec")
    judged = arena("judge", f".arena/failures/{failure.id}.smallest.npz", "--bound", "awv-logdet").output
    (again,) = (line for line in judged.splitlines() if line.startswith("Again: "))
    command = judged[judged.index("Again: ") + 7 :].replace("arena", "true", 1)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False)
    assert again
    assert not (tmp_path / "owned").exists()


CLASSES = """
class Named:
    \"\"\"Docs \\x1b[2J.\"\"\"
    name = "\\x1b]0;title\\x07"
    def predict(self, x): return 0.0
    def update(self, x, y): pass

class Ends(Named):
    @property
    def theorems(self): raise SystemExit(0)
"""


def test_show_prints_no_control_characters_of_a_class(arena, write):
    shown = arena("show", f"{write('mine.py', CLASSES)}:Named")
    assert shown.exit_code == 0
    assert "\\x1b]0;title\\x07" in shown.output
    assert not {letter for letter in shown.output if not letter.isprintable()} - {"\n"}


def test_a_class_whose_attributes_raise_cannot_be_shown(arena, write):
    done = arena("show", f"{write('mine.py', CLASSES)}:Ends")
    assert done.exit_code == 2
    assert "cannot be described: SystemExit" in done.stderr


def test_names_of_files_in_a_store_are_printed_without_control_characters(arena, tmp_path):
    arena("tournament", "zero", "--against", "drift", "--rounds", 3, "--workers", 0)
    folder = tmp_path / ".arena/store/matches/\x1b[2J"
    folder.mkdir()
    (folder / "a.npz").write_bytes(b"junk")
    verified = arena("store", "verify")
    assert "\\x1b[2J" in verified.output
    assert "\x1b" not in verified.output

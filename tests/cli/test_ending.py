"""The process of a command ends with the right code, soon after Ctrl-C, even if players leave processes running."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from arena.cli.command_line import ADVICE

PLAYERS = """
import os, sys, threading, time

class Base:
    def predict(self, x): return 0.0
    def update(self, x, y): pass

class LeavesAThread(Base):
    def predict(self, x):
        if not hasattr(self, "thread"):
            self.thread = threading.Thread(target=time.sleep, args=(1e6,))
            self.thread.start()
        return 0.0
    def __deepcopy__(self, memo): return self

class LeavesAChild(Base):
    def begin(self, game, rng):
        import multiprocessing
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(1e6,)).start()

class SwallowsCtrlC(Base):
    def predict(self, x):
        print("plays", file=sys.stderr, flush=True)
        while True:
            try:
                time.sleep(1e6)
            except BaseException:
                pass

class Needs(Base):
    def predict(self, x):
        import numpy as np
        return np.zeros((10**6, 10**6))[0, 0]

class Announces(Base):
    rounds = 0
    def update(self, x, y):
        self.rounds += 1
        if self.rounds == 5000: print("plays", file=sys.stderr, flush=True)
"""
SOON = 100.0  # seconds, also on a busy machine; a command that waits for its player takes forever


@pytest.fixture
def command(tmp_path):
    (tmp_path / "mine.py").write_text(PLAYERS)

    started = []

    def start(*words):
        words = [sys.executable, "-m", "arena", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        started.append(subprocess.Popen(words, cwd=tmp_path, text=True, start_new_session=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # children that were left, too
        process.communicate()


@pytest.mark.parametrize("learner", ["LeavesAThread", "LeavesAChild"])
def test_what_a_learner_leaves_running_does_not_hold_up_the_end(learner, command):
    process = command("play", f"./mine.py:{learner}", "alternating", "--rounds", "5")
    assert process.wait(60) == 0
    assert "5 rounds" in process.stdout.readline()


@pytest.mark.parametrize(
    "words",
    [
        ["./mine.py:SwallowsCtrlC", "alternating"],
        ["./mine.py:Announces", "alternating", "--rounds", "1e9"],
        ["./mine.py:Announces", "contrarian", "--rounds", "1e9", "--loss", "hinge"],
        ["./mine.py:Announces", "drift", "--seeds", "2000", "--rounds", "5000"],
    ],
)
def test_ctrl_c_ends_it_soon(words, command):
    process = command("play", *words)
    assert "plays\n" in process.stderr
    process.send_signal(signal.SIGINT)
    assert process.wait(SOON) == 130


def test_ctrl_c_does_not_end_a_process_that_writes(monkeypatch):
    from arena.cli import ending

    order = []
    heard, told = os.pipe()
    monkeypatch.setattr(ending, "PATIENCE", 0.0)
    monkeypatch.setattr(ending.os, "_exit", lambda code: order.append(code))
    with ending.writing_lock:
        thread = ending.threading.Thread(target=ending._end_after_ctrl_c, args=(heard,))
        thread.start()
        os.write(told, bytes([signal.SIGALRM, signal.SIGINT]))
        thread.join(0.2)
        order.append("written")
    thread.join()
    assert order == ["written", 130]
    os.close(heard)
    os.close(told)


@pytest.mark.parametrize(
    ("shell", "code", "words"),
    [
        ("{arena} play zero alternating --rounds 5 >&-", 0, ""),
        ("{arena} play zero alternating --rounds 5 --json <&- >&- 2>&-", 0, ""),
        ("{arena} play zero nothing 2>/dev/full", 2, ""),
        ("mkdir gone; cd gone; rmdir ../gone; {arena} play zero alternating --rounds 5", 0, ""),
        ("mkdir gone; cd gone; rmdir ../gone; {arena} play ./mine.py:Base alternating", 2, "working folder"),
        ("mkdir gone; cd gone; rmdir ../gone; {arena} play zero alternating --seeds 3", 2, "working folder"),
        ("ulimit -n 12; {arena} play zero alternating --seeds 4", 2, "ulimit -n"),
        ("{arena} play ./mine.py:Needs alternating", 1, "7.28 TiB"),
    ],
)
def test_a_machine_that_lacks_something_gets_a_message(shell, code, words, tmp_path):
    (tmp_path / "mine.py").write_text(PLAYERS)
    line = shell.format(arena=f"{sys.executable} -m arena")
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 3


def test_memory_that_runs_out_is_told_with_the_cheaper_way(arena, monkeypatch):
    def full(*_, **__):
        raise MemoryError("Unable to allocate 298. GiB")

    monkeypatch.setattr("arena.hindsight.comparator.Comparator.hindsight", full)
    result = arena("play", "zero", "alternating", "--rounds", "5", "--bound", "awv-logdet")
    assert result.exit_code == 2
    assert "the memory ran out: Unable to allocate 298. GiB" in result.output
    assert "--hindsight interval" in result.output


def test_advice_says_what_to_do():
    assert all(text.endswith(".") for text in ADVICE.values())

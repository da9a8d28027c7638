"""Worker processes end when the process that started them ends, in whatever way."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arena.engine import workers

SCRIPT = """
import sys, time
from pathlib import Path
from arena.engine.workers import work_off
from task import task

if __name__ == "__main__":
    for event in work_off(task, [0, 1], workers=2, forked={forked}):
        pass
"""
TASK = """
import os
from pathlib import Path

def task(number, channel):
    (Path(__file__).parent / f"worker{number}.part").write_text(str(os.getpid()))
    os.rename(Path(__file__).parent / f"worker{number}.part", Path(__file__).parent / f"worker{number}")
    while True:
        pass
"""
PATIENCE = 30.0

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


def until(condition):
    """Wait until the condition is true; fail after a time that is far longer than necessary."""
    stop = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < stop
        time.sleep(0.02)


def runs(process):
    """Return whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@needs_proc
@pytest.mark.parametrize("forked", [True, False])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_its_parent(how, forked, tmp_path):
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "script.py").write_text(SCRIPT.format(forked=forked))
    files = [tmp_path / "worker0", tmp_path / "worker1"]
    parent = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path)
    try:
        until(lambda: all(file.exists() for file in files))
        crew = [int(file.read_text()) for file in files]
        assert all(map(runs, crew))
        parent.send_signal(how)
        parent.wait(PATIENCE)
        until(lambda: not any(map(runs, crew)))
    finally:
        parent.kill()
        parent.wait(PATIENCE)
        for file in filter(Path.exists, files):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(file.read_text()), signal.SIGKILL)


@pytest.mark.skipif(not workers.can_fork(), reason="forks")
def test_elsewhere_a_thread_looks_for_the_parent(monkeypatch):
    """On systems without Linux' signal at the parent's end, a thread of the worker notices the end."""
    monkeypatch.setattr(workers, "WATCH", 0.01)
    ended = threading.Event()
    monkeypatch.setattr(workers.os, "_exit", lambda _: ended.set())
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setattr(sys, "platform", "elsewhere")
    workers.end_with(parent.pid, direct=True)
    assert not ended.wait(0.1)
    parent.communicate(b"\n")
    assert ended.wait(PATIENCE)


def test_a_worker_that_starts_too_late_ends(monkeypatch):
    ended = []
    monkeypatch.setattr(workers.os, "_exit", ended.append)
    monkeypatch.setattr(workers.os, "getppid", lambda: 1)
    if sys.platform == "linux":
        workers.end_with(os.getpid() + 1, direct=True)
        assert ended == [1]
        workers.ctypes.CDLL(None).prctl(workers.PR_SET_PDEATHSIG, 0, 0, 0, 0)  # this process is no worker


def test_a_billion_tasks_take_no_memory():
    events = workers.work_off(_identity, range(10**9), workers=1, forked=workers.can_fork())
    done = [event.content for event in (next(events) for _ in range(20)) if event and event.kind == "done"]
    events.close()
    assert done[:3] == [0, 1, 2]


def _identity(number, _):
    return number


def test_exit_in_a_task_is_an_error_and_no_death():
    with pytest.raises(RuntimeError, match="SystemExit"):
        list(workers.work_off(_exits, [0], workers=1, forked=workers.can_fork()))


def _exits(*_):
    sys.exit(0)

"""Workers of the pool: they may have other hash seeds, do not run an unguarded script again, and do not pause."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time

import pytest

from arena.engine.code_transfer import unpack
from arena.engine.executors import workers_of
from arena.engine.workers import can_fork, work_off

TASK = 'def task(number, channel):\n    return hash("arena")\n'
SCRIPT = """
from arena.engine.workers import work_off
from task import task

print("the script runs")
events = [event.content for event in work_off(task, [0, 1], workers=1, runs_script=False) if event]
print(events[0] == events[1] != hash("arena"))
"""


def test_a_script_without_a_guard_may_use_workers_with_other_hashes(tmp_path):
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "script.py").write_text(SCRIPT)
    words, environment = [sys.executable, str(tmp_path / "script.py")], {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.stdout.splitlines() == ["the script runs", "True"], done.stderr


@pytest.mark.skipif(not can_fork(), reason="needs fork")
def test_a_worker_goes_on_while_the_caller_handles_its_event(tmp_path):
    with contextlib.closing(
        work_off(lambda number, _: (tmp_path / f"{number}").touch(), range(2), workers=1, forked=True)
    ) as events:
        first = next(event for event in events if event is not None)
        assert (first.kind, first.number) == ("done", 0)
        waited = time.monotonic() + 60.0
        while not (tmp_path / "1").exists():  # nothing is asked of `events` meanwhile
            assert time.monotonic() < waited
            time.sleep(0.001)
        assert [event.number for event in events if event is not None] == [1]


@pytest.mark.skipif(not can_fork(), reason="needs fork")
def test_a_worker_that_ends_leaves_no_unpacked_code_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sources = {"learner_elsewhere.py": {"learner_elsewhere.py": b"class Learner: ...\n"}}

    def unpacked(*_):
        unpack(sources)
        return len(list(tmp_path.rglob("learner_elsewhere.py")))

    events = work_off(unpacked, [0], workers=1, forked=True)
    assert [event.content for event in events if event is not None] == [1]
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal
from arena.engine.code_transfer import unpack

unpack({"./mine.py": {"mine.py": b""}})
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not can_fork(), reason="needs files that can be locked")
def test_code_that_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    import fcntl

    def unpacked_and_killed():
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        subprocess.run([sys.executable, "-c", KILLED], env=environment, timeout=60, check=False)
        return sorted(tmp_path.glob("arena-code-*"))

    [first] = unpacked_and_killed()
    with open(first / "in-use", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as if its process were alive
        assert len(unpacked_and_killed()) == 2
    [last] = unpacked_and_killed()
    assert last != first


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system does not restrict processors")
def test_there_are_as_many_workers_as_processors_that_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8})
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert workers_of(object()) == 3

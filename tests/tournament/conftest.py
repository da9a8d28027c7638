from multiprocessing import forkserver

import pytest

from arena.engine.bubblewrap import SWITCH
from arena_tests.tournaments import KILLER, start


@pytest.fixture(autouse=True)
def without_bubblewrap(monkeypatch):
    """Learners of these tests write files and kill processes, which bubblewrap prevents; tests/engine has its tests."""
    monkeypatch.setenv(SWITCH, "0")
    _end_fork_server()
    yield
    _end_fork_server()


def _end_fork_server():
    """End the server from which workers are forked, if an earlier test started it: it keeps that test's environment."""
    forkserver._forkserver._stop()


@pytest.fixture
def folder(tmp_path):
    """The folder in which tournaments run, with the file of the learner above."""
    (tmp_path / "killer.py").write_text(KILLER)
    return tmp_path


@pytest.fixture
def arena(folder):
    """Run `arena` as a process in the folder; its exit code, and all that it printed."""

    def run(*words, **options):
        done = start(folder, *words, **options)
        out, _ = done.communicate(timeout=150)
        return done.returncode, out

    return run

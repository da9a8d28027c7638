import pytest

from arena_tests.tournaments import KILLER, PROGRAM


@pytest.fixture(autouse=True, scope="module")  # a package, without `__init__.py`, would last until the end of all tests
def isolated_without_bubblewrap(without_bubblewrap):
    """Let these tests' learners write files and kill processes, which bubblewrap would prevent."""


@pytest.fixture
def folder(tmp_path):
    """The folder in which tournaments run, with the learner's file `killer.py`."""
    (tmp_path / "killer.py").write_text(KILLER)
    return tmp_path


@pytest.fixture
def arena(folder, python):
    """Return a function that runs `arena` as a process in the folder, and returns the exit code and the output."""

    def run(*words):
        done = python("-c", PROGRAM, *words, cwd=folder, timeout=150)
        return done.returncode, done.stderr + done.stdout

    return run

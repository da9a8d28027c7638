import pytest

from arena.engine.bubblewrap import SWITCH
from arena_tests.tournaments import KILLER, PROGRAM, end_fork_server


@pytest.fixture(autouse=True, scope="module")  # a package, without `__init__.py`, would last until the end of all tests
def without_bubblewrap():
    """Play without bubblewrap, which would prevent these tests' learners from writing files and killing processes."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(SWITCH, "0")
        end_fork_server()
        yield
    end_fork_server()


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

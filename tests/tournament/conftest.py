import pytest

from arena.engine.bubblewrap import SWITCH
from arena_tests.tournaments import KILLER, PROGRAM, end_fork_server


@pytest.fixture(autouse=True, scope="module")  # a package, without `__init__.py`, would last until the end of all tests
def without_bubblewrap():
    """Learners of these tests write files and kill processes, which bubblewrap prevents; tests/engine has its tests."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(SWITCH, "0")
        end_fork_server()
        yield
    end_fork_server()


@pytest.fixture
def folder(tmp_path):
    """The folder in which tournaments run, with the file of the learner above."""
    (tmp_path / "killer.py").write_text(KILLER)
    return tmp_path


@pytest.fixture
def arena(folder, python):
    """Run `arena` as a process in the folder; its exit code, and all that it printed."""

    def run(*words):
        done = python("-c", PROGRAM, *words, cwd=folder, timeout=150)
        return done.returncode, done.stderr + done.stdout

    return run

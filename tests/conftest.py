import gc
import itertools
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# Every run tries the same examples, however long they take on a busy machine.
settings.register_profile(
    "same-examples",
    derandomize=os.environ.get("REGRET_ARENA_FULL") != "1",
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same-examples")

# A shell that runs the tests in the background ignores Ctrl-C, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Collecting the tests makes millions of objects that stay: looking through them for garbage takes a third of the time.
gc.disable()

pytest_plugins = ["pytester"]
pytest.register_assert_rewrite("arena_tests")


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def python():
    """Run `python ARGUMENTS` in the folder `cwd` as a process of its own, which starts fast."""
    from arena_tests.forked import Forks

    forks = Forks()
    yield forks.run
    forks.end()


@pytest.fixture
def counted_trials(monkeypatch):
    """Replace the clock of shrinking by one that advances 0.05 seconds whenever it is read.

    A budget in seconds then allows the same trials on every machine, however busy it is.
    """
    from arena.counterexamples import trials

    ticks = itertools.count()
    monkeypatch.setattr(trials, "time", type("Clock", (), {"monotonic": staticmethod(lambda: next(ticks) / 20)}))


@pytest.fixture(scope="module")
def without_bubblewrap():
    """Isolate learners without bubblewrap, which makes each isolated match start an interpreter."""
    from arena.engine.bubblewrap import SWITCH
    from arena_tests.tournaments import end_fork_server

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(SWITCH, "0")
        end_fork_server()
        yield
    end_fork_server()

"""The commands that a failure prints run as they are printed."""

import shlex
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from arena import play
from arena.adversaries.replay import Replay
from arena.cli import main
from arena.counterexamples.failures import Failures
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.errors import ArenaError
from arena.hunt import hunt
from arena.record.commands import play_command
from arena.testing import RegretTooLarge, assert_regret
from arena.testing.session import RunSettings, run_settings

MINE = """
import arena

class Wrong:
    def __init__(self):
        self.last = 0.0
    def predict(self, x):
        return self.last
    def update(self, x, y):
        self.last = y

class Steep(arena.Gaussian):
    pass

def maker():
    return Wrong()
"""


class Fixed:
    """A learner without a spec, since its parameter is not an attribute of the same name."""

    def __init__(self, level):
        self._level = level

    def predict(self, x):
        return self._level * float(x[0])

    def update(self, x, y):
        pass


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def exit_code(command):
    program, *words = shlex.split(command)
    assert program == "arena"
    return CliRunner().invoke(main, words).exit_code


@pytest.mark.parametrize("learner", ["./mine.py:Wrong", "./mine.py:maker", "krr"])
@pytest.mark.parametrize("kernel", ["gaussian", "./mine.py:Steep"])
def test_a_kept_failure_is_replayed_by_the_command_that_is_shown(learner, kernel):
    store = Failures("kept")
    run = play(learner, "alternating", rounds=10, kernel=kernel)
    kept = shrink_and_keep(learner, run, "at-most(regret=2)", budget=0.5, store=store)
    shown = reproduction(kept.shrunk, file=store.file(kept.failure))
    (again,) = [line.removeprefix("# again: ") for line in shown.splitlines() if line.startswith("# again: ")]
    assert exit_code(again) == 1  # the bound is violated again


def test_no_command_is_promised_where_there_is_none():
    learner = Fixed(0.0)
    kept = shrink_and_keep(learner, play(learner, "alternating", rounds=4), "at-most(regret=-1)", budget=0.5)
    assert "# again: in Python alone; no spec can name it" in reproduction(kept.shrunk, file="file.npz")


def test_a_module_of_the_current_folder_is_named_by_its_file(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    for spec in ("mine:Wrong", "mine:maker"):
        run = play(spec, "alternating", rounds=4)
        assert play_command(run).startswith(f"arena play ./mine.py:{spec.partition(':')[2]} ")
    del sys.modules["mine"]


def test_given_moves_of_an_object_are_repeated_by_a_command():
    moves = Replay(X=np.zeros((3, 1)), y=np.array([1.0, -1.0, 1.0]), scale_x=None, scale_y=None)
    with pytest.raises(RegretTooLarge) as failed:
        assert_regret("./mine.py:Wrong", moves, dimension=1, at_most=1.0)
    again = next(line for line in str(failed.value).splitlines() if "again: " in line).partition("again: ")[2]
    assert exit_code(again) == 1


@pytest.mark.parametrize("promoted", [False, True])
def test_a_test_that_was_made_of_a_failure_is_not_made_of_it_again(folder, promoted):
    def message(test):
        settings = run_settings.set(RunSettings(failures=str(folder / "kept"), shrinking=5.0, test=test))
        try:
            with pytest.raises(RegretTooLarge) as failed:
                assert_regret("./mine.py:Wrong", "alternating", rounds=6, at_most=1.0)
        finally:
            run_settings.reset(settings)
        return str(failed.value)

    name = message("test_first").partition("arena failures promote ")[2].partition(" ")[0]
    again = message(f"tests/test_wrong_{name[:8]}.py::test_it" if promoted else "other_test.py::test_it")
    assert f"arena failures show {name}" in again
    assert ("promote" in again) != promoted


def test_a_hunt_without_a_theorem_suggests_a_demand_that_can_be_typed():
    with pytest.raises(ArenaError) as refused:
        hunt("./mine.py:maker", matches=2, workers=0)
    bound = str(refused.value).partition("`theorems='")[2].partition("'")[0]
    assert hunt("./mine.py:maker", bound, matches=2, workers=0).applied

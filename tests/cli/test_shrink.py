"""The command `arena shrink FILE.npz [LEARNER]`."""

import json
from pathlib import Path

import pytest

from arena.counterexamples.failures import Failures
from arena_tests.planted.misbehaviour import InterruptedKrr


@pytest.fixture
def _saved(arena):
    arena("play", "krr", "greedy(starts=4)", "--rounds", 40, "--save", "krr.npz")


@pytest.mark.usefixtures("_saved")
def test_a_printed_script_runs(arena, capsys):
    result = arena("shrink", "krr.npz", "--bound", "awv-logdet")
    assert result.exit_code == 1
    assert "40 rounds shrunk to 2 rounds at 1 point (" in result.stderr
    exec(result.stdout, {})
    assert "awv-logdet: violated" in capsys.readouterr().out
    assert not Path(".arena").exists()


def test_arena_play_prints_the_command_that_shrinks_a_saved_failure(arena, write):
    output = arena("play", "krr", "alternating", "--bound", "awv-logdet", "--save", "krr.npz").output
    assert "Shorter: arena shrink krr.npz --bound awv-logdet\n" in output
    assert "Shorter" not in arena("play", "kernel-awv", "alternating", "--save", "awv.npz").output
    crash = write("crash.py", "class Crash:\n    predict = lambda self, x: 1 / 0\n    update = print\n") + ":Crash"
    assert "Shorter: arena shrink crash.npz --trust\n" in arena("play", crash, "drift", "--save", "crash.npz").output
    assert "ZeroDivisionError" in arena("shrink", "crash.npz", "--trust").output


@pytest.mark.usefixtures("_saved")
def test_keep_stores_the_failure(arena):
    result = arena("shrink", "krr.npz", "--bound", "awv-logdet", "--keep", "--json")
    found = json.loads(result.stdout)
    assert (found["rounds"], found["labels"], found["theorem"]) == (2, [1.0, -1.0], "awv-logdet")
    assert found["finished"]
    assert Path(found["kept"]).exists()
    (failure,) = Failures().kept()
    assert Path(found["kept"]) == Failures().file(failure)
    assert arena("replay", found["kept"], "--bound", "awv-logdet").exit_code == 1


@pytest.mark.usefixtures("_saved")
def test_another_learner_may_fail_on_the_same_moves(arena):
    assert 'learner = "krr(regularisation=0.5)"' in (
        arena("shrink", "krr.npz", "krr(regularisation=0.5)", "--bound", "awv-logdet").stdout
    )


@pytest.mark.usefixtures("_saved")
def test_ctrl_c_prints_the_smallest_so_far(arena, capsys):
    InterruptedKrr.restart(number=3)
    stopped = "arena_tests.planted.misbehaviour:InterruptedKrr"
    result = arena("shrink", "krr.npz", stopped, "--bound", "awv-logdet")
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    exec(result.stdout, {})
    assert "awv-logdet: violated" in capsys.readouterr().out


@pytest.mark.usefixtures("_saved")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["krr.npz"], "there is nothing to shrink"),
        (["krr.npz", "kernel-awv", "--bound", "awv-logdet"], "does not come again"),
        (["krr.npz", "--bound", "awv"], "no theorem named 'awv'"),
        (["none.npz"], "there is no file"),
        (["krr.npz", "--bound", "awv-logdet", "--budget", "0"], "budget must be"),
    ],
)
def test_mistakes_are_reported(arena, words, message):
    result = arena("shrink", *words)
    assert result.exit_code == 2
    assert message in result.output

"""`arena replay FILE.npz [LEARNER]` plays the moves of a saved match again."""

import json
from pathlib import Path

import numpy as np
import pytest

from arena import Transcript

MINE = """
class Mine:
    def __init__(self):
        self.last = 0.0

    def predict(self, x):
        if self.last < -0.9:
            raise RuntimeError("out of luck")
        return {factor} * self.last

    def update(self, x, y):
        self.last = y
"""


@pytest.fixture
def saved(arena):
    """A match of KRR against an adversary that looks at predictions, saved as `krr.npz`."""
    arena("play", "krr", "greedy(starts=4)", "--rounds", 40, "--seed", 3, "--save", "krr.npz")
    return Transcript.load("krr.npz")


def test_the_same_learner_does_the_same_again(arena, saved):
    result = arena("replay", "krr.npz", "--save", "again.npz")
    assert result.exit_code == 0
    assert "krr against <moves of krr.npz>: 40 rounds, seed 3" in result.output
    assert "ridge-identity: holds" in result.output
    assert "In the file: krr (completed), the same predictions in 40 rounds" in result.output
    assert "Again: arena replay krr.npz\n" in result.output
    again = Transcript.load("again.npz")
    assert np.array_equal(again.points, saved.points)
    assert np.array_equal(again.labels, saved.labels)
    assert np.allclose(again.predictions, saved.predictions, rtol=1e-10, atol=1e-12)
    assert again.game == saved.game


def test_another_learner_gets_the_same_moves(arena, saved):
    result = arena("replay", "krr.npz", "fgd", "--json")
    found = json.loads(result.output)
    assert (found["learner"], found["rounds"], found["file"]["learner"]) == ("fgd", 40, "krr")
    assert not found["file"]["same_predictions"]
    first = found["file"]["difference"]["round"] - 1
    assert found["file"]["difference"]["there"] == saved.predictions[first]
    assert found["command"] == "arena replay krr.npz fgd"
    output = arena("replay", "krr.npz", "fgd").output
    assert f"other predictions from round {first + 1} on" in output


@pytest.mark.usefixtures("saved")
def test_it_is_judged_by_the_bounds_that_are_named(arena):
    result = arena("replay", "krr.npz", "--bound", "awv-logdet")
    assert result.exit_code == 1
    assert "awv-logdet: violated" in result.output
    assert "Again: arena replay krr.npz --bound awv-logdet" in result.output
    assert arena("replay", "krr.npz", "kernel-awv", "--bound", "awv-logdet").exit_code == 0
    assert "No theorem was judged" in arena("replay", "krr.npz", "--bound", "none").output


def test_without_a_name_the_files_bounds_count_too(arena):
    arena("play", "kernel-awv", "greedy(starts=4)", "--rounds", 40, "--save", "awv.npz")
    assert arena("replay", "awv.npz").exit_code == 0
    result = arena("replay", "awv.npz", "krr", "--report", "page.html")
    assert result.exit_code == 1
    assert "awv-leverage: violated" in result.output
    assert "ridge-identity: holds" in result.output
    page = Path("page.html").read_text()
    assert "awv-leverage is violated" in page
    assert page.count('<article class="theorem"') == result.output.count(": holds") + result.output.count(": violated")
    assert "awv-identity" not in result.output  # it says what kernel-awv predicts


@pytest.mark.parametrize("adversary", ["alternating", "contrarian"])
def test_a_foul_comes_again_and_is_gone_once_it_is_mended(arena, write, adversary):
    mine = write("mine.py", MINE.format(factor=1.0)) + ":Mine"
    arena("play", mine, adversary, "--rounds", 20, "--save", "foul.npz")
    result = arena("replay", "foul.npz", "--trust", "--traceback")
    assert result.exit_code == 1
    assert "out of luck" in result.output
    assert "Traceback" in result.output
    write("mine.py", MINE.format(factor=1.0).replace("raise RuntimeError", "str"))
    mended = arena("replay", "foul.npz", mine)
    assert mended.exit_code == 0
    assert "In the file: ./mine.py:Mine (the learner forfeits in round" in mended.output


def test_code_that_the_file_names_is_not_run_unless_trusted(arena, write):
    mine = write("mine.py", "from pathlib import Path\nPath('was-run').touch()\n" + MINE.format(factor=0.5)) + ":Mine"
    arena("play", mine, "realisable", "--rounds", 5, "--save", "mine.npz")
    Path("was-run").unlink()
    write("mine.py", "from pathlib import Path\nPath('was-run').touch()  # again\n" + MINE.format(factor=0.25))
    result = arena("replay", "mine.npz")
    assert result.exit_code == 2
    assert "--trust" in result.output
    assert not Path("was-run").exists()
    result = arena("replay", "mine.npz", "--trust")
    assert result.exit_code == 0
    assert Path("was-run").exists()
    assert "other predictions from round 2 on" in result.output
    assert "Again: arena replay mine.npz --trust" in result.output
    assert arena("replay", "mine.npz", mine).exit_code == 0


def test_round_by_round_on_request(arena, write):
    blocks = """
from arena.players.learner import Learner


class Blocks(Learner):
    def predict(self, x):
        return 0.5

    def update(self, x, y):
        pass

    def replay(self, X, y):
        return 0.0 * abs(y)
"""
    mine = write("blocks.py", blocks) + ":Blocks"
    arena("play", mine, "contrarian", "--rounds", 5, "--save", "blocks.npz")
    assert "other predictions from round 1 on, 0.5 there and 0 here" in arena("replay", "blocks.npz", mine).output
    result = arena("replay", "blocks.npz", mine, "--one-by-one")
    assert "the same predictions in 5 rounds" in result.output
    assert "Again: arena replay blocks.npz ./blocks.py:Blocks --one-by-one" in result.output


def test_mistakes_are_reported(arena, saved):
    saved.learner = "<Mine>"
    saved.save("nameless.npz")
    Path("torn.npz").write_bytes(Path("krr.npz").read_bytes()[:-40])
    for words, message in [
        (["krr.npz", "krrr"], "no learner named 'krrr'"),
        (["nothing.npz"], "there is no file"),
        (["torn.npz"], "not a whole transcript"),
        (["nameless.npz"], "an object that no spec can name"),
        (["krr.npz", "--bound", "awv"], "no theorem named 'awv'"),
        (["krr.npz", "--save", "x.txt"], "must end in .npz"),
    ]:
        result = arena("replay", *words)
        assert result.exit_code == 2, words
        assert message in result.output, result.output


def test_ctrl_c_shows_what_was_played(arena, saved, write):
    stopped = MINE.format(factor=0.0).replace("raise RuntimeError", "raise KeyboardInterrupt")
    mine = write("stopped.py", stopped) + ":Mine"
    result = arena("replay", "krr.npz", mine, "--one-by-one")
    assert result.exit_code == 130
    played = int(np.flatnonzero(saved.labels < -0.9)[0]) + 1
    assert f"Interrupted: {played} of 40 rounds" in result.output

"""`arena hunt`: output, files and exit codes."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from arena import Transcript, play
from arena.hunt import Hunt, Violation
from arena.record.judging import judge

MINE = """
import numpy as np

class Mean:
    def __init__(self):
        self.labels = [0.0]
    def predict(self, x):
        return float(np.mean(self.labels))
    def update(self, x, y):
        self.labels.append(y)

class Loud(Mean):
    def predict(self, x):
        print("I am thinking")
        return super().predict(x)

class Raises(Mean):
    def predict(self, x):
        return 0.0 if len(self.labels) < 5 else 1 / 0

class Hangs(Mean):
    def predict(self, x):
        import time
        time.sleep(60 if len(self.labels) > 5 else 0)
        return super().predict(x)
"""

ELUSIVE = """
import numpy as np

class PeekChangesIt:
    def begin(self, game, rng):
        self.sum, self.count = 0.0, game.regularisation + 1.0
    def predict(self, x):
        return self.sum / self.count
    def peek(self, X):
        self.sum += 0.5
        return np.full(len(X), self.sum / self.count)
    def update(self, x, y):
        self.sum, self.count = self.sum + y, self.count + 1

class NanLater:
    def __init__(self):
        self.rounds = 0
    def predict(self, x):
        return float("nan") if self.rounds >= 5 else 0.0
    def update(self, x, y):
        self.rounds += 1
"""

BEGINS = """
from pathlib import Path
from arena.learners import Perceptron

class Begins(Perceptron):
    def begin(self, game, rng):
        super().begin(game, rng)
        Path("begun").touch()
"""


def test_a_violation_that_its_moves_do_not_repeat_gets_no_command(arena, write, monkeypatch):
    """The learner does not fail when `arena replay` plays the moves, so the output must not promise that it does."""
    write("mine.py", ELUSIVE)
    learner = "./mine.py:PeekChangesIt"
    run = play(learner, "greedy", rounds=20, kernel="gaussian(bandwidth=1e6)", dimension=1)
    verdict = run.verdict("awv-logdet")
    violation = Violation("bound", str(verdict), "greedy", run, verdict)
    monkeypatch.setattr("arena.cli.hunt.hunt", lambda *_, **__: Hunt(learner, run.game, 0, violation))
    words = ("hunt", learner, "--bound", "awv-logdet")
    result = arena(*words)
    assert verdict.violated
    assert result.exit_code == 1, result.output
    assert "The moves alone do not make it fail again" in result.output
    assert "Again: arena play ./mine.py:PeekChangesIt" in result.output
    assert "Again: arena replay" not in result.output
    assert found(arena(*words, "--json"))["replay"] is None


def test_a_violation_is_printed_even_if_it_cannot_be_kept(arena, tmp_path):
    (tmp_path / ".arena").write_text("in the way")
    result = arena("hunt", "krr", "--bound", "awv-logdet", "--matches", 200)
    assert result.exit_code == 1
    assert "awv-logdet: violated" in result.output
    assert "labels = np.array([1.0, -1.0])" in result.output
    assert "Not kept: cannot make .arena/failures" in result.output


def test_closest_matches_do_not_contradict_the_violation(arena):
    result = arena("hunt", "krr", "--bound", "awv-logdet", "--bound", "ridge-identity", "--matches", 200)
    violated, _, before = result.output.partition("  Before that:\n")
    assert "awv-logdet: violated" in violated
    assert re.search(r"^  awv-logdet: at most [0-9.]+% in \d+ match", before, re.MULTILINE)
    assert "applied to no match" not in result.output


def test_a_forfeit_is_shrunk_from_all_its_moves(arena, write):
    """The moves that the learner did not answer are counted, too, so that the shrunk match is not the longer one."""
    write("mine.py", ELUSIVE)
    result = arena("hunt", "./mine.py:NanLater", "--bound", "awv-logdet", "--matches", 3)
    before, after = re.search(r"Shrunk: (\d+) rounds? shrunk to (\d+) rounds? at 1 point ", result.output).groups()
    assert int(before) >= int(after) == 6


def found(result):
    return json.loads(result.stdout)


def test_a_violation_is_shown_shrunk_kept_and_repeated(arena):
    result = arena("hunt", "krr", "--bound", "awv-logdet", "--matches", 200)
    assert result.exit_code == 1
    assert "awv-logdet: violated" in result.output
    assert "shrunk to 2 rounds at 1 point (" in result.output
    assert "labels = np.array([1.0, -1.0])" in result.output
    again = next(line for line in result.output.splitlines() if "Again: arena replay" in line)
    repeated = arena(*shlex.split(again)[2:])
    assert repeated.exit_code == 1
    assert "awv-logdet: violated" in repeated.output
    assert arena("failures", "list").output.startswith(re.search(r"failures/(\w+)\.", again)[1])


def test_a_violation_of_a_linear_theorem_is_shrunk_and_kept(arena):
    result = arena("hunt", "krr", "--bound", "rls-identity", "--matches", 20)
    assert result.exit_code == 1
    assert re.search(r"Shrunk: \d+ rounds? shrunk to \d rounds?", result.output)
    assert "rls-identity" in arena("failures").output


def test_what_stopped_the_shrinking_is_printed(arena, monkeypatch):
    def broken(*_, **__):
        raise TypeError("cannot pickle it")

    monkeypatch.setattr("arena.counterexamples.shrinking_and_keeping.shrink", broken)
    result = arena("hunt", "krr", "--bound", "awv-logdet", "--matches", 200)
    assert "Not shrunk: shrinking raised TypeError: cannot pickle it" in " ".join(result.output.split())
    assert "arena check" not in result.output
    again = re.search(r"Again: arena (replay .*)", result.output)[1]
    assert arena(*shlex.split(again)).exit_code == 1


def test_a_hunt_in_which_no_theorem_applied_is_no_success(arena):
    result = arena("hunt", "krr", "--bound", "kors-size", "--matches", 3)
    assert result.exit_code == 2
    assert "kors-size: applied to no match" in result.output
    assert "so nothing was tested" in result.output


def test_without_a_violation_the_closest_match_and_its_command_are_printed(arena):
    result = arena("hunt", "clipped-krr", "--matches", 260, "--rounds", 30, "--parameters", "given")
    assert result.exit_code == 0
    assert "Parameters varied" not in result.output
    assert re.search(r"clipped-krr: at most \d+\.\d+% in 260 matches", result.output)
    assert "Varied: box, dimension, kernel, label bound, loss, regularisation, rounds" in result.output


def test_json_is_all_there_is(arena_process, write):
    spec = write("mine.py", MINE)
    result = arena_process("hunt", f"{spec}:Loud", "--bound", "awv-logdet", "--json", "--matches", 100)
    assert result.returncode == 1
    content = found(result)
    assert content["violation"]["kind"] == "bound"
    assert content["violation"]["verdict"]["theorem"] == "awv-logdet"
    assert content["closest"][0]["theorem"] == "awv-logdet"
    assert len(content["shrunk"]["labels"]) == content["shrunk"]["rounds"]
    repeated = arena_process(*shlex.split(content["replay"])[1:])
    assert repeated.returncode == 1


def test_the_best_match_of_an_adversary_is_repeated_by_a_command(arena, tmp_path):
    content = found(arena("hunt", "kons", "--json", "--matches", 220, "--rounds", 20, "--save", "kept"))
    assert content["violation"] is None
    commands = [(each["command"], each["tightness"]) for each in content["closest"] if each["command"]]
    for command, tightness in commands:
        played = json.loads(arena(*shlex.split(command)[1:], "--json").output)
        shares = [verdict["tightness"] for verdict in played["verdicts"]]
        assert any(share == pytest.approx(tightness, rel=1e-6) for share in shares if share)
    files = content["closest_files"]
    assert set(files) == {each["theorem"] for each in content["closest"] if each["match"]}
    for theorem, file in files.items():
        run = Transcript.load(tmp_path / file)
        expected = next(each["tightness"] for each in content["closest"] if each["theorem"] == theorem)
        assert judge(run, theorem).tightness == pytest.approx(expected, rel=1e-6)


def test_the_same_seed_and_matches_print_the_same(arena):
    words = ("hunt", "kernel-awv", "--json", "--matches", 60, "--rounds", 20, "--seed", 4)
    first, second = found(arena(*words)), found(arena(*words))
    for each in (first, second):
        del each["seconds"]
    assert first == second


def test_kept_failures_are_played_first(arena):
    first = arena("hunt", "krr", "--bound", "awv-logdet", "--matches", 100, "--save", "kept")
    assert first.exit_code == 1
    second = found(arena("hunt", "krr", "--bound", "awv-logdet", "--matches", 100, "--save", "kept", "--json"))
    assert second["matches"] == 0
    assert "kept in kept" in second["violation"]["adversary"]


def test_a_foul_is_a_failure(arena, write):
    spec = write("mine.py", MINE)
    result = arena("hunt", f"{spec}:Raises", "--bound", "perceptron-mistakes", "--matches", 100)
    assert result.exit_code == 1
    assert "ZeroDivisionError" in result.output
    again = next(line for line in result.output.splitlines() if "Again: arena replay" in line)
    assert "ZeroDivisionError" in arena(*shlex.split(again)[2:]).output


def test_a_learner_that_hangs(arena, write):
    spec = write("mine.py", MINE)
    result = arena("hunt", f"{spec}:Hangs", "--bound", "perceptron-mistakes", "--budget", 3)
    assert result.exit_code == 1
    assert "did not answer within" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["zero"], "promises no theorem"),
        (["krr", "--bound", "awv-logdte"], "Did you mean 'awv-logdet'"),
        (["krr", "--budget", "0"], "budget > 0"),
        (["krr", "--matches", "0"], "matches >= 1"),
        (["krr", "--matches", "3", "--seed", "-1"], "seed must be a whole number >= 0, but it is -1"),
        (["nobody"], "there is no learner named"),
        (["pkawv", "--kernel", "laplacian"], "taylor is the series"),
        (["krr", "--box", "7"], "--box must be"),
    ],
)
def test_mistakes_of_the_user(arena, words, message):
    result = arena("hunt", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_ctrl_c_reports_what_is_known(tmp_path, write):
    spec = write("begins.py", BEGINS)
    words = [sys.executable, "-m", "arena", "hunt", f"{spec}:Begins", "--bound", "perceptron-mistakes", "--json"]
    process = subprocess.Popen([*words, "--budget", "90"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=80)
    assert process.returncode == 130
    assert json.loads(output)["interrupted"]

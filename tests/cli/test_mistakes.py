"""Every mistake of a user gives one clear message, the right exit code, and no stack trace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena import Transcript

LEARNER = """
import os, signal
import numpy as np

class Base:
    def __init__(self): self.t = 0
    def predict(self, x): return 0.0
    def update(self, x, y): self.t += 1

class Raises(Base):
    def update(self, x, y):
        super().update(x, y)
        if self.t == 7: raise RuntimeError("out of luck")

class Nan(Base):
    def predict(self, x): return float("nan") if self.t == 4 else 0.0

class Shape(Base):
    def predict(self, x): return np.zeros(3)

class Text(Base):
    def predict(self, x): return "one"

class Nothing(Base):
    def predict(self, x): return None

class PressesCtrlC(Base):
    def update(self, x, y):
        super().update(x, y)
        if self.t == 12: os.kill(os.getpid(), signal.SIGINT)

class NeedsRate(Base):
    def __init__(self, rate): super().__init__()

class NotALearner:
    pass

class Mistyped:
    def predict(self, x): return 0.0
    def updte(self, x, y): pass

class Leaves:
    def point(self, view): return np.full(view.game.dimension, 2.0 if view.round == 5 else 0.0)
    def label(self, view, x, prediction): return 1.0

class Shouts(Leaves):
    def point(self, view): return np.zeros(view.game.dimension)
    def label(self, view, x, prediction): return 9.0 if view.round == 3 else 1.0
"""

THEOREMS = """
from dataclasses import dataclass
import numpy as np
from arena.record.theorem import Theorem

class Of(Theorem):
    value = 1.0
    def allowed(self, run): return np.full(run.rounds, self.value)

class Raises(Of):
    def allowed(self, run): return run.nothing

class Words(Of):
    def allowed(self, run): return ["much"] * run.rounds

class Writes(Of):
    def measured(self, run):
        run.points[:] = 0.0

class Assumes(Of):
    def assumptions(self, run): return True

class Percent(Of):
    confidence = 95

class Nothing(Theorem):
    pass
"""

WRONG_USAGE = [
    *(
        (["play", "zero", "alternating", "--bound", f"./theorems.py:{name}"], message)
        for name, message in {
            "Raises": "Raises.allowed(run) raised AttributeError: 'Transcript' object has no attribute 'nothing'",
            "Words": "Words.allowed(run) raised ValueError: could not convert string to float: 'much'",
            "Writes": "read-only (theorems.py, line 18): what is given may not be changed, work on a copy",
            "Assumes": "Assumes.assumptions(run) raised TypeError",
            "Percent": "Percent: confidence must be >= 0 and <= 1, but it is 95",
            "Nothing": "Nothing must define allowed(run): the bound, one value for each round",
        }.items()
    ),
    (["play", "kernel-avw", "greedy"], "Did you mean 'kernel-awv'"),
    (["show", "krrr"], "Did you mean 'krr'"),
    (["show", "nosuchname"], "there is nothing named 'nosuchname'. All names: arena list"),
    (["play", "kernel-awv", "gredy"], "Did you mean 'greedy'"),
    (["play", "kernel-awv(regularization=1)", "greedy"], "Did you mean 'regularisation'"),
    (["play", "kernel-awv(regularisation=-1)", "greedy"], "regularisation must be a finite number > 0"),
    (["play", "kernel-awv(regularisation=abc)", "greedy"], "regularisation must be a finite number > 0"),
    (["play", "kernel-awv(regularisation=", "greedy"], "cannot read the spec"),
    (["play", "kernel-awv", "repeated(points=1.5)"], "points must be a whole number >= 1"),
    (["play", "kernel-awv", "repeated(labels=random)"], "one of fixed, alternating, contrary"),
    (["play", "kernel-awv", "greedy", "--kernel", "gausian"], "Did you mean 'gaussian'"),
    (["play", "kernel-awv", "greedy", "--kernel", "gaussian(bandwidth=0)"], "bandwidth must be a finite number > 0"),
    (["play", "kernel-awv", "greedy", "--dimension", "0"], "dimension must be a whole number >= 1"),
    (["play", "kernel-awv", "greedy", "--rounds", "0"], "rounds must be a whole number >= 1"),
    (["play", "kernel-awv", "greedy", "--rounds", "many"], "not a whole number; write it like 200 or 1e6"),
    (["play", "kernel-awv", "greedy", "--regularisation", "nan"], "regularisation must be a finite number > 0"),
    (["play", "kernel-awv", "greedy", "--label-bound", "inf"], "label_bound must be a finite number > 0"),
    (["play", "kernel-awv", "greedy", "--box", "[1,0]"], "finite low < high"),
    (["play", "kernel-awv", "greedy", "--seed", "-1"], "seed must be a whole number >= 0"),
    (["play", "kernel-awv", "greedy", "--bound", "awv-logdt"], "Did you mean 'awv-logdet'"),
    (["play", "kernel-awv", "greedy", "--report", "no/such/folder/x.html"], "there is no folder no/such/folder"),
    (["play", "kernel-awv", "greedy", "--save", "."], "is a folder"),
    (["play", "kernel-awv", "greedy", "--rounds", "2.5"], "not a whole number"),
    (["play", "kernel-awv", "greedy", "--box", "low,high"], "box"),
    (["play", "kernel-awv", "greedy", "--box", "[1,"], "--box must be [low,high]"),
    (["play", "kernel-awv", "greedy", "--box", "0.5"], "--box must be [low,high]"),
    (["play", "kernel-awv", "greedy", "--report", "x.pdf"], "must end in .html"),
    (["play", "kernel-awv", "greedy", "--save", "x.csv"], "must end in .npz"),
    (["play", "greedy", "kernel-awv"], "It is an adversary. (The order is LEARNER ADVERSARY.)"),
    (["play", "concept_drift", "krr"], "'concept-drift' is an adversary. (The order is LEARNER ADVERSARY.)"),
    (["play", "kernel-awv", "greedy", "--bound", "krr"], "It is a learner"),
    (["play", "fgd(rate=0.1", "greedy"], "a ')' is missing"),
    (["play", "kernel-awv", "alternating(at=[5,5])"], "outside the box"),
    (["play", "kernel-awv", "greedy", "--rounds", "1000000000000"], "rounds must be a whole number"),
    (["judge", "nothing.npz"], "there is no file nothing.npz"),
    (["judge", "mine.py"], "is not a whole transcript"),
    (["play", "kernel-awv", "greedy", "--loss", "hinge"], "greedy needs the squared loss"),
    (["play", "./nowhere.py:Mine", "greedy"], "there is no file ./nowhere.py"),
    (["play", "./mine.py", "greedy"], "A class in a file is named like this: ./mine.py:MyClass"),
    (["play", "./mine.py:Mien", "greedy"], "./mine.py has no 'Mien'"),
    (["play", "./mine.py:NeedsRate", "greedy"], "needs a value for 'rate'"),
    (["play", "./mine.py:NotALearner", "greedy"], "methods predict and update"),
    (["play", "./broken.py:Mine", "greedy"], "./broken.py cannot be loaded"),
    (["play", "no_such_package:Mine", "greedy"], "there is no module 'no_such_package'"),
    (["play", "kernel-awv", "alternating(at=[0,0,0])"], "at has 3 coordinates, but the game has 2"),
    (["play", "./mine.py:Mistyped", "greedy"], "whose update is missing. Did you mean 'updte'?"),
    (["play", "./mine.py:Leaves", "greedy"], "which is an adversary: the order is LEARNER ADVERSARY"),
    (["play", "kernel-awv", "./mine.py:Base"], "which is a learner: the order is LEARNER ADVERSARY"),
    (["judge", "."], ". is a folder: name a file in it"),
    (["play", "zero", "greedy", "--dimension", "1000000000"], "dimension must be a whole number >= 1 and <= 1e+06"),
    (["play", "zero", "greedy", "--loss", "hinge"], "such as contrarian"),
    (["show", "kernel-avw"], "Did you mean 'kernel-awv'"),
    (["list", "players"], "is not one of"),
    (["pley"], "there is no command 'pley'. Did you mean 'play'"),
]


@pytest.mark.parametrize(
    ("words", "message"), WRONG_USAGE, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_wrong_usage(arena, write, words, message):
    write("mine.py", LEARNER)
    write("broken.py", "import no_such_module_here\n")
    write("theorems.py", THEOREMS)
    result = arena(*words)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert "Traceback" not in result.output


FORFEITS = [
    (
        "./mine.py:Raises",
        "alternating",
        "the learner forfeits in round 7",
        "RuntimeError: out of luck (mine.py, line 13)",
    ),
    ("./mine.py:Raises", "greedy", "the learner forfeits in round 7", "RuntimeError: out of luck"),
    ("./mine.py:Nan", "alternating", "the learner forfeits in round 5", "the prediction is nan"),
    ("./mine.py:Shape", "alternating", "the learner forfeits in round 1", "must be one number"),
    ("./mine.py:Text", "alternating", "the learner forfeits in round 1", "not numeric: 'one'"),
    ("./mine.py:Nothing", "alternating", "the learner forfeits in round 1", "not numeric: None"),
    ("zero", "./mine.py:Leaves", "the adversary forfeits in round 5", "outside the box's [-1, 1]"),
    ("zero", "./mine.py:Shouts", "the adversary forfeits in round 3", "the label 9 is beyond the label bound 1"),
]


@pytest.mark.parametrize(("learner", "adversary", "who", "why"), FORFEITS)
def test_a_foul_is_a_forfeit(arena, write, tmp_path, learner, adversary, who, why):
    write("mine.py", LEARNER)
    result = arena("play", learner, adversary, "--save", "kept.npz")
    assert result.exit_code == 1
    assert who in result.output
    assert why in result.output
    assert "Traceback" not in result.output
    assert Transcript.load(tmp_path / "kept.npz").forfeit is not None


def test_the_traceback_of_a_forfeit_is_there_for_the_asking(arena, write):
    write("mine.py", LEARNER)
    result = arena("play", "./mine.py:Raises", "alternating", "--traceback")
    assert 'raise RuntimeError("out of luck")' in result.output


def test_ctrl_c_keeps_what_was_played(arena_process, write, tmp_path):
    write("mine.py", LEARNER)
    done = arena_process("play", "./mine.py:PressesCtrlC", "repeated(labels=contrary)", "--save", "kept.npz")
    assert done.returncode == 130
    assert "Interrupted: 11 of 200 rounds were played and are kept" in done.stdout
    assert "Traceback" not in done.stderr
    kept = Transcript.load(tmp_path / "kept.npz")
    assert (kept.rounds, kept.ended) == (11, "interrupted")


def test_an_order_is_printed_if_there_is_one(arena):
    assert arena("check", "gaussian").output.endswith("It is a kernel.\n")


INTERRUPTS = """
import os, signal, time
from dataclasses import dataclass
import numpy as np
from arena.record.theorem import Theorem

@dataclass(frozen=True)
class InTheVerdict(Theorem):
    name = "in-the-verdict"

    def allowed(self, run):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)  # the signal comes before this is over
        return np.ones(run.rounds)
"""


AFTER_THE_LAST_ROUND = (
    "Interrupted after the last round: all 200 rounds are kept; regret and verdicts were not computed; "
    "the same command computes the rest"
)


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (("play", "zero", "alternating", "--bound", "./mine.py:InTheVerdict"), AFTER_THE_LAST_ROUND),
        (("show", "./slow.py:Learner"), "Interrupted."),
        (("judge", "kept.npz", "--bound", "./mine.py:InTheVerdict"), "Interrupted."),
    ],
)
def test_ctrl_c_has_its_exit_code_wherever_it_comes(arena_process, write, words, last):
    """The exit code must not be 1, which means that a bound is violated."""
    write("mine.py", INTERRUPTS)
    write("slow.py", "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(1)")
    arena_process("play", "zero", "alternating", "--save", "kept.npz")
    done = arena_process(*words)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, last)


def test_a_match_is_kept_before_it_is_judged(arena_process, write, tmp_path):
    write("mine.py", INTERRUPTS)
    done = arena_process("play", "zero", "alternating", "--bound", "./mine.py:InTheVerdict", "--save", "kept.npz")
    assert done.returncode == 130
    assert Transcript.load(tmp_path / "kept.npz").ended == "completed"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file here that is always full")
@pytest.mark.parametrize(
    "words", [("play", "zero", "alternating"), ("play", "zero", "alternating", "--json"), ("list",)]
)
def test_an_output_that_cannot_be_written_is_no_stack_trace(words):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "arena", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (2, "Error: the output cannot be written: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
@pytest.mark.parametrize(
    "words", [("play", "zero", "alternating"), ("play", "zero", "alternating", "--json"), ("list",)]
)
def test_a_reader_that_leaves_is_no_violation(words):
    """If the output is piped to a program that ends early, such as `head`, the exit code must not be 1 (violation)."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "arena", *words]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_terminal_without_the_letters_gets_the_rest(monkeypatch, arena_process):
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}.items():
        monkeypatch.setenv(name, value)
    done = arena_process("list", "kernels")
    assert done.returncode == 0, done.stderr
    assert "The Mat?rn kernel" in done.stdout


def test_it_needs_no_docstrings(tmp_path):
    command = [sys.executable, "-OO", "-m", "arena", "check", "zero"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_an_unwritable_path_is_refused_before_the_match(arena, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    result = arena("play", "kernel-awv", "greedy", "--report", "x.html")
    assert result.exit_code == 2
    assert "may not be written" in result.output


@pytest.mark.parametrize(
    "words",
    [
        "play krr drift --rounds 3 --save s3://bucket/x.npz",
        "play krr drift --rounds 3 --report https://host/x.html",
        "tournament krr --against drift --rounds 3 --store s3://bucket/x",
        "hunt krr --matches 1 --save s3://bucket/x",
        "new learner mine --folder s3://bucket/x",
        "report store --text -o s3://bucket/x.html",
        "report store -o s3://bucket/x/",
        "report store --figures s3://bucket/x --format svg",
        "store merge s3://bucket/x store",
        "store export store gs://bucket/x.csv",
        "reproduce jezequel2019-fig1 --quick -o s3://bucket/x",
    ],
)
def test_a_url_is_no_place_for_output(arena, words):
    """The path s3://bucket/x is that of a folder called s3:, in which the result would not be found again."""
    if "store" in words.split():
        assert arena("tournament", "zero", "--against", "alternating", "--rounds", 3, "--store", "store").exit_code == 0
    before = set(Path.cwd().iterdir())
    result = arena(*words.split())
    assert result.exit_code == 2, result.output
    assert "is a URL, but only local files are written: name a local path" in " ".join(result.output.split())
    assert set(Path.cwd().iterdir()) == before


def test_a_module_of_this_folder_is_named_by_its_file(arena, write):
    (Path.cwd() / "shop").mkdir()
    code = "class Zero:\n    def predict(self, x):\n        return 0.0\n\n    def update(self, x, y):\n        pass\n"
    write("shop/models.py", code)
    output = arena("play", "shop.models:Zero", "drift").output
    assert "write ./shop/models.py:Zero, or start the arena by python -m arena" in output
    assert arena("play", "./shop/models.py:Zero", "drift", "--rounds", 3).exit_code == 0


def test_a_misspelt_command_is_named(arena):
    result = arena("plya", "krr", "drift")
    assert result.exit_code == 2
    assert "there is no command 'plya'. Did you mean 'play'" in result.output


STOPPED = (
    INTERRUPTS
    + """
from arena.record.comparing import NamedComparator

@dataclass(frozen=True)
class Slow(NamedComparator):
    name = "slow"

    def compare(self, run):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
"""
)


@pytest.mark.parametrize("options", [("--comparator", "./mine.py:Slow"), ("--bound", "./mine.py:InTheVerdict")])
def test_ctrl_c_after_the_last_round_keeps_the_match_and_writes_the_page(arena_process, write, tmp_path, options):
    write("mine.py", STOPPED)
    files = ("--save", "kept.npz", "--report", "page.html")
    done = arena_process("play", "zero", "alternating", *options, "--comparator", "constant", *files)
    assert done.returncode == 130
    assert "Interrupted after the last round: all 200 rounds are kept in kept.npz" in done.stderr
    assert "arena judge computes the rest" in done.stderr
    assert "Traceback" not in done.stderr
    assert "loss" in done.stdout
    assert "Report: page.html" in done.stdout
    assert (tmp_path / "page.html").stat().st_size > 10_000
    kept = Transcript.load(tmp_path / "kept.npz")
    assert (kept.rounds, kept.ended) == (200, "completed")
    assert kept.hindsight_mode == "exact"
    assert ("Ctrl-C came before it was computed" in done.stdout) == (options[0] == "--comparator")

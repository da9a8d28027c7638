"""If a named bound cannot be decided, the exit code is 2, and the reason is on standard error."""

import json

import pytest

from arena import play

NO_MOVES = (
    "class NoMoves:\n    def point(self, view): return None\n    def label(self, view, x, prediction): return 0.0\n"
)
UNFIT = ("--loss", "hinge", "--bound", "awv-logdet")  # a theorem on the squared loss
WIDE = (
    *("repeated(points=200)", "--dimension", 5, "--kernel", "laplacian", "--regularisation", 1e-11),
    *("--hindsight", "interval", "--bound", "awv-logdet", "--rounds", 200),
)
UNDECIDED = {
    "no round": (("play", "krr", "./none.py:NoMoves", "--bound", "awv-logdet"), "no round was played"),
    "another loss": (("play", "fgd", "alternating", *UNFIT), "the loss is squared (it is hinge)"),
    "the second is unfit, too": (
        ("play", "fgd", "alternating", *UNFIT, "--bound", "awv-leverage"),
        "awv-leverage: not applicable: the loss is squared",
    ),
    "chance": (
        ("play", "con-kons(beta=120)", "alternating", "--bound", "kors-projection"),
        "one match says nothing",
    ),
    "a wide interval": (("play", "krr", *WIDE), "awv-logdet: undecided: regret between"),
    "many seeds": (("play", "fgd", "alternating", *UNFIT, "--seeds", 2), "in no match: the loss is squared"),
    "too few seeds": (
        ("play", "con-kons(beta=120)", "alternating", "--bound", "kors-projection", "--seeds", 2),
        "which 2 seeds cannot refute",
    ),
    "all adversaries": (("play", "fgd", "--all-adversaries", *UNFIT), "the loss is squared (it is hinge)"),
    "all adversaries, chance": (
        ("play", "con-kons(beta=120)", "--all-adversaries", "--bound", "kors-projection"),
        "it holds with probability 0.9, so one match says nothing",
    ),
    "judged again": (("judge", "hinge.npz", "--bound", "awv-logdet"), "the loss is squared (it is hinge)"),
    "replayed": (("replay", "hinge.npz", "krr", "--bound", "awv-logdet"), "the loss is squared (it is hinge)"),
}
FINE = {
    "nothing was named": ("play", "fgd", "alternating", "--loss", "hinge"),
    "nothing was promised": ("play", "zero", "alternating"),
    "no promise applies": ("play", "kernel-awv", "alternating", "--loss", "hinge"),
    "no round, nothing named": ("play", "krr", "./none.py:NoMoves"),
    "none": ("play", "krr", "./none.py:NoMoves", "--bound", "none"),
    "auto": ("play", "krr", "./none.py:NoMoves", "--bound", "auto"),
    "one of two applies": (
        "play",
        "kernel-awv",
        "alternating",
        "--bound",
        "awv-logdet",
        "--bound",
        "dual-svrg-identity",
    ),
    "seeds, nothing named": ("play", "fgd", "alternating", "--loss", "hinge", "--seeds", 2),
    "all adversaries, nothing named": ("play", "fgd", "--all-adversaries", "--loss", "hinge"),
    "judged by its own promises": ("judge", "hinge.npz"),
    "replayed by its own promises": ("replay", "hinge.npz", "fgd"),
}


@pytest.fixture
def arena(arena, write):
    write("none.py", NO_MOVES)
    play("fgd", "alternating", rounds=12, loss="hinge").save("hinge.npz")
    return lambda *words: arena(*words, *(("--rounds", 12) if words[0] == "play" and "--rounds" not in words else ()))


@pytest.mark.parametrize(("words", "reason"), UNDECIDED.values(), ids=UNDECIDED)
def test_named_bounds_of_which_none_is_decided_end_with_2(words, reason, arena):
    result = arena(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("No bound was decided (exit code 2): ")
    assert reason in result.stderr
    again = arena(*words, "--json")
    assert (again.exit_code, again.stderr) == (2, result.stderr)
    assert "learner" in json.loads(again.stdout)


@pytest.mark.parametrize("words", FINE.values(), ids=FINE)
def test_everything_else_is_fine(words, arena):
    result = arena(*words)
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr


def test_failures_and_wrong_usage_keep_their_codes(arena, write):
    write("bad.py", "class Bad:\n    def predict(self, x): return 'no'\n    def update(self, x, y): pass\n")
    assert arena("play", "./bad.py:Bad", "alternating", "--bound", "awv-logdet").exit_code == 1
    assert arena("play", "krr", "greedy", *("--bound", "awv-logdet", "--bound", "clipped-krr")).exit_code == 1
    assert arena("play", "krr", "alternating", "--bound", "awv-logdot").exit_code == 2

"""One module decides states: the terminal, pages, tables, assertions and exit codes agree about a match."""

import ast
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import Transcript
from arena.cli import main
from arena.engine.workers import can_fork
from arena.record.judgement import TONES, Judgement
from arena.testing import RegretTooLarge, assert_regret

BROKEN = """
from dataclasses import dataclass
import numpy as np
from arena import Theorem

@dataclass(frozen=True)
class Own(Theorem):
    name = "own"
    def allowed(self, run):
        return np.zeros(run.rounds)

class Mine:
    theorems = (Own(),)
    def predict(self, x):
        return 0.0
    def update(self, x, y):
        pass
"""
TONE = re.compile(r'<div class="verdict (\w+)">')


@pytest.fixture
def arena(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder, and returns the exit code and the output."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        found = CliRunner().invoke(main, [*map(str, words)], prog_name="arena", catch_exceptions=False)
        return found.exit_code, found.stdout

    return run


def tone_of(page):
    """Return the tone of a page's banner, which is its colour."""
    return TONE.search(Path(page).read_text())[1]


def test_a_match_saved_as_violated_is_violated_in_every_report(arena):
    code, _ = arena("play", "krr", "greedy", "--rounds", 20, "--bound", "awv-logdet", "--save", "f.npz")
    assert code == 1
    assert arena("judge", "f.npz")[0] == 1
    assert arena("report", "f.npz", "-o", "page.html")[0] == 0
    assert tone_of("page.html") == "bad"
    assert "No theorem was violated" not in Path("page.html").read_text()
    assert "violated" in arena("report", "f.npz", "--text")[1]
    assert Transcript.load("f.npz").judgement().violated == ("awv-logdet",)


def test_a_learner_that_breaks_its_own_theorem_breaks_it_everywhere(arena):
    Path("mine.py").write_text(BROKEN)
    game = ["--rounds", 10]
    assert arena("play", "./mine.py:Mine", "alternating", *game)[0] == 1
    assert arena("play", "./mine.py:Mine", "alternating", *game, "--seeds", 2)[0] == 1
    words = ["tournament", "./mine.py:Mine", "krr", "--against", "alternating", *game, "--workers", 1]
    code, out = arena(*words)
    assert (code, "Own" in out) == (1, True)
    arena("report", "-o", "page.html")
    assert tone_of("page.html") == "bad"


@pytest.mark.skipif(not can_fork(), reason="isolation forks")
def test_what_was_not_judged_is_open_and_judged_when_it_may_be(arena):
    Path("mine.py").write_text(BROKEN)
    words = ["tournament", "./mine.py:Mine", "krr", "--against", "alternating", "--rounds", 10, "--workers", 1]
    code, out = arena(*words, "--isolate")
    assert code == 0
    assert re.search(r"Open: ./mine.py:Own.*: not judged: .*isolated", "\n".join(out.splitlines()[:3]))
    assert [line for line in out.splitlines() if line.startswith("mine.py:Mine") and "open" in line]
    arena("report", "-o", "page.html")
    assert tone_of("page.html") == "open"
    code, out = arena(*words, "--isolate", "--json")
    found = {each["learner"]: each for each in json.loads(out)["outcomes"]}
    assert (found["./mine.py:Mine"]["state"], found["krr"]["state"]) == ("open", "holds")
    assert [each["theorem"] for each in found["./mine.py:Mine"]["unjudged"]] == ["./mine.py:Own"]
    code, out = arena(*words, "--json")
    again = json.loads(out)
    assert (code, again["played"], again["kept"]) == (1, 0, 2)
    assert {each["learner"]: each["state"] for each in again["outcomes"]} == {
        "./mine.py:Mine": "violated",
        "krr": "holds",
    }
    arena("report", "-o", "page.html")
    assert tone_of("page.html") == "bad"


def test_a_page_of_assertions_draws_the_regret_that_was_judged():
    from arena.reports.assertions import section
    from arena.testing.session import observers

    seen = []
    token = observers.set((seen.append,))
    try:
        with pytest.raises(RegretTooLarge):
            assert_regret("krr", "alternating", rounds=30, at_most=-1e6, comparator="last-label")
        assert_regret("krr", "alternating", rounds=30, at_most=1e6, comparator="last-label")
    finally:
        observers.reset(token)
    for each in seen:
        (judged,) = [verdict for verdict in each.verdicts if verdict.quantity == "regret to last-label"]
        match = {"learner": "krr", "adversary": "x", "matches": 1, "rounds": 30, "assertions": 1, "tightness": None}
        drawn = section("s", "test", each, match)
        assert float(drawn["regret"].replace("−", "-")) == pytest.approx(judged.measured, rel=1e-3)  # noqa: RUF001
        assert "regret to last-label, " in drawn["figure"]
        assert "best penalised" not in drawn["figure"]


# ---- the seam


@pytest.mark.parametrize("state", ["holds", "open", "violated", "forfeit"])
def test_every_front_shows_the_state_that_the_judgement_decides(arena, monkeypatch, state):
    monkeypatch.setattr(Judgement, "state", property(lambda _: state))
    bad, words = state in ("violated", "forfeit"), ["krr", "--rounds", 6]
    assert arena("play", *words, "drift", "--save", "f.npz", "--report", "m.html")[0] == bad
    assert tone_of("m.html") == TONES[state]
    assert json.loads(arena("play", *words, "drift", "--json")[1])["state"] == state
    assert arena("judge", "f.npz")[0] == bad
    assert arena("play", *words, "drift", "--seeds", 2)[0] == bad
    assert arena("play", *words, "--all-adversaries")[0] == bad
    code, out = arena("tournament", *words, "--against", "drift", "--workers", 0, "--json")
    assert (code, [each["state"] for each in json.loads(out)["outcomes"]]) == (bad, [state])
    arena("report", "-o", "page.html")
    assert f'class="{state}" data-name="drift"' in Path("page.html").read_text()


STATES = {"violated", "forfeit", "open", "holds"}


def leaves(value):
    """Yield the constants that an expression may have as its value."""
    if isinstance(value, ast.IfExp):
        yield from (*leaves(value.body), *leaves(value.orelse))
    elif isinstance(value, ast.Constant):
        yield value.value


def test_no_other_module_decides_a_state():
    """No function elsewhere returns one state or another; verdicts have outcomes, one of which is "undecided"."""
    root = Path(__file__).resolve().parents[2]
    deciders = set()
    for path in [*(root / "arena").rglob("*.py"), *(root / "reports").glob("*.py")]:
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return) and each.value]
                texts = {each for value in returned for each in leaves(value)}
                if len(texts & STATES) > 1 and "undecided" not in texts:
                    deciders.add((path.name, function.name))
    assert deciders == {("judgement.py", "state")}

"""`--comparator` of play and judge: the terminal, JSON, the file, the page and the command to copy."""

import json
import re

import pytest

from arena import Transcript
from arena.specs.building import build
from arena.specs.spelling import spec_text

MATCH = ("play", "krr", "repeated(points=3)", "--rounds", 40)
TWO = ("--comparator", "constant", "--comparator", "window(length=3)")


def test_each_comparator_has_a_line(arena):
    result = arena(*MATCH, *TWO)
    assert result.exit_code == 0
    assert re.search(r"constant +-?\d\S* +beyond the best constant prediction \(the mean", result.output)
    assert re.search(r"window\(length=3\) +-?\d\S* +beyond predicting the mean of the last 3 labels", result.output)
    assert "--comparator constant --comparator 'window(length=3)'" in result.output
    assert "compared with" not in arena(*MATCH).output


def test_json_has_the_regret_in_words_and_numbers(arena):
    found = json.loads(arena(*MATCH, *TWO, "--json").output)
    assert [each["comparator"] for each in found["comparators"]] == ["constant", "window(length=3)"]
    assert all(len(each["regret"]) == 2 and each["plainly"] for each in found["comparators"])
    assert "--comparator constant" in found["command"]
    assert json.loads(arena(*MATCH, "--json").output)["comparators"] == []


def test_a_negative_regret_is_explained(arena):
    result = arena("play", "krr", "alternating", "--rounds", 40, "--comparator", "last-label")
    assert "negative: the learner lost less than this comparator" in result.output
    assert "below zero the learner did better" in " ".join(arena("play", "--help").output.split())


def test_the_file_keeps_the_names_and_judge_adds_others(arena, tmp_path):
    arena(*MATCH, *TWO, "--save", "m.npz")
    assert Transcript.load(tmp_path / "m.npz").comparators == ("constant", "window(length=3)")
    judged = json.loads(arena("judge", "m.npz", "--comparator", "last-label", "--json").output)
    assert [each["comparator"] for each in judged["comparators"]] == ["constant", "window(length=3)", "last-label"]
    again = json.loads(arena("replay", "m.npz", "zero", "--json").output)
    assert [each["comparator"] for each in again["comparators"]] == ["constant", "window(length=3)"]


def test_replay_compares_with_further_ones(arena):
    arena(*MATCH, *TWO, "--save", "m.npz")
    words = ("replay", "m.npz", "zero", "--comparator", "last-label", "--comparator", "constant")
    found = json.loads(arena(*words, "--json").output)
    assert [each["comparator"] for each in found["comparators"]] == ["constant", "window(length=3)", "last-label"]
    own = json.loads(arena("play", "zero", *MATCH[2:], "--comparator", "last-label", "--json").output)
    assert found["comparators"][2]["regret"] == own["comparators"][0]["regret"]
    assert found["command"] == " ".join(("arena", *words))
    assert "last-label" in arena(*words).output
    assert arena("replay", "m.npz", "--comparator", "lastlabel").exit_code == 2


def test_the_page_has_a_table_and_curves(arena, tmp_path):
    arena(*MATCH, *TWO, "--comparator", "linear(penalty=0)", "--report", "m.html")
    page = (tmp_path / "m.html").read_text()
    assert "Compared with" in page
    assert "predicting the mean of the last 3 labels" in page
    assert "Below zero the learner did better" in page
    assert 'id="comparators"' in page
    arena(*MATCH, "--report", "n.html")
    assert "Compared with" not in (tmp_path / "n.html").read_text()


def test_what_is_unknown_says_why(arena, tmp_path):
    words = ("play", "fgd", "alternating", "--rounds", 20, "--loss", "hinge", "--comparator", "linear(penalty=0)")
    result = arena(*words, "--report", "m.html")
    assert result.exit_code == 0
    assert "write linear(penalty=0.001)" in result.output
    assert "write linear(penalty=0.001)" in (tmp_path / "m.html").read_text()
    assert json.loads(arena(*words, "--json").output)["comparators"][0]["regret"] is None


def test_many_seeds(arena):
    words = ("play", "krr", "repeated(points=3)", "--rounds", 20, "--seeds", 3, *TWO)
    text = arena(*words).output
    assert "regret to constant, the best constant prediction" in text
    found = json.loads(arena(*words, "--json").output)
    one = json.loads(arena(*words[:5], "--seed", 1, *TWO, "--json").output)
    assert found["comparators"][0]["each"][1] == one["comparators"][0]["regret"]


def test_all_adversaries(arena):
    words = ("play", "zero", "--all-adversaries", "--rounds", 6, "--comparator", "constant")
    rows = json.loads(arena(*words, "--json").output)["rows"]
    assert all(len(row["comparators"]["constant"]) == 2 for row in rows)
    assert "to constant" in arena(*words).output


@pytest.mark.parametrize("name", ["constan", "seasonal(period=0)", "baseline", "baseline(model=nobody)"])
def test_a_mistake_costs_no_match(arena, name):
    result = arena(*MATCH, "--comparator", name)
    assert result.exit_code == 2
    assert "loss  " not in result.output


def test_a_model_that_fails_costs_no_match(arena, write):
    path = write("mine.py", "def rule(x):\n    return 1 / 0\n")
    result = arena(*MATCH, "--comparator", f"fixed-models(models=[{path}:rule])")
    assert result.exit_code == 0
    assert "unknown" in result.output
    assert "ZeroDivisionError" in result.output
    assert "mine.py, line 2" in result.output


def test_a_demand_to_a_comparator(arena):
    assert spec_text(build("theorem", "at-most(comparator=constant)")) == "at-most(comparator=constant)"
    assert spec_text(build("theorem", "at-most(comparator=window(length=3))")).endswith("window(length=3))")
    kept = arena(*MATCH, "--bound", "at-most(regret=5, comparator=constant)")
    assert kept.exit_code == 0
    assert "regret to constant" in kept.output
    broken = arena("play", "fgd", "alternating", "--rounds", 30, "--bound", "at-most(regret=-5, comparator=constant)")
    assert broken.exit_code == 1
    hunted = arena("hunt", "krr", "--bound", "at-most(regret=1, comparator=constant)", "--matches", 60, "--rounds", 30)
    assert hunted.exit_code == 1
    assert "regret to constant" in hunted.output

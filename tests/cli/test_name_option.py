"""`--name`: headings and tables show the name, while JSON and commands keep the spec."""

import json

import pytest

MINE = """
class Mine:
    name = "running mean"
    def __init__(self): self.sum, self.count = 0.0, 1
    def predict(self, x): return self.sum / self.count
    def update(self, x, y): self.sum, self.count = self.sum + y, self.count + 1
"""
PLAYED = ("play", "krr", "alternating", "--rounds", 6)


@pytest.mark.parametrize("options", [(), ("--seeds", 2)])
def test_the_heading_has_the_name_and_the_command_the_spec(arena, options, monkeypatch):
    monkeypatch.setattr("arena.tournament.series.processors", lambda: 1)
    output = arena(*PLAYED, "--name", "our [ridge]", *options).output
    assert output.startswith("our [ridge] against alternating: 6 rounds")
    assert "Again: arena play krr alternating --rounds 6" in output
    found = json.loads(arena(*PLAYED, "--name", "ours", "--json", *options).stdout)
    assert (found["learner"], found["learner_name"], found["adversary_name"]) == ("krr", "ours", "alternating")


def test_a_learner_of_your_own_declares_its_name(arena, write):
    spec = write("mine.py", MINE) + ":Mine"
    output = arena("play", spec, "greedy", "--rounds", 6).output
    assert output.startswith("running mean against greedy: ")
    assert f"Again: arena play {spec} greedy" in output
    assert arena("play", spec, "greedy", "--rounds", 6, "--isolate").stdout.startswith("running mean against greedy: ")
    assert arena("play", spec, "greedy", "--rounds", 6, "--name", "other").output.startswith("other against greedy: ")


@pytest.mark.parametrize("name", ["", "x" * 41, "two\nlines"])
@pytest.mark.parametrize("command", [PLAYED, (*PLAYED, "--seeds", 2), ("hunt", "krr", "--matches", 1)])
def test_a_name_that_is_none_is_refused(arena, command, name):
    result = arena(*command, "--name", name)
    assert result.exit_code == 2
    assert "a name must be a text of 1 to 40 printable characters" in result.output


def test_the_tables_of_a_tournament_have_the_names(arena):
    words = ("tournament", "krr", "fgd", "--against", "alternating", "--rounds", 6, "--workers", 0)
    output = arena(*words, "--name", "ours", "--name", "theirs").output
    assert "ours against alternating" in output
    assert output.count("ours ") >= 4  # series, ranking, costs and worst match
    assert "arena play krr alternating --rounds 6" in output
    found = json.loads(arena(*words, "--name", "ours", "--name", "theirs", "--json").stdout)
    for rows in (found["outcomes"], found["standings"]["ranking"]):
        assert {each["learner"]: each["learner_name"] for each in rows} == {"krr": "ours", "fgd": "theirs"}
    text = arena("report", ".arena/store", "--text").output
    assert "ours" in text
    assert "krr" not in text.partition("Theorems")[0]
    wrong = arena(*words, "--name", "ours")
    assert (wrong.exit_code, "give one name for each of the 2 learners" in wrong.output) == (2, True)


def test_a_hunt_has_the_name(arena):
    output = arena("hunt", "krr", "--name", "ours", "--matches", 2, "--rounds", 6).output
    assert output.startswith("Hunt for ours: ")

"""The command `arena play LEARNER --all-adversaries`."""

import json
import re
from pathlib import Path

import pytest

from arena import Transcript
from arena.specs import registry
from arena_tests.sources import STOPPED_IN_THE_FOURTH


def test_numbers_are_whole_in_a_narrow_terminal(arena, monkeypatch):
    wide = arena("play", "zero", "--all-adversaries", "--rounds", 5).output
    monkeypatch.setenv("COLUMNS", "30")
    narrow = arena("play", "zero", "--all-adversaries", "--rounds", 5).output
    cells = lambda text: [line.split()[:4] for line in text.splitlines()]
    assert "…" not in narrow
    assert "\n\n\n" not in narrow
    assert cells(narrow) == cells(wide)


HALF_WAY = """
class GivesUp:
    def __init__(self):
        self.rounds = 0
    def predict(self, x):
        return 0.0
    def update(self, x, y):
        self.rounds += 1
        if self.rounds == 4 and y > 0:
            raise RuntimeError("enough")
"""


def test_a_row_with_fewer_rounds_is_marked(arena, write):
    write("mine.py", HALF_WAY)
    output = arena("play", "./mine.py:GivesUp", "--all-adversaries", "--rounds", 6).output
    table, _, forfeits = output.partition("\n\nforfeits\n")
    marked = {line.split()[0] for line in table.splitlines() if line.rstrip().endswith(" forfeit")}
    assert marked == set(re.findall(r"^  (\S+): the learner forfeits", forfeits, re.MULTILINE))
    assert marked
    assert "alternating" not in marked


def test_a_table_for_people(arena):
    result = arena("play", "kernel-awv", "--all-adversaries", "--rounds", 10, "--dimension", 1)
    assert result.exit_code == 0, result.output
    assert "kernel-awv against every adversary: 10 rounds, dimension 1, seed 0" in result.output
    for adversary in registry.entries("adversary"):
        assert f"\n  {adversary}" in result.output
    assert "A: share of awv-leverage at the end, at most" in result.output
    assert "replay: replay needs data" in result.output
    assert "Worst: arena play kernel-awv" in result.output


def test_broken_bounds_and_identities_are_marked(arena):
    result = arena(
        "play", "krr", "--all-adversaries", "--rounds", 10, "--bound", "awv-logdet", "--bound", "awv-identity"
    )
    assert result.exit_code == 1
    assert "✘ exceeded in some round by" in result.output
    broken = result.output.partition("✘ awv-identity is violated by ")[2].splitlines()[0].split(", ")
    assert "greedy" in broken


def test_a_share_below_zero_is_no_percentage(arena):
    words = ("play", "fgd", "--all-adversaries", "--rounds", 40, "--bound", "ogd")
    rows = {row["adversary"]: row["tightness"]["ogd"] for row in json.loads(arena(*words, "--json").output)["rows"]}
    output = arena(*words).output
    printed = {line.split()[0]: line for line in output.splitlines() if line[:3].strip() and line.split()[0] in rows}
    assert min(rows.values()) < 0 < max(rows.values())
    assert {name for name, share in rows.items() if share < 0} == {name for name in rows if " < 0 " in printed[name]}
    assert "< 0: below zero, so that the learner did better" in output
    assert not re.search(r"-\d+%", output)


def test_json_for_programs(arena):
    result = arena("play", "krr", "--all-adversaries", "--rounds", 10, "--bound", "awv-logdet", "--seed", 2, "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert [*found["cannot"]] == ["from-data", "replay"]  # which need a file
    worst = found["rows"][0]
    assert worst["violated"] == ["awv-logdet"]
    assert worst["tightness"]["awv-logdet"] > 1
    assert worst["command"] == f"arena play krr {worst['adversary']} --rounds 10 --seed 2 --bound awv-logdet"
    again = json.loads(arena(*worst["command"].split()[1:], "--json").output)
    assert again["regret"] == pytest.approx(worst["regret"])


def test_files_are_written_of_the_worst(arena):
    result = arena("play", "fgd", "--all-adversaries", "--rounds", 6, "--bound", "none", "--save", "worst.npz")
    assert "Saved (of " in result.output
    worst = result.output.partition("Worst: arena play fgd ")[2].split()[0]
    assert Transcript.load("worst.npz").adversary.partition("(")[0] == worst


def test_ctrl_c_prints_the_finished_rows(arena, write, monkeypatch):
    monkeypatch.setattr("arena.tournament.series.processors", lambda: 1)
    stopped = write("stopped.py", STOPPED_IN_THE_FOURTH)
    result = arena("play", f"{stopped}:Stopped", "--all-adversaries", "--rounds", 5, "--save", "worst.npz")
    assert result.exit_code == 130
    assert "Interrupted: 3 matches were played." in result.output
    assert "alternating" in result.output
    # playing the worst match again for the file would never end
    assert "Saved" not in result.output
    assert not Path("worst.npz").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["krr"], "Missing argument 'ADVERSARY'"),
        (["krr", "greedy", "--all-adversaries"], "it takes no ADVERSARY"),
        (["krr", "--all-adversaries", "--seeds", "3"], "not --seeds"),
        (["krrr", "--all-adversaries"], "no learner named 'krrr'"),
        (["krr", "--all-adversaries", "--bound", "awv"], "no theorem named 'awv'"),
    ],
)
def test_mistakes_are_reported(arena, words, message):
    result = arena("play", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_a_wide_interval_of_the_regret_is_printed_with_both_ends(arena):
    words = ("play", "fgd", "--all-adversaries", "--rounds", 60, "--loss", "hinge", "--regularisation", 1e-11)
    rows = {row["adversary"]: row for row in json.loads(arena(*words, "--json").output)["rows"]}
    printed = {line.split()[0]: line for line in arena(*words).output.splitlines() if line.startswith("  ")}
    wide = 0
    for adversary, row in rows.items():
        low, high = (f"{end:.4g}" for end in row["regret_interval"])
        shown = low if low == high else f"{low} to {high}"
        assert f" {shown} " in printed[adversary]
        wide += low != high
    assert wide > 0

"""`arena reproduce NAME`: parts, searches, and data that is missing."""

from __future__ import annotations

import json
from pathlib import Path

from arena.papers.calandriello2017a import LEARNERS


def test_collecting_plays_nothing(arena):
    words = ("reproduce", "le2022-fig3", "--quick", "-o", "out", "--workers", 0, "--seeds", 1, "--only", "cod-rna")
    empty = arena(*words, "--collect")
    assert empty.exit_code == 3
    assert "none of 5 rows could be played" in " ".join(empty.output.split())
    played = json.loads(arena(*words, "--json").output)
    collected = json.loads(arena(*words, "--collect", "--json").output)
    assert collected["parts"] == played["parts"]
    assert all(len(row["values"]) == 1 for row in played["parts"][0]["rows"])


def test_parts_that_no_experiment_has_are_refused(arena):
    headings = {"papers": "'labels in turn at one point', 'nycflights13'", "le2022-fig3": "'w8a', 'cod-rna'"}
    for name, known in headings.items():
        refused = arena("reproduce", name, "--quick", "-o", "out", "--only", "nothing")
        assert refused.exit_code == 2
        assert known in refused.output
    assert "nothing is played" in arena("reproduce", "jezequel2019-fig1", "--only", "x").output
    assert not Path("out").exists()


def test_a_search_is_written_and_printed(arena):
    words = ("reproduce", "le2022-table2", "--quick", "-o", "out", "--workers", 0, "--seeds", 1, "--only", "cod-rna")
    result = arena(*words, "--search", 0.0001)
    assert result.exit_code == 0, result.output
    assert "| [0,1] | [0,1] |" in result.output
    assert json.loads(Path("out/le2022-table2-search.json").read_text())["left"] > 0
    refused = arena("reproduce", "le2022-fig3", "--quick", "--search", 1)
    assert refused.exit_code == 2
    assert "leaves no setting open" in refused.output


def test_data_that_is_not_there_is_named(arena):
    result = arena("reproduce", "le2022-fig3", "--data", ".", "-o", "out", "--workers", 0)
    assert result.exit_code == 3
    assert "arena data fetch w8a" in result.output


def test_a_forfeit_is_not_a_row_that_could_not_be_played(arena, monkeypatch, write):
    write("bad.py", "class Bad:\n    def predict(self, x): return float('nan')\n    def update(self, x, y): pass\n")
    monkeypatch.setitem(LEARNERS, "KONS", "./bad.py:Bad")
    result = arena("reproduce", "calandriello2017a-section6", "--quick", "-o", "out", "--workers", 0, "--seeds", 1)
    assert result.exit_code == 1, result.output

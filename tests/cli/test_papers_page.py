"""The page on the papers' experiments, and `arena reproduce NAME`: the examples work as written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from arena.papers.calandriello2017a import LEARNERS
from arena.papers.experiments import NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers.md"


def test_the_examples_work_as_written(arena, write):
    write("mine.csv", "0,2,5\n4,3,6\n2,1,8\n")
    commands = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    for line in "".join(commands).splitlines():
        result = arena(*shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.output)
    page = Path("small/jezequel2019-fig4.md").read_text()
    assert "PKRR Taylor M=2" in page
    assert "an extract of 240 rows of casp; each of 9 columns to [0,1]" in page
    assert "<svg" in Path("small/jezequel2019-fig4.html").read_text()


def test_the_page_lists_the_experiments():
    assert set(re.findall(r"`((?:jezequel|calandriello|le)20\d\d\w?-\w+)`", PAGE.read_text())) == set(NAMES)


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

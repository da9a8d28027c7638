"""The page on rankings, comparisons and export: its examples work as written, in their order."""

import re
import shlex
from pathlib import Path

import polars
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "comparing.md").read_text()
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
pytestmark = pytest.mark.usefixtures("without_bubblewrap")  # faster; other tests play inside it


def test_the_examples_work_as_written(arena, tmp_path, python):
    output = []
    for language, text in BLOCKS:
        if name := re.match(r"# (\w+\.py)\n", text):
            (tmp_path / name[1]).write_text(text)
        elif language == "python":
            done = python("-c", text, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            output.append(done.stdout)
        else:
            for line in text.splitlines():
                words, _, remark = line.partition("#")
                result = arena(*shlex.split(words)[1:])
                assert result.exit_code == ("exit code 1" in remark), result.output
                output.append(result.output)
    whole = "\n".join(output)
    for table in ("Ranking", "Critical difference", "Cost against regret", "Worst match of each learner"):
        assert table in whole
    assert "✘ regret:10% holds: ./mine.py:Mean on average" in whole
    assert "./mine.py:Mean worse" in whole
    assert "zero equal 0.0" in whole
    assert len(polars.read_parquet(tmp_path / "matches.parquet")) == 40


def test_the_conditions_are_those_that_can_be_read():
    from arena.tournament.conditions import COUNTED, read_condition
    from arena.tournament.pairing import MEASURES

    table = PAGE.partition("| condition |")[2].partition("\n\n")[0]
    named = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:]))
    assert {read_condition(each).measure for each in named} == {*MEASURES, *COUNTED}

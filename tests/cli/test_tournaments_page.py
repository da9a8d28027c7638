"""The page on tournaments: every command and every example works as written, in their order."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena.tournament.league import KEYS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tournaments.md").read_text()
BLOCKS = re.findall(r"^```(sh|python|toml)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_work_as_written(arena, tmp_path, python):
    said = []
    for language, text in BLOCKS:
        if language == "sh":
            for command in text.splitlines():
                result = arena(*shlex.split(command)[1:])
                assert result.exit_code == 0, result.output
                said.append(result.output)
        elif language == "toml":
            (tmp_path / re.match(r"# (\S+)\n", text)[1]).write_text(text)
        else:
            done = python("-c", text, cwd=tmp_path)
            assert (done.returncode, done.stdout) == (0, "12 0 0 0\n"), done.stderr
    first, second, listed, planned, some, rest, verified, merged, thinned, page, tables, folder = said
    assert "12 played, 0 kept before" in first
    assert "8 played, 12 kept before" in second
    assert listed.count("\n") == 20
    assert "24 matches, 0 kept" in planned
    assert "4 played, 0 kept before" in some
    assert "20 played, 4 kept before" in rest
    assert "44 matches sound, digest" in verified
    assert "44 matches copied" in merged
    assert "24 matches deleted" in thinned
    assert page == "Report: report.html\n"
    assert "Who broke whom" in tables
    assert folder == "Report: pages/index.html\n"


def test_the_page_names_every_key_of_a_file():
    rows = re.findall(r"^\| (`[^|]*) \|", PAGE, re.MULTILINE)
    assert set(re.findall(r"`\[?(\w+)\]?`", " ".join(rows))) == set(KEYS)


@pytest.mark.parametrize("program", ["scheduler", "worker"])
def test_the_commands_of_dask_have_the_options_of_the_page(program):
    pytest.importorskip("distributed")
    readme = Path(__file__).resolve().parents[2].joinpath("README.md").read_text()
    (command,) = {
        each for page in (PAGE, readme) for each in re.findall(rf"^\$ dask {program} .*$", page, re.MULTILINE)
    }
    done = subprocess.run([sys.executable, "-m", "dask", program, "--help"], capture_output=True, text=True, check=True)
    assert set(re.findall(r"--[\w-]+", command)) <= set(re.findall(r"--[\w-]+", done.stdout))

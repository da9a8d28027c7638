"""The page of the first five minutes: every command and every example works as written."""

import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "five-minutes.md").read_text()


def test_the_examples_work_as_written(tmp_path, arena, python):
    pytest.importorskip("sklearn")
    pytest.importorskip("river")
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for language, text in blocks:
        if language == "python":
            (tmp_path / re.match(r"# (\w+\.py)\n", text)[1]).write_text(text)
            continue
        for command in text.splitlines():
            words, _, code = command.partition("# exit code ")
            result = arena(*shlex.split(words)[1:])
            assert result.exit_code == int(code or 0), result.output
    assert (tmp_path / "match.html").exists()
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]
    done = python(*words, "test_first.py", cwd=tmp_path)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_what_is_typed_by_hand_are_the_first_steps():
    typed = re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)
    assert typed[-1] == "pytest test_first.py"
    assert "arena doctor" in typed

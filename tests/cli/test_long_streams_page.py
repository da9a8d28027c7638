"""The page on long streams: its examples work as written."""

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "long-streams.md"


def test_the_examples_work_as_written(tmp_path, arena, python):
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert [language for language, _ in blocks] == ["python", "sh", "sh", "python", "python"]
    output = ""
    for language, text in blocks:
        if language == "python":
            done = python("-c", text, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            output += done.stdout
        else:
            result = arena(*shlex.split(text)[1:])
            assert "interval" in result.output or "by lambda: 0.01: " in result.output
            assert result.exit_code == 0, result.output
    assert "every prediction within" in output
    assert "2000 rounds, lambda 10.0: between" in output

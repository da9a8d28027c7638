"""The page on testing: every command and every example works as written, and the table names every check."""

import re
import subprocess
import sys
from pathlib import Path

from arena.testing.checks import LEARNER_CHECKS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "testing.md").read_text()
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_work_as_written(tmp_path, arena):
    tests = []
    for number, (language, text) in enumerate(BLOCKS):
        if language == "sh":
            for command in text.splitlines():
                assert arena(*command.split()[1:]).exit_code == 0, command
            continue
        named = re.match(r"# (\w+\.py)\n", text)
        file = named[1] if named else f"example_{number}.py"
        (tmp_path / file).write_text(text)
        if file.startswith("test_"):
            tests.append(file)
        else:
            run(tmp_path, file)
    assert len(tests) == 3
    output = run(tmp_path, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", ".", "-p", "no:cacheprovider", *tests)
    assert re.search(r"\d{2} passed", output)
    assert "skipped" not in output


def run(folder, *words):
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_table_names_every_check():
    rows = re.findall(r"^\| (`[^|]*) \|", PAGE, re.MULTILINE)
    assert re.findall(r"`([\w-]+)`", " ".join(rows)) == [check.name for check in LEARNER_CHECKS]

"""The pages on testing: every command and every example works as written, and the table names every check."""

import re
import shlex
from pathlib import Path

import pytest

from arena.testing.checks import LEARNER_CHECKS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {"testing.md": 2, "testing-theorem.md": 5, "testing-model.md": 5, "testing-own-theorem.md": 2}  # files of tests


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_work_as_written(page, tmp_path, arena, output_of):
    tests, commands = [], []
    blocks = re.findall(r"^```(sh|python|ini)\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    for number, (language, text) in enumerate(blocks):
        if language == "sh":
            commands += text.splitlines()
            continue
        named = re.match(r"# (\w+\.\w+)\n", text)
        file = named[1] if named else f"example_{number}.py"
        (tmp_path / file).write_text(text)
        if file.startswith("test_"):
            tests.append(file)
        elif language == "python":
            output_of(file)
    for command in commands:
        assert arena(*shlex.split(command)[1:]).exit_code == 0, command
    assert len(tests) == PAGES[page]
    words = [
        "-q",
        "-p",
        "no:cacheprovider",
        *(["-c", "/dev/null", "--rootdir", "."] if "ini" not in dict(blocks) else []),
    ]
    output = output_of("-m", "pytest", *words, *tests)
    assert re.search(r"\d+ passed", output)
    assert "skipped" not in output
    assert (tmp_path / "report.html").exists() == ("ini" in dict(blocks))


def test_the_table_names_every_check():
    rows = re.findall(
        r"^\| (`[^|]*) \|", (DOCS / "testing.md").read_text().partition("## In a pytest run")[0], re.MULTILINE
    )
    assert re.findall(r"`([\w-]+)`", " ".join(rows)) == [check.name for check in LEARNER_CHECKS]


def test_the_pages_name_every_option_of_the_plugin():
    source = (DOCS.parent / "arena" / "pytest_plugin.py").read_text()
    options = set(re.findall(r'"(--arena-\w+)"', source))
    assert options == set(re.findall(r"\| `(--arena-\w+)=", (DOCS / "testing.md").read_text()))


def test_the_pages_lead_to_one_another():
    for page in PAGES:
        for target in re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / page).read_text()):
            assert (DOCS / target).is_file(), (page, target)
    assert set(re.findall(r"\((testing-[\w-]+\.md)\)", (DOCS / "testing.md").read_text())) == set(PAGES) - {
        "testing.md"
    }

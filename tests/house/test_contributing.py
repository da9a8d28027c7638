"""The examples of CONTRIBUTING can be played, and pass the tests of every new part."""

import importlib
import os
import re
import shutil
import subprocess
import sys

import pytest

from arena_tests.pages import ROOT, blocks

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
LEARNER, ADVERSARY, THEOREM, PROMISE = (block.text for block in blocks(ROOT / "CONTRIBUTING.md", "python")[:4])
IMPORTS = """
from arena.record.theorem import Theorem
from arena.theorems.constants import RegretAgainstConstants
"""
PLAY = """
from arena import play
run = play("running-mean", "noise", rounds=50)
print(run.verdict("regret-against-constants").outcome)
"""
TESTS = [
    "tests/conformance",
    "tests/adversaries/test_adversaries.py",
    "tests/engine/test_same_match.py",
    "tests/theorems/test_every_theorem.py",
    "tests/theorems/test_every_assumption.py",
]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with the three files of the examples."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("arena", "arena.learners", "arena.adversaries", "arena.reports"):
        source = importlib.import_module(name).__path__[0]
        shutil.copytree(source, folder.joinpath(*name.split(".")), dirs_exist_ok=True)
    start = "from dataclasses import dataclass\n"
    promising = LEARNER.replace(start, "from collections.abc import Sequence\n" + start).replace(
        "\nfrom arena.specs", IMPORTS + "from arena.specs"
    )
    (folder / "arena" / "learners" / "running_mean.py").write_text(f"{promising}\n{PROMISE}")
    (folder / "arena" / "adversaries" / "noise.py").write_text(ADVERSARY)
    (folder / "arena" / "theorems" / "constants.py").write_text(THEOREM)
    return folder


def run(package, *words):
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        # The copy must come before the package of this folder, which Python would otherwise find first.
        env={**os.environ, "PYTHONPATH": str(package), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_they_play_by_their_names(package):
    assert run(package, "-c", PLAY) == "holds\n"


def test_they_pass_the_tests_that_every_part_must_pass(package):
    names = "running-mean or noise or regret-against-constants"
    output = run(package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", names, *TESTS)
    assert int(re.search(r"(\d+) passed", output)[1]) > 50, output


@pytest.mark.parametrize("example", [LEARNER, ADVERSARY, THEOREM], ids=["learner", "adversary", "theorem"])
def test_they_are_formatted_and_pass_the_linter(example, tmp_path):
    pytest.importorskip("ruff")
    path = tmp_path / "example.py"
    path.write_text(example)
    for command in (["check"], ["format", "--check"]):
        words = [sys.executable, "-m", "ruff", *command, "--config", str(ROOT / "pyproject.toml"), str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_tables_that_the_page_names_exist():
    """For example, the page names `ROWS` in `tests/support/arena_tests/theorem_rows.py`."""
    named = re.findall(r"`(\w+)`\s+(?:of|in)\s+`([\w/]+\.py)`", PAGE)
    assert {"ROWS", "LARGE", "foul"} <= {table for table, _ in named}
    for table, path in named:
        assert re.search(rf"^(def |class )?{table}\b", (ROOT / path).read_text(), re.MULTILINE), (table, path)

"""The scripts in benchmarks/ can be imported, and pages of measurements have a row for every adversary."""

import importlib
from pathlib import Path

import pytest

from arena.specs import registry
from arena.specs.building import build

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("[a-z]*.py")))
def test_it_can_be_loaded(name):
    importlib.import_module(name)


def test_the_page_of_adversaries_has_every_match_of_the_benchmark():
    """If this fails, write the page again; an adversary without an entry in MATCHES then gets a row."""
    page = (FOLDER.parent / "docs" / "results" / "adversaries.md").read_text()
    matches = importlib.import_module("adversaries").MATCHES
    missing = [match for match in matches if f"| `{match[0]}` |" not in page]
    assert not missing, f"run: python benchmarks/adversaries.py --write, which adds the rows of {missing}"
    assert {match[0].partition("(")[0] for match in matches} <= set(registry.entries("adversary"))


def test_adversaries_that_need_data_have_no_match_on_the_page():
    adversaries = {adversary for adversary, *_ in importlib.import_module("adversaries").matches()}
    assert not adversaries & {"replay", "from-data"}
    assert "concept-drift" in adversaries  # has no entry in MATCHES
    for adversary in adversaries:
        build("adversary", adversary)

"""The benchmarks can be imported, and their naive twins play the same matches."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from arena import play
from arena.specs import registry

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("[a-z]*.py")))
def test_it_can_be_loaded(name):
    importlib.import_module(name)


def test_the_naive_twin_of_the_greedy_adversary_plays_the_same_match():
    naive = importlib.import_module("engine").NaiveGreedy
    slow = play("kernel-awv", naive(starts=8, polished=0), rounds=6)
    quick = play("kernel-awv", "greedy(starts=8, polished=0)", rounds=6)
    assert slow.forfeit is None
    np.testing.assert_allclose(slow.points, quick.points, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(slow.labels, quick.labels)
    assert slow.regret[-1] == pytest.approx(quick.regret[-1], rel=1e-9)


def test_the_page_of_adversaries_has_every_match_of_the_benchmark():
    """An adversary without an entry in MATCHES gets a row against kernel-awv when the page is next written."""
    page = (FOLDER.parent / "docs" / "results" / "adversaries.md").read_text()
    matches = importlib.import_module("adversaries").MATCHES
    missing = [match for match in matches if f"| `{match[0]}` |" not in page]
    assert not missing, f"run: python benchmarks/adversaries.py --write, which adds the rows of {missing}"
    assert {match[0].partition("(")[0] for match in matches} <= set(registry.entries("adversary"))

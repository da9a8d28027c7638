"""The benchmarks compare with twins that really play."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from arena import play

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
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

"""`assert_regret(..., isolate=True)` runs no code of the learner in the process of the tests."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from arena.counterexamples.shrinking import shrink
from arena.testing import assert_regret
from arena.testing.failure import RegretTooLarge

ENDS_ITS_PROCESS = """
import os

class Ends:
    def __init__(self):
        if os.getpid() == {parent}:
            raise RuntimeError("made in the process of the tests")

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        os._exit(3)
"""


def test_smaller_matches_of_an_isolated_learner_are_isolated_and_so_are_the_printed_commands(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text(ENDS_ITS_PROCESS.format(parent=os.getpid()))
    with pytest.raises(RegretTooLarge) as failure:
        assert_regret(f"{tmp_path}/ends.py:Ends", "alternating", rounds=3, at_most=1.0, isolate=True)
    shrunk = failure.value.shrunk
    assert shrunk is not None
    assert shrunk.smallest.forfeit is not None
    assert shrunk.smallest.forfeit.of_process
    again = shrink(f"{tmp_path}/ends.py:Ends", replace(failure.value.transcript, isolated=False), budget=5)  # of a file
    assert again.smallest.forfeit is not None
    commands = [line for line in str(failure.value).splitlines() if "again: arena" in line]
    assert len(commands) == 2
    assert all(line.endswith(" --isolate") for line in commands)


def test_the_command_of_a_mean_over_seeds_plays_all_seeds() -> None:
    with pytest.raises(RegretTooLarge, match=r"again: arena play zero drift --rounds 5 --seed 4 --seeds 2\n?"):
        assert_regret("zero", "drift", rounds=5, seed=4, at_most=0.0, seeds=2)

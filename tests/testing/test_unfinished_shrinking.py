"""A failure whose shrinking ran out of time has round numbers and a short message that says so."""

import numpy as np
import pytest

from arena import play
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking import shrink
from arena.testing import RegretTooLarge, assert_regret
from arena.testing.moves import Moves
from arena.testing.session import RunSettings, run_settings


@pytest.mark.usefixtures("counted_trials")
def test_numbers_are_rounded_before_the_time_is_gone():
    worst = play("zero", "realisable", rounds=60)
    shrunk = shrink("zero", worst, "at-most(regret=3)", budget=4.0)
    assert not shrunk.finished
    assert "out of time" in str(shrunk)
    assert "until the time was spent, " in reproduction(shrunk)
    digits = [len(repr(abs(value)).replace(".", "").strip("0")) for value in shrunk.points.ravel().tolist()]
    assert max(digits) <= 3 < max(len(repr(value)) for value in worst.points.ravel().tolist())


@pytest.mark.usefixtures("counted_trials")
def test_the_failure_says_that_time_was_spent_and_which_option_gives_more():
    settings = run_settings.set(RunSettings(shrinking=4.0))
    try:
        with pytest.raises(RegretTooLarge) as failed:
            assert_regret("zero", "realisable", rounds=60, at_most=20.0)
    finally:
        run_settings.reset(settings)
    message = str(failed.value)
    assert "(out of time after 4 s; --arena-shrinking=24 searches longer): regret" in message
    assert "its moves: " in message


def test_moves_that_come_again_and_again_are_written_once():
    moves = Moves(X=[[0.25]] * 30, y=[1.0] * 30)
    with pytest.raises(RegretTooLarge) as failed:
        assert_regret("zero", moves, dimension=1, at_most=18.0)
    message = str(failed.value)
    assert "points = [[0.0]] * " in message
    assert "labels = [1.0] * " in message
    shrunk = failed.value.shrunk
    text = reproduction(shrunk)
    assert "points = np.array([[0.0]] * " in text
    namespace: dict = {}
    exec(text.partition("learner =")[0].replace("from arena", "# from arena"), {"np": np}, namespace)
    assert np.array_equal(namespace["points"], shrunk.points)
    assert np.array_equal(namespace["labels"], shrunk.labels)

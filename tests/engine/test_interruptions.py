"""After Ctrl-C at any moment, the rounds played so far are kept."""

from unittest.mock import Mock

import numpy as np
import pytest

from arena import Interrupted, play
from arena_tests.players import Answers, Fails, Script


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("where", ["point", "label", "predict", "update"])
def test_ctrl_c_keeps_what_was_played(where, oblivious):
    stop = KeyboardInterrupt()
    point = np.array([0.5, -0.5])
    last = (stop if where == "point" else point, stop if where == "label" else 1.0)
    learner = Answers([0.5] * 3 + [stop if where == "predict" else 0.5], [None] * 3 + [stop])
    with pytest.raises(Interrupted) as caught:
        play(learner, Script([(point, 1.0)] * 3 + [last], oblivious), rounds=9)
    run = caught.value.transcript
    assert run.ended == "interrupted"
    expected = 0 if oblivious and where in ("point", "label") else 3  # a block not yet answered is no round
    assert run.rounds == len(run.predictions) == len(run.points) == expected
    assert isinstance(caught.value, KeyboardInterrupt)
    assert len(run.regret) == expected
    assert f"{expected} rounds" in str(caught.value)


@pytest.mark.parametrize("method", ["begin", "evidence"])
def test_ctrl_c_before_and_after_the_rounds(method):
    with pytest.raises(Interrupted) as caught:
        play(Fails(method, KeyboardInterrupt()), "alternating", rounds=5)
    assert caught.value.transcript.rounds == (0 if method == "begin" else 5)


def test_ctrl_c_while_the_comparator_is_computed_loses_nothing(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("arena.hindsight.comparator.ridge_hindsight", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(Interrupted) as caught:
            play("zero", "alternating", rounds=5)
    run = caught.value.transcript
    assert run.rounds == 5
    assert run.ended == "completed"
    np.testing.assert_array_equal(run.regret, play("zero", "alternating", rounds=5).regret)


def test_an_interrupted_learner_is_not_asked_for_evidence():
    """The learner may have been interrupted in the middle of an update."""

    class Half(Fails):
        def update(self, x, y):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        play(Half("evidence"), "alternating", rounds=5)
    assert caught.value.transcript.evidence == {}

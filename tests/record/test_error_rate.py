"""The error rate: the share of rounds in which the prediction has the wrong sign, if the loss classifies."""

import numpy as np
import pytest

from arena import play
from arena_tests.players import Answers


@pytest.mark.parametrize(
    ("predictions", "rate"),
    [
        ((0.1, -0.1, 5.0, -5.0), 0.0),  # the labels are +1, -1, +1, -1
        ((0.1, -0.1, -0.1, -0.1), 0.25),
        ((0.0, -0.1, 1.0, -1.0), 0.25),  # zero has no sign
        ((1e-300, -1e-300, 1e-300, 1e-300), 0.25),  # products of these underflow, signs do not
        ((-1.0, 1.0, -1.0, 1.0), 1.0),
    ],
)
@pytest.mark.parametrize("loss", ["hinge", "squared-hinge", "smooth-hinge", "logistic"])
def test_it_counts_wrong_signs(loss, predictions, rate):
    run = play(Answers(predictions), "alternating", rounds=4, loss=loss)
    assert run.error_rate == rate
    assert run.summary()["error_rate"] == rate


def test_tiny_labels_have_signs_too():
    run = play(Answers([1e-200, 1e-200]), "alternating", rounds=2, loss="hinge", label_bound=1e-140)
    assert run.error_rate == 0.5


@pytest.mark.parametrize("loss", ["squared", "absolute", "epsilon-insensitive"])
def test_it_is_none_where_labels_are_numbers(loss):
    run = play(Answers([1.0, 1.0]), "alternating", rounds=2, loss=loss)
    assert run.error_rate is None
    assert run.summary()["error_rate"] is None


def test_it_is_none_before_the_first_round():
    run = play(Answers([np.nan]), "alternating", rounds=2, loss="hinge")
    assert (run.ended, run.rounds, run.error_rate) == ("forfeit", 0, None)

"""The fast check of single moves agrees with the check of whole blocks."""

import numpy as np
import pytest

from arena import Game, play
from arena.game.legality import FEW, PointLimits, first_illegal_move

VALUES = [-1.0, 1.0, -0.0, 0.3, np.nextafter(1.0, 2.0), np.nextafter(-1.0, -2.0), np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("dimension", [1, 3, FEW, FEW + 1])
def test_they_agree_with_the_checks_of_blocks(dimension):
    game = Game(dimension=dimension)
    limits = PointLimits(game)
    for place in {0, dimension - 1}:
        for value in VALUES:
            x = np.zeros(dimension)
            x[place] = value
            assert limits.contain(x) == (first_illegal_move(game, x[np.newaxis], np.zeros(1)) is None)


@pytest.mark.parametrize("y", VALUES)
def test_labels_of_an_interactive_match_agree_with_the_checks_of_blocks(y):
    class Says:
        def point(self, view):
            return np.zeros(2)

        def label(self, view, x, prediction):
            return y

    run = play("zero", Says(), rounds=1)
    assert (run.forfeit is None) == (first_illegal_move(run.game, np.zeros((1, 2)), np.array([y])) is None)


@pytest.mark.parametrize("dimension", [2, FEW + 1])
def test_a_point_outside_the_box_is_named_in_an_interactive_match(dimension):
    class Leaves:
        def point(self, view):
            return np.full(dimension, 0.9 + 0.1 * view.round)

        def label(self, view, x, prediction):
            return 0.5

    run = play("zero", Leaves(), rounds=5, dimension=dimension)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("adversary", 2, 1)
    assert "coordinate 1 of the point is 1.1" in run.forfeit.reason


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        (0.0, 1.0000000000000002, "the label 1.0000000000000002 is beyond the label bound 1.0"),
        (0.0, -1.0000001, "the label -1.0000001 is beyond the label bound 1.0"),
        (1.0000001, 0.0, "coordinate 1 of the point is 1.0000001, outside the box's [-1, 1.0]"),
        (-1.0000001, 0.0, "coordinate 1 of the point is -1.0000001, outside the box's [-1.0, 1]"),
        (np.nan, 0.0, "coordinate 1 of the point is nan, outside the box's [-1, 1]"),
        (0.0, np.nan, "the label nan is beyond the label bound 1"),
    ],
)
def test_a_move_just_beyond_a_limit_is_told_apart_from_it(x, y, sentence):
    assert first_illegal_move(Game(dimension=1), np.array([[x]]), np.array([y])).sentence == sentence

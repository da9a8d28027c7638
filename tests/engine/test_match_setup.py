"""Mistakes in the setup of a match are errors of the caller, not fouls of a player."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena import Adversary, ArenaError, Game, Learner


class Picky(Learner):
    def __init__(self, error):
        self.error = error

    def begin(self, game, rng):
        raise self.error

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass


class PickyAdversary(Adversary):
    def __init__(self, error):
        self.error = error

    def begin(self, game, rng):
        raise self.error


class Line(Adversary):
    """An adversary that changes the game to three dimensions."""

    oblivious = True

    def arrange(self, game):
        self.asked = game
        return game.replace(dimension=3)

    def point(self, view):
        return np.zeros(3)

    def label(self, view, x, prediction):
        return 0.0


def test_a_configuration_mistake_in_begin_reaches_the_caller():
    with pytest.raises(ArenaError, match="the learner wants d = 7"):
        arena.play(Picky(ArenaError("the learner wants d = 7")), "alternating", rounds=3)
    with pytest.raises(ArenaError, match="the adversary wants d = 7"):
        arena.play("zero", PickyAdversary(ArenaError("the adversary wants d = 7")), rounds=3)
    with pytest.raises(ArenaError, match="at has 3 coordinates, but the game has 2"):
        arena.play("zero", "alternating(at=[0, 0, 0])", rounds=3)


@pytest.mark.parametrize("side", ["learner", "adversary"])
def test_any_other_exception_in_begin_is_that_sides_forfeit(side):
    players = {"learner": "zero", "adversary": "alternating"}
    players[side] = (Picky if side == "learner" else PickyAdversary)(RuntimeError("broken"))
    run = arena.play(**players, rounds=3)
    assert run.ended == "forfeit"
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == (side, 0, 0)
    assert "begin raised RuntimeError: broken" in run.forfeit.reason


@pytest.mark.parametrize("game", [None, Game(rounds=9)])
def test_the_adversary_arranges_the_game_and_the_users_fields_override_it(game):
    adversary = Line()
    run = arena.play("zero", adversary, game=game, rounds=4)
    assert (run.game.dimension, run.game.rounds, run.ended) == (3, 4, "completed")
    assert adversary.asked == (game or Game()).replace(rounds=4)


@pytest.mark.parametrize("comparators", ["constant", None, 3])
def test_comparators_that_are_no_list_are_refused(comparators):
    with pytest.raises(ArenaError, match=r"comparators must be a list, such as \['constant'\]"):
        arena.play("zero", "alternating", rounds=3, comparators=comparators)

"""Losses and kinds of moves on which learners of first order are held against their slow twins."""

import pytest

from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena_tests.sequences import moves
from arena_tests.slow.descent import DERIVATIVES

ROUNDS = 200


def _game(loss="squared"):
    return Game(rounds=ROUNDS, kernel=Gaussian(0.7), loss=loss)


@pytest.fixture(params=sorted(DERIVATIVES))
def loss(request):
    """Losses, one after the other."""
    return request.param


@pytest.fixture(params=["random", "repeated", "one point", "contrary"])
def kind(request):
    """Kinds of moves, one after the other."""
    return request.param


@pytest.fixture(scope="session")
def sequence():
    """Points and labels of a kind; those that are contrary contradict gradient descent."""
    return lambda kind, learner="fgd": moves(kind, ROUNDS, learner=learner, game=_game(), distinct=30)


@pytest.fixture(scope="session")
def game():
    """The game with a loss."""
    return _game

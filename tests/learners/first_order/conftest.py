"""Losses and kinds of moves with which first-order learners are compared with their slow twins."""

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
    """Each loss with a derivative among the slow twins."""
    return request.param


@pytest.fixture(params=["random", "repeated", "one point", "contrary"])
def kind(request):
    """Each kind of moves."""
    return request.param


@pytest.fixture(scope="session")
def sequence():
    """Return a function that makes the points and labels of a kind; `contrary` labels contradict the learner."""
    return lambda kind, learner="fgd": moves(kind, ROUNDS, learner=learner, game=_game(), distinct=30)


@pytest.fixture(scope="session")
def game():
    """Return a function that makes the game with a given loss."""
    return _game

"""Building adversaries and learners that are parameters of an adversary."""

from __future__ import annotations

from arena.game.game import Game
from arena.players.adversary import Adversary, as_adversary
from arena.players.adversary import arranged as arranged_by
from arena.players.learner import Learner, as_learner
from arena.specs.building import build


def the_adversary(given: object) -> Adversary:
    """Return the adversary that `given`, a spec, a class or an object, stands for."""
    return as_adversary(build("adversary", given))


def the_learner(given: object) -> Learner:
    """Return the learner that `given`, a spec, a class or an object, stands for."""
    return as_learner(build("learner", given))


def arranged(adversaries: list[Adversary], game: Game) -> Game:
    """Return `game` changed by the `arrange` of each of these adversaries in turn."""
    for adversary in adversaries:
        game = arranged_by(adversary, game)
    return game

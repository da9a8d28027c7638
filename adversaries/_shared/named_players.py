"""Adversaries and learners that are parameters of an adversary."""

from __future__ import annotations

from arena.game.game import Game
from arena.players.adversary import Adversary, as_adversary
from arena.players.learner import Learner, as_learner
from arena.specs.building import build


def the_adversary(given: str | Adversary) -> Adversary:
    """The adversary that a spec or an object means."""
    return as_adversary(build("adversary", given))


def the_learner(given: str | Learner) -> Learner:
    """The learner that a spec or an object means."""
    return as_learner(build("learner", given))


def arranged(adversaries: list[Adversary], game: Game) -> Game:
    """The game as all of these adversaries need it."""
    for adversary in adversaries:
        game = adversary.arrange(game)
    return game

"""Build the players that are parameters of an adversary."""

from __future__ import annotations

from arena.players.adversary import Adversary, as_adversary
from arena.players.learner import Learner, as_learner
from arena.specs.building import build


def the_adversary(given: object) -> Adversary:
    """Return `given`, which is a spec, a class or an object, as an adversary."""
    return as_adversary(build("adversary", given))


def the_learner(given: object) -> Learner:
    """Return `given`, which is a spec, a class or an object, as a learner."""
    return as_learner(build("learner", given))

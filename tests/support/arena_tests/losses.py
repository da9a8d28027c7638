"""Losses that the arena does not know."""

from arena.game.losses import Logistic


class Odd(Logistic):
    """A loss without a known dual."""

    name = "odd"

"""A loss that is not one of the arena's."""

from arena.game.losses import Logistic


class Odd(Logistic):
    """A loss without a known dual."""

    name = "odd"

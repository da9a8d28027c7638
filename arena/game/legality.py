"""Checks of moves against the limits of a game: points inside the box, labels within the label bound."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from arena.arrays import Array
from arena.errors import told_apart
from arena.game.game import Game

FEW = 32  # number of coordinates up to which comparing them one by one is faster than NumPy


class PointLimits:
    """The limits of a game's points as plain numbers, so that a single point is checked fast.

    >>> limits = PointLimits(Game(dimension=2))
    >>> limits.contain(np.array([0.5, -1.0])), limits.contain(np.array([0.5, -1.1]))
    (True, False)
    """

    def __init__(self, game: Game):
        self.game = game
        self.sides = list(zip(game.low.tolist(), game.high.tolist(), strict=True))

    def contain(self, x: Array) -> bool:
        """Return whether the point lies inside the box."""
        if len(self.sides) > FEW:
            return bool(((self.game.low <= x) & (self.game.high >= x)).all())
        for value, (low, high) in zip(x.tolist(), self.sides, strict=True):  # noqa: SIM110  all() takes twice as long
            if not low <= value <= high:
                return False
        return True


class IllegalMove(NamedTuple):
    """A move that breaks a rule of the game.

    `row` is its row in a block, `field` the field of the game that sets the rule, and `sentence` the explanation.
    """

    row: int
    field: Literal["box", "label_bound"]
    sentence: str


def first_illegal_move(game: Game, X: Array, y: Array) -> IllegalMove | None:
    """Return the first illegal move in a block; None if all are legal."""
    inside = (game.low <= X) & (game.high >= X)
    legal = np.abs(y) <= game.label_bound
    bad = ~(inside.all(axis=1) & legal)
    if not bad.any():
        return None
    t = int(bad.argmax())
    if not inside[t].all():
        i = int((~inside[t]).argmax())
        low, high = game.low[i], game.high[i]
        value, limit = told_apart(X[t, i], low if X[t, i] < low else high)
        limits = f"[{limit}, {high:g}]" if X[t, i] < low else f"[{low:g}, {limit}]"
        return IllegalMove(t, "box", f"coordinate {i + 1} of the point is {value}, outside the box's {limits}")
    size, bound = told_apart(abs(y[t]), game.label_bound)
    sign = "-" if y[t] < 0 else ""
    return IllegalMove(t, "label_bound", f"the label {sign}{size} is beyond the label bound {bound}")

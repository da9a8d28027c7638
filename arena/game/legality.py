"""Which moves are legal in a game: points inside the box, labels within the label bound."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game


def first_illegal_move(game: Game, X: Array, y: Array) -> tuple[int, str] | None:
    """Return the index of the first illegal move of a block, and the rule that it breaks; None if all are legal."""
    inside = (game.low <= X) & (game.high >= X)
    legal = np.abs(y) <= game.label_bound
    bad = ~(inside.all(axis=1) & legal)
    if not bad.any():
        return None
    t = int(bad.argmax())
    if not inside[t].all():
        i = int((~inside[t]).argmax())
        limits = f"[{game.low[i]:g}, {game.high[i]:g}]"
        return t, f"coordinate {i + 1} of the point is {X[t, i]:g}, outside the box's {limits}"
    return t, f"the label {y[t]:g} is beyond the label bound {game.label_bound:g}"

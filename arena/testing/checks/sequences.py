"""Points and labels on which checks play, in the box and under the label bound of whatever game is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from arena.arrays import Array
from arena.game.game import Game

Kind = Literal["random", "repeated", "rank one", "corners"]


def sequence(game: Game, rounds: int, kind: Kind, seed: Sequence[int]) -> tuple[Array, Array]:
    """A sequence of this kind with random signs as labels."""
    rng = np.random.default_rng(seed)
    low, high = game.low, game.high
    share = rng.uniform(size=(rounds, game.dimension))
    if kind == "repeated":
        share = share[rng.integers(5, size=rounds)]
    if kind == "rank one":
        share = np.repeat(share[:, :1], game.dimension, axis=1)
    if kind == "corners":
        share = np.round(share)
    X = np.clip(low + share * (high - low), low, high)
    return X, game.label_bound * rng.choice([-1.0, 1.0], size=rounds)

"""Another adversary's moves, asked for one by one: the same match, but in rounds rather than in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary, as_adversary
from arena.players.view import View
from arena.specs.building import build
from arena.specs.parameters import parameter


@dataclass
class OneByOne(Adversary):
    """Plays the moves of another adversary one by one, as if it might watch the learner: no `replay` is called.

    With `oblivious` it still does not look, and its blocks are made of single moves.

    >>> from arena import play
    >>> blocks, rounds = play("krr", "drift", rounds=50), play("krr", OneByOne("drift"), rounds=50)
    >>> bool((abs(blocks.predictions - rounds.predictions) < 1e-8).all())
    True
    """

    inner: Any = parameter("alternating", "the adversary whose moves are played")
    oblivious: bool = parameter(False, "ask for single moves, but promise that they depend on nothing")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.inner = self.plays = as_adversary(build("adversary", self.inner))

    def arrange(self, game: Game) -> Game:
        """As the other wants it."""
        return self.plays.arrange(game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """The other begins, with the same coins."""
        self.plays.begin(game, rng)

    def point(self, view: View) -> Array | None:
        """The other's next point."""
        return self.plays.point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The other's label."""
        return self.plays.label(view, x, prediction)

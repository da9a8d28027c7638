"""Fresh points as far from one another as the box allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.chosen_points import fresh_points
from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array
from arena.game.game import Game


@dataclass
class Orthogonal(Scripted):
    """Plays fresh points far from one another, with random labels; any loss.

    If the points are orthogonal, no learner predicts better than zero, and Kernel-AWV's regularised regret is exactly
    B^2 T / (1 + lambda) (theory F6). The adversary is cheap enough for long matches.
    """

    name: ClassVar[str] = "orthogonal"
    paper: ClassVar[str] = "the lower bound's sequence in Calandriello, Lazaric and Valko 2017; theory F6"
    cost: ClassVar[str] = "O(d) a round for each of 2500 points in a pool"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.fresh, self.rng, self.bound = fresh_points(game, rng), rng, game.label_bound

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        labels = np.where(self.rng.random(len(rounds)) < 0.5, -self.bound, self.bound)
        return np.array([self.fresh[int(number)] for number in rounds]), labels

"""Fresh points as far from one another as the box allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.adversaries._shared.chosen_points import fresh_points
from arena.adversaries._shared.regret_change import PlaysGreedyLabels
from arena.arrays import Array
from arena.game.game import Game
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import CoinLabels, GreedyLabels, OrthogonalPoints


@dataclass
class Orthogonal(PlaysGreedyLabels):
    """Plays fresh points far from one another, with random labels.

    If the points are orthogonal in the RKHS and k(x, x) = 1, no learner predicts better than zero, and Kernel-AWV's
    regularised regret is exactly B^2 T / (1 + lambda) (theory F6). With `labels=contrary`, the adversary sees the
    prediction, and names the label that raises the regret more; this needs the squared loss. Random labels are allowed
    with any loss.
    """

    name: ClassVar[str] = "orthogonal"
    formula: ClassVar[str] = r"$k(x_s, x_t) \approx 0$ for all $s < t$, $y_t = \pm B$ by a coin"
    paper: ClassVar[str] = "the lower bound's sequence in Calandriello, Lazaric and Valko 2017; theory F6"
    cost: ClassVar[str] = "O(d) a round for each of 2500 points in a pool"

    labels: Literal["coins", "contrary"] = parameter("coins", "how labels are chosen")

    @property
    def oblivious(self) -> bool:
        return self.labels == "coins"

    @property
    def lower_bounds(self) -> Sequence[Theorem]:
        return (CoinLabels(),) if self.oblivious else (OrthogonalPoints(), GreedyLabels())

    def arrange(self, game: Game) -> Game:
        return game if self.oblivious else super().arrange(game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.fresh, self.rng, self.bound = fresh_points(game, rng), rng, game.label_bound

    def point(self, view: View) -> Array:
        return self.fresh[view.round - 1]

    def label(self, view: View, x: Array, prediction: float) -> float:
        if self.oblivious:
            return self.bound if self.rng.random() >= 0.5 else -self.bound
        return super().label(view, x, prediction)

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        labels = np.where(self.rng.random(rounds) < 0.5, -self.bound, self.bound)
        return np.array([self.fresh[view.round - 1 + number] for number in range(rounds)]), labels

"""The greedy adversary: each round has the point and the label that raise the regret most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.regret_change import PlaysGreedyLabels, regret_change
from arena.adversaries._shared.search import Method, candidates, global_best, improved
from arena.arrays import Array
from arena.game.game import Game
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import GreedyLabels


@dataclass
class Greedy(PlaysGreedyLabels):
    """Plays, in each round, the point and the label that raise the regularised regret most.

    The change of the regret has a closed form for every learner (theory F1),

        change(x, y) = (prediction(x) - y)^2 - lambda (y - mean(x))^2 / (lambda + variance(x)),

    where mean(x) and variance(x) belong to ridge regression on the past. The change is convex in y, so the best label
    is -B or B; the base class plays it. By default `starts` points are scored at once, and the best of them are
    improved by a pattern search. With a `method` of SciPy, this method searches the box for one point, in about
    `starts` evaluations, and the pattern search improves this point.
    """

    name: ClassVar[str] = "greedy"
    formula: ClassVar[str] = (
        r"$(x_t, y_t) = \operatorname{argmax}_{x, y = \pm B} (\hat y(x) - y)^2 - \frac{\lambda (y - m(x))^2}{\lambda + "
        "v(x)}$, $m$ and $v$ the mean and the variance of ridge regression on the past"
    )
    paper: ClassVar[str] = (
        "Jezequel, Gaillard and Rudi 2019, appendix G (there with one start and an oracle refitted each time)"
    )
    cost: ClassVar[str] = "O(t^2) a round for each point that it considers, batched with method=random"
    fresh_points: ClassVar[bool] = True

    lower_bounds: ClassVar[Sequence[Theorem]] = (GreedyLabels(),)

    starts: int = parameter(256, "points scored in each round", at_least=1, at_most=1_000_000)
    polished: int = parameter(8, "of these, how many are improved by a pattern search", at_least=0, at_most=1000)
    steps: int = parameter(15, "steps of the pattern search", at_least=1)
    method: Method = parameter("random", "how starts are found; random: also in the corners and in the past")

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng

    def point(self, view: View) -> Array:
        def change_at(X: Array) -> Array:
            return regret_change(self.game, view.peek(X), *view.posterior(X))

        if self.method == "random":
            starts = candidates(view, self.rng, self.starts)
        else:
            starts = global_best(change_at, self.game, self.method, self.starts, self.rng)
        return improved(change_at, starts, self.game, polished=self.polished, steps=self.steps)

"""An adversary that plans several rounds at once."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.named_players import the_learner
from arena.adversaries._shared.regret_change import SIGNS, ForSquaredLoss, regret_change, signs_against
from arena.adversaries._shared.search import candidates, improved
from arena.arrays import Array, first_best, first_bests
from arena.game.game import Game
from arena.linalg.gram_factor import shared_factors
from arena.linalg.posterior import RidgePosterior
from arena.players.learner import Learner
from arena.players.rebuilt import begun
from arena.players.view import View
from arena.specs.parameters import parameter

Move = tuple[Array, float]


@dataclass
class PlannedMoves:
    """A sequence of moves from the present round on; `gain` is the regret that they add.

    `learner` is a model of the match's learner, and `comparator` is ridge regression. Both have learnt from all rounds
    of the match so far and from the plan's moves.
    """

    moves: list[Move]
    gain: float
    learner: Learner
    comparator: RidgePosterior

    def extended(self, x: Array, y: float, gain: float) -> PlannedMoves:
        """Return this plan with the move (`x`, `y`) added at the end; the move adds `gain` to the regret."""
        after = PlannedMoves([*self.moves, (x, y)], self.gain + gain, *copy.deepcopy((self.learner, self.comparator)))
        after.learner.reveal(x)
        after.learner.predict(x)
        after.learner.update(x, y)
        after.comparator.append(x, y)
        return after


@dataclass
class Lookahead(ForSquaredLoss):
    """Plans the `depth` moves that raise the regularised regret most, and plays the first of them.

    Plans are found by beam search. In a plan's first round, the learner of the match predicts. In the plan's later
    rounds, a model predicts: the learner that `against` names, trained on the match so far and on the plan's moves.
    """

    name: ClassVar[str] = "lookahead"
    formula: ClassVar[str] = (
        r"$(x_t, y_t, \ldots, x_{t+d-1}, y_{t+d-1}) = \operatorname{argmax} R_{t+d-1}$, by beam search, "
        "of which the first "
        "move is played"
    )
    paper: ClassVar[str] = "beam search upon the greedy adversary of Jezequel, Gaillard and Rudi 2019, appendix G"
    cost: ClassVar[str] = "depth * width copies and rounds of the model each round, O(t^2) each for exact ones"
    fresh_points: ClassVar[bool] = True

    depth: int = parameter(3, "rounds that are planned", at_least=1)
    width: int = parameter(4, "plans that are kept", at_least=1)
    starts: int = parameter(128, "points scored in each round", at_least=1, at_most=1_000_000)
    against: object = parameter("kernel-awv", "the learner that answers in the plans")

    def __post_init__(self) -> None:
        super().__post_init__()
        the_learner(self.against)  # raises an error now if no learner has this name

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.model = begun(self.against, game, np.random.default_rng(rng.integers(2**31)))
        self.past = RidgePosterior(game.kernel, game.regularisation)

    def point(self, view: View) -> Array:
        self._follow(view)
        self.points, self.labels = view.points, view.labels
        points = candidates(view, self.rng, self.starts)
        change_at = lambda X: regret_change(self.game, view.peek(X), *view.posterior(X))
        best = improved(change_at, points, self.game, polished=2, steps=15)
        points = np.concatenate([best[np.newaxis], points])
        with shared_factors():
            plans = [PlannedMoves([], 0.0, self.model, self.past)]
            for ahead in range(min(self.depth, self.game.rounds - view.round + 1)):
                plans = self._longer(plans, points, view if ahead == 0 else None)
        self.planned = plans[first_best(np.array([plan.gain for plan in plans]))].moves[0]
        return self.planned[0]

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.planned[1]

    def _follow(self, view: View) -> None:
        """Train the model of the learner, and ridge regression, on the rounds of the match since the last call."""
        for x, y in zip(view.points[self.past.rounds :], view.labels[self.past.rounds :].tolist(), strict=True):
            self.model.reveal(x)
            self.model.predict(x)
            self.model.update(x, y)
            self.past.append(x, y)

    def _longer(self, plans: list[PlannedMoves], points: Array, view: View | None) -> list[PlannedMoves]:
        """Return plans that extend one of `plans` by a move at one of `points`: the best ones, and a few at random.

        The predictions in the new round come from the learner of the match, through `view`. If `view` is None, they
        come from each plan's own model of that learner.
        """
        options = []
        for plan in plans:
            peek = plan.learner.peek if view is None else view.peek
            X = np.concatenate([self.points, *(x[np.newaxis] for x, _ in plan.moves)])
            signs = signs_against(self.game, points, X, np.append(self.labels, [y for _, y in plan.moves]))
            change = regret_change(self.game, peek(points), *plan.comparator.at(points), signs=signs)
            best = first_bests(change.ravel(), 2 * self.width)
            for place in (*best, *self.rng.integers(change.size, size=self.width)):
                row, sign = divmod(int(place), len(SIGNS))
                options.append((plan.gain + change[row, sign], plan, row, signs[row, sign], change[row, sign]))
        first = first_bests(np.array([gain for gain, *_ in options]), self.width).tolist()
        kept = [options[i] for i in first]
        others = [option for i, option in enumerate(options) if i not in first]
        # some random plans are kept, since a move that raises the regret later may lower it now
        lucky = self.rng.permutation(len(others))[: self.width // 2]
        return [
            plan.extended(points[row], self.game.label_bound * float(sign), float(gain))
            for _, plan, row, sign, gain in (*kept, *(others[i] for i in lucky))
        ]

"""One point in every round, with the label, B or -B, after which the adversary can force more regret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.adversaries._shared.chosen_points import given_or_default
from arena.arrays import Array, clearly_above
from arena.components.one_point import square_weights, value_table
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Squared
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.lower_bounds import MOST_ROUNDS, OnePoint


@dataclass
class Minimax(Adversary):
    """Plays one point, with the label (B or -B) after which the adversary can force the larger regret.

    The choice depends on the horizon, the prediction, and how often the label was B so far. Every learner has at least
    the minimax regret of the game with one point, and the best learner has exactly this regret. Against other learners,
    other adversaries may force more. Any loss is allowed.
    """

    name: ClassVar[str] = "minimax"
    formula: ClassVar[str] = (
        r"$x_t = x_1$, $y_t = \operatorname{argmax}_{y = \pm B} \left( \ell(\hat y_t, y) + V_t(y_1, "
        r"\ldots, y_{t-1}, y) "
        r"\right)$, $V_t$ the regret that the later rounds add at least"
    )
    paper: ClassVar[str] = "Takimoto and Warmuth 2000; Koolen, Malek and Bartlett 2014"
    cost: ClassVar[str] = "O(d) a round; for a loss that is not squared O(T^2) once"
    lower_bounds: ClassVar[Sequence[Theorem]] = (OnePoint(),)

    at: Sequence[float] | None = parameter(
        None, "the point (none: the middle of the box, or a corner if k(x, x) = 0 there)"
    )

    def arrange(self, game: Game) -> Game:
        if not isinstance(game.loss, Squared) and game.rounds > MOST_ROUNDS:
            raise ArenaError(
                f"minimax plays at most {MOST_ROUNDS} rounds with the {game.loss.name} loss, since it keeps a table of "
                f"values, but the game has {game.rounds:,}: choose fewer rounds, or the squared loss"
            )
        return game

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.x = game, given_or_default("minimax", game, self.at)
        kernel = float(game.kernel.diagonal(self.x[np.newaxis])[0])
        self.plus, self.sum = 0, 0.0
        if isinstance(game.loss, Squared):
            self.weights = square_weights(game.rounds, kernel, game.regularisation)
        else:
            self.values = value_table(game.loss, game.label_bound, game.rounds, kernel, game.regularisation)

    def point(self, view: View) -> Array:
        return self.x

    def label(self, view: View, x: Array, prediction: float) -> float:
        up = self._prefers_up(view.round, prediction)
        label = self.game.label_bound if up else -self.game.label_bound
        self.plus, self.sum = self.plus + up, self.sum + label
        return label

    def _prefers_up(self, number: int, prediction: float) -> bool:
        """Return whether the label B forces more regret over all rounds than the label -B.

        The label is that of round `number`, counted from 1, after this `prediction`. If both force as much, the label
        that was played less often is preferred, and B to -B.
        """
        bound, loss = self.game.label_bound, self.game.loss
        if isinstance(loss, Squared):
            up, down = float(self.weights[number - 1]) * self.sum, prediction
        else:
            after = self.values[number]
            up = float(loss.value(prediction, bound)) + after[self.plus + 1]
            down = float(loss.value(prediction, -bound)) + after[self.plus]
        scale = max(bound, abs(down))
        return clearly_above(up, down, scale=scale) or (self.sum <= 0 and not clearly_above(down, up, scale=scale))

"""Another adversary's moves, with labels that are shifted slowly or at once in the course of the match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.adversaries._shared.altered import AltersLabels
from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class ConceptDrift(AltersLabels):
    """Plays another adversary's moves, but shifts their labels by up to `magnitude` in the course of the match.

    Labels are shifted only after `start` * T rounds. From then on the parameter `kind` decides:

    - `abrupt`: all labels are shifted by the magnitude;
    - `gradual`: the shift grows linearly, up to the magnitude in the last round;
    - `recurring`: labels are shifted for some rounds, then unshifted for as many rounds, and so on, `periods` times.

    With `by=level` the shift is the same at all points. With `by=slope` it is multiplied by a random linear function
    of the point, between -1 and 1 in the box. `noise` is the standard deviation of Gaussian noise on the labels.

    If the other adversary scales the labels of a data set, `magnitude` and `noise` are in the units of the data. Since
    shifted labels may exceed B, all labels of the match, also those before the drift, are divided by 1 + m / B and
    clipped to [-B, B]. Here m is the magnitude in the units of the scaled labels.

    >>> from arena import play
    >>> still, moving = (play("rls", f"concept-drift(magnitude={m})", rounds=200) for m in (0, 1))
    >>> moving.loss > still.loss
    True
    """

    name: ClassVar[str] = "concept-drift"
    paper: ClassVar[str] = "Widmer and Kubat 1996; the kinds are those of Gama et al. 2014"
    cost: ClassVar[str] = "that of the other adversary, and O(d) a round"

    kind: Literal["abrupt", "gradual", "recurring"] = parameter("abrupt", "how the labels move")
    magnitude: float = parameter(0.5, "the largest move of a label, in the units of the data's labels", at_least=0)
    by: Literal["level", "slope"] = parameter("level", "all labels alike, or by a linear function of the point")
    start: float = parameter(0.5, "the share of the match before the drift", at_least=0, at_most=1)
    periods: int = parameter(4, "of kind=recurring: how often the labels are moved", at_least=1)
    noise: float = parameter(0.0, "deviation of noise upon the labels, in the units of the data's labels", at_least=0)

    @property
    def oblivious(self) -> bool:
        return self._honest.oblivious

    @property
    def label_unit(self) -> float:
        return super().label_unit * (1.0 + self.moved / self.game.label_bound)

    def arrange(self, game: Game) -> Game:
        if game.loss.classifies:
            raise ArenaError(
                f"concept-drift moves numbers, and the labels of the {game.loss.name} loss are classes: choose the "
                "squared loss, or change the share of flipped labels, as in replay(flips=0.1)"
            )
        return super().arrange(game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        direction = rng.standard_normal(game.dimension)
        self.direction = direction / np.abs(direction).sum()
        self.game, self.rng = game, rng
        self.middle, self.half = (game.low + game.high) / 2, (game.high - game.low) / 2
        self._honest.begin(game, rng.spawn(1)[0])
        self.moved = self.magnitude / self._honest.label_unit

    def label(self, view: View, x: Array, prediction: float) -> float:
        honest = self._honest.label(view, x, prediction)
        return float(self._drifted(np.array([float(view.round)]), x[np.newaxis], np.array([honest]))[0])

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        X, y = self._honest.block(view, rounds)
        return X, self._drifted(view.round + np.arange(len(y), dtype=float), X, y)

    def _drifted(self, rounds: Array, X: Array, y: Array) -> Array:
        amount = self.moved * self._share(rounds)
        # digits beyond the ninth decimal depend on the processor
        if self.by == "slope":
            amount = amount * np.round((X - self.middle) / self.half @ self.direction, 9)
        noise: float | Array = 0.0
        if self.noise:
            noise = self.noise / self._honest.label_unit * np.round(self.rng.standard_normal(len(y)), 9)
        bound = self.game.label_bound
        return np.asarray(np.clip((y + amount + noise) / (1.0 + self.moved / bound), -bound, bound))

    def _share(self, rounds: Array) -> Array:
        """Return for each of `rounds` the shift of its label as a share of the largest shift, from 0 to 1.

        Rounds are counted from 1.
        """
        start = np.floor(self.start * self.game.rounds)
        since, left = rounds - start, max(self.game.rounds - start, 1.0)
        if self.kind == "abrupt":
            return np.asarray(since > 0.0, dtype=float)
        if self.kind == "gradual":
            return np.asarray(np.clip(since / left, 0.0, 1.0))
        moved = np.floor((since - 1.0) * 2 * self.periods / left) % 2 == 0
        return np.asarray((since > 0.0) & moved, dtype=float)

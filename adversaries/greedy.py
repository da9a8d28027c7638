"""The greedy adversary: each round, the point and the label that raise the regret most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from arena.adversary import Adversary
from arena.arrays import Array
from arena.errors import ArenaError
from arena.game import Game
from arena.parameters import parameter
from arena.view import View

STEP = 1e-5  # of the box's side, for central differences
HUGE = 1e60  # predictions beyond it are all as bad; squares of squares must not overflow in L-BFGS-B


@dataclass
class Greedy(Adversary):
    """Each round, the point and the label that raise the regularised regret most, found with SciPy.

    The change of the regret has a closed form for every learner (theory F1),

        change(x, y) = (prediction(x) - y)^2 - lambda (y - mean(x))^2 / (lambda + variance(x)),

    convex in y: the best label is -B or +B. Many starts are scored at once, the best are polished together by L-BFGS-B.
    """

    name: ClassVar[str] = "greedy"
    paper: ClassVar[str] = (
        "Jezequel, Gaillard and Rudi 2019, appendix G (there with one start and an oracle refitted each time)"
    )
    cost: ClassVar[str] = "O(t^2) a round for each point that it considers, batched"

    starts: int = parameter(256, "points scored in each round", at_least=1, at_most=1_000_000)
    polished: int = parameter(4, "of these, how many are polished by L-BFGS-B", at_least=0, at_most=1000)
    steps: int = parameter(15, "iterations of L-BFGS-B", at_least=1)

    def arrange(self, game: Game) -> Game:
        """The closed form needs the squared loss."""
        if game.loss.name != "squared":
            raise ArenaError(f"greedy needs the squared loss, but the game's loss is {game.loss.name}")
        return game

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Remember the field."""
        self.game, self.rng = game, rng

    def point(self, view: View) -> Array:
        """The best of the polished starts."""
        candidates = self._candidates(view)
        change = self._change(view, candidates)
        best = np.argsort(-change, axis=None)[: max(self.polished, 1)]
        rows, signs = np.unravel_index(best, change.shape)
        if not self.polished:
            return np.asarray(candidates[rows[0]])
        polished = self._polish(view, candidates[rows], signs)
        finalists = np.concatenate([candidates[rows[:1]], polished])
        return np.asarray(finalists[self._change(view, finalists).max(axis=1).argmax()])

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The endpoint that raises the regret more, given the prediction that was made."""
        mean, variance = view.posterior(x[np.newaxis])
        change = self._regret_change(np.array([prediction]), mean, variance)
        return float(self._labels[change[0].argmax()])

    @property
    def _labels(self) -> Array:
        return self.game.label_bound * np.array([1.0, -1.0])

    def _candidates(self, view: View) -> Array:
        """Fresh points everywhere, corners of the box, and a few of the past."""
        low, high = self.game.low, self.game.high
        fresh = self.rng.uniform(low, high, size=(self.starts, len(low)))
        corners = np.where(self.rng.random((self.starts // 4, len(low))) < 0.5, low, high)
        past = view.points[self.rng.integers(view.round - 1, size=self.starts // 8)] if view.round > 1 else fresh[:0]
        return np.concatenate([fresh, corners, past])

    def _change(self, view: View, X: Array) -> Array:
        """The change of the regret at each row, for the labels +B and -B."""
        return self._regret_change(view.peek(X), *view.posterior(X))

    def _regret_change(self, prediction: Array, mean: Array, variance: Array) -> Array:
        weight = self.game.regularisation / (self.game.regularisation + variance[:, np.newaxis])
        misses = np.square(np.clip(prediction, -HUGE, HUGE)[:, np.newaxis] - self._labels)
        return misses - weight * np.square(self._labels - mean[:, np.newaxis])

    def _polish(self, view: View, X: Array, signs: NDArray[np.intp]) -> Array:
        """Climb from each row with its label kept, all rows in one separable problem so that they share evaluations."""
        sides = self.game.high - self.game.low
        count, dimension = X.shape
        shifts = STEP * np.concatenate([np.zeros((1, dimension)), np.eye(dimension), -np.eye(dimension)])

        def negative_change(flat: Array) -> tuple[float, Array]:
            units = flat.reshape(count, 1, dimension) + shifts  # each point, and its neighbours
            X = self.game.low + np.clip(units, 0.0, 1.0) * sides
            change = self._change(view, X.reshape(-1, dimension)).reshape(count, len(shifts), 2)
            change = change[np.arange(count), :, signs]
            width = np.clip(units[:, 1 : 1 + dimension], 0, 1) - np.clip(units[:, 1 + dimension :], 0, 1)
            width = np.einsum("ijj->ij", width)
            gradient = (change[:, 1 : 1 + dimension] - change[:, 1 + dimension :]) / width
            return -float(change[:, 0].sum()), -gradient.ravel()

        start = ((X - self.game.low) / sides).ravel()
        bounds = [(0.0, 1.0)] * start.size
        found = minimize(
            negative_change, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": self.steps}
        )
        units = np.clip(found.x.reshape(count, dimension), 0.0, 1.0)
        return np.asarray(np.clip(self.game.low + units * sides, self.game.low, self.game.high))

"""Matches that an adversary plays against a model of the learner, to plan its moves."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.linalg.gram_factor import shared_factors
from arena.linalg.posterior import RidgePosterior
from arena.players.adversary import Adversary
from arena.players.learner import Learner
from arena.players.view import Record, View


class Rehearsal:
    """Matches against `model`, a learner that the adversary has built itself.

    The learner of the real match is not asked, so the adversary may be oblivious.
    """

    def __init__(self, game: Game, model: Learner, seed: int):
        self.game, self.model, self.seed = game, model, seed

    def regret(self, X: Array, y: Array) -> float:
        """Return the regret of the model after the model has played these points and labels."""
        with shared_factors():
            self._begin()
            predictions = self.model.replay(X, y)
            comparator = RidgePosterior(self.game.kernel, self.game.regularisation)
            comparator.extend(X, y)
            loss = float(np.square(predictions - y).sum())
        return loss - comparator.optimum

    def moves(self, adversary: Adversary, rounds: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return the points and labels that `adversary` plays against the model in at most `rounds` rounds."""
        with shared_factors():
            self._begin()
            adversary.begin(self.game, rng)
            record = Record(self.game)
            comparator = RidgePosterior(self.game.kernel, self.game.regularisation)
            view = View(self.game, record, self.model, comparator, oblivious=adversary.oblivious)
            for _ in range(rounds):
                x = adversary.point(view)
                if x is None:
                    break
                self.model.reveal(x)
                prediction = self.model.predict(x)
                y = adversary.label(view, x, prediction)
                self.model.update(x, y)
                record.points.append(x)
                record.predictions.append(prediction)
                record.labels.append(y)
        return record.points.view().copy(), record.labels.view().copy()

    def _begin(self) -> None:
        self.model.begin(self.game, np.random.default_rng(self.seed))

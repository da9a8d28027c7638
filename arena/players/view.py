"""An adversary's view of a match: the past, the learner's predictions, and the comparator's posterior."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray, locked
from arena.errors import ArenaError
from arena.game.game import Game
from arena.guards.disk import DiskArray
from arena.linalg.posterior import RidgePosterior
from arena.players.learner import Learner
from arena.players.referee import Foul, ask, legal_predictions, legal_size


class Record:
    """The points, labels, predictions and times of the rounds so far; the engine appends to them."""

    def __init__(self, game: Game):
        capacity = min(game.rounds, 65536)
        self.points: GrowingArray | DiskArray = GrowingArray((game.dimension,), capacity)
        self.labels: GrowingArray | DiskArray = GrowingArray(capacity=capacity)
        self.predictions: GrowingArray | DiskArray = GrowingArray(capacity=capacity)
        self.seconds: GrowingArray | DiskArray = GrowingArray(capacity=capacity)


class View:
    """An adversary's view of a match: the past, and current predictions of the learner and of the comparator."""

    def __init__(
        self,
        game: Game,
        record: Record,
        learner: Learner,
        ridge: RidgePosterior | None,
        *,
        oblivious: bool,
    ):
        self.game = game
        self._record = record
        self._learner = learner
        self._ridge = ridge
        self._oblivious = oblivious

    @property
    def round(self) -> int:
        """The number of the round being played, from 1."""
        return len(self._record.labels) + 1

    @property
    def points(self) -> Array:
        """The past points, one row each."""
        return self._record.points.view()[: len(self._record.labels)]

    @property
    def labels(self) -> Array:
        """The past labels."""
        return self._record.labels.view()

    @property
    def predictions(self) -> Array:
        """The learner's past predictions; an oblivious adversary that reads them gets an `ArenaError`."""
        if self._oblivious:
            raise _no_look("predictions")
        return self._record.predictions.view()

    @property
    def dictionary_size(self) -> int | None:
        """The number of points or features that the learner keeps now; None if it does not report a number.

        An oblivious adversary that reads this property gets an `ArenaError`.
        """
        if self._oblivious:
            raise _no_look("dictionary_size")
        return legal_size(self._learner)

    def peek(self, X: Array) -> Array:
        """Return what the learner would predict now at each row of `X`.

        Raise an `ArenaError` if the adversary is oblivious, or if `X` has a wrong shape or a number that is not finite.
        """
        if self._oblivious:
            raise _no_look("peek")
        X = self._rows(X)
        predictions = legal_predictions(ask("learner", self._learner.peek, X), len(X), "peek")
        if not np.isfinite(predictions).all():
            raise Foul("learner", f"peek gave {predictions[~np.isfinite(predictions)][0]}")
        return predictions

    def posterior(self, X: Array) -> tuple[Array, Array]:
        """Return the mean and variance, at each row of `X`, of ridge regression on the past rounds.

        Raise an `ArenaError` if the game's loss is not the squared loss, or if `X` has a wrong shape or a number that
        is not finite.
        """
        X = self._rows(X)
        if self._ridge is None:
            raise ArenaError(
                "the comparator's posterior exists for the squared loss alone: an adversary that asks for it must "
                "refuse other losses, in `arrange`"
            )
        new, labels = self._ridge.rounds, self._record.labels.view()
        self._ridge.extend(self._record.points.view()[new : len(labels)], labels[new:])
        return self._ridge.at(X)

    def _rows(self, X: Array) -> Array:
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != self.game.dimension:
            raise ArenaError(f"rows of points must have shape (n, {self.game.dimension}), but it is {X.shape}")
        # rows that are not finite are the adversary's mistake, and the learner's answer to them must not be a foul
        if not np.isfinite(X).all():
            raise ArenaError("rows of points must be finite")
        # a learner that writes into these rows must not change the adversary's points
        return locked(X)


def _no_look(what: str) -> ArenaError:
    return ArenaError(f"an adversary that declares itself oblivious may not look at the learner ({what})")

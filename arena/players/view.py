"""An adversary's view of a match: the past, the learner's predictions, and the comparator's posterior."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from arena.arrays import Array, GrowingArray, locked
from arena.errors import ArenaError
from arena.game.game import Game
from arena.guards.disk import DiskArray
from arena.hindsight.exact import RunningRidge
from arena.players.referee import Foul, ask, legal_predictions


class Record:
    """The points, labels, predictions and times of the rounds so far; the engine appends to them.

    With `folder` the arrays are files in that folder. They begin with the `kept` rounds of an earlier record there.
    """

    def __init__(self, game: Game, folder: Path | None = None, kept: int = 0):
        capacity = min(game.rounds, 65536)

        def array(name: str, row_shape: tuple[int, ...] = ()) -> GrowingArray | DiskArray:
            return GrowingArray(row_shape, capacity) if folder is None else DiskArray(folder / name, row_shape, kept)

        self.points = array("points", (game.dimension,))
        self.labels, self.predictions, self.seconds = map(array, ("labels", "predictions", "seconds"))

    @property
    def arrays(self) -> tuple[GrowingArray | DiskArray, ...]:
        """All arrays of the record."""
        return self.points, self.labels, self.predictions, self.seconds


class View:
    """An adversary's view of a match: the past, and predictions of learner and comparator in the current round."""

    def __init__(
        self,
        game: Game,
        record: Record,
        peek: Callable[[Array], Array],
        comparator: RunningRidge | None,
        *,
        oblivious: bool,
        size: Callable[[], int | None] = lambda: None,
    ):
        self.game = game
        self._record = record
        self._peek = peek
        self._comparator = comparator
        self._oblivious = oblivious
        self._size = size

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
        """The learner's past predictions; oblivious adversaries may not read them."""
        self._only_adaptive("predictions")
        return self._record.predictions.view()

    @property
    def dictionary_size(self) -> int | None:
        """The number of points or features that the learner keeps now; None if it does not report the number."""
        self._only_adaptive("dictionary_size")
        size = ask("learner", self._size)
        return None if size is None else int(size)

    def peek(self, X: Array) -> Array:
        """Return what the learner would predict now at each row of `X`."""
        self._only_adaptive("peek")
        X = self._rows(X)
        predictions = legal_predictions(ask("learner", self._peek, X), len(X), "peek")
        if not np.isfinite(predictions).all():
            raise Foul("learner", f"peek gave {predictions[~np.isfinite(predictions)][0]}")
        return predictions

    def posterior(self, X: Array) -> tuple[Array, Array]:
        """Return the comparator's mean and variance, those of ridge regression on the past, at each row of `X`."""
        X = self._rows(X)
        if self._comparator is None:
            raise ArenaError(
                "the comparator's posterior exists for the squared loss alone: an adversary that asks for it must "
                "refuse other losses, in `arrange`"
            )
        self._comparator.follow(self.points, self.labels)
        return self._comparator.posterior.at(X)

    def _rows(self, X: Array) -> Array:
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != self.game.dimension:
            raise ArenaError(f"rows of points must have shape (n, {self.game.dimension}), but it is {X.shape}")
        # rows that are not finite are the adversary's mistake: without this check the learner's answer would be a foul
        if not np.isfinite(X).all():
            raise ArenaError("rows of points must be finite")
        # a learner that writes into these rows must not change the adversary's points
        return locked(X)

    def _only_adaptive(self, what: str) -> None:
        if self._oblivious:
            raise ArenaError(f"an adversary that declares itself oblivious may not look at the learner ({what})")

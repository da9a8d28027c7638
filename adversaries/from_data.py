"""The rows of a data set, in an order that is chosen against the learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.adversaries._shared.regret_change import regret_change
from arena.adversaries.replay import Replay
from arena.arrays import Array, first_best
from arena.data import Data
from arena.data.coding import Categories, Missing
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Squared
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class FromData(Adversary):
    """Chooses each round's row from a data set, so that all points are real and have their own labels.

    In each round `candidates` rows are drawn at random, and one of them is played. Without `again`, only rows that were
    not played yet are drawn. With the squared loss, the row that raises the regret most is played. With another loss,
    or with `by=loss`, the row is played on which the learner's loss is largest. Points and labels are scaled to the
    game as the adversary `replay` scales them.

    >>> import arena
    >>> X = [[0.1 * i, 0.0] for i in range(-9, 10)]
    >>> rows = FromData(X=X, y=[1.0 if x > 0 else -1.0 for x, _ in X])
    >>> run = arena.play("krr", rows, rounds=19)
    >>> sorted(run.points[:, 0].round(1).tolist()) == [round(x, 1) for x, _ in X]
    True
    """

    name: ClassVar[str] = "from-data"
    paper: ClassVar[str] = "greedy (Jezequel et al. 2019), limited to the rows of a data set"
    cost: ClassVar[str] = "one prediction a round for each candidate, and O(t^2) for each by=regret"
    fresh_points: ClassVar[bool] = True

    file: str | None = parameter(None, "data file, as of replay")
    X: object = parameter(None, "instead of a file, from Python: the points, one a row")
    y: object = parameter(None, "their labels")
    label_column: str | int | None = parameter(None, "the label's column, as of replay")
    columns: Sequence[str | int] | None = parameter(None, "the columns of the points, as of replay")
    drop: Sequence[str | int] | None = parameter(None, "columns that are left out, as of replay")
    positive: float | None = parameter(None, "a label that is played as +1 and all others as -1")
    missing: Missing = parameter("refuse", "what is done about missing values, as of replay")
    categories: Categories = parameter("refuse", "what columns of words become, as of replay")
    by: Literal["auto", "regret", "loss"] = parameter("auto", "what a row is chosen by (auto: regret, if it is known)")
    candidates: int = parameter(128, "rows a round from which one is chosen", at_least=1)
    again: bool = parameter(False, "a row may be played more than once; otherwise the match ends after the last one")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.file is None) == (self.X is None and self.y is None):
            raise ArenaError(
                "from-data needs data: either from-data(file=data.csv), or FromData(X=..., y=...) from Python"
            )
        self._replay = Replay(
            self.file,
            self.X,
            self.y,
            self.label_column,
            self.columns,
            self.drop,
            positive=self.positive,
            missing=self.missing,
            categories=self.categories,
        )

    @property
    def data(self) -> Data:
        """The rows of the data set, before scaling; a file is read at the first use of this property."""
        return self._replay.data

    @property
    def remark(self) -> str:
        return self._replay.remark

    @property
    def files(self) -> tuple[str, ...]:
        return self._replay.files

    def rows_of_file(self) -> tuple[str, Array, Array, Data, int, int]:
        """Return the file's path, the scaled points, the scaled labels, the unscaled data, 0, and the number of points.

        The 0 is the number of rows that are skipped at the beginning of the file. Raise an `ArenaError` if there is no
        file, or if it is larger than memory.
        """
        return self._replay.rows_of_file()

    @property
    def label_unit(self) -> float:
        return self._replay.label_unit

    def arrange(self, game: Game) -> Game:
        if self.by == "regret" and not isinstance(game.loss, Squared):
            raise ArenaError(f"from-data: by=regret needs the squared loss, not {game.loss.name}: write by=loss")
        return self._replay.arrange(game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self._replay.begin(game, rng)
        self.game, self.rng = game, rng
        self.left = np.arange(len(self._replay.labels))
        self.by_regret = self.by == "regret" or (self.by == "auto" and isinstance(game.loss, Squared))

    def point(self, view: View) -> Array | None:
        if not len(self.left):
            return None
        drawn = self.rng.permutation(len(self.left))[: self.candidates]
        rows = self.left[drawn]
        best = int(first_best(self._values(view, self._replay.points[rows], self._replay.labels[rows])))
        self.row = int(rows[best])
        if not self.again:
            self.left = np.delete(self.left, drawn[best])
        return np.asarray(self._replay.points[self.row])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return float(self._replay.labels[self.row])

    def _values(self, view: View, X: Array, y: Array) -> Array:
        """Return the value by which a row is chosen, for each row of `X` with its label in `y`.

        If `self.by_regret` is true, the value is the change of the regret that the row would cause in this round.
        Otherwise it is the learner's loss on the row.
        """
        predictions = view.peek(X)
        if not self.by_regret:
            return np.asarray(self.game.loss.value(predictions, y))
        return regret_change(self.game, predictions, *view.posterior(X), labels=y)[:, 0]

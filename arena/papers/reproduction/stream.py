"""The adversary that plays a prepared data set: in the given order, or with all or some rows in random order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class PreparedStream(Adversary):
    """Adversary that plays the rows of a table in an .npy file; the last column of the table has the labels.

    The file is mapped into memory, so that several matches share it. Nothing is scaled: `arena reproduce` prepares the
    table beforehand.
    """

    name: ClassVar[str] = "prepared-stream"
    cost: ClassVar[str] = "O(d) a round"
    oblivious = True

    file: str = parameter("", "the table")
    shuffled: bool = parameter(False, "play the rows in a random order")
    training_rows: int | None = parameter(
        None,
        "without `shuffled`: the first rows come in a random order, the others after them in the given one",
        at_least=1,
    )

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,)

    def table(self) -> Array:
        """Return the table of points and labels in the .npy file, mapped into memory."""
        if not Path(self.file).is_file():
            raise ArenaError(f"there is no prepared table {self.file!r}: the reproduction of an experiment makes it")
        return np.asanyarray(np.load(self.file, mmap_mode="r"))

    def arrange(self, game: Game) -> Game:
        columns = self.table().shape[1] - 1
        return game if game.dimension == columns else game.replace(dimension=columns)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.rows = self.table()
        self.order = np.arange(len(self.rows))
        if self.shuffled or self.training_rows:
            rng.shuffle(self.order if self.shuffled else self.order[: self.training_rows])

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        start = view.round - 1
        which = self.order[start : start + rounds]
        rows = np.ascontiguousarray(self.rows[which])
        return np.ascontiguousarray(rows[:, :-1]), np.ascontiguousarray(rows[:, -1])

"""Finds the rows of a data file that an adversary played, for messages that print these rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.arrays import Array
from arena.data import Data
from arena.data.tables import lines_of
from arena.errors import ArenaError
from arena.players.adversary import arranged
from arena.players.random_numbers import random_numbers
from arena.record.transcript import Transcript
from arena.specs import registry
from arena.specs.addresses import names_code
from arena.specs.building import build
from arena.specs.grammar import parse_spec

SHOWN = 16  # rows that are printed


@dataclass(frozen=True)
class PlayedTable:
    """The rows of a data file that an adversary plays.

    `data` has these rows with the values in the file. `points` and `labels` have the values that the adversary plays,
    which may be scaled. The file has `total` rows, and the adversary does not play the first `skipped` of them.
    """

    file: str
    points: Array
    labels: Array
    data: Data
    skipped: int
    total: int

    def rows_with(self, points: Array, labels: Array) -> list[int] | None:
        """Return for each move the index of a table row with the same point and label; None if some move has none.

        Equal moves get different rows as long as there are enough equal rows.
        """
        places: dict[tuple[bytes, float], list[int]] = {}
        for row in range(len(self.labels) - 1, -1, -1):
            places.setdefault(_key(self.points[row], self.labels[row]), []).append(row)
        found = []
        for x, y in zip(points, labels.tolist(), strict=True):
            rows = places.get(_key(x, y), [])
            if not rows:
                return None
            found.append(rows.pop() if len(rows) > 1 else rows[0])
        return found

    def in_words(self, rows: Sequence[int]) -> list[str]:
        """Return a text for each row with an index in `rows`: its line in the file, or its values if no line is known.

        Lines are known only in a table of text. `data.places` gives the numbers of the lines. If it is empty, the lines
        are found by counting rows, and are known only if the file still has `total` rows.
        """
        lines = lines_of(Path(self.file)) or []
        texts = {}
        if self.data.places or len(lines) == self.total:
            for row, (number, text) in enumerate(lines, start=1):
                texts[f"line {number}" if self.data.places else f"row {row}"] = f"line {number}: {text}"
        return [texts.get(self._place(row)) or self._values(row) for row in rows]

    def _place(self, row: int) -> str:
        return self.data.place(row, skipped=self.skipped)

    def _values(self, row: int) -> str:
        names = self.data.names or [f"x{column}" for column in range(self.data.X.shape[1])]
        values = [f"{name}={value:g}" for name, value in zip(names, self.data.X[row].tolist(), strict=True)]
        return f"{self._place(row)}: {', '.join(values)}, label {self.data.y[row]:g}"


def table_of(run: Transcript) -> PlayedTable | None:
    """Return the rows of the data file that the match's adversary plays.

    The result is None if the adversary plays no file, if its spec names code outside the arena, or if the match has no
    rounds. It is also None if the file cannot be read any more, or if some move of the match is not a row of the file.
    """
    if names_code(run.adversary) or "file=" not in run.adversary or not run.rounds:
        return None
    try:
        if parse_spec(run.adversary).name not in registry.entries("adversary"):
            return None
        adversary = build("adversary", run.adversary)
        replay = getattr(adversary, "rows_of_file", None)
        if replay is None:
            return None
        game = arranged(adversary, run.game)
        adversary.begin(game, random_numbers(run.seed, "adversary"))
        table: PlayedTable = PlayedTable(*replay())
    except (ArenaError, OSError):  # the file is not there any more, or not the same
        return None
    return None if table.rows_with(run.points, run.labels) is None else table


def rows_in_words(worst: Transcript, points: Array, labels: Array) -> list[str]:
    """Return lines for a message: "these are rows of FILE:", and then a row of the file for each of the given moves.

    FILE is the data file that the adversary of the match `worst` plays, and `points` and `labels` are the moves. At
    most 16 rows are printed. The list is empty if the adversary plays no file, if the file is gone or changed, or if
    some move is not in the file.
    """
    table = table_of(worst)
    rows = None if table is None else table.rows_with(points, labels)
    if table is None or not rows:
        return []
    more = [f"... and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return [f"these are rows of {table.file}:", *(f"  {line}" for line in [*table.in_words(rows[:SHOWN]), *more])]


def _key(point: Array, label: float) -> tuple[bytes, float]:
    return (np.asarray(point, dtype=float) + 0.0).tobytes(), label + 0.0

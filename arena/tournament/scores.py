"""The numbers by which learners are ranked and compared, selected from the tables of matches."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.arrays import Array
from arena.record.tables import Row, Tables


class Setting(NamedTuple):
    """An adversary in a game; the game is given as JSON with sorted keys."""

    adversary: str
    game: str


class MatchIdentity(NamedTuple):
    """The identity of a match: learner, adversary, game and seed, but not the version of the learner's code."""

    learner: str
    setting: Setting
    seed: int


@dataclass
class Scores:
    """The matches of the `tables` that count for a ranking.

    - `rows` has the row number of each match. If several files have the same match, the newest file counts.
    - `outdated` counts the older files, and `unfinished` matches that were interrupted or forfeited by the adversary.
    """

    tables: Tables
    rows: dict[MatchIdentity, int] = field(default_factory=dict)
    outdated: int = 0
    unfinished: int = 0
    _columns: dict[str, Array] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, matches: Tables | Iterable[Row]) -> Scores:
        """Return the scores of these matches."""
        scores = cls(Tables.of_rows(matches))
        for row in scores.tables:
            forfeit = row["forfeit"]
            if row.ended == "interrupted" or (forfeit is not None and forfeit["side"] == "adversary"):
                scores.unfinished += 1
                continue
            identity = MatchIdentity(row.learner, Setting(*row.setting), row.seed)
            same = scores.rows.get(identity)
            scores.outdated += same is not None
            if same is None or _written(row.path) >= _written(scores.tables[same].path):
                scores.rows[identity] = row.at
        return scores

    @cached_property
    def learners(self) -> list[str]:
        """The learners of these matches, in the order of their first matches."""
        return list(dict.fromkeys(each.learner for each in self.rows))

    @cached_property
    def settings(self) -> list[Setting]:
        """The settings of these matches, in the order of their first matches."""
        return list(dict.fromkeys(each.setting for each in self.rows))

    def groups(self) -> dict[tuple[str, Setting], list[int]]:
        """Return the row numbers of each learner in each setting, sorted by seed."""
        places: dict[Any, int] = {each: at for at, each in enumerate((*self.learners, *self.settings))}
        found: dict[tuple[str, Setting], list[int]] = {}
        for each in sorted(self.rows, key=lambda each: (places[each.learner], places[each.setting], each.seed)):
            found.setdefault((each.learner, each.setting), []).append(self.rows[each])
        return found

    def column(self, name: str) -> Array:
        """Return a column of numbers of the table of matches; an unknown number is NaN.

        A loss or an end of the regret is infinite if it overflowed; the regret also if it is unknown because the loss
        overflowed.
        """
        if name not in self._columns:
            values = np.array([math.nan if each is None else float(each) for each in self.tables.column(name)])
            if name == "loss":
                values[np.isnan(values)] = np.inf
            elif name in ("regret_lower", "regret_upper"):
                lost = ~self.tables.known("regret_upper") & ~np.isfinite(self.tables.column("loss"))
                values[lost | (self.tables.known(name) & np.isnan(values))] = np.inf
            self._columns[name] = values
        return self._columns[name]

    def ends(self, row: int) -> tuple[float, float] | None:
        """Return the ends of the final regret of a match; None if it is unknown."""
        low, high = float(self.column("regret_lower")[row]), float(self.column("regret_upper")[row])
        return None if math.isnan(high) else (low, high)


def unpromised(row: Row) -> tuple[str, ...]:
    """Return the refuted theorems of a match that its learner does not promise; lower bounds are left out."""
    refuted = (each.theorem for each in row.verdicts if each.refuted)
    return tuple(each for each in refuted if each not in row.promised)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0

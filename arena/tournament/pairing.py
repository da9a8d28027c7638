"""Pairs of matches, one from each of two stores, with the same learner, adversary, game and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.judgement import FORFEITED
from arena.record.theorem import ROUNDING
from arena.tournament.scores import MatchIdentity, Scores, Setting

REPEATABLE = ("regret", "loss", "tightness")
MEASURES = ("regret", "loss", "time", "tightness")  # numbers that should be small


@dataclass(frozen=True)
class Pairs:
    """One measure of a learner in a setting, in two stores, for the seeds that both stores have.

    Each array has one row or entry for each seed.

    - A row of `before` has the lower and the upper end of the measure in the first store, a row of `after` those in the
      second store.
    - `rounding` has the largest difference that may be due to rounding.
    - `same` is true if both matches have the same moves and, but for rounding, the same loss, and the measure is not
      the time.
    """

    learner: str
    setting: Setting
    before: Array
    after: Array
    rounding: Array
    same: NDArray[np.bool_]

    @property
    def differences(self) -> Array:
        """The least and the largest possible increase of the measure in the second store, in one row for each seed.

        An increase counts as 0 if rounding may explain it, or if the measure is infinite in both stores. For a measure
        other than time it also counts as 0 if both matches have the same moves and, but for rounding, the same loss.
        """
        with np.errstate(invalid="ignore"):
            least, most = self.after[:, 0] - self.before[:, 1], self.after[:, 1] - self.before[:, 0]
        found = np.column_stack([least, most])
        found[np.isnan(found) | (np.abs(found) <= self.rounding[:, None]) | self.same[:, None]] = 0.0
        return found


@dataclass(frozen=True)
class Paired:
    """The scores of two stores, the row numbers of the two matches of each pair, and the unpaired matches."""

    before: Scores
    after: Scores
    rows: dict[MatchIdentity, tuple[int, int]]
    only_before: tuple[MatchIdentity, ...]
    only_after: tuple[MatchIdentity, ...]

    @property
    def identical(self) -> int:
        """The number of pairs of matches with the same moves and, but for rounding, the same loss."""
        return int(self._same(list(self.rows.values())).sum())

    def _losses(self, rows: Sequence[tuple[int, int]]) -> Array:
        """Return a matrix of losses with a column for each pair: the first row is that of the first store."""
        one, other = np.array(rows, dtype=np.intp).reshape(-1, 2).T
        return np.array([self.before.column("loss")[one], self.after.column("loss")[other]])

    def _same(self, rows: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
        """Return for each pair whether both matches have the same moves and, but for rounding, the same loss."""
        before, after = self.before.tables.column("content"), self.after.tables.column("content")
        same_moves = np.array([bool(before[one]) and before[one] == after[other] for one, other in rows], dtype=bool)
        loss, other_loss = self._losses(rows)
        with np.errstate(invalid="ignore"):
            return np.asarray(
                same_moves & ((loss == other_loss) | (np.abs(loss - other_loss) <= ROUNDING * np.abs(loss)))
            )

    def pairs(self, measure: str) -> tuple[Pairs, ...]:
        """Return a `Pairs` for each learner and setting in which the measure is known in both stores."""
        groups: dict[tuple[str, Setting], list[tuple[int, int]]] = {}
        for identity, rows in self.rows.items():
            groups.setdefault((identity.learner, identity.setting), []).append(rows)
        found = [self._pairs(learner, setting, rows, measure) for (learner, setting), rows in groups.items()]
        return tuple(each for each in found if len(each.before))

    def _pairs(self, learner: str, setting: Setting, rows: Sequence[tuple[int, int]], measure: str) -> Pairs:
        before, after = self._tightness(rows) if measure == "tightness" else self._ends(rows, measure)
        losses = np.abs(self._losses(rows))
        rounding = ROUNDING * np.where(np.isfinite(losses), losses, 0.0).max(axis=0) * (measure in ("regret", "loss"))
        same = self._same(rows) & (measure != "time")
        known = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
        return Pairs(learner, setting, before[known], after[known], rounding[known], same[known])

    def _tightness(self, rows: Sequence[tuple[int, int]]) -> tuple[Array, Array]:
        """Return the largest tightness of the theorems that were judged in both matches, as both ends; NaN if unknown.

        Each array has a row for each pair.
        """
        found = []
        for one, other in rows:
            shares = self.before.tables[one].judgement.shares, self.after.tables[other].judgement.shares
            both = shares[0].keys() & shares[1].keys()
            found.append([max((each[name] for name in both), default=np.nan) for each in shares for _ in range(2)])
        return np.array(found)[:, :2], np.array(found)[:, 2:]

    def _ends(self, rows: Sequence[tuple[int, int]], measure: str) -> tuple[Array, Array]:
        """Return the ends of the regret, the loss or the time in both stores; each array has a row for each pair.

        If the learner forfeited the match, regret and loss are infinite, and the time is NaN.
        """
        names = {"regret": ("lower", "upper"), "loss": ("loss", "loss"), "time": ("seconds", "seconds")}[measure]
        found = []
        for scores, at in zip((self.before, self.after), np.array(rows).T, strict=True):
            ends = np.column_stack([scores.column(name)[at] for name in names])
            ends[scores.column("tier")[at] == FORFEITED] = np.nan if measure == "time" else np.inf
            found.append(ends)
        return found[0], found[1]


def paired(before: Scores, after: Scores) -> Paired:
    """Return the pairs of matches of two stores, sorted by learner, setting and seed."""
    first, second = before.rows, after.rows
    rows = {each: (first[each], second[each]) for each in sorted(first.keys() & second.keys())}
    return Paired(
        before, after, rows, tuple(sorted(first.keys() - second.keys())), tuple(sorted(second.keys() - first.keys()))
    )

"""Pairs of matches, one from each of two stores, with the same learner, adversary, game and seed."""

from __future__ import annotations

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
        return sum(self._same(one, other) for one, other in self.rows.values())

    def _same(self, one: int, other: int) -> bool:
        content, (loss, other_loss) = self.before.tables[one].content, self._losses(one, other)
        same_loss = loss == other_loss or abs(loss - other_loss) <= ROUNDING * abs(loss)
        return bool(content) and content == self.after.tables[other].content and bool(same_loss)

    def _losses(self, one: int, other: int) -> tuple[float, float]:
        return float(self.before.column("loss")[one]), float(self.after.column("loss")[other])

    def pairs(self, measure: str) -> tuple[Pairs, ...]:
        """Return a `Pairs` for each learner and setting in which the measure is known in both stores."""
        groups: dict[tuple[str, Setting], list[tuple[int, int]]] = {}
        for identity, rows in self.rows.items():
            groups.setdefault((identity.learner, identity.setting), []).append(rows)
        found = [self._pairs(learner, setting, rows, measure) for (learner, setting), rows in groups.items()]
        return tuple(each for each in found if len(each.before))

    def _pairs(self, learner: str, setting: Setting, rows: list[tuple[int, int]], measure: str) -> Pairs:
        values, rounding = [], []
        for one, other in rows:
            before, after = _numbers(self.before, one, self.after, other, measure)
            values.append([*before, *after])
            finite = [abs(loss) for loss in self._losses(one, other) if np.isfinite(loss)]
            rounding.append(ROUNDING * max(finite, default=0.0) if measure in ("regret", "loss") else 0.0)
        table = np.array(values)
        same = np.array([self._same(*pair) and measure != "time" for pair in rows], dtype=bool)
        known = ~np.isnan(table).any(axis=1)
        table = table[known]
        return Pairs(learner, setting, table[:, :2], table[:, 2:], np.array(rounding)[known], same[known])


def paired(before: Scores, after: Scores) -> Paired:
    """Return the pairs of matches of two stores, sorted by learner, setting and seed."""
    first, second = before.identities(), after.identities()
    rows = {each: (first[each], second[each]) for each in sorted(first.keys() & second.keys())}
    return Paired(
        before, after, rows, tuple(sorted(first.keys() - second.keys())), tuple(sorted(second.keys() - first.keys()))
    )


def _numbers(
    before: Scores, one: int, after: Scores, other: int, measure: str
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (lower, upper) of the measure in row `one` of `before` and in row `other` of `after`; NaN if unknown.

    The tightness of a match is the largest tightness of the theorems that were judged in both matches.
    """
    if measure == "tightness":
        shares, others = before.tables[one].judgement.shares, after.tables[other].judgement.shares
        both = shares.keys() & others.keys()
        largest = [max((each[name] for name in both), default=np.nan) for each in (shares, others)]
        return (largest[0], largest[0]), (largest[1], largest[1])
    return _ends(before, one, measure), _ends(after, other, measure)


def _ends(scores: Scores, row: int, measure: str) -> tuple[float, float]:
    """Return the lower and the upper end of the regret, the loss or the time of a match.

    If the learner forfeited the match, regret and loss are infinite, and the time is NaN.
    """
    if scores.column("tier")[row] == FORFEITED:
        end = np.nan if measure == "time" else np.inf
        return end, end
    if measure == "regret":
        return float(scores.column("lower")[row]), float(scores.column("upper")[row])
    value = float(scores.column("seconds" if measure == "time" else "loss")[row])
    return value, value

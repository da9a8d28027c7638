"""Pairs of matches, one from each of two stores, with the same learner, adversary, game and seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.judgement import FORFEITED
from arena.record.theorem import ROUNDING
from arena.tournament.scores import MatchIdentity, Scores, Setting

Positions = NDArray[np.intp]
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

    @cached_property
    def _stores(self) -> tuple[tuple[Scores, Positions], tuple[Scores, Positions]]:
        """The scores of each store, with the row numbers of the pairs."""
        one, other = np.array([*self.rows.values()], dtype=np.intp).reshape(-1, 2).T
        return (self.before, one), (self.after, other)

    @cached_property
    def _losses(self) -> Array:
        return np.array([scores.column("loss")[at] for scores, at in self._stores])

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """For each pair, whether both matches have the same moves and, but for rounding, the same loss."""
        before, after = ([scores.tables.column("content")[row] for row in at] for scores, at in self._stores)
        moves = np.array([bool(one) and one == other for one, other in zip(before, after, strict=True)], dtype=bool)
        loss, other_loss = self._losses
        with np.errstate(invalid="ignore"):
            close = np.abs(loss - other_loss) <= ROUNDING * np.abs(loss)
        return np.asarray(moves & (close | (loss == other_loss)))

    @property
    def identical(self) -> int:
        """The number of pairs of matches with the same moves and, but for rounding, the same loss."""
        return int(self.same.sum())

    def pairs(self, measure: str) -> tuple[Pairs, ...]:
        """Return a `Pairs` for each learner and setting in which the measure is known in both stores."""
        ends = self._tightness() if measure == "tightness" else [_ends(*store, measure) for store in self._stores]
        finite = np.where(np.isfinite(self._losses), np.abs(self._losses), 0.0)
        rounding = ROUNDING * finite.max(axis=0) * (measure in ("regret", "loss"))
        same = self.same & (measure != "time")
        groups: dict[tuple[str, Setting], list[int]] = {}
        for at, identity in enumerate(self.rows):
            if not np.isnan([each[at] for each in ends]).any():
                groups.setdefault((identity.learner, identity.setting), []).append(at)
        return tuple(Pairs(*group, ends[0][at], ends[1][at], rounding[at], same[at]) for group, at in groups.items())

    def _tightness(self) -> list[Array]:
        """Return for each store the largest tightness of the theorems that were judged in both matches of a pair.

        As for other measures, an array has two equal ends for each pair; they are NaN if no theorem was judged.
        """
        found = []
        for one, other in self.rows.values():
            shares = self.before.tables[one].judgement.shares, self.after.tables[other].judgement.shares
            both = shares[0].keys() & shares[1].keys()
            found.append([max((each[name] for name in both), default=np.nan) for each in shares])
        return [np.column_stack([each, each]) for each in np.array(found).reshape(-1, 2).T]


def paired(before: Scores, after: Scores) -> Paired:
    """Return the pairs of matches of two stores, sorted by learner, setting and seed."""
    first, second = before.rows, after.rows
    rows = {each: (first[each], second[each]) for each in sorted(first.keys() & second.keys())}
    alone = (tuple(sorted(one.keys() - other.keys())) for one, other in ((first, second), (second, first)))
    return Paired(before, after, rows, *alone)


def _ends(scores: Scores, rows: Positions, measure: str) -> Array:
    """Return the lower and the upper end of the regret, the loss or the time of these matches.

    If the learner forfeited the match, regret and loss are infinite, and the time is NaN.
    """
    names = {"regret": ("regret_lower", "regret_upper"), "loss": ("loss", "loss"), "time": ("seconds", "seconds")}[
        measure
    ]
    ends = np.column_stack([scores.column(name)[rows] for name in names])
    ends[scores.column("tier")[rows] == FORFEITED] = np.nan if measure == "time" else np.inf
    return ends

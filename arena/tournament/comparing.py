"""Compares two stores: finds the learners that got better or worse by more than chance explains.

The change of a learner in a setting (an adversary in a game) is the mean difference between matches with the same seed.
The change of a learner is the mean of these changes over its settings. A change is significant if flipping the signs of
the differences rejects the hypothesis that the two versions are exchangeable (`arena.tournament.sign_flips`).

If no learner has changed, the comparison of a measure finds a change with a probability of at most 5%. Half of this is
for the tests of learners, and half for the tests of settings; if each learner has a single setting, these are the same
tests. Within each half, Holm's correction applies. Two kinds of changes are facts about these matches and not tested:

- A measure that has become infinite, for instance by a forfeit, is worse.
- If each setting has one seed only, every difference larger than rounding is a change, since equal code plays equal
  matches. But a difference of times is never significant with one seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from arena.arrays import Array
from arena.errors import number_of
from arena.record.judgement import FORFEITED, VIOLATED
from arena.record.tables import Row, Tables, names_in
from arena.specs.spelling import Names
from arena.tournament.pairing import MEASURES, REPEATABLE, Paired, Pairs, paired
from arena.tournament.resampling import LEVEL, moments
from arena.tournament.scores import MatchIdentity, Scores, Setting
from arena.tournament.sign_flips import fewest, holm, p_values

Ends = tuple[float, float]
Outcome = Literal["worse", "better", "unclear", "equal"]
FEWEST = fewest(2, 1 - LEVEL)  # pairs from which a single change can be significant


@dataclass(frozen=True)
class Change:
    """The change of one measure of a learner in one setting; if `setting` is None, in all settings together.

    - `before` and `after` have, for the two stores, the mean lower end and the mean upper end of the measure.
    - `limits` is a confidence interval of the increase; None if an increase is infinite, or if there are so few pairs
      that no change can be significant.
    - `outcome` is "equal" if no match has changed, "worse" or "better" if the measure has significantly increased or
      decreased, and otherwise "unclear".
    - `pairs` is the number of compared pairs of matches.
    """

    learner: str
    setting: Setting | None
    measure: str
    before: Ends
    after: Ends
    limits: Ends | None
    outcome: Outcome
    pairs: int

    @property
    def share(self) -> float | None:
        """The relative increase of the measure, from the middle of the interval `before` to the middle of `after`.

        The value is None if the first middle is 0, or if one of the two middles is not finite.
        """
        before, after = (sum(ends) / 2 for ends in (self.before, self.after))
        if before == 0 or not np.isfinite([before, after]).all():
            return None
        return (after - before) / abs(before)


@dataclass(frozen=True)
class StoreComparison:
    """The comparison of two stores, by pairs of matches with the same learner, adversary, game and seed."""

    paired: Paired
    level: float = LEVEL

    @property
    def common(self) -> int:
        """The number of matches that are in both stores."""
        return len(self.paired.rows)

    def changes(self, measure: str, *, by_setting: bool = False) -> tuple[Change, ...]:
        """Return a `Change` of the measure for each learner; with `by_setting`, for each learner and setting.

        Learners and settings in which the measure is unknown are left out.
        """
        family = self.families(measure)[by_setting]
        differences = [[each.differences for each in members] for members in family]
        increases = [[each[:, 0] for each in members] for members in differences]
        decreases = [[-each[:, 1] for each in members] for members in differences]
        significant = self.positive(measure, increases + decreases)
        worse, better = significant[: len(family)], significant[len(family) :]
        return tuple(
            _change(members, measure, by_setting, grown, fallen)
            for members, grown, fallen in zip(family, worse, better, strict=True)
        )

    def positive(self, measure: str, increases: Sequence[Sequence[Array]]) -> list[bool]:
        """Return for each of the `increases` of a measure whether their mean is significantly positive.

        Each has one array for each setting, with one value for each seed. All of them belong to learners, or all to
        single settings. An infinite increase, and any increase if each setting has one seed only, is a fact about these
        matches, and needs no test (see the module's docstring).
        """
        weighted = [np.concatenate([each / len(each) for each in members]) for members in increases]
        if not weighted:
            return []
        columns = np.zeros((max(map(len, weighted)), len(weighted)))  # differences that are 0 do not matter
        for at, values in enumerate(weighted):
            columns[: len(values), at] = values if np.isfinite(values).all() else 0.0
        found, least = p_values(columns, sides=1)
        single = self.single_seeds(measure)
        for at, values in enumerate(weighted):
            if np.isinf(values).any():
                found[at] = least[at] = 0.0 if values.max() == np.inf else 1.0
            elif single:
                found[at] = least[at] = 0.0 if measure in REPEATABLE and values.sum() > 0 else 1.0
        return holm(found.tolist(), least.tolist(), (1 - self.level) / self._groups(measure))

    def single_seeds(self, measure: str) -> bool:
        """Return whether each learner and setting in which the measure is known has one seed only."""
        return all(len(each.before) == 1 for each in self.paired.pairs(measure))

    def too_few(self, measure: str, *, sides: int) -> str:
        """Return a sentence if there are too few pairs of matches to show a change of the measure; otherwise "".

        `sides` is 1 if only increases are tested, and 2 if decreases are tested, too.
        """
        if self.single_seeds(measure):
            return ""
        tests = sides * self._groups(measure)
        pairs = max(sum(len(each.before) for each in members) for members in self.families(measure)[0])
        needed = fewest(tests, 1 - self.level)
        if pairs >= needed:
            return ""
        return (
            f"{number_of(pairs, 'pair')} of matches cannot show a change of the {measure}: the smallest p-value is "
            f"{min(1.0, tests * 2.0**-pairs):.2g}, and at least {needed} pairs of a learner are needed"
        )

    def _groups(self, measure: str) -> int:
        """Return 1 if each learner has a single setting, so that both groups of tests are the same, and otherwise 2."""
        learners, settings = self.families(measure)
        return 1 if len(learners) == len(settings) else 2

    def families(self, measure: str) -> tuple[list[list[Pairs]], list[list[Pairs]]]:
        """Return the measure's `Pairs` grouped by learner, and grouped by learner and setting.

        A `Pairs` has the values of the measure in both stores for one learner in one setting.
        """
        pairs = self.paired.pairs(measure)
        learners: dict[str, list[Pairs]] = {}
        for each in pairs:
            learners.setdefault(each.learner, []).append(each)
        return list(learners.values()), [[each] for each in pairs]

    def newly(self, tier: int, *, mended: bool = False) -> dict[MatchIdentity, str]:
        """Return the matches that have this tier in the second store, and a lower (better) tier in the first.

        With `mended`, the two stores are exchanged: the matches have this tier in the first store, and a lower one in
        the second. Each match is mapped to a text that describes its violations or its forfeit.
        """
        old, new = self.paired.before, self.paired.after
        if mended:
            old, new = new, old
        found = {}
        for identity, (one, other) in self.paired.rows.items():
            before, after = (other, one) if mended else (one, other)
            if new.column("tier")[after] == tier and old.column("tier")[before] < tier:
                found[identity] = new.tables[after].judgement.failure
        return found

    @property
    def broken(self) -> dict[MatchIdentity, str]:
        """The matches whose tier is higher (worse) in the second store than in the first.

        Each match is mapped to a text that describes its violations or its forfeit in the second store.
        """
        return self.newly(VIOLATED) | self.newly(FORFEITED)

    @property
    def mended(self) -> dict[MatchIdentity, str]:
        """The matches whose tier is lower (better) in the second store than in the first.

        Each match is mapped to a text that describes its violations or its forfeit in the first store.
        """
        return self.newly(VIOLATED, mended=True) | self.newly(FORFEITED, mended=True)

    @cached_property
    def names(self) -> Names:
        """The names of the learners and adversaries in both stores, under their specs."""
        return names_in(self.paired.before.tables, self.paired.after.tables)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are known in both stores for at least one pair of matches."""
        return tuple(each for each in MEASURES if self.paired.pairs(each))


def compare(before: Tables | Iterable[Row], after: Tables | Iterable[Row]) -> StoreComparison:
    """Return the comparison of two stores, given by the tables of their matches, or by a selection of rows.

    >>> compare([], []).common
    0
    """
    return StoreComparison(paired(Scores.of(before), Scores.of(after)))


def _change(members: Sequence[Pairs], measure: str, by_setting: bool, worse: bool, better: bool) -> Change:
    differences = [each.differences for each in members]
    outcome: Outcome = "worse" if worse else "better" if better else "unclear"
    if not any(each.any() for each in differences):
        outcome = "equal"
    return Change(
        learner=members[0].learner,
        setting=members[0].setting if by_setting else None,
        measure=measure,
        before=_mean([each.before for each in members]),
        after=_mean([each.after for each in members]),
        limits=_limits(differences),
        outcome=outcome,
        pairs=sum(map(len, differences)),
    )


def _mean(values: Sequence[Array]) -> Ends:
    low, high = np.mean([each.mean(axis=0) for each in values], axis=0)
    return float(low), float(high)


def _limits(differences: Sequence[Array]) -> Ends | None:
    """Return Student's confidence interval of the mean increase of a measure.

    `differences` has one array for each setting. A row of it belongs to a seed, and has the least and the largest
    possible increase. The result is None if an increase is infinite, or if there are fewer than `FEWEST` seeds.
    """
    if not all(np.isfinite(each).all() for each in differences) or sum(map(len, differences)) < FEWEST:
        return None
    found = moments(differences)
    if not found.spread_is_known:
        return None
    from scipy.special import stdtrit

    width = [float(stdtrit(min(float(found.freedoms[at]), 1e9), (1 + LEVEL) / 2) * found.errors[at]) for at in (0, 1)]
    return float(found.mean[0]) - width[0], float(found.mean[1]) + width[1]

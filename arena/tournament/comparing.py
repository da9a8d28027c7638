"""Compares two stores: finds the learners that got better or worse by more than chance explains.

The change of a learner in a setting (an adversary in a game) is the mean difference between matches with the same seed.
The change of a learner is the mean of these changes over its settings. A change is significant if Student's t test
rejects the hypothesis that the mean is zero. Over several settings, the test has the degrees of freedom of Welch and
Satterthwaite.

If there is only one seed, or the differences of all seeds are equal, every difference larger than rounding is
significant. But a difference of times is never significant with one seed.

If no learner has changed, the comparison of a measure finds a change with a probability of at most 5%. Half of this is
for the tests of learners, and half for the tests of settings; within each half, Holm's correction applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena.arrays import Array
from arena.tournament.pairing import MEASURES, REPEATABLE, Paired, Pairs, paired
from arena.tournament.resampling import LEVEL, moments
from arena.tournament.scores import FORFEITED, VIOLATED, MatchIdentity, Scores, Setting
from arena.tournament.summary import Summary

Ends = tuple[float, float]
Outcome = Literal["worse", "better", "unclear", "equal"]
FAMILIES = 2  # groups of tests that share the error probability: learners, and their settings


@dataclass(frozen=True)
class Change:
    """The change of one measure of a learner in one setting; if `setting` is None, in all settings together.

    - `before` and `after` have, for the two stores, the mean lower end and the mean upper end of the measure.
    - `limits` is a confidence interval of the increase; None if an increase is infinite, or each setting has one seed
      only.
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
        families = self.families(measure)[by_setting]
        tests = [each for members in families for each in _p_values(members, measure)]
        significant = holm(tests, (1 - self.level) / FAMILIES)
        return tuple(
            _change(members, measure, by_setting, worse, better)
            for members, worse, better in zip(families, significant[::2], significant[1::2], strict=True)
        )

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
            if new.columns["tier"][after] == tier and old.columns["tier"][before] < tier:
                found[identity] = new.notes[after]
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

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are known in both stores for at least one pair of matches."""
        return tuple(each for each in MEASURES if self.paired.pairs(each))


def compare(before: Iterable[Summary], after: Iterable[Summary]) -> StoreComparison:
    """Return the comparison of two stores, given by the summaries of their matches.

    The summaries are read once; transcripts are not read.

    >>> compare([], []).common
    0
    """
    return StoreComparison(paired(Scores.of(before), Scores.of(after)))


def probability_above(increases: Sequence[Array], *, repeatable: bool) -> float:
    """Return the p-value of the hypothesis that the mean increase of a measure is at most zero.

    `increases` has one array for each setting, with one value for each seed. If some values are infinite, the p-value
    is 0 if one of them is +infinity, and otherwise 1. If the values do not vary over the seeds, the p-value is 0 for a
    positive mean, and otherwise 1. `repeatable` is false for a measure that may differ in a repeated match, such as the
    time. The p-value of such a measure is 1 if each setting has one seed only.
    """
    every = np.concatenate(increases)
    if np.isinf(every).any():
        return 0.0 if every.max() == np.inf else 1.0
    found = moments([each[:, None] for each in increases])
    mean, error = float(found.mean[0]), float(found.errors[0, 0])
    if not repeatable and not found.spread_is_known:
        return 1.0
    if error == 0:
        return 0.0 if mean > 0 else 1.0
    from scipy.special import stdtr

    return float(stdtr(min(float(found.freedoms[0, 0]), 1e9), -mean / error))


def holm(p_values: Sequence[float], level: float) -> list[bool]:
    """Return for each p-value whether Holm's procedure rejects its hypothesis.

    The probability that any true hypothesis is rejected is at most `level`. Tests with the p-value 1 are not counted.

    >>> holm([0.04, 0.01, 0.9], 0.05), holm([0.04, 1.0, 1.0], 0.05)
    ([False, True, False], [True, False, False])
    """
    rejected = [False] * len(p_values)
    in_doubt = sorted((at for at, p in enumerate(p_values) if p < 1), key=p_values.__getitem__)
    for left, at in zip(range(len(in_doubt), 0, -1), in_doubt, strict=True):
        if p_values[at] > level / left:
            break
        rejected[at] = True
    return rejected


def _p_values(members: Sequence[Pairs], measure: str) -> tuple[float, float]:
    """Return the p-values of the hypotheses "the measure has not increased" and "the measure has not decreased".

    The `members` are the matches of one learner, with one `Pairs` for each setting.
    """
    differences = [each.differences for each in members]
    repeatable = measure in REPEATABLE
    return (
        probability_above([each[:, 0] for each in differences], repeatable=repeatable),
        probability_above([-each[:, 1] for each in differences], repeatable=repeatable),
    )


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
    possible increase. The result is None if an increase is infinite, or if each setting has one seed only.
    """
    if not all(np.isfinite(each).all() for each in differences):
        return None
    found = moments(differences)
    if not found.spread_is_known:
        return None
    from scipy.special import stdtrit

    width = [
        float(stdtrit(min(float(found.freedoms[at, at]), 1e9), (1 + LEVEL) / 2) * found.errors[at, at]) for at in (0, 1)
    ]
    return float(found.mean[0]) - width[0], float(found.mean[1]) + width[1]

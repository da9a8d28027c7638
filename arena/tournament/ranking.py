"""Learners in the order of their ranks over adversaries, games and seeds, with the uncertainty of that order.

A block is an adversary, a game and a seed. In each block that all learners played, the learner with the smallest regret
has rank 1. Learners with equal regrets share the mean of their ranks. If two regrets are known only as intervals, they
count as equal if the intervals overlap. Matches that refute a theorem are ranked after matches that refute none, and
forfeits come last. A learner's average rank is the mean over settings (an adversary in a game) of the mean over seeds,
so that all settings have the same weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.errors import number_of
from arena.record.judgement import FORFEITED, VIOLATED
from arena.record.tables import Row, Tables
from arena.record.theorem import ROUNDING
from arena.tournament.common import Common, common_matches
from arena.tournament.critical_difference import CriticalDifference, critical_difference
from arena.tournament.resampling import LEVEL, RESAMPLES, Resampled, resample
from arena.tournament.scores import Scores, Setting
from arena.tournament.sign_flips import fewest, separated

Ends = tuple[float, float]


@dataclass(frozen=True)
class Standing:
    """A learner's place in the ranking.

    - `rank` is the learner's average rank in the blocks that all ranked learners played.
    - `places` has the first and the last place that the learner can have: it comes after the learners whose average
      rank is significantly smaller, and before those whose average rank is significantly larger
      (`arena.tournament.sign_flips.separated`).
    - `regret` has both ends of the regret, averaged over the seeds of a setting and then over settings. Forfeited
      matches and settings with an unknown regret do not count; None if no match counts.
    - `rank_limits` and `regret_limits` are confidence intervals over seeds; None if each setting has one seed only.
      `regret_limits` is also None if `regret` is None or has an infinite end.
    - `matches`, `forfeits` and `violations` count all matches of the learner, also those outside the common blocks.
    """

    learner: str
    rank: float
    rank_limits: Ends | None
    places: tuple[int, int]
    regret: Ends | None
    regret_limits: Ends | None
    matches: int
    forfeits: int
    violations: int


@dataclass(frozen=True)
class Ranking:
    """The standings of learners, the best first, and the numbers on which they are based.

    - `blocks` is the number of blocks (adversary, game and seed) that at least one learner played, and `common` the
      number of blocks that all ranked learners played.
    - `left_out` has the learners that share too few blocks with the others, with their numbers of matches.
    - `seeds` has the smallest and the largest number of seeds of a setting.
    - `critical` is the result of Friedman's and Nemenyi's tests; its learners are in the order of the standings.
    - `by_loss` lists the settings that are ranked by the loss, because a regret in them is unknown.
    - `undecided` is the number of pairs of matches in a block whose regrets are known only as intervals that overlap.
    - `spread_known` is false if every setting has one seed only.
    - `few_seeds` is true if the confidence intervals are too short, because there are very few seeds.
    - `smallest_p` is the smallest p-value that the difference of any two learners can have, corrected for the number of
      pairs (`arena.tournament.sign_flips.separated`).
    """

    standings: tuple[Standing, ...]
    common: int
    blocks: int
    settings: int
    seeds: tuple[int, int]
    left_out: dict[str, int]
    by_loss: tuple[Setting, ...]
    undecided: int
    spread_known: bool
    few_seeds: bool
    critical: CriticalDifference | None
    smallest_p: float = 1.0
    level: float = LEVEL

    @property
    def places_unknown(self) -> str:
        """A sentence if there are too few matches to show any difference between learners; otherwise ""."""
        pairs = len(self.standings) * (len(self.standings) - 1) // 2
        if not self.spread_known or not pairs or self.smallest_p <= 1 - self.level:
            return ""
        return (
            f"All learners share all places, since {number_of(self.common, 'common match', 'common matches')} cannot "
            f"show a difference: the smallest p-value is {self.smallest_p:.2g} for all pairs together. From "
            f"{fewest(2 * pairs, 1 - self.level)} matches of each learner on, a difference can be significant."
        )


FEW_FREEDOM = 4.5  # degrees of freedom; 95% intervals of one setting cover 66 to 75% with 3 seeds, 84 to 92% with 5


def ranking(matches: Scores | Tables | Iterable[Row], *, resamples: int = RESAMPLES) -> Ranking:
    """Return the ranking of the learners of these matches.

    `matches` are `Scores`, tables such as `Store.tables()`, or a selection of their rows. If the learners have no block
    in common, the ranking has no standings.
    """
    scores = matches if isinstance(matches, Scores) else Scores.of(matches)
    common = common_matches(scores)
    if not common.rows.size:
        return Ranking((), 0, common.blocks, 0, (0, 0), common.left_out, (), 0, False, False, None)
    blocks = _blocks(scores, common)
    ranks = [blocks.ranks[:, columns].T for columns in common.strata]
    resampled = resample(ranks, resamples=resamples)
    better, smallest = separated(ranks, 1 - LEVEL)
    standings = _standings(scores, common, blocks, resampled, better)
    order = [common.learners.index(each.learner) for each in standings]
    by_setting = np.array([blocks.ranks[order][:, columns].mean(axis=1) for columns in common.strata])
    counts = [len(columns) for columns in common.strata]
    # A learner whose rank never changes has infinitely many degrees of freedom, but there are not more than this.
    freedom = min(float(resampled.freedoms.min()), sum(counts) - len(counts))
    return Ranking(
        standings=standings,
        common=len(common.settings),
        blocks=common.blocks,
        settings=len(counts),
        seeds=(min(counts), max(counts)),
        left_out=common.left_out,
        by_loss=tuple(scores.settings[each] for each in sorted(blocks.by_loss)),
        undecided=blocks.undecided,
        spread_known=resampled.spread_is_known,
        few_seeds=resampled.spread_is_known and freedom < FEW_FREEDOM,
        critical=critical_difference(by_setting),
        smallest_p=smallest,
    )


@dataclass(frozen=True)
class _Blocks:
    """Ends of the regret, tiers and ranks of the common matches: a row for each learner, a column for each block.

    A block is a setting with a seed. In the settings `by_loss`, the loss replaces both ends of the regret. The tier of
    a match is 0 (fine), 1 (a theorem is violated) or 2 (forfeited).
    """

    lower: Array
    upper: Array
    tier: Array
    ranks: Array
    by_loss: frozenset[int]
    undecided: int


def _blocks(scores: Scores, common: Common) -> _Blocks:
    loss, tier = common.of(scores, "loss"), common.of(scores, "tier")
    lower, upper = common.of(scores, "regret_lower"), common.of(scores, "regret_upper")
    unknown = np.isnan(lower) & (tier != FORFEITED)
    by_loss = frozenset(common.settings[unknown.any(axis=0)].tolist())
    instead = np.isin(common.settings, list(by_loss))
    lower, upper = (np.where(np.isnan(end), np.inf, end) for end in (lower, upper))
    lower, upper = (np.where(instead, loss, end) for end in (lower, upper))
    # A regret is a difference of sums as large as the loss, so its rounding is a share of the loss.
    rounding = np.where(np.isfinite(loss), ROUNDING * np.abs(loss), 0.0)
    least, most = lower - rounding, upper + rounding
    with np.errstate(invalid="ignore"):  # infinity minus infinity is NaN
        wide = upper - lower > 2 * rounding
    ranks = block_ranks(least, most, tier)
    return _Blocks(lower, upper, tier, ranks, by_loss, _undecided(least, most, wide, tier))


def block_ranks(lower: Array, upper: Array, tier: Array) -> Array:
    """Return the rank of each learner (row) in each block (column).

    A match is better than another one if its `tier` is lower. If the tiers are equal, it is better if its interval from
    `lower` to `upper` lies below the other one's; two forfeits are equally good. A rank begins at one. Each better
    learner adds one to it, and each other learner that is neither better nor worse adds a half.

    >>> block_ranks(np.array([[1.0], [2.0], [2.0], [0.0]]), np.array([[1.0], [2.0], [2.5], [0.0]]), np.zeros((4, 1))).T
    array([[2. , 3.5, 3.5, 1. ]])
    """
    count = len(lower)
    ranks = np.ones(lower.shape)
    for other in range(count):
        same = tier == tier[other]
        comparable = same & (tier != FORFEITED)
        better = (tier[other] < tier) | (comparable & (upper[other] < lower))
        worse = (tier[other] > tier) | (comparable & (lower[other] > upper))
        ranks += np.where(better, 1.0, np.where(worse, 0.0, 0.5))
    return np.asarray(ranks - 0.5)  # a learner is neither better nor worse than itself


def _undecided(lower: Array, upper: Array, wide: NDArray[np.bool_], tier: Array) -> int:
    """Return the number of pairs of matches in the same block whose order is unknown.

    The matches of such a pair have the same tier, and neither is forfeited. Their intervals from `lower` to `upper`
    overlap, and at least one interval is `wide`, that is, wider than rounding explains.
    """
    total = 0
    for one in range(len(lower)):
        overlap = (lower[one] <= upper[:one]) & (upper[one] >= lower[:one])
        alike = (tier[one] == tier[:one]) & (tier[:one] != FORFEITED)
        total += int(np.sum(overlap & alike & (wide[one] | wide[:one])))
    return total


def _regrets(common: Common, blocks: _Blocks, resamples: int) -> list[tuple[Ends | None, Ends | None]]:
    """Return two pairs for each learner: the ends of its mean regret, and the ends of a confidence interval of it.

    Forfeited matches and settings with an unknown regret do not count. If no match of a learner counts, its two pairs
    are None. The second pair is also None if an end is infinite, or if each setting has one seed only.
    """
    count = len(common.learners)
    counted = ~np.isin(common.settings, list(blocks.by_loss)) & (blocks.tier != FORFEITED)
    finite = np.isfinite(blocks.upper) & np.isfinite(blocks.lower) | ~counted
    groups: dict[tuple[bytes, bool], list[int]] = {}  # one call for many learners, as resampling takes most of the time
    for at in range(count):
        groups.setdefault((counted[at].tobytes(), bool(finite[at].all())), []).append(at)
    found: dict[int, tuple[Ends | None, Ends | None]] = {}
    for members in groups.values():
        numbers = np.vstack([blocks.lower[members], blocks.upper[members]]).T
        counts = counted[members[0]]
        strata = [numbers[columns[counts[columns]]] for columns in common.strata if counts[columns].any()]
        found |= zip(members, _means(strata, len(members), resamples), strict=True)
    return [found[at] for at in range(count)]


def _means(strata: list[Array], count: int, resamples: int) -> list[tuple[Ends | None, Ends | None]]:
    """Return two pairs for each learner: the ends of its mean regret, and the ends of a confidence interval of it.

    `strata` has one array for each setting, with a row for each seed. The first `count` columns are the lower ends of
    the learners' regrets, the next `count` columns the upper ends. Both pairs are None if there is no setting. The
    second is also None if an end is infinite, or if each setting has one seed only.
    """
    if not strata:
        return [(None, None)] * count
    if not all(np.isfinite(each).all() for each in strata):
        low, high = np.split(np.mean([each.mean(axis=0) for each in strata], axis=0), 2)
        return [((float(one), float(other)), None) for one, other in zip(low, high, strict=True)]
    resampled = resample(strata, resamples=resamples)
    means = [(float(one), float(other)) for one, other in zip(*np.split(resampled.mean, 2), strict=True)]
    if not resampled.spread_is_known:
        return [(mean, None) for mean in means]
    low, high = resampled.interval()
    limits = [(float(one), float(other)) for one, other in zip(low[:count], high[count:], strict=True)]
    return list(zip(means, limits, strict=True))


def _standings(
    scores: Scores, common: Common, blocks: _Blocks, resampled: Resampled, better: Array
) -> tuple[Standing, ...]:
    limits = resampled.interval() if resampled.spread_is_known else None
    tiers = _tiers(scores)
    regrets = _regrets(common, blocks, len(resampled.draws))
    standings = []
    for at, learner in enumerate(common.learners):
        regret, regret_limits = regrets[at]
        standings.append(
            Standing(
                learner=learner,
                rank=float(resampled.mean[at]),
                rank_limits=(float(limits[0][at]), float(limits[1][at])) if limits else None,
                places=(1 + int(better[:, at].sum()), len(better) - int(better[at].sum())),
                regret=regret,
                regret_limits=regret_limits,
                matches=tiers[learner].total(),
                forfeits=tiers[learner][FORFEITED],
                violations=tiers[learner][VIOLATED],
            )
        )
    return tuple(sorted(standings, key=lambda each: (each.rank, each.learner)))


def _tiers(scores: Scores) -> dict[str, Counter[int]]:
    """Return for each learner how many of its matches were fine, violated a theorem, and were forfeited."""
    tiers = scores.column("tier")
    counts: dict[str, Counter[int]] = {learner: Counter() for learner in scores.learners}
    for identity, row in scores.rows.items():
        counts[identity.learner][int(tiers[row])] += 1
    return counts

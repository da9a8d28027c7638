"""The costs of learners: time, size of the dictionary, and whether a learner with a better rank is faster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.record.judgement import FORFEITED
from arena.tournament.common import Common, common_matches
from arena.tournament.ranking import Ranking
from arena.tournament.scores import Scores


@dataclass(frozen=True)
class Cost:
    """The cost of a learner in the blocks (adversary, game and seed) that all ranked learners played.

    Matches that the learner forfeited do not count.

    - `seconds` is the learner's own time for a match, and `a_round` its time for a round. Both are averaged over the
      seeds of each setting, then over settings; None if the learner forfeited all matches.
    - `size` is the size of the learner's largest dictionary at the end of a match; None if it reports no sizes.
    - `beaten_by` names the best-ranked learner that is faster and certainly has a better rank (see `Standing.places`);
      None if there is none.
    """

    learner: str
    seconds: float | None
    a_round: float | None
    size: int | None
    rank: float
    beaten_by: str | None


def costs_of(scores: Scores, ranking: Ranking) -> tuple[Cost, ...]:
    """Return the costs of the ranked learners, with the fastest first."""
    common = common_matches(scores)
    place = {learner: at for at, learner in enumerate(common.learners)}
    seconds, rounds, sizes, tier = (
        common.of(scores, name) for name in ("seconds", "rounds", "dictionary_size", "tier")
    )
    played = np.asarray(tier != FORFEITED, dtype=float)
    mean = {name: _mean(common, seconds[at], played[at]) for name, at in place.items()}
    costs = []
    for each in ranking.standings:
        at = place[each.learner]
        better = [
            other.learner
            for other in ranking.standings
            if other.places[1] < each.places[0] and _faster(mean[other.learner], mean[each.learner])
        ]
        known = sizes[at][(played[at] > 0) & ~np.isnan(sizes[at])]
        costs.append(
            Cost(
                learner=each.learner,
                seconds=mean[each.learner],
                a_round=_mean(common, seconds[at] / np.maximum(rounds[at], 1), played[at]),
                size=int(known.max()) if len(known) else None,
                rank=each.rank,
                beaten_by=better[0] if better else None,
            )
        )
    return tuple(sorted(costs, key=lambda cost: (cost.seconds is None, cost.seconds)))


def _faster(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one < other


def _mean(common: Common, values: Array, counted: Array) -> float | None:
    """Return the mean over settings of the mean of `values` over seeds.

    Values for which `counted` is 0 are left out. The result is None if all values are left out.
    """
    chosen = [columns[counted[columns] > 0] for columns in common.strata]
    means = [values[columns].mean() for columns in chosen if len(columns)]
    return float(np.mean(means)) if means else None

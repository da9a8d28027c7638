"""Compares regrets with the lower bounds that adversaries promise, and with the upper bounds of theorems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.record.judgement import FORFEITED
from arena.tournament.scores import Scores, Setting


@dataclass(frozen=True)
class Forced:
    """Bounds and regret of one learner in one setting, averaged over the seeds.

    - `forced` is the mean of the largest lower bound that holds in a match, of those that the adversary promises.
    - `regret` is the mean of the upper ends of the regrets.
    - `allowed` is the mean of the smallest upper bound of a theorem in a match; None if a match has no upper bound.
    """

    setting: Setting
    learner: str
    forced: float
    regret: float
    allowed: float | None

    @property
    def share(self) -> float:
        """The lower bound divided by the regret; it is 1 if the regret is as small as the lower bound allows."""
        return self.forced / self.regret if self.regret else 1.0


def forced_regrets(scores: Scores) -> list[Forced]:
    """Return a `Forced` for each setting whose adversary promises a lower bound, sorted by setting.

    Its learner is the one whose regret is closest to the lower bound. Learners do not count if they forfeited a match
    in the setting, or if the lower bound or the regret of a match is unknown or infinite.
    """
    closest: dict[Setting, Forced] = {}
    for each in _of_each_learner(scores):
        if each.setting not in closest or each.share > closest[each.setting].share:
            closest[each.setting] = each
    return [closest[setting] for setting in sorted(closest)]


def _of_each_learner(scores: Scores) -> Iterator[Forced]:
    forced, allowed, regret = (scores.column(name) for name in ("forced", "allowed", "regret_upper"))
    tier = scores.column("tier")
    for (learner, setting), every in scores.groups().items():
        if (tier[every] == FORFEITED).any() or not np.isfinite(forced[every] + regret[every]).all():
            continue
        most = float(allowed[every].mean())
        means = float(forced[every].mean()), float(regret[every].mean()), None if np.isnan(most) else most
        yield Forced(setting, learner, *means)

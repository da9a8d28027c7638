"""The verdict of one theorem on many matches that differ in their seed alone.

A deterministic statement is refuted by a single match. One that holds with probability 1 - delta is refuted when it
fails too often for chance, by an exact binomial test; one about the mean, when a confidence interval of the mean lies
beyond the bound. Both tests call a true statement violated in at most one of a thousand series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from arena.errors import ArenaError
from arena.record.theorem import ROUNDING, Outcome, Verdict
from arena.record.verdict import Judged

LEVEL = 1e-3  # the probability with which a true statement may be called violated


@dataclass(frozen=True)
class SeriesVerdict(Judged):
    """The verdict of one theorem on a series of matches.

    `measured`, `allowed` and `tightness` are those of the match that came closest to the bound; `closest` is its seed.
    `violations` are the seeds of the matches in which the bound was exceeded.
    """

    theorem: str
    name: str
    outcome: Outcome
    reason: str
    method: str
    matches: int
    applicable: int
    violations: tuple[int, ...] = ()
    confidence: float = 1.0
    in_expectation: bool = False
    quantity: str = "regret"
    closest: int | None = None
    measured: float | None = None
    allowed: float | None = None
    tightness: float | None = None

    def __str__(self) -> str:
        return f"{self.theorem}: {self.outcome}: {self.reason}"

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {**vars(self), "violations": list(self.violations)}


def judge_series(seeds: Sequence[int], verdicts: Sequence[Verdict], *, level: float = LEVEL) -> SeriesVerdict:
    """Judge one theorem by its verdicts on many matches, given with their seeds."""
    if not verdicts or len(seeds) != len(verdicts):
        raise ArenaError(f"a series needs one verdict a seed, but there are {len(verdicts)} for {len(seeds)} seeds")
    judged = [(seed, verdict) for seed, verdict in zip(seeds, verdicts, strict=True) if verdict.applicable]
    first = verdicts[0]
    if not judged:
        return _summary(first, "not applicable", f"in no match: {first.reason}", "every match", len(seeds), [])
    if first.in_expectation:
        outcome, reason, method = _by_mean([verdict for _, verdict in judged], level)
    elif first.confidence < 1:
        outcome, reason, method = _by_counting(judged, first.confidence, level)
    else:
        outcome, reason, method = _by_every_match(judged)
    if len(judged) < len(seeds):
        reason += f"; it applied to {len(judged)} of {len(seeds)} matches"
    return _summary(first, outcome, reason, method, len(seeds), judged)


Judgement = tuple[Outcome, str, str]


def _by_every_match(judged: Sequence[tuple[int, Verdict]]) -> Judgement:
    broken = [(seed, verdict) for seed, verdict in judged if verdict.violated]
    if not broken:
        return "holds", f"in each of {len(judged)} matches{_share(judged)}", "every match"
    seed, verdict = broken[0]
    reason = f"in {len(broken)} of {len(judged)} matches; with seed {seed}, {verdict.reason}"
    return "violated", reason, "every match"


def _by_counting(judged: Sequence[tuple[int, Verdict]], confidence: float, level: float) -> Judgement:
    """Test "it fails with probability at most 1 - confidence" by an exact binomial test."""
    matches, failures = len(judged), sum(verdict.violated for _, verdict in judged)
    promised = 1.0 - confidence
    method = f"exact binomial test at level {level:g}"
    needed = _enough(promised, level)
    if matches < needed:
        reason = f"it may fail with probability {promised:.3g}, which {matches} seeds cannot refute; {needed} can"
        return "not applicable", reason, method
    chance = float(scipy.stats.binomtest(failures, matches, promised, alternative="greater").pvalue)
    reason = f"exceeded in {failures} of {matches} matches, where a share of {promised:.3g} is allowed"
    if failures:
        reason += f"; so many or more have probability {chance:.2g} at most"
    return ("violated" if chance < level else "holds"), f"{reason}{_share(judged)}", method


def _enough(promised: float, level: float) -> int:
    """Return how many matches, all of them failures, refute the promised probability."""
    matches = 1
    while scipy.stats.binomtest(matches, matches, promised, alternative="greater").pvalue >= level:
        matches += 1
    return matches


def _by_mean(verdicts: Sequence[Verdict], level: float) -> Judgement:
    """Test the mean of measured minus allowed, at the last round, by Student's one-sided interval."""
    method = f"Student's t interval for the mean, one-sided at level {level:g}"
    excess = np.array([_excess(verdict) for verdict in verdicts])
    if len(excess) < 10:
        return "not applicable", f"it bounds a mean, of which {len(excess)} seeds say too little; 10 can", method
    measured = float(np.mean([verdict.measured for verdict in verdicts]))
    allowed = float(np.mean([verdict.allowed for verdict in verdicts]))
    with np.errstate(invalid="ignore"):  # where a learner has blown up
        margin = float(scipy.stats.t.ppf(1.0 - level, len(excess) - 1)) * float(scipy.stats.sem(excess))
    mean, quantity = float(excess.mean()), verdicts[0].quantity
    reason = f"mean {quantity} {measured:.6g} of {allowed:.6g} allowed, {mean:.4g} +- {margin:.2g} beyond it"
    slack = ROUNDING * (1.0 + abs(measured))
    beyond = mean - margin > slack or math.isnan(mean) or mean == math.inf
    return ("violated" if beyond else "holds"), reason, method


def _excess(verdict: Verdict) -> float:
    assert verdict.measured is not None
    assert verdict.allowed is not None
    return -math.inf if verdict.allowed == math.inf else verdict.measured - verdict.allowed


def _share(judged: Sequence[tuple[int, Verdict]]) -> str:
    shares = [verdict.tightness for _, verdict in judged if verdict.tightness is not None and not verdict.exact]
    share = max(shares, default=None)
    return "" if share is None else f"; at most {share:.0%} of the bound at the end"


def _summary(
    first: Verdict, outcome: Outcome, reason: str, method: str, matches: int, judged: Sequence[tuple[int, Verdict]]
) -> SeriesVerdict:
    seed, closest = max(judged, key=_closeness, default=(None, None))
    return SeriesVerdict(
        theorem=first.theorem,
        name=first.name,
        outcome=outcome,
        reason=reason,
        method=method,
        matches=matches,
        applicable=len(judged),
        violations=tuple(seed for seed, verdict in judged if verdict.violated),
        confidence=first.confidence,
        in_expectation=first.in_expectation,
        quantity=first.quantity,
        closest=seed,
        measured=closest.measured if closest else None,
        allowed=closest.allowed if closest else None,
        tightness=closest.tightness if closest else None,
    )


def _closeness(judged: tuple[int, Verdict]) -> tuple[bool, float]:
    _, verdict = judged
    return verdict.violated, -math.inf if verdict.tightness is None else verdict.tightness

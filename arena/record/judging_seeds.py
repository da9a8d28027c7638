"""The verdict of one theorem on many matches that differ only in their seed.

A single match refutes a deterministic statement. For two other kinds of statements there are tests by betting
(`arena.record.betting`):

- A statement that holds with probability 1 - delta is refuted if it fails too often.
- A statement about a mean is refuted if the mean violates the bound.

The probability that a true statement is called violated is at most 0.001. This holds for any distribution of the
measured values, and even if the tests are repeated after each match of a growing series.

A match to which the theorem does not apply counts in the theorem's favour. In the test of a probability, it counts as a
match in which the bound holds. In the test of a mean, it counts as a match in which the bound holds by the largest
possible margin. The tests are therefore valid even if the learner's random numbers decide whether the theorem applies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.record.betting import chance, enough, lower_limit
from arena.record.verdict import TO_A_COMPARATOR, Outcome, Verdict

LEVEL = 1e-3  # the probability with which a true statement may be called violated


def judge_series(seeds: Sequence[int], verdicts: Sequence[Verdict], *, level: float = LEVEL) -> Verdict:
    """Return the verdict on one theorem, given its verdicts on single matches and the seeds of these matches.

    The order of the matches must not depend on their results: a theorem that leaves room for chance is tested by bets
    against it (`arena.record.betting`), placed on one match after the other. `level` is the probability with which a
    true statement may be called violated.
    """
    if not verdicts or len(seeds) != len(verdicts):
        raise ArenaError(f"a series needs one verdict a seed, but there are {len(verdicts)} for {len(seeds)} seeds")
    judged = [(seed, verdict) for seed, verdict in zip(seeds, verdicts, strict=True) if verdict.applicable]
    first = verdicts[0]
    if not judged:
        return _summary(first, "not applicable", f"in no match: {first.reason}", "every match", len(seeds), [])
    if first.in_expectation:
        outcome, reason, method = _by_mean(verdicts, level)
    elif first.confidence < 1:
        outcome, reason, method = _by_counting(verdicts, 1.0 - first.confidence, level)
    else:
        outcome, reason, method = _by_every_match(judged)
    if vacuous := sum(verdict.vacuous for _, verdict in judged):
        where = "here" if vacuous == len(judged) else f"in {vacuous} of {len(judged)} matches"
        reason += f"; vacuous {where}: it allows the largest {first.quantity} that is possible"
    if len(judged) < len(seeds):
        reason += f"; it applied to {len(judged)} of {len(seeds)} matches"
        reason += ", and the others count as kept" if first.by_chance else ""
    return _summary(first, outcome, reason, method, len(seeds), judged)


Found = tuple[Outcome, str, str]  # outcome, reason and method of a verdict


def _by_every_match(judged: Sequence[tuple[int, Verdict]]) -> Found:
    for outcome in ("violated", "undecided"):
        such = [(seed, verdict) for seed, verdict in judged if verdict.outcome == outcome]
        if such:
            seed, verdict = such[0]
            reason = f"in {len(such)} of {len(judged)} matches; with seed {seed}, {verdict.reason}"
            return verdict.outcome, reason, "every match"
    return "holds", f"in each of {len(judged)} matches{_share([verdict for _, verdict in judged])}", "every match"


def _by_counting(verdicts: Sequence[Verdict], promised: float, level: float) -> Found:
    """Judge a theorem that may fail with probability `promised`; return outcome, reason and method of the verdict.

    A theorem is violated if it fails too often. A true theorem is called violated with probability `level` at most.
    """
    method = f"anytime-valid binomial test at level {level:.3g}"
    if promised >= 1.0:
        return "not applicable", "it may fail with probability 1, so no match can refute it", method
    worst = (1.0 - promised) / promised  # what a stake of 1 returns if the theorem fails
    failed = np.array([verdict.violated for verdict in verdicts])
    in_doubt = np.array([verdict.outcome == "undecided" for verdict in verdicts])
    applied = np.array([verdict.applicable for verdict in verdicts])
    certain, possible, best = (np.where(lost, worst, -1.0) for lost in (failed, failed | in_doubt, applied))
    bets = _Bets(certain, possible, best, level)
    what = f"it may fail with probability {promised:.3g}"
    if bets.too_few:
        return "not applicable", f"{what}, which {bets.cannot_refute()}", method
    beyond = "not reached" if verdicts[0].lower else "exceeded"
    reason = f"{beyond} in {failed.sum()} of {applied.sum()} matches, where a share of {promised:.3g} is allowed"
    if failed.any():
        reason += f"; so many have probability {chance(bets.certain):.2g} at most"
    if in_doubt.any():
        reason += f"; undecided in {in_doubt.sum()}"
    return bets.outcome, reason + bets.more() + _share(verdicts), method


def _by_mean(verdicts: Sequence[Verdict], level: float) -> Found:
    """Judge a theorem that bounds a mean; return outcome, reason and method of the verdict.

    A theorem is violated if measured - allowed is above 0 on average; a lower bound, if allowed - measured is. A true
    theorem is called violated with probability `level` at most.
    """
    method = f"anytime-valid test of the mean at level {level:.3g}"
    judged = [verdict for verdict in verdicts if verdict.applicable]
    quantity, least = judged[0].quantity, judged[0].least_excess
    if least is None:
        reason = (
            f"it bounds a mean, and no number of matches refutes a mean unless it is known how far below the bound the "
            f"{quantity} can lie: define least_excess(run) in the theorem"
        )
        return "not applicable", reason, method
    if any(verdict.least_excess != least for verdict in judged):
        reason = (
            "it bounds a mean, and its least_excess(run) differs from match to match: it must follow from the game and "
            "the number of rounds alone, and all matches must have as many rounds"
        )
        return "not applicable", reason, method
    excess = np.array([_excess(verdict) if verdict.applicable else (least, least) for verdict in verdicts])
    applied = np.array([verdict.applicable for verdict in verdicts])
    in_units = np.maximum(excess / -least, -1.0)
    bets = _Bets(in_units[:, 0], in_units[:, 1], np.where(applied, 1.0, -1.0), level)
    if bets.too_few:
        return "not applicable", f"it bounds a mean, which {bets.cannot_refute()}", method
    measured = float(np.mean([verdict.measured for verdict in judged]))
    allowed = float(np.mean([verdict.allowed for verdict in judged]))
    limit = -least * lower_limit(bets.certain, level)
    if judged[0].lower:
        compared = f"{measured:.6g} where at least {allowed:.6g} is forced, {allowed - measured:.4g} below it"
    else:
        compared = f"{measured:.6g} of {allowed:.6g} allowed, {measured - allowed:.4g} beyond it"
    reason = f"mean {quantity} {compared}, and at least {limit:.4g} at confidence {1.0 - level:.6g}"
    return bets.outcome, reason + bets.more(), method


def _excess(verdict: Verdict) -> tuple[float, float]:
    """Return the least and the largest possible value of measured minus allowed.

    For a lower bound these are the least and the largest possible value of allowed minus measured.
    """
    assert verdict.measured is not None
    assert verdict.allowed is not None
    ends = [(verdict.measured, verdict.allowed), verdict.other_end or (verdict.measured, verdict.allowed)]
    if verdict.lower:
        found = [-math.inf if measured == math.inf else allowed - measured for measured, allowed in ends]
    else:
        found = [-math.inf if allowed == math.inf else measured - allowed for measured, allowed in ends]
    # NaN breaks every bound, as it does in a single match.
    found = [math.inf if math.isnan(each) else each for each in found]
    return min(found), max(found)


@dataclass(frozen=True)
class _Bets:
    """Gains of a gambler who stakes 1 against the theorem in each match.

    Each array has one gain, at least -1, for each match. The arrays differ in their assumptions:

    - `certain`: undecided matches count in the theorem's favour.
    - `possible`: undecided matches count against the theorem.
    - `best`: the theorem fails in every match to which it applies.
    """

    certain: Array
    possible: Array
    best: Array
    level: float

    @property
    def outcome(self) -> Outcome:
        if chance(self.certain) <= self.level:
            return "violated"
        return "undecided" if chance(self.possible) <= self.level else "holds"

    @property
    def too_few(self) -> bool:
        """True if the series is too short to refute the theorem, even by a failure in every match where it applies."""
        return self.outcome == "holds" and chance(self.best) > self.level

    def cannot_refute(self) -> str:
        needed = enough(self.best, self.level)
        can = "no number of them can, since it applies to too few" if needed is None else f"{needed} can"
        return f"{len(self.best)} seeds cannot refute; {can}"

    def more(self) -> str:
        """Return a clause: how many seeds would refute the theorem if the results so far were repeated.

        The clause is empty if the outcome is not "holds", or if 50,000 seeds would not refute the theorem.
        """
        needed = enough(self.certain, self.level) if self.outcome == "holds" and self.certain.mean() > 0 else None
        return f"; {needed} seeds with such results would refute it" if needed else ""


def _share(verdicts: Sequence[Verdict]) -> str:
    shares = [verdict.tightness for verdict in verdicts if verdict.tightness is not None and not verdict.is_deviation]
    share = (min if verdicts[0].lower else max)(shares, default=None)
    if share is None or (verdicts[0].lower and share <= 0):
        return ""
    if verdicts[0].lower:
        return f"; at least {share:.0%} of it forced"
    if share >= 0:
        return f"; at most {share:.0%} of the bound at the end"
    beyond = verdicts[0].quantity.startswith(TO_A_COMPARATOR)
    return "; always below 0 at the end" + (": the learner did better than the comparator" if beyond else "")


def _summary(
    first: Verdict, outcome: Outcome, reason: str, method: str, matches: int, judged: Sequence[tuple[int, Verdict]]
) -> Verdict:
    seed, closest = max(judged, key=_closeness, default=(None, first))
    return replace(
        closest.without_curves(),
        outcome=outcome,
        reason=reason,
        round=None,
        margin=None,
        other_end=None,
        assumptions=(),
        method=method,
        matches=matches,
        applied=len(judged),
        vacuous_in=sum(verdict.vacuous for _, verdict in judged),
        violations=tuple(seed for seed, verdict in judged if verdict.violated),
        closest=seed,
    )


def _closeness(judged: tuple[int, Verdict]) -> tuple[bool, float]:
    _, verdict = judged
    return verdict.violated, -math.inf if verdict.tightness is None else verdict.tightness

"""Results of a suite of matches for each theorem that a learner promises: how often it applies, how tight it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.record.both_sides import BothSides, both_sides
from arena.record.transcript import Transcript
from arena.record.verdict import DEVIATION, Verdict

NO_THEOREM = ""  # the theorem's name in a row for a learner that promises no bound on a regret


@dataclass
class PromiseRow:
    """Results for one theorem that one learner promises, over all matches of the learner.

    - `matches` is the number of all matches. The theorem applies in `applied` of them. Its bound is vacuous in
      `vacuous` of them. The theorem is an identity in `identities` of them.
    - `why_not` counts the reasons why the theorem does not apply.
    - `closest` is the verdict with the largest tightness, and `adversary` the opponent in its match.
    - `sides` has the theorem's upper bound and the adversary's lower bound in one match: the match with the largest
      quotient lower / upper. `sides_adversary` is the opponent in this match.

    A learner that promises no bound on a regret, a loss or mistakes also has a `PromiseRow` with the theorem "". In
    this row the adversary's lower bounds take the theorem's place. Of the verdicts on them in a match, the one with the
    largest tightness is counted.
    """

    learner: str
    theorem: str
    matches: int = 0
    applied: int = 0
    vacuous: int = 0
    identities: int = 0
    quantity: str = ""
    why_not: Counter[str] = field(default_factory=Counter)
    closest: Verdict | None = None
    adversary: str = ""
    sides: BothSides | None = None
    sides_adversary: str = ""

    def add(self, run: Transcript, verdict: Verdict, lower: Sequence[Verdict]) -> None:
        """Count a match; `verdict` is the verdict on the theorem, `lower` are those on the adversary's lower bounds."""
        self.matches += 1
        self.quantity = verdict.quantity
        if not verdict.applicable:
            failed = [each for each in verdict.assumptions if not each.holds]
            self.why_not[str(failed[0]) if failed else verdict.reason] += 1
            return
        self.applied += 1
        self.vacuous += verdict.vacuous
        self.identities += verdict.identity or verdict.is_deviation
        share, best = verdict.tightness, self.closest.tightness if self.closest else None
        if not verdict.is_deviation and share is not None and (best is None or share > best):
            self.closest, self.adversary = verdict.without_curves(), run.adversary
        for sides in both_sides([verdict], lower):
            if self.sides is None or sides.ratio > self.sides.ratio:
                self.sides, self.sides_adversary = sides, run.adversary

    @property
    def exact(self) -> bool:
        """True if the theorem is an equation; then there is no tightness, and `closest` is None."""
        return self.quantity == DEVIATION

    @property
    def about_losses(self) -> bool:
        """True if the theorem bounds a regret, a loss or mistakes; also true if `theorem` is empty."""
        return not self.theorem or bounds_losses(self.quantity)

    @property
    def status(self) -> str:
        """A phrase for pages: whether the theorem applies in any match, and whether its bound can be violated."""
        if not self.applied:
            return f"never applies: {self.why_not.most_common(1)[0][0]}" if self.why_not else "no lower bound applies"
        if self.exact:
            return "an identity, which any other prediction violates"
        if self.identities == self.applied:
            return "applies, an identity: it allows as much as is measured, whatever the learner does"
        if self.vacuous == self.applied:
            return "applies, cannot fail: it allows as much as is possible (vacuous)"
        some = f", vacuous in {self.vacuous} of {self.applied} games" if self.vacuous else ""
        return f"applies, can fail{some}"

    def as_json(self) -> dict[str, Any]:
        closest = self.closest
        return {
            **{key: getattr(self, key) for key in ("learner", "theorem", "matches", "applied", "vacuous")},
            "identity": bool(self.applied) and self.identities == self.applied,
            "status": self.status,
            "tightness": closest.tightness if closest else None,
            "measured": closest.measured if closest else None,
            "allowed": closest.allowed if closest else None,
            "adversary": self.adversary,
            "both_sides": {**self.sides.as_json(), "adversary": self.sides_adversary} if self.sides else None,
        }


def bounds_losses(quantity: str) -> bool:
    """Return whether this quantity, which a theorem measures, is a regret, a loss or a number of mistakes."""
    return quantity.startswith(("regret", "loss", "mistakes"))


def statuses(rows: Sequence[PromiseRow], learners: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """Return, for each theorem of these learners, whether it applies and can fail, as {learner: {theorem: status}}."""
    return {
        learner: {row.theorem: row.status for row in rows if row.learner == learner and row.theorem}
        for learner in learners
    }

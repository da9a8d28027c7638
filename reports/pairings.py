"""Summaries of matches collected for a report: by pairing (a learner, an adversary and a game), and by theorem."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arena.errors import ArenaError
from arena.record.both_sides import BothSides, both_sides
from arena.record.verdict import Assumption
from arena.specs.addresses import names_code
from arena.specs.building import build
from arena.tournament.game_text import game_text
from arena.tournament.outcomes import Outcome, outcomes_of
from arena.tournament.scores import Scores, Setting, tightness_of
from arena.tournament.summary import Summary

MOST_ASSUMED = 6  # largest number of assumptions in a theorem's row
OUTCOMES = ("holds", "violated", "undecided", "not applicable")


@dataclass
class Pairing:
    """The matches of one learner in one setting (an adversary in a game).

    `tightest` is a pair of the largest tightness in these matches and the theorem's name; None if no tightness is
    known. `round_seconds` has, for each match with at least one round, the mean time that the learner took for a round.
    `undecided` has the theorems that are undecided in at least one match.
    """

    outcome: Outcome
    tightest: tuple[float, str] | None = None
    round_seconds: list[float] = field(default_factory=list)
    forfeits: list[str] = field(default_factory=list)
    undecided: set[str] = field(default_factory=set)

    @property
    def setting(self) -> Setting:
        return setting_of(self.outcome)

    @property
    def worst(self) -> Summary:
        """The worst of these matches, which has a section in the report."""
        assert self.outcome.worst is not None
        return self.outcome.worst

    @property
    def state(self) -> str:
        """The state of the outcome: `violated`, `forfeit`, `holds` or `open`; see `Outcome.state`.

        If a theorem is undecided in some match, the state is `open` in place of `holds`.
        """
        return "open" if self.undecided and self.outcome.state == "holds" else self.outcome.state

    @property
    def cost(self) -> float | None:
        """The seconds that the learner took for a round, averaged over the matches; None if no round was played."""
        return sum(self.round_seconds) / len(self.round_seconds) if self.round_seconds else None

    def add(self, summary: Summary) -> None:
        """Add the mean time of a round, the tightness, undecided theorems and a possible forfeit of one more match."""
        self.undecided |= {each.theorem for each in summary.verdicts if each.outcome == "undecided"}
        if summary.rounds:
            self.round_seconds.append(summary.seconds / summary.rounds)
        if summary.forfeit:
            self.forfeits.append(f"{summary.forfeit.side} in seed {summary.seed}")
        for theorem, share in tightness_of(summary).items():
            if math.isfinite(share) and (self.tightest is None or share > self.tightest[0]):
                self.tightest = share, theorem


@dataclass
class Assumed:
    """The numbers of matches in which an assumption holds (`met`) and fails (`failed`), and a measured value.

    `measured` is from the first match in which the assumption fails, or else from the first match.
    """

    met: int = 0
    failed: int = 0
    measured: str = ""

    def add(self, assumption: Assumption) -> None:
        """Count the assumption as held or failed in one more match."""
        if not self.measured or (not assumption.holds and not self.failed):
            self.measured = assumption.measured
        self.met, self.failed = self.met + bool(assumption.holds), self.failed + (not assumption.holds)


@dataclass
class Judged:
    """The verdicts on one theorem in all matches: the count of each outcome, and the match closest to the bound.

    `counts` has numbers of matches. A theorem that leaves room for chance is judged once for each pairing, over all
    seeds, so its `counts` are numbers of pairings.
    """

    theorem: str
    counts: Counter[str] = field(default_factory=Counter)
    tightness: float | None = None
    worst: Summary | None = None
    by_chance: bool = False
    why_not: str = ""
    promised_by: set[str] = field(default_factory=set)
    vacuous: int = 0  # matches in which the bound is no smaller than the largest possible value
    assumed: dict[str, Assumed] = field(default_factory=dict)  # keys are the statements of assumptions
    between: tuple[BothSides, Summary] | None = None  # the match whose lower bound comes closest to this theorem
    _badness: tuple[bool, float] = (False, -math.inf)

    @property
    def object(self) -> Any:
        """The theorem as an object, from which the report takes the statement and the paper.

        The value is None if the theorem's code is outside the arena, or its spec cannot be built.
        """
        try:
            return None if names_code(self.theorem) else build("theorem", self.theorem)
        except ArenaError:
            return None

    def add(self, summary: Summary) -> None:
        """Add the verdict on the theorem in one more match.

        If the theorem leaves room for chance, `counts` does not change.
        """
        verdict = next(each for each in summary.verdicts if each.theorem == self.theorem)
        self.by_chance = verdict.by_chance
        self.vacuous += verdict.vacuous
        if self.theorem in summary.promised:
            self.promised_by.add(summary.learner)
        if not verdict.by_chance:
            self.counts[verdict.outcome] += 1
        for each in verdict.assumptions:
            if each.statement in self.assumed or len(self.assumed) < MOST_ASSUMED:
                self.assumed.setdefault(each.statement, Assumed()).add(each)
        for sides in both_sides([verdict], summary.lower):
            if self.between is None or sides.ratio > self.between[0].ratio:
                self.between = sides, summary
        self.why_not = self.why_not or ("" if verdict.applicable else verdict.reason)
        share = verdict.tightness if verdict.applicable and not verdict.is_deviation else None
        share = None if share is None or math.isnan(share) else share
        if share is not None:
            self.tightness = share if self.tightness is None else max(self.tightness, share)
        badness = (verdict.refuted, -math.inf if share is None else share)
        if verdict.applicable and (self.worst is None or badness > self._badness):
            self.worst, self._badness = summary, badness


@dataclass
class Overview:
    """All pairings, theorems and scores of some matches, collected in one pass over the summaries of the matches."""

    pairings: list[Pairing]
    theorems: list[Judged]
    scores: Scores
    matches: int

    @classmethod
    def of(cls, summaries: Iterable[Summary]) -> Overview:
        scores, theorems = Scores(), dict[str, Judged]()
        extra = defaultdict[tuple[str, Setting], list[Summary]](list)

        def watched() -> Iterator[Summary]:
            for summary in summaries:
                scores.add(summary)
                # a set, because a theorem that is both promised and named has two verdicts
                for name in {verdict.theorem for verdict in summary.verdicts}:
                    theorems.setdefault(name, Judged(name)).add(summary)
                extra[summary.learner, setting_of(summary)].append(summary)
                yield summary

        pairings = [Pairing(outcome) for outcome in outcomes_of(watched())]
        for pairing in pairings:
            for summary in extra[pairing.outcome.learner, pairing.setting]:
                pairing.add(summary)
            for verdict in pairing.outcome.verdicts:
                theorems[verdict.theorem].counts[verdict.outcome] += 1
        judged = sorted(
            theorems.values(), key=lambda each: (not each.counts["violated"], -(each.tightness or 0.0), each.theorem)
        )
        return cls(pairings, judged, scores, sum(map(len, extra.values())))

    @property
    def settings(self) -> list[Setting]:
        """The settings (adversary and game), sorted by game and adversary."""
        return sorted({each.setting for each in self.pairings}, key=lambda each: (each.game, each.adversary))

    def at(self, learner: str, setting: Setting) -> Pairing | None:
        """Return the pairing of a learner in a setting; None if the learner has no match in the setting."""
        pairs = (each for each in self.pairings if each.outcome.learner == learner and each.setting == setting)
        return next(pairs, None)

    @cached_property
    def shown(self) -> list[Summary]:
        """The matches that have a section of their own: the worst match of each pairing, and of each theorem.

        Worse matches come first.
        """
        chosen = [each.worst for each in self.pairings] + [each.worst for each in self.theorems if each.worst]
        unique = {each.key: each for each in chosen}
        return sorted(unique.values(), key=lambda each: each.badness, reverse=True)


def setting_of(match: Summary | Outcome) -> Setting:
    """Return the adversary and the game of a match, or of an `Outcome`, which adds up matches over the seeds."""
    return Setting(match.adversary, json.dumps(match.game, sort_keys=True))


def setting_names(settings: Sequence[Setting]) -> dict[Setting, str]:
    """Return a name for each setting: the adversary or, if there are several games, the adversary and the game."""
    several = len({each.game for each in settings}) > 1
    return {
        each: f"{each.adversary} ({game_text(json.loads(each.game))})" if several else each.adversary
        for each in settings
    }

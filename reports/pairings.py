"""The matches of a report: by pairing (a learner, an adversary and a game), and by theorem."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arena.errors import ArenaError
from arena.record.both_sides import BothSides, both_sides
from arena.record.series import Series, game_of, series_of
from arena.record.tables import Row, Tables
from arena.record.verdict import Assumption, Verdict
from arena.specs.addresses import names_code
from arena.specs.building import build
from arena.specs.spelling import Names
from arena.tournament.game_text import game_text
from arena.tournament.scores import Scores, Setting

MOST_ASSUMED = 6  # largest number of assumptions in a theorem's row
OUTCOMES = ("holds", "violated", "undecided", "not applicable")


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
class TheoremRow:
    """The verdicts on one theorem in all matches: the count of each outcome, and the match closest to the bound.

    `counts` has numbers of matches. A theorem that leaves room for chance is judged once for each pairing, over all
    seeds, so its `counts` are numbers of pairings.
    """

    theorem: str
    counts: Counter[str] = field(default_factory=Counter)
    tightness: float | None = None
    worst: Row | None = None
    by_chance: bool = False
    why_not: str = ""
    promised_by: set[str] = field(default_factory=set)
    vacuous: int = 0  # matches in which the bound is no smaller than the largest possible value
    assumed: dict[str, Assumed] = field(default_factory=dict)  # keys are the statements of assumptions
    between: tuple[BothSides, Row] | None = None  # the match whose lower bound comes closest to this theorem
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

    def add(self, match: Row, verdict: Verdict, lower: Sequence[Verdict]) -> None:
        """Add the verdict on the theorem in one more match; `lower` has the verdicts on the adversary's lower bounds.

        If the theorem leaves room for chance, `counts` does not change.
        """
        self.by_chance = verdict.by_chance
        self.vacuous += verdict.vacuous
        if self.theorem in match.promised:
            self.promised_by.add(match.learner)
        if not verdict.by_chance:
            self.counts[verdict.outcome] += 1
        for each in verdict.assumptions:
            if each.statement in self.assumed or len(self.assumed) < MOST_ASSUMED:
                self.assumed.setdefault(each.statement, Assumed()).add(each)
        for sides in both_sides([verdict], lower):
            if self.between is None or sides.ratio > self.between[0].ratio:
                self.between = sides, match
        self.why_not = self.why_not or ("" if verdict.applicable else verdict.reason)
        share = verdict.tightness if verdict.applicable and not verdict.is_deviation else None
        share = share if share is not None and math.isfinite(share) else None
        if share is not None:
            self.tightness = share if self.tightness is None else max(self.tightness, share)
        badness = (verdict.refuted, -math.inf if share is None else share)
        if verdict.applicable and (self.worst is None or badness > self._badness):
            self.worst, self._badness = match, badness


@dataclass
class Overview:
    """All series, theorems and scores of some matches."""

    tables: Tables
    pairings: list[Series]
    theorems: list[TheoremRow]
    scores: Scores

    @classmethod
    def of(cls, matches: Tables | Iterable[Row]) -> Overview:
        tables = Tables.of_rows(matches)
        theorems: dict[str, TheoremRow] = {}
        for match in tables:
            lower = match.lower
            # by spec, because a theorem that is both promised and named has two verdicts
            for name, verdict in {each.theorem: each for each in reversed(match.verdicts)}.items():
                theorems.setdefault(name, TheoremRow(name)).add(match, verdict, lower)
        pairings = series_of(tables)
        for pairing in pairings:
            for verdict in pairing.verdicts:
                if verdict.by_chance:
                    theorems[verdict.theorem].counts[verdict.outcome] += 1
        judged = sorted(
            theorems.values(), key=lambda each: (not each.counts["violated"], -(each.tightness or 0.0), each.theorem)
        )
        return cls(tables, pairings, judged, Scores.of(tables))

    @property
    def matches(self) -> int:
        return len(self.tables)

    @property
    def settings(self) -> list[Setting]:
        """The settings (adversary and game), sorted by game and adversary."""
        found = {Setting(*each.setting) for each in self.pairings}
        return sorted(found, key=lambda each: (each.game, each.adversary))

    @cached_property
    def names(self) -> Names:
        """The names of the learners and adversaries, under their specs."""
        return self.tables.names

    @cached_property
    def setting_names(self) -> dict[Setting, str]:
        """A name for each setting: the adversary or, if there are several games, the adversary and the game."""
        several = len({each.game for each in self.settings}) > 1
        return {
            each: self.names[each.adversary] + (f" ({game_text(game_of(each.game))})" if several else "")
            for each in self.settings
        }

    @cached_property
    def _places(self) -> dict[tuple[str, Setting], Series]:
        return {(each.learner, Setting(*each.setting)): each for each in self.pairings}

    def at(self, learner: str, setting: Setting) -> Series | None:
        """Return the matches of a learner in a setting; None if there are none."""
        return self._places.get((learner, setting))

    @cached_property
    def shown(self) -> list[Row]:
        """The matches that have a section of their own: the worst match of each pairing, and of each theorem.

        Worse matches come first.
        """
        chosen = [each.worst for each in self.pairings] + [each.worst for each in self.theorems if each.worst]
        unique = {each.key: each for each in chosen}
        return sorted(unique.values(), key=lambda each: each.badness, reverse=True)

"""The outcomes of a tournament: an `Outcome` adds up the matches of one learner against one adversary in one game."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arena.engine.series_verdicts import LEVEL, SeriesVerdict, judge_series
from arena.record.both_sides import BothSides
from arena.record.verdict import Verdict
from arena.tournament.summary import Summary

RATES = ("error_rate", "log_loss", "f1")  # known where the game's loss classifies


@dataclass
class Outcome:
    """The matches of one learner against one adversary in one game, added up over the seeds.

    - `regrets` is the sum of the upper ends of the final regrets.
    - `sums` has the sums of error rate, log loss and F1.
    - `compared` has for each named comparator two sums: the lower ends, and the upper ends, of the regret to it.
    - `least` is the sum of each match's largest lower bound that holds, among those that the adversary promises.
    - `most` is the sum of each match's smallest upper bound by a theorem.
    - `worst` is the worst match: forfeits are worst, then matches that refute a theorem or lower bound, then the
      largest regrets.
    - `refuted` has for each theorem, and for each lower bound, the number of matches that refute it.
    - `by_chance` has the verdicts on theorems that hold only in expectation or with some probability. All seeds
      together decide about them.
    - `judged` names all other theorems that were decided in at least one match.

    A sum is None if the number is unknown in one of the matches.
    """

    learner: str
    adversary: str
    game: dict[str, Any]
    matches: int = 0
    forfeits: int = 0
    regrets: float | None = 0.0
    sums: dict[str, float | None] = field(default_factory=lambda: dict.fromkeys(RATES, 0.0))
    compared: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    least: float | None = 0.0
    most: float | None = 0.0
    worst: Summary | None = None
    refuted: dict[str, int] = field(default_factory=dict)
    judged: set[str] = field(default_factory=set)
    by_chance: dict[str, list[tuple[int, Verdict]]] = field(default_factory=dict)

    def add(self, summary: Summary) -> None:
        self.matches += 1
        self.forfeits += summary.forfeit is not None
        ends = summary.regret_ends
        self.regrets = _sum(self.regrets, None if ends is None else ends[1])
        for name, total in self.sums.items():
            self.sums[name] = _sum(total, getattr(summary, name))
        # A store may have the regret to a comparator for some of the seeds only.
        none = (0.0, 0.0) if self.matches == 1 else None
        for name in dict.fromkeys((*self.compared, *summary.comparators)):
            both, pair = self.compared.get(name, none), summary.comparators.get(name)
            self.compared[name] = None if pair is None or both is None else (both[0] + pair[0], both[1] + pair[1])
        self.least, self.most = _sum(self.least, summary.forced), _sum(self.most, summary.allowed)
        if self.worst is None or _badness(summary) > _badness(self.worst):
            self.worst = summary
        for theorem in dict.fromkeys(each.theorem for each in (*summary.verdicts, *summary.lower) if each.refuted):
            self.refuted[theorem] = self.refuted.get(theorem, 0) + 1
        for verdict in summary.verdicts:
            if verdict.by_chance:
                self.by_chance.setdefault(verdict.theorem, []).append((summary.seed, verdict))
            elif verdict.outcome in ("holds", "violated"):
                self.judged.add(verdict.theorem)

    @property
    def regret(self) -> float | None:
        """The mean of the upper ends of the final regrets; None if one of them is unknown."""
        return None if self.regrets is None else self.regrets / self.matches

    @property
    def rates(self) -> dict[str, float]:
        """The means of error rate, log loss and F1; a mean is left out if a match lacks the number."""
        return {name: total / self.matches for name, total in self.sums.items() if total is not None}

    @property
    def regrets_to(self) -> dict[str, tuple[float, float] | None]:
        """The means of the lower and the upper end of the regret to each named comparator.

        The pair of means is None if the regret to this comparator is unknown in one of the matches.
        """
        pairs = self.compared.items()
        return {name: pair and (pair[0] / self.matches, pair[1] / self.matches) for name, pair in pairs}

    @property
    def forced(self) -> float | None:
        """The mean over matches of the largest lower bound on the final regret; None if in some match none holds."""
        return None if self.least is None else self.least / self.matches

    @property
    def allowed(self) -> float | None:
        """The mean over matches of the smallest upper bound on the final regret; None if a match has no upper bound."""
        return None if self.most is None else self.most / self.matches

    @property
    def sides(self) -> list[BothSides]:
        """The theorems' upper bounds in the worst match, each with the adversary's lower bound on the same quantity."""
        return self.worst.sides if self.worst else []

    @cached_property
    def verdicts(self) -> tuple[SeriesVerdict, ...]:
        """The verdicts, over all seeds, on theorems that hold only in expectation or with some probability.

        The verdicts are computed at the first use and kept; a match that is added later does not change them.
        """
        level = LEVEL / max(len(self.by_chance), 1)
        pairs = [sorted(each, key=lambda pair: pair[0]) for each in self.by_chance.values()]
        return tuple(judge_series(*zip(*each, strict=True), level=level) for each in pairs)

    @property
    def violated(self) -> tuple[str, ...]:
        """The theorems and lower bounds that a match refutes, and the theorems that all seeds together refute."""
        return (*self.refuted, *(verdict.theorem for verdict in self.verdicts if verdict.violated))

    @property
    def decided(self) -> bool:
        """True if at least one theorem was found to hold or to be violated."""
        return bool(self.judged) or any(verdict.outcome in ("holds", "violated") for verdict in self.verdicts)

    @property
    def state(self) -> str:
        """The matches in one word: `violated`, `forfeit`, `holds`, or `open` if no theorem was decided.

        Matches with a violation and a forfeit are `violated`.
        """
        if self.violated:
            return "violated"
        if self.forfeits:
            return "forfeit"
        return "holds" if self.decided else "open"


def outcomes_of(summaries: Iterable[Summary]) -> list[Outcome]:
    """Return the outcomes, sorted so that in each game the largest mean regret comes first."""
    found: dict[tuple[str, str, str], Outcome] = {}
    for summary in summaries:
        at = (json.dumps(summary.game, sort_keys=True), summary.learner, summary.adversary)
        if at not in found:
            found[at] = Outcome(summary.learner, summary.adversary, summary.game)
        found[at].add(summary)
    order = sorted(found.items(), key=lambda item: (item[0][0], -(_size(item[1].regret)), item[0]))
    return [outcome for _, outcome in order]


def _badness(summary: Summary) -> tuple[bool, bool, float]:
    """Return the match's `badness`, in which a refuted lower bound counts as much as a refuted theorem."""
    forfeited, violated, size = summary.badness
    return forfeited, violated or any(each.refuted for each in summary.lower), size


def _sum(total: float | None, value: float | None) -> float | None:
    return None if total is None or value is None else total + value


def _size(regret: float | None) -> float:
    return -math.inf if regret is None else math.inf if math.isnan(regret) else regret

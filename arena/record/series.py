"""`Series`: matches of one learner against one adversary in one game, which differ only in their seed."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.record.judgement import Judgement, State, judge_together
from arena.record.tables import SHOWN, Row, Tables
from arena.record.verdict import Verdict


@dataclass(frozen=True)
class Series:
    """Matches of the `tables` that differ only in their seed; `rows` are their positions, sorted by seed.

    `missing` holds the seeds without a result, for instance because the match killed its worker process twice.
    """

    tables: Tables
    rows: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    interrupted: bool = False

    @cached_property
    def results(self) -> tuple[Row, ...]:
        """The matches, sorted by seed."""
        return tuple(self.tables[at] for at in self.rows)

    @property
    def learner(self) -> str:
        return str(self.results[0].learner)

    @property
    def adversary(self) -> str:
        return str(self.results[0].adversary)

    @property
    def learner_name(self) -> str:
        """The learner's name for people."""
        return str(self.results[0].learner_name)

    @property
    def adversary_name(self) -> str:
        """The adversary's name for people."""
        return str(self.results[0].adversary_name)

    @property
    def game(self) -> dict[str, Any]:
        """The fields of the game as plain values; `arena.record.fields.game_from_json` makes a `Game` of them."""
        return dict(self.results[0].game)

    @property
    def setting(self) -> tuple[str, str]:
        """The adversary, and the game as JSON with sorted keys."""
        return self.results[0].setting

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(result.seed for result in self.results)

    @cached_property
    def judgement(self) -> Judgement:
        """What was decided of all matches together, in the order of their seeds."""
        return judge_together([(result.seed, result.judgement) for result in self.results])

    @property
    def state(self) -> State:
        """The outcome in one word, such as "violated" (`Judgement.state`)."""
        return self.judgement.state

    @property
    def tightest(self) -> tuple[str, float] | None:
        """The theorem with the largest tightness in any match, and this tightness; None if no tightness is known."""
        found = [each for result in self.results if (each := result.judgement.tightest)]
        return max(found, key=lambda each: each[1], default=None)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each theorem, given all matches that were judged by this theorem."""
        return self.judgement.verdicts

    @property
    def lower_bounds(self) -> tuple[Verdict, ...]:
        """The verdict on each lower bound that the adversary promises, given all matches."""
        return self.judgement.lower

    @cached_property
    def worst(self) -> Row:
        """The worst match: a forfeit, else a violation, else the largest regret; of equal ones the smallest seed."""
        return max(self.results, key=lambda result: result.badness)

    @property
    def forfeits(self) -> tuple[Row, ...]:
        return tuple(result for result in self.results if result.forfeit)

    def numbers(self, name: str) -> Array | None:
        """Return the values of a column, such as "regret", in all matches; None if one of them is unknown."""
        return self.tables.numbers(name, self.rows)

    def mean(self, name: str) -> float | None:
        """Return the mean of a column; None if it is unknown in one of the matches, or if there is no match."""
        values = self.numbers(name)
        return None if values is None or not len(values) else float(values.mean())

    @property
    def means(self) -> dict[str, float]:
        """The means of all columns with a heading that are known in every match."""
        found = ((each.name, self.mean(each.name)) for each in SHOWN)
        return {name: mean for name, mean in found if mean is not None}

    @property
    def regret_ends(self) -> Array | None:
        """Each match's final regret as a row (lower, upper); None if some regret is unknown."""
        low, high = self.numbers("regret_lower"), self.numbers("regret_upper")
        return None if low is None or high is None else np.column_stack([low, high])

    def regrets_to(self, comparator: str) -> Array | None:
        """Return each match's final regret to a comparator as a row (lower, upper); None if some regret is unknown."""
        ends = [result.comparators.get(comparator) for result in self.results]
        return None if any(each is None for each in ends) else np.array(ends, dtype=float).reshape(-1, 2)

    @property
    def mean_regrets_to(self) -> dict[str, tuple[float, float] | None]:
        """The means of both ends of the regret to each named comparator; None if it is unknown in a match."""
        found: dict[str, tuple[float, float] | None] = {}
        for name in dict.fromkeys(name for result in self.results for name in result.comparators):
            ends = self.regrets_to(name)
            found[name] = None if ends is None else (float(ends[:, 0].mean()), float(ends[:, 1].mean()))
        return found


def series_of(tables: Tables) -> list[Series]:
    """Return the series of all matches; in each game, the one with the largest mean regret comes first."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for row in tables:
        adversary, game = row.setting
        found.setdefault((game, row.learner, adversary), []).append(row.at)
    seeds: Sequence[int] = tables.column("seed")
    grouped = {key: Series(tables, tuple(sorted(rows, key=lambda at: (seeds[at], at)))) for key, rows in found.items()}
    order = sorted(grouped.items(), key=lambda item: (item[0][0], -_size(item[1].mean("regret_upper")), item[0]))
    return [series for _, series in order]


def game_of(text: str) -> dict[str, Any]:
    """Return the fields of the game of a setting, which is given as JSON."""
    return dict(json.loads(text))


def _size(regret: float | None) -> float:
    return -math.inf if regret is None else math.inf if math.isnan(regret) else regret

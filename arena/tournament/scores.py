"""Arrays of the numbers by which learners are compared: a few dozen bytes for each match."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.arrays import Array
from arena.tournament.summary import Summary

FINE, VIOLATED, FORFEITED = 0, 1, 2  # tiers: a match of a higher tier ranks behind all matches of lower tiers
COLUMNS = ("lower", "upper", "loss", "seconds", "size", "rounds", "tier", "forced", "allowed")  # numbers of each match


class Setting(NamedTuple):
    """An adversary in a game; the game is given as JSON with sorted keys."""

    adversary: str
    game: str


class MatchIdentity(NamedTuple):
    """The identity of a match: learner, adversary, game and seed, but not the version of the learner's code."""

    learner: str
    setting: Setting
    seed: int


def tier_of(summary: Summary) -> int:
    """Return the match's tier: `FORFEITED` if the learner forfeited, `VIOLATED` if it refutes a theorem, or `FINE`."""
    if summary.forfeit is not None and summary.forfeit.side == "learner":
        return FORFEITED
    return VIOLATED if summary.violated else FINE


def ends_of(summary: Summary) -> tuple[float, float]:
    """Return the lower and upper end of the final regret; both are NaN if the regret is unknown.

    If it is unknown because the loss has overflowed, both are infinite. A known end that is NaN becomes infinite, too.
    """
    if summary.regret_ends is None:
        return (np.inf, np.inf) if not np.isfinite(summary.loss) else (np.nan, np.nan)
    low, high = (np.inf if np.isnan(end) else float(end) for end in summary.regret_ends)
    return low, high


@dataclass
class Scores:
    """A table of numbers with one row for each match, filled from summaries one at a time.

    - `rows` has the row number of each match, under (learner, setting, seed). A learner is given by its position in
      `learners`, a setting by its position in `settings`. If several files have the same learner, setting and seed, the
      newest file counts.
    - `outdated` counts the older files, and `unfinished` matches that were interrupted or forfeited by the adversary.
    - `notes` describes the forfeit or the violated theorems of each row whose tier is not `FINE`. `unpromised` has for
      each of these rows the violated theorems that the learner does not promise.
    - `tightness` has for each row a dictionary from theorems to measured / allowed.
    - `contents` has for each row the digest of the transcript without its times.
    """

    learners: list[str] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    rows: dict[tuple[int, int, int], int] = field(default_factory=dict)  # (learner, setting, seed): row
    columns: dict[str, array[float]] = field(default_factory=lambda: {name: array("d") for name in COLUMNS})
    paths: list[Path] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    unpromised: dict[int, tuple[str, ...]] = field(default_factory=dict)
    tightness: list[dict[str, float]] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    outdated: int = 0
    unfinished: int = 0
    _numbers: dict[Any, int] = field(default_factory=dict, repr=False)  # positions of learners and settings

    @classmethod
    def of(cls, summaries: Iterable[Summary]) -> Scores:
        scores = cls()
        for summary in summaries:
            scores.add(summary)
        return scores

    def taking_in(self, summaries: Iterable[Summary]) -> Iterator[Summary]:
        """Yield the summaries unchanged, and add each of them to the scores."""
        for summary in summaries:
            self.add(summary)
            yield summary

    def add(self, summary: Summary) -> None:
        """Add the numbers of a match, unless it was interrupted or the adversary forfeited it.

        Of files with the same learner, adversary, game and seed, only the newest counts.
        """
        forfeit = summary.forfeit
        if summary.ended == "interrupted" or (forfeit is not None and forfeit.side == "adversary"):
            self.unfinished += 1
            return
        setting = Setting(summary.adversary, json.dumps(summary.game, sort_keys=True))
        row = len(self.paths)
        key = (self._number(summary.learner, self.learners), self._number(setting, self.settings), summary.seed)
        if (same := self.rows.get(key)) is not None:
            self.outdated += 1
            if _written(summary.path) < _written(self.paths[same]):
                return
        self.rows[key] = row
        self.paths.append(summary.path)
        self.tightness.append(tightness_of(summary))
        self.contents.append(summary.content)
        lower, upper = ends_of(summary)
        size = np.nan if summary.dictionary_size is None else summary.dictionary_size
        tier = tier_of(summary)
        loss = np.inf if np.isnan(summary.loss) else summary.loss
        bounds = (np.nan if bound is None else bound for bound in (summary.forced, summary.allowed))
        values = (lower, upper, loss, summary.seconds, size, summary.rounds, tier, *bounds)
        for name, value in zip(COLUMNS, values, strict=True):
            self.columns[name].append(value)
        if tier != FINE:
            self.notes[row] = str(forfeit) if forfeit else f"violates {', '.join(summary.violated)}"
            self.unpromised[row] = tuple(each for each in summary.violated if each not in summary.promised)

    def identities(self) -> dict[MatchIdentity, int]:
        """Return the row number of each match, under the match's `MatchIdentity`."""
        return {
            MatchIdentity(self.learners[learner], self.settings[setting], seed): row
            for (learner, setting, seed), row in self.rows.items()
        }

    def column(self, name: str) -> Array:
        """Return one number for each row of the table; `name` is one of `COLUMNS`, such as "loss" or "seconds"."""
        return np.array(self.columns[name])

    def _number(self, name: Any, names: list[Any]) -> int:
        """Return the position of the name in the list; a new name is appended to the list."""
        if name not in self._numbers:
            self._numbers[name] = len(names)
            names.append(name)
        return self._numbers[name]


def tightness_of(summary: Summary) -> dict[str, float]:
    """Return measured / allowed at the end of the match, for each theorem that was judged and is not an identity."""
    judged = [each for each in summary.verdicts if each.applicable and not each.is_deviation]
    return {sys.intern(each.theorem): each.tightness for each in judged if each.tightness is not None}


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0

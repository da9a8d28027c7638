"""Conditions under which a comparison of two stores fails.

With the condition `regret:10%`, the comparison fails if a learner's regret has grown by more than 10%. With `violated`,
it fails if a match violates a theorem in the second store alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, nearest, number_of
from arena.record.judgement import FORFEITED, VIOLATED
from arena.tournament.comparing import StoreComparison
from arena.tournament.pairing import MEASURES, Pairs
from arena.tournament.scores import Setting

COUNTED = ("violated", "forfeited", "missing")  # measures that are numbers of matches
EXACT = 1e-12  # relative difference below which a number counts as equal to its limit
HOW = f"Write MEASURE or MEASURE:LIMIT with a measure of {', '.join((*MEASURES, *COUNTED))}, such as regret:10%."


@dataclass(frozen=True)
class Condition:
    """A measure, and the `limit` that it may reach without failing the comparison of two stores.

    For a measure that counts matches (see `COUNTED`), the limit is a number of matches. For other measures, the limit
    is the largest growth from the first store to the second. If `relative` is true, this growth is given as a share of
    the measure in the first store.
    """

    measure: str
    limit: float = 0.0
    relative: bool = False

    def __str__(self) -> str:
        if not self.limit:
            return self.measure
        return f"{self.measure}:{self.limit * 100:g}%" if self.relative else f"{self.measure}:{self.limit:g}"


@dataclass(frozen=True)
class Checked:
    """Result of checking a condition; the comparison fails if the condition is true for a learner.

    - `where` has the pairs (learner, setting) for which the condition is true. The setting None stands for all settings
      together.
    - `unclear` has the pairs in which the measure has grown by more than the limit, but not significantly.
    - `tested` is the number of tested pairs of a learner and one setting; 0 if a limit is exceeded in so few matches
      that no growth can be significant, which `reason` says. For a condition that counts matches, it is the number of
      matches in both stores.
    """

    condition: Condition
    where: tuple[tuple[str, Setting | None], ...]
    tested: int
    reason: str = ""
    unclear: tuple[tuple[str, Setting | None], ...] = ()

    @property
    def holds(self) -> bool:
        """True if the condition is true for at least one learner, so that the comparison fails."""
        return bool(self.where)


def read_condition(text: str) -> Condition:
    """Return the condition that this text describes; raise an `ArenaError` if it describes none.

    >>> read_condition("regret:10%")
    Condition(measure='regret', limit=0.1, relative=True)
    """
    measure, colon, given = (part.strip() for part in text.partition(":"))
    if measure not in (*MEASURES, *COUNTED):
        hint = nearest(measure, (*MEASURES, *COUNTED))
        close = f" {hint}" if hint.startswith("Did you mean") else ""  # otherwise it lists all names, as HOW does
        raise ArenaError(f"{text!r}: there is no measure {measure!r}.{close} {HOW}")
    if not colon:
        return Condition(measure)
    relative = given.endswith("%")
    try:
        limit = float(given.removesuffix("%"))
    except ValueError:
        raise ArenaError(f"{text!r}: {given!r} is not a limit. {HOW}") from None
    if not 0 <= limit < math.inf:
        raise ArenaError(f"{text!r}: the limit must be a number >= 0. {HOW}")
    if measure in COUNTED and (relative or limit != int(limit)):
        raise ArenaError(f"{text!r}: {measure} counts matches; write a whole number, such as {measure}:2")
    return Condition(measure, limit / 100 if relative else limit, relative)


def check(condition: Condition, comparison: StoreComparison) -> Checked:
    """Return the learners and settings for which the condition is true.

    A condition on a number of matches is true if this number exceeds the limit. A condition on a measure is true if the
    measure has significantly grown by more than the limit.
    """
    if condition.measure in COUNTED:
        return _counted(condition, comparison)
    where: list[tuple[str, Setting | None]] = []
    unclear: list[tuple[str, Setting | None]] = []
    families = comparison.families(condition.measure)
    for of_settings, family in enumerate(families):
        excesses = [_excesses(members, condition) for members in family]
        significant = comparison.positive(condition.measure, excesses)
        for members, excess, grown in zip(family, excesses, significant, strict=True):
            place = members[0].learner, members[0].setting if of_settings else None
            if grown:
                where.append(place)
            elif sum(float(each.mean()) for each in excess) > 0:
                unclear.append(place)
    reason = comparison.too_few(condition.measure, sides=1) if unclear and not where else ""
    return Checked(condition, tuple(where), 0 if reason else len(families[1]), reason, tuple(unclear))


def _excesses(members: Sequence[Pairs], condition: Condition) -> list[Array]:
    """Return the `_excess` of each of the learner's settings; zeros if no match of the learner has changed."""
    if not any(each.differences.any() for each in members):
        return [np.zeros(len(each.before)) for each in members]
    return [_excess(each, condition) for each in members]


def _excess(pairs: Pairs, condition: Condition) -> Array:
    """Return for each pair of matches the least possible increase of the measure, minus the increase that is allowed.

    A result that may be due to rounding is replaced by 0.
    """
    least = pairs.differences[:, 0]
    size = np.abs(pairs.before).max(axis=1)
    size = np.where(np.isfinite(size), size, 0.0)
    excess = least - (condition.limit * size if condition.relative else condition.limit)
    return np.where(np.abs(excess) <= np.maximum(pairs.rounding, EXACT * size), 0.0, excess)


def _counted(condition: Condition, comparison: StoreComparison) -> Checked:
    if condition.measure == "missing":
        matches: Sequence[tuple[str, Setting]] = [
            (each.learner, each.setting) for each in comparison.paired.only_before
        ]
        what = "in the first store alone"
    else:
        tier = VIOLATED if condition.measure == "violated" else FORFEITED
        matches = [(each.learner, each.setting) for each in comparison.newly(tier)]
        what = "violate a theorem" if condition.measure == "violated" else "are forfeited"
        what += " in the second store alone"
    where = tuple(dict.fromkeys(matches)) if len(matches) > condition.limit else ()
    return Checked(condition, where, comparison.common, f"{number_of(len(matches), 'match', 'matches')} {what}")

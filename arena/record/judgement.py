"""`Judgement`: what was decided of a match, or of several matches that differ only in their seed.

This module alone decides states, headlines, tiers and exit codes. Whoever shows a result asks a judgement.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

from arena.record.both_sides import BothSides, both_sides, largest_lower_bound
from arena.record.forfeit import Forfeit
from arena.record.formatting import number, one_end, percent, short
from arena.record.judging_seeds import LEVEL, judge_series
from arena.record.verdict import Verdict

State = Literal["violated", "forfeit", "open", "holds"]  # from the worst to the best
Tone = Literal["bad", "open", "good"]
FINE, VIOLATED, FORFEITED = 0, 1, 2  # tiers: a match of a higher tier ranks behind all matches of lower tiers
FAILED, NOTHING_DECIDED = 1, 2  # exit codes
TONES: Mapping[str, Tone] = {"violated": "bad", "forfeit": "bad", "open": "open", "holds": "good"}
MARKS: Mapping[str, str] = {"violated": "✕", "forfeit": "✕", "open": "○", "holds": "✓"}
SAVED = "judged when saved"  # a note on verdicts of users' own theorems in files that are not trusted


@dataclass(frozen=True)
class Headline:
    """The outcome of a match or report: a mark, a few words, and one sentence; `tone` determines the colour."""

    tone: Tone
    mark: str
    word: str
    sentence: str


@dataclass(frozen=True)
class Unjudged:
    """A theorem that was claimed and not judged, with the reason."""

    theorem: str
    reason: str

    def __str__(self) -> str:
        return f"{self.theorem}: not judged: {self.reason}"


@dataclass(frozen=True)
class Judgement:
    """The verdicts on a match, or on several matches that differ only in their seed (`judge_together`).

    - `on_theorems` are the verdicts on the theorems that `claims` names, and `on_lower_bounds` those on the adversary's
      lower bounds. One match has a verdict even on a theorem that leaves room for chance, since `judge_together` needs
      it; `verdicts` and `lower` show such a theorem as "not applicable".
    - `unjudged` are claimed theorems without a verdict, such as those of an isolated learner's own code.
    - `forfeits` has a `Forfeit` for each match that ended by a broken rule.
    """

    on_theorems: tuple[Verdict, ...] = ()
    on_lower_bounds: tuple[Verdict, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    forfeits: tuple[Forfeit, ...] = ()
    claims: tuple[str, ...] = ("auto",)
    interrupted: bool = False

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on the claimed theorems, as these matches can give them."""
        return tuple(each.alone for each in self.on_theorems)

    @cached_property
    def lower(self) -> tuple[Verdict, ...]:
        """The verdicts on the adversary's lower bounds, as these matches can give them."""
        return tuple(each.alone for each in self.on_lower_bounds)

    # ---- decisions

    @property
    def violated(self) -> tuple[str, ...]:
        """The specs of the theorems and lower bounds that these matches refute."""
        found = (each.theorem for each in (*self.on_theorems, *self.on_lower_bounds) if each.refuted)
        return tuple(dict.fromkeys(found))

    @property
    def undecided(self) -> tuple[Verdict, ...]:
        """The verdicts "undecided" on theorems: what they bound is known only in an interval that is too wide."""
        return tuple(each for each in self.verdicts if each.outcome == "undecided")

    @property
    def state(self) -> State:
        """The outcome in one word: the first of these that applies.

        - "violated": a theorem or a lower bound is refuted.
        - "forfeit": a match ended by a broken rule.
        - "open": a claimed theorem is undecided or was not judged, or no theorem was decided.
        - "holds": at least one theorem holds.
        """
        if self.violated:
            return "violated"
        if self.forfeits:
            return "forfeit"
        decided = any(each.decided for each in self.verdicts)
        return "open" if self.unjudged or self.undecided or not decided else "holds"

    @property
    def tier(self) -> int:
        """The tier in rankings: `FORFEITED` comes last, since it has fewer rounds, then `VIOLATED`, then `FINE`."""
        return FORFEITED if self.forfeits else VIOLATED if self.violated else FINE

    @property
    def leading(self) -> Verdict | None:
        """The first applicable verdict that is not on a lower bound or an identity; None if there is none."""
        bounds = (
            each
            for each in self.verdicts
            if each.outcome != "not applicable" and not each.is_deviation and not each.lower
        )
        return next(bounds, None)

    @property
    def tightest(self) -> tuple[str, float] | None:
        """The theorem with the largest finite tightness, and this tightness; None if no tightness is known."""
        shares = {name: share for name, share in self.shares.items() if math.isfinite(share)}
        return max(shares.items(), key=lambda item: item[1], default=None)

    @property
    def shares(self) -> dict[str, float]:
        """The tightness of each theorem that applied and is no identity, under the theorem's spec."""
        bounds = (each for each in self.on_theorems if each.applicable and not each.is_deviation)
        return {each.theorem: each.tightness for each in bounds if each.tightness is not None}

    @property
    def sides(self) -> list[BothSides]:
        """The theorems' upper bounds that hold, each with the adversary's largest lower bound on the same quantity."""
        return both_sides(self.verdicts, self.lower)

    @property
    def largest_lower(self) -> Verdict | None:
        """The verdict on the largest lower bound on the final regret that holds; None if none hold."""
        return largest_lower_bound(self.lower)

    @property
    def broken(self) -> list[Verdict]:
        """The verdicts "violated" on theorems and lower bounds."""
        return [each for each in (*self.verdicts, *self.lower) if each.violated]

    @property
    def first_broken(self) -> Verdict | None:
        """The verdict with the earliest violation; None if there is none."""
        return min(self.broken, key=lambda each: each.round or 0, default=None)

    # ---- words

    @property
    def failure(self) -> str:
        """A description of the forfeit or of the refuted theorems; empty if there is neither."""
        if self.forfeits:
            return str(self.forfeits[0])
        return f"violates {', '.join(self.violated)}" if self.violated else ""

    @property
    def headline(self) -> Headline:
        """The outcome of one match, in a few words and one sentence."""
        tone, mark = TONES[self.state], MARKS[self.state]
        broken, first = self.broken, self.first_broken
        if self.forfeits:
            sentence = f"{capital(str(self.forfeits[0])).rstrip('.')}."
            before = f" Before that, {short(first.theorem)} was violated: {first.reason}." if first else ""
            return Headline(tone, mark, "Forfeit", sentence + before)
        if first:
            others = [short(each.theorem) for each in broken if each is not first]
            more = f" So {'is' if len(others) == 1 else 'are'} {' and '.join(others)}." if others else ""
            word = f"Bound{'s' if others else ''} broken"
            return Headline(tone, mark, word, f"{short(first.theorem)} is violated: {first.reason}.{more}")
        if in_doubt := self.undecided:
            return Headline(tone, "?", "Undecided", f"{short(in_doubt[0].theorem)}: {in_doubt[0].reason}.")
        if self.unjudged:
            return Headline(tone, mark, "Not judged", f"{capital(str(self.unjudged[0]))}.")
        if held := [each for each in self.verdicts if each.holds]:
            word = f"Bound{'s' if len(held) > 1 else ''} kept{' so far' if self.interrupted else ''}"
            return Headline(tone, mark, word, _kept(held))
        if self.verdicts:
            return Headline(tone, mark, "No verdict", f"No theorem applies: {self.verdicts[0].reason}.")
        return Headline(tone, mark, "No verdict", "The match was not judged by any theorem.")

    # ---- files

    def without_curves(self) -> Judgement:
        """Return the judgement without the curves of its verdicts."""
        bare, lower = (
            tuple(each.without_curves() for each in many) for many in (self.on_theorems, self.on_lower_bounds)
        )
        return dataclasses.replace(self, on_theorems=bare, on_lower_bounds=lower)

    def as_json(self) -> dict[str, Any]:
        """Return the judgement as plain values; `from_json` makes the judgement of them."""
        return {
            "claims": list(self.claims),
            "verdicts": [each.as_json() for each in self.on_theorems],
            "lower": [each.as_json() for each in self.on_lower_bounds],
            "unjudged": [vars(each) for each in self.unjudged],
            "forfeits": [dataclasses.asdict(each) for each in self.forfeits],
            "interrupted": self.interrupted,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Judgement:
        """Return the judgement whose `as_json` gave these values."""
        return cls(
            on_theorems=tuple(map(Verdict.from_json, values["verdicts"])),
            on_lower_bounds=tuple(map(Verdict.from_json, values["lower"])),
            unjudged=tuple(Unjudged(**each) for each in values["unjudged"]),
            forfeits=tuple(Forfeit(**each) for each in values["forfeits"]),
            claims=tuple(values["claims"]),
            interrupted=bool(values["interrupted"]),
        )


def judge_together(judgements: Sequence[tuple[int, Judgement]]) -> Judgement:
    """Return the judgement of several matches that differ only in their seed, given pairs (seed, judgement).

    If n theorems leave room for chance, each is tested at the level 0.001 / n, so that the probability that any true
    theorem is called violated is at most 0.001. The same holds for the lower bounds.
    """
    ordered = sorted(judgements, key=lambda pair: pair[0])
    each = [judgement for _, judgement in ordered]
    return Judgement(
        on_theorems=_together([(seed, found.on_theorems) for seed, found in ordered]),
        on_lower_bounds=_together([(seed, found.on_lower_bounds) for seed, found in ordered]),
        unjudged=tuple(dict.fromkeys(unjudged for found in each for unjudged in found.unjudged)),
        forfeits=tuple(forfeit for found in each for forfeit in found.forfeits),
        claims=each[0].claims if each else ("auto",),
        interrupted=any(found.interrupted for found in each),
    )


def _together(given: Sequence[tuple[int, Sequence[Verdict]]]) -> tuple[Verdict, ...]:
    seen: dict[str, list[tuple[int, Verdict]]] = {}
    for seed, verdicts in given:
        for verdict in verdicts:
            seen.setdefault(verdict.theorem, []).append((seed, verdict))
    level = LEVEL / max(sum(pairs[0][1].by_chance for pairs in seen.values()), 1)
    return tuple(judge_series(*zip(*pairs, strict=True), level=level) for pairs in seen.values())


def worst_state(judgements: Iterable[Judgement]) -> State:
    """Return the worst state of these judgements; "open" if there are none."""
    found = {each.state for each in judgements}
    return cast(State, next((each for each in TONES if each in found), "open"))


def exit_code(judgements: Sequence[Judgement], asked: Sequence[str] = (), *, missing: bool = False) -> int:
    """Return the exit code of a command that has judged matches; the result is the first of these that applies.

    - 1 if a match is `missing`, or a state is "violated" or "forfeit";
    - 2 if the user has `asked` for theorems by name and none was decided;
    - 0 otherwise.
    """
    if missing or worst_state(judgements) in ("violated", "forfeit"):
        return FAILED
    decided = any(each.decided for found in judgements for each in found.verdicts)
    return NOTHING_DECIDED if set(asked) - {"auto", "none"} and not decided else 0


def why_not_decided(judgements: Iterable[Judgement]) -> str:
    """Return the reasons why no theorem was decided, separated by semicolons."""
    reasons = (str(each) for found in judgements for each in (*found.verdicts, *found.unjudged))
    return "; ".join(dict.fromkeys(reasons)) or "no match was judged"


def capital(sentence: str) -> str:
    """Return the sentence with an upper-case first letter; other letters are unchanged."""
    return sentence[:1].upper() + sentence[1:]


def _kept(held: Sequence[Verdict]) -> str:
    alike = on_the_regret(held)
    tightest = max(alike, key=used)
    share = percent(tightest.tightness)
    of_it = f", {share} of it" if share else ""
    if tightest.vacuous:
        of_it += f", vacuous here since {number(tightest.most)} is the largest possible{tightest.if_clipped}"
    if tightest.identity:
        of_it += ", an identity"
    value = "unknown" if tightest.measured is None else one_end(tightest.measured, (tightest.other_end or (None,))[0])
    about = " on the regret" if tightest.quantity == "regret" and len(alike) < len(held) else ""
    if tightest.lower:
        least = f"{short(tightest.theorem)} forces at least {number(tightest.allowed)}"
        return f"The {tightest.quantity} is {value}, of which {least}."
    return (
        f"The {tightest.quantity} is {value} where {short(tightest.theorem)} allows "
        f"{number(tightest.allowed)}{of_it}{f', the tightest of {len(alike)}{about}' if len(alike) > 1 else ''}."
    )


def on_the_regret(verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Return the verdicts on upper bounds of the regret.

    If there are none, return the verdicts on upper bounds of other quantities. If these are missing, too, return all
    verdicts.
    """
    bounds = [each for each in verdicts if not each.is_deviation and not each.lower]
    return [each for each in bounds if each.quantity == "regret"] or bounds or verdicts


def used(verdict: Verdict) -> float:
    """Return the verdict's tightness; minus infinity if it is unknown or NaN."""
    share = verdict.tightness
    return -math.inf if share is None or math.isnan(share) else share

"""The top of a report: the outcome in a few words, the reason why the match ended, and its main numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import number_of
from arena.record.classes import f1, log_loss
from arena.record.remarks import data_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.reports.formatting import duration, interval, number, one_end, percent, short


@dataclass(frozen=True)
class Headline:
    """The outcome of a match or report: a mark, a few words, and one sentence.

    `tone` is "good", "bad" or "open", and determines the colour.
    """

    tone: str
    mark: str
    word: str
    sentence: str


def headline(run: Transcript, verdicts: Sequence[Verdict], lower: Sequence[Verdict]) -> Headline:
    """Return the match's outcome, given the verdicts on theorems, and those on the adversary's `lower` bounds.

    It is the first of these that applies:

    - "Forfeit";
    - "Bound broken", with the theorem or lower bound that is violated first;
    - "Undecided", if the verdict on a theorem is undecided;
    - "Bound kept", with the bound of the largest tightness;
    - "No verdict".
    """
    broken = [each for each in (*verdicts, *lower) if each.violated]
    held = [each for each in verdicts if each.holds]
    first = _first(broken)
    if run.forfeit:
        before = f" Before that, {short(first.theorem)} was violated: {first.reason}." if first else ""
        return Headline("bad", "✕", "Forfeit", f"{capital(str(run.forfeit)).rstrip('.')}.{before}")
    if first:
        others = [short(each.theorem) for each in broken if each is not first]
        more = f" So {'is' if len(others) == 1 else 'are'} {' and '.join(others)}." if others else ""
        return Headline(
            "bad",
            "✕",
            f"Bound{'s' if others else ''} broken",
            f"{short(first.theorem)} is violated: {first.reason}.{more}",
        )
    if in_doubt := [each for each in verdicts if each.outcome == "undecided"]:
        return Headline("open", "?", "Undecided", f"{short(in_doubt[0].theorem)}: {in_doubt[0].reason}.")
    if held:
        word = f"Bound{'s' if len(held) > 1 else ''} kept{' so far' if run.ended == 'interrupted' else ''}"
        return Headline("good", "✓", word, _kept(held))
    if verdicts:
        return Headline("open", "○", "No verdict", f"No theorem applies: {verdicts[0].reason}.")
    return Headline("open", "○", "No verdict", "The match was not judged by any theorem.")


def ending(run: Transcript) -> str:
    """Return a sentence on why the match ended before its horizon.

    The text is empty if the match was played to its horizon, or if a foul ended it in the first round.
    """
    played = f"after {run.rounds:,} of {number_of(run.game.rounds, 'round')}"
    if run.ended == "interrupted":
        return f"The match was interrupted {played}; everything below is about these."
    if run.ended == "exhausted":
        return f"The adversary had no more points {played}."
    if run.ended == "forfeit" and run.rounds:
        return f"The match ended {played}; everything below is about the rounds before the foul."
    return ""


def facts(run: Transcript, verdicts: Sequence[Verdict], lower: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    """Return the numbers at the top of the page, as rows of name, value and a short explanation.

    `lower` has the verdicts on the adversary's lower bounds.
    """
    rows = [("Rounds", number(run.rounds), f"of {number(run.game.rounds)}")]
    if run.regret is not None and run.plain_regret is not None and run.rounds:
        regret = float(run.regret[-1])
        rows.append(("Regret", number(regret), _regret_word(regret, verdicts, lower)))
        rows.append(("Plain regret", number(float(run.plain_regret[-1])), "comparator’s penalty left out"))  # noqa: RUF001
    if run.regret is None and (ends := run.final_regret) is not None:
        rows.append(("Regret", interval(*ends), "beyond the best penalised predictor"))
    if run.rounds:
        rows.append(("Learner’s loss", number(run.loss), f"{number(run.loss / run.rounds)} a round"))  # noqa: RUF001
        if (unscaled := data_loss(run)) is not None:
            rows.append(("Loss in data’s units", number(unscaled), f"{number(unscaled / run.rounds)} a round"))  # noqa: RUF001
        seconds = float(run.seconds.sum())
        rows.append(("Learner’s time", duration(seconds), f"{duration(seconds / run.rounds)} a round"))  # noqa: RUF001
    if run.error_rate is not None:
        rows.append(("Error rate", percent(run.error_rate), "of the signs were wrong"))
    if (surprise := log_loss(run)) is not None:
        rows.append(("Log loss", number(surprise), "a round, with P(+1) = 1/(1 + exp(−prediction))"))  # noqa: RUF001
    if (score := f1(run)) is not None:
        rows.append(("F1", number(score), "of the positive class"))
    if len(run.sizes):
        rows.append(("Dictionary", number(float(run.sizes[-1, 1])), "elements at the end"))
    return rows


def _first(broken: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict with the earliest violation; None if `broken` is empty."""
    return min(broken, key=lambda each: each.round or 0, default=None)


def _kept(held: Sequence[Verdict]) -> str:
    alike = _on_the_regret(held)
    tightest = max(alike, key=_used)
    share = percent(tightest.tightness)
    used = f", {share} of it" if share else ""
    if tightest.vacuous:
        used += f", vacuous here since {number(tightest.most)} is the largest possible{tightest.if_clipped}"
    if tightest.identity:
        used += ", an identity"
    value = "unknown" if tightest.measured is None else one_end(tightest.measured, (tightest.other_end or (None,))[0])
    about = " on the regret" if tightest.quantity == "regret" and len(alike) < len(held) else ""
    if tightest.lower:
        least = f"{short(tightest.theorem)} forces at least {number(tightest.allowed)}"
        return f"The {tightest.quantity} is {value}, of which {least}."
    return (
        f"The {tightest.quantity} is {value} where {short(tightest.theorem)} allows "
        f"{number(tightest.allowed)}{used}{f', the tightest of {len(alike)}{about}' if len(alike) > 1 else ''}."
    )


def _on_the_regret(verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Return the verdicts on upper bounds of the regret.

    If there are none, return the verdicts on upper bounds of other quantities. If these are missing, too, return all
    verdicts.
    """
    bounds = [each for each in verdicts if not each.is_deviation and not each.lower]
    return [each for each in bounds if each.quantity == "regret"] or bounds or verdicts


def _used(verdict: Verdict) -> float:
    share = verdict.tightness
    return -math.inf if share is None or math.isnan(share) else share


def capital(sentence: str) -> str:
    """Return the sentence with an upper-case first letter; other letters are unchanged."""
    return sentence[:1].upper() + sentence[1:]


def _regret_word(regret: float, verdicts: Sequence[Verdict], lower: Sequence[Verdict]) -> str:
    """Return a short explanation of the regret, such as the share of a bound that the regret uses."""
    if regret < 0:
        return "less than the comparator paid"
    named = _first([each for each in (*verdicts, *lower) if each.violated])
    if named is None:
        named = max(_on_the_regret([each for each in verdicts if each.holds]), key=_used, default=None)
    share = percent(named.tightness) if named and named.quantity == "regret" else ""
    if not named or not share:
        return "beyond the best penalised predictor"
    if named.lower and named.violated and _used(named) > 1.0:
        return f"less than {short(named.theorem)} forces"
    return f"{share} forced by {short(named.theorem)}" if named.lower else f"{share} of {short(named.theorem)}"

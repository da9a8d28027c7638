"""The top of a report: the reason why the match ended, and its main numbers."""

from __future__ import annotations

from arena.errors import number_of
from arena.record.formatting import duration, interval, number, percent, short
from arena.record.judgement import Judgement, capital, on_the_regret, used
from arena.record.remarks import data_loss
from arena.record.tables import SHOWN
from arena.record.transcript import Transcript


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


def facts(run: Transcript, judgement: Judgement) -> list[tuple[str, str, str]]:
    """Return the numbers at the top of the page, as rows of name, value and a short explanation."""
    rows = [("Rounds", number(run.rounds), f"of {number(run.game.rounds)}")]
    if run.regret is not None and run.plain_regret is not None and run.rounds:
        regret = float(run.regret[-1])
        rows.append(("Regret", number(regret), _regret_word(regret, judgement)))
        rows.append(("Plain regret", number(float(run.plain_regret[-1])), "comparator’s penalty left out"))  # noqa: RUF001
    if run.regret is None and (ends := run.final_regret) is not None:
        rows.append(("Regret", interval(*ends), "beyond the best penalised predictor"))
    if run.rounds:
        rows.append(("Learner’s loss", number(run.loss), f"{number(run.loss / run.rounds)} a round"))  # noqa: RUF001
        if (unscaled := data_loss(run)) is not None:
            rows.append(("Loss in data’s units", number(unscaled), f"{number(unscaled / run.rounds)} a round"))  # noqa: RUF001
        seconds = float(run.seconds.sum())
        rows.append(("Learner’s time", duration(seconds), f"{duration(seconds / run.rounds)} a round"))  # noqa: RUF001
    summary = run.summary()
    for column in SHOWN:
        if (share := summary[column.name]) is not None:
            text = percent(share) if column.percent else number(share)
            rows.append((capital(column.label or column.heading), text, column.remark))
    if len(run.sizes):
        rows.append(("Dictionary", number(float(run.sizes[-1, 1])), "elements at the end"))
    return rows


def _regret_word(regret: float, judgement: Judgement) -> str:
    """Return a short explanation of the regret, such as the share of a bound that the regret uses."""
    if regret < 0:
        return "less than the comparator paid"
    named = judgement.first_broken
    if named is None:
        named = max(on_the_regret([each for each in judgement.verdicts if each.holds]), key=used, default=None)
    share = percent(named.tightness) if named and named.quantity == "regret" else ""
    if not named or not share:
        return "beyond the best penalised predictor"
    if named.lower and named.violated and used(named) > 1.0:
        return f"less than {short(named.theorem)} forces"
    return f"{share} forced by {short(named.theorem)}" if named.lower else f"{share} of {short(named.theorem)}"

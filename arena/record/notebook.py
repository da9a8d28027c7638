"""HTML tables for notebooks: of a transcript, of a tournament's result, and of a hunt's result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.record.verdict import share_text

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


def html_table(caption: str, columns: Mapping[str, Sequence[object]]) -> str:
    """Return an HTML table; every text in it is escaped.

    >>> html_table("a < b", {"n": [1]})
    '<table><caption>a &lt; b</caption><thead><tr><th>n</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = zip(*columns.values(), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def transcript_html(run: Transcript) -> str:
    """Return the final values of a match, and the verdicts on the theorems that the learner promises, as HTML."""
    names = ("rounds", "loss", "regret", "plain_regret", "seconds")
    summary = run.summary()
    last = {name.replace("_", " "): [digits(summary[name])] for name in names}
    if summary["regret"] is None and (ends := summary["regret_interval"]) is not None:
        last["regret"] = [" to ".join(dict.fromkeys(map(digits, ends)))]
    ended = f", {run.forfeit}" if run.forfeit else "" if run.ended == "completed" else f", {run.ended}"
    table = html_table(f"{run.learner_name} against {run.adversary_name}, seed {run.seed}{ended}", last)
    try:
        verdicts = run.verdicts()
    except ArenaError as error:  # the code of a promised theorem is not trusted
        return f"{table}<p>not judged: {escape(str(error))}</p>"
    if not verdicts:
        return table
    judged: dict[str, Sequence[object]] = {
        "theorem": [each.theorem for each in verdicts],
        "verdict": [each.outcome for each in verdicts],
        "measured": [digits(each.measured) for each in verdicts],
        "allowed": [digits(each.allowed) for each in verdicts],
        "tightness": [share_text(each.tightness, "") for each in verdicts],
    }
    return table + html_table("Theorems", judged)


def digits(value: float | None) -> str:
    """Return a number as text with six digits; "" for None."""
    return "" if value is None else f"{value:.6g}"

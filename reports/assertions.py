"""The report of a test run: one HTML page with what every assertion of the arena played.

Each test draws its own section where it runs, as plain values that travel from the workers of pytest-xdist; the page is
put together at the end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from arena.record.storage import writing
from arena.record.theorem import Verdict
from arena.reports.page import regret_pictures, template
from arena.reports.picture import Key, Picture
from arena.reports.wording import count, number, percent
from arena.testing.observers import Observation
from arena.version import __version__

DRAWN = 100  # sections with a picture: the failed ones, and those closest to their bound


def section(name: str, test: str, worst: Observation, match: dict[str, Any]) -> dict[str, Any]:
    """What a test asserted, as plain values: its worst match, and the sums over all in `match`.

    `name` is unlike that of any other section of the page.
    """
    run, verdicts = worst.run, list(worst.verdicts)
    with np.errstate(all="ignore"):  # what overflows is drawn and told as what it is
        pictures = regret_pictures(run, verdicts, name) if run.rounds else []
        regret = None if run.regret is None or not run.rounds else float(run.regret[-1])
        loss = float(run.loss)
    played = f"{match['matches']:,} match{'es' * (match['matches'] != 1)}, {count(match['rounds'], 'round')}"
    return {
        **match,
        "name": name,
        "test": test,
        "played": played if match["assertions"] == 1 else f"{count(match['assertions'], 'assertion')}, {played}",
        "failure": worst.failure,
        "loss": number(loss),
        "regret": "" if regret is None else number(regret),
        "verdicts": [_verdict(each) for each in verdicts],
        "command": run.command or "",
        "picture": _plain(pictures[0]) if pictures else None,
    }


def write_page(sections: Sequence[dict[str, Any]], path: str | Path) -> Path:
    """Write the page; the same sections always give the same bytes."""
    target = Path(path)
    ordered = sorted(sections, key=lambda each: (not each["failure"], -(each["tightness"] or 0.0), each["name"]))
    shown = [
        {**each, "picture": _picture(each["picture"]) if place < DRAWN and each["picture"] else None}
        for place, each in enumerate(ordered)
    ]
    failed, total = (sum(each[what] for each in shown) for what in ("failed", "assertions"))
    text = template("assertions.html.j2").render(
        sections=shown, failed=failed, total=count(total, "assertion"), version=__version__
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    with writing(target) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "theorem": verdict.theorem,
        "outcome": verdict.outcome,
        "measured": "" if verdict.measured is None else number(verdict.measured),
        "allowed": "" if verdict.allowed is None else number(verdict.allowed),
        "used": percent(verdict.tightness),
        "reason": verdict.reason,
    }


def _plain(picture: Picture) -> dict[str, Any]:
    return {
        "name": picture.name,
        "title": picture.title,
        "note": picture.note,
        "keys": [dataclasses.asdict(key) for key in picture.keys],
        "drawings": [str(drawing) for drawing in picture.drawings],
    }


def _picture(plain: dict[str, Any]) -> Picture:
    keys = [Key(**key) for key in plain["keys"]]
    return Picture(plain["name"], plain["title"], plain["note"], keys, [Markup(each) for each in plain["drawings"]])

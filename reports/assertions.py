"""The report of a test run: one HTML page with a section for the assertions of each test.

The process that runs a test makes its section, out of plain values. pytest-xdist can send such values to the process
that writes the page at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from arena.errors import number_of
from arena.record.commands import play_command
from arena.record.storage import writing
from arena.record.theorem import Verdict
from arena.reports.formatting import interval, number, percent
from arena.reports.page import is_page, template
from arena.reports.round_figures import regret_figures
from arena.testing.session import Observation
from arena.version import __version__

DRAWN = 100  # sections with a figure: failures first, then those closest to their bound


def section(name: str, test: str, worst: Observation, match: dict[str, Any]) -> dict[str, Any]:
    """Return the section of a test as plain values.

    `worst` is the observation of the test's worst match, `match` has the sums over all matches of the test, and `name`
    is unique on the page.
    """
    run, verdicts = worst.run, list(worst.verdicts)
    parts: Any = template("parts.html.j2").module
    with np.errstate(all="ignore"):  # values that overflow are drawn at the edge, and printed as infinity
        figures = regret_figures(run, verdicts, name)
        regret = run.final_regret
        loss = float(run.loss)
    played = f"{number_of(match['matches'], 'match', 'matches')}, {number_of(match['rounds'], 'round')}"
    return {
        **match,
        "name": name,
        "test": test,
        "played": played if match["assertions"] == 1 else f"{number_of(match['assertions'], 'assertion')}, {played}",
        "failure": worst.failure,
        "loss": number(loss),
        "regret": "" if regret is None else interval(*regret),
        "verdicts": [_verdict(each) for each in verdicts],
        "command": play_command(run) or "",
        "figure": str(parts.figure(figures[0], "h3")) if figures else "",
    }


def write_page(sections: Sequence[dict[str, Any]], path: str | Path) -> Path:
    """Write the page and return its path; the same sections always give the same bytes."""
    target = Path(path)
    ordered = sorted(sections, key=lambda each: (not each["failure"], -(each["tightness"] or 0.0), each["name"]))
    shown = [{**each, "figure": Markup(each["figure"] if place < DRAWN else "")} for place, each in enumerate(ordered)]
    failed, total = (sum(each[what] for each in shown) for what in ("failed", "assertions"))
    text = template("assertions.html.j2").render(
        sections=shown, failed=failed, total=number_of(total, "assertion"), version=__version__
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    with writing(target, is_page) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "theorem": verdict.theorem,
        "outcome": verdict.outcome,
        "measured": "" if verdict.measured is None else number(verdict.measured),
        "allowed": "" if verdict.allowed is None else number(verdict.allowed),
        "used": "an identity" if verdict.identity else percent(verdict.tightness),
        "vacuous": verdict.vacuous,
        "reason": verdict.reason,
    }

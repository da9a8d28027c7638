"""The report of a test run: one HTML page with a section for the assertions of each test.

The process that runs a test makes the test's section. The section has only plain values, so that pytest-xdist can send
it to the process that writes the page.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from arena.errors import number_of
from arena.guards.whole_files import make_folder
from arena.record.commands import play_command
from arena.record.formatting import interval, number, percent
from arena.record.verdict import Verdict
from arena.reports import page
from arena.reports.round_figures import regret_figures
from arena.testing.session import Observation
from arena.version import __version__

FAILED = ("failed", "error")  # outcomes of pytest
DRAWN = 100  # sections with a figure; failures come first, then those closest to their bound


def section(name: str, test: str, worst: Observation, match: dict[str, Any]) -> dict[str, Any]:
    """Return the page's section about all calls of one assertion in the test `test` with the same two players.

    `worst` is the worst result of these calls. `match` has the players' names, and the numbers of calls, matches and
    rounds, as `Notes.entries` yields them. `name` is the section's name, which must be unique on the page.
    """
    run, verdicts = worst.run, list(worst.verdicts)
    parts: Any = page.template("parts.html.j2").module
    asserted = _asserted(verdicts)
    with np.errstate(all="ignore"):  # values that overflow are drawn at the edge, and printed as infinity
        figures = regret_figures(run, verdicts, name, about=asserted)
        regret = run.final_regret if asserted is None else _ends(asserted)
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
        "command": play_command(run, _judged(worst)) or "",
        "figure": str(parts.figure(figures[0], "h3")) if figures else "",
    }


def _asserted(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict that the assertion is about: a violation, or else the limit that the user set."""
    about = [each for each in verdicts if each.violated or getattr(each.about, "demanded", False)]
    drawn = [each for each in about if each.measured_curve is not None]
    return max(drawn, key=lambda each: each.violated, default=None)


def _ends(verdict: Verdict) -> tuple[float, float] | None:
    """Return the ends of the measured regret; None if the theorem bounds another quantity."""
    if verdict.measured is None or not verdict.quantity.startswith("regret"):
        return None
    low, high = sorted((verdict.measured, (verdict.other_end or (verdict.measured,))[0]))
    return low, high


def _judged(worst: Observation) -> str | list[str]:
    """Return the specs of the theorems that judged the match `worst.run`; "auto" if they are the learner's promises."""
    names = [verdict.theorem for verdict in worst.verdicts]
    return "auto" if tuple(names) == worst.run.theorems else names


def write_page(
    sections: Sequence[dict[str, Any]],
    path: str | Path,
    *,
    mistakes: Sequence[dict[str, Any]] = (),
    outcomes: Mapping[str, tuple[str, str]] | None = None,
) -> Path:
    """Write the report of a test run and return its path; the same arguments always give the same bytes.

    `sections` has, for each assertion, the dictionary that `section` returns. `mistakes` has a dictionary with `test`,
    `assertion` and `message` for each call of an assertion that raised an `ArenaError`. `outcomes` has for each test
    the outcome that pytest reports, such as "passed" or "failed", and the reason of a failure.
    """
    target, known = Path(path), outcomes or {}
    listed = [_with_outcome(each, known) for each in [*sections, *map(_of_mistake, mistakes)]]
    ordered = sorted(listed, key=lambda each: (not each["bad"], -(each["tightness"] or 0.0), each["name"]))
    shown = [{**each, "figure": Markup(each["figure"] if place < DRAWN else "")} for place, each in enumerate(ordered)]
    tests = {each["test"] for each in shown}
    failed = {test for test, (outcome, _) in known.items() if outcome in FAILED} | {
        each["test"] for each in shown if each["bad"]
    }
    text = page.template("assertions.html.j2").render(
        sections=shown,
        failed=number_of(len(failed & tests), "test"),
        bad=bool(failed),
        others=number_of(len(failed - tests), "other test") if failed - tests else "",
        total=number_of(sum(each["assertions"] for each in shown), "assertion"),
        tests=number_of(len(tests), "test"),
        version=__version__,
    )
    make_folder(target.parent)
    return page.write_page(text, target)


def _of_mistake(mistake: dict[str, Any]) -> dict[str, Any]:
    """Return the section of an assertion that raised an `ArenaError`, for instance for a wrong argument."""
    name = f"mistake-{zlib.crc32(repr(sorted(mistake.items())).encode()):08x}"
    empty = {"learner": "", "adversary": "", "played": "", "loss": "", "regret": "", "command": "", "figure": ""}
    own = {"name": name, "test": mistake["test"], "assertion": mistake["assertion"], "failure": mistake["message"]}
    return {**empty, **own, "assertions": 1, "tightness": None, "verdicts": []}


def _with_outcome(section: dict[str, Any], outcomes: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return a copy of an assertion's section, with the outcome of the test that contains the assertion.

    `outcomes` has for each test its outcome, such as "failed", and the reason of a failure. If the test failed but
    this assertion passed, the copy also says why the test failed.
    """
    outcome, why = outcomes.get(section["test"], ("failed" if section["failure"] else "passed", ""))
    reason = "" if section["failure"] or not why else f"The test failed elsewhere: {why}"
    return {**section, "outcome": outcome, "bad": outcome in FAILED, "elsewhere": reason}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    measured = None if verdict.outcome == "undecided" else verdict.measured  # without a number the reason is shown
    return {
        "theorem": verdict.theorem,
        "outcome": verdict.outcome,
        "measured": "" if measured is None else number(measured),
        "allowed": "" if verdict.allowed is None else number(verdict.allowed),
        "used": "an identity" if verdict.identity else percent(verdict.tightness),
        "vacuous": verdict.vacuous,
        "reason": verdict.reason,
    }

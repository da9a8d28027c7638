"""The report of a match: one HTML file that needs nothing else, not even a script."""

from __future__ import annotations

import dataclasses
import functools
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from arena.arrays import Array
from arena.engine.growth import final_regret
from arena.errors import ArenaError
from arena.game.kernels import Kernel
from arena.game.losses import Loss
from arena.record.storage import writing
from arena.record.theorem import Theorem, Verdict
from arena.record.transcript import Transcript
from arena.reports.picture import Picture
from arena.reports.pictures import loss_picture, moves_picture, regret_picture, size_picture
from arena.reports.points import points_picture
from arena.reports.wording import duration, ending, headline, number, percent, short
from arena.specs.building import build
from arena.specs.parameters import Configured
from arena.specs.spelling import spec_text

Bound = str | Sequence[str | Theorem]


def write_report(transcript: Transcript, path: str | Path, *, bound: Bound = "auto") -> Path:
    """Write the report of a match; the same transcript always gives the same bytes.

    `bound` names the theorems to judge by, as in `Transcript.verdicts`.
    """
    target = Path(path)
    text = report(transcript, bound=bound)
    with writing(target) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def report(transcript: Transcript, *, bound: Bound = "auto") -> str:
    """The report as text."""
    with np.errstate(all="ignore"):  # what overflows is drawn and told as what it is
        verdicts = transcript.verdicts(bound)
        content = {
            "run": transcript,
            "headline": headline(transcript, verdicts),
            "ending": ending(transcript),
            "facts": _facts(transcript, verdicts),
            "regret_known": transcript.has_hindsight or final_regret(transcript) is not None,
            "regrets": regret_pictures(transcript, verdicts),
            "pictures": _pictures(transcript),
            "verdicts": verdicts,
            "theorems": _theorems(transcript, verdicts, bound),
            "settings": _settings(transcript),
            "command": _command(transcript, bound),
            "objects": _objects(transcript),
        }
    return template("page.html.j2").render(content)


def template(name: str) -> Template:
    """A template of this folder."""
    return _environment().get_template(name)


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("arena.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent, "short": short}
    return environment


def regret_pictures(run: Transcript, verdicts: Sequence[Verdict], name: str = "regret") -> list[Picture]:
    """One picture for each quantity that a theorem bounds, the regret of the game first."""
    if not run.rounds:
        return []
    groups: list[tuple[str, Array, list[Verdict]]] = [] if run.regret is None else [("regret", run.regret, [])]
    for verdict in verdicts:
        if verdict.measured_curve is None:
            continue
        same = [group for group in groups if np.array_equal(group[1], verdict.measured_curve, equal_nan=True)]
        if same:
            same[0][2].append(verdict)
        else:
            groups.append((verdict.quantity, verdict.measured_curve, [verdict]))
    return [
        regret_picture(f"{name}-{place}", measured, judged, quantity, run)
        for place, (quantity, measured, judged) in enumerate(groups, start=1)
    ]


def _pictures(run: Transcript) -> list[Picture]:
    if not run.rounds:
        return []
    drawn = [loss_picture(run), moves_picture(run), points_picture(run)]
    return [*drawn, size_picture(run)] if len(run.sizes) else drawn


def _facts(run: Transcript, verdicts: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    """The figures of the match: what, how much, and a word on it."""
    facts = [("Rounds", number(run.rounds), f"of {number(run.game.rounds)}")]
    if run.regret is not None and run.plain_regret is not None and run.rounds:
        facts.append(("Regret", number(float(run.regret[-1])), _regret_word(float(run.regret[-1]), verdicts)))
        facts.append(("Plain regret", number(float(run.plain_regret[-1])), "comparator’s penalty left out"))  # noqa: RUF001
    if run.regret is None and (ends := final_regret(run)) is not None:
        low, high = map(number, ends)
        facts.append(("Regret", low if low == high else f"{low} to {high}", "beyond the regularised comparator"))
    if run.rounds:
        facts.append(("Learner’s loss", number(run.loss), f"{number(run.loss / run.rounds)} a round"))  # noqa: RUF001
        seconds = float(run.seconds.sum())
        facts.append(("Learner’s time", duration(seconds), f"{duration(seconds / run.rounds)} a round"))  # noqa: RUF001
    if run.error_rate is not None:
        facts.append(("Error rate", percent(run.error_rate), "of the signs were wrong"))
    if len(run.sizes):
        facts.append(("Dictionary", number(float(run.sizes[-1, 1])), "elements at the end"))
    return facts


def _regret_word(regret: float, verdicts: Sequence[Verdict]) -> str:
    if regret < 0:
        return "less than the comparator paid"
    judging = [each for each in verdicts if each.quantity == "regret" and each.tightness is not None]
    tightest = max(judging, key=lambda each: each.tightness or 0.0, default=None)
    share = percent(tightest.tightness) if tightest else ""
    return f"{share} of {short(tightest.theorem)}" if tightest and share else "beyond the regularised comparator"


def _theorems(run: Transcript, verdicts: Sequence[Verdict], bound: Bound) -> list[Theorem | None]:
    """The theorem behind each verdict, for its statement and its paper."""
    given = [] if isinstance(bound, str) else [each for each in bound if isinstance(each, Theorem)]
    known = {spec_text(each): each for each in (*run.promises(), *given)}
    return [known.get(each.theorem) or _built(each.theorem) for each in verdicts]


def _built(spec: str) -> Theorem | None:
    try:
        theorem: Theorem = build("theorem", spec)
    except ArenaError:
        return None
    return theorem


def _settings(run: Transcript) -> list[tuple[str, str, str]]:
    """The match's settings: name, value, meaning."""
    sides = [("learner", run.learner, ""), ("adversary", run.adversary, "")]
    values = [(field, getattr(run.game, field.name)) for field in dataclasses.fields(run.game)]
    game = [
        (field.name.replace("_", " "), _plain(value), field.metadata.get("about", "") or _about(value))
        for field, value in values
    ]
    return [*sides, *game, ("seed", str(run.seed), "of both sides’ randomness")]  # noqa: RUF001


def _about(value: Any) -> str:
    """The first sentence on a kernel or a loss, and all its parameters."""
    if not isinstance(value, Kernel | Loss):
        return ""
    sentence = (type(value).__doc__ or "").partition("\n")[0].rstrip(".")
    fields = [f"{field.name}\u00a0=\u00a0{_plain(getattr(value, field.name))}" for field in dataclasses.fields(value)]
    return "; ".join([sentence, *fields])


def _plain(value: Any) -> str:
    if isinstance(value, Configured):
        return spec_text(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _command(run: Transcript, bound: Bound) -> str | None:
    """The command that plays the match again and judges it in the same way; None if there is none."""
    names = (
        [bound] if isinstance(bound, str) else [each if isinstance(each, str) else spec_text(each) for each in bound]
    )
    if run.command is None or any(name.startswith("<") for name in names):
        return None
    judged = [] if bound == "auto" else [word for name in names for word in ("--bound", name)]
    return " ".join([run.command, *map(shlex.quote, judged)])


def _objects(run: Transcript) -> str:
    """What no command can make again, in words."""
    sides = [f"the {side}" for side in ("learner", "adversary") if getattr(run, side).startswith("<")] or ["a bound"]
    verb = "was given as an object" if len(sides) == 1 else "were given as objects"
    return f"{' and '.join(sides)} {verb}"

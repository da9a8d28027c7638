"""The report of one match: an HTML file that loads nothing else and runs no script."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from arena.game.kernels import Kernel
from arena.game.losses import Loss
from arena.guards.whole_files import writing
from arena.record.commands import play_command
from arena.record.comparing import comparisons
from arena.record.formatting import duration, ends, number, percent, short
from arena.record.judgement import Judgement, capital
from arena.record.judging import Claims
from arena.record.remarks import circumstances, notes, why_negative
from arena.record.transcript import Transcript
from arena.reports.comparison_figures import comparison_figures
from arena.reports.drawing import Figure
from arena.reports.measures import measure_figures
from arena.reports.point_figure import point_figure
from arena.reports.round_figures import loss_figure, moves_figure, regret_figures, size_figure
from arena.reports.summary import ending, facts
from arena.specs.parameters import Configured
from arena.specs.spelling import is_unnamed, spec_text
from arena.theorems.formulas import formula_html


def write_report(
    transcript: Transcript, path: str | Path, *, bound: Claims | None = None, judgement: Judgement | None = None
) -> Path:
    """Write the report of a match and return its path; the same transcript always gives the same bytes.

    `bound` names the theorems by which the match is judged: `auto` (the learner's promises), `none`, a name, or several
    names and theorems. The default is those by which the match was judged when it was saved. `judgement` is the
    judgement of the match, with curves, if it is known already.
    """
    return write_page(report(transcript, bound=bound, judgement=judgement), path)


def write_page(text: str, path: str | Path) -> Path:
    """Write a page, whole or not at all, and return its path.

    An existing file is replaced only if it is a page of the arena.
    """
    target = Path(path)
    with writing(target, is_page) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def is_page(head: bytes) -> bool:
    """Return whether a file that begins with the bytes `head` is a page that the arena wrote."""
    return b'<meta name="generator" content="regret-arena' in head


def report(transcript: Transcript, *, bound: Claims | None = None, judgement: Judgement | None = None) -> str:
    """Return the report of a match as HTML; the parameters are those of `write_report`."""
    with np.errstate(all="ignore"):  # values that overflow are drawn at the edge, and printed as infinity
        judged = transcript.judgement(bound) if judgement is None else judgement
        content = {
            "run": transcript,
            "headline": judged.headline,
            "ending": ending(transcript),
            "notes": notes(transcript),
            "circumstances": circumstances(transcript),
            "why_negative": capital(why_negative(transcript)),
            "facts": facts(transcript, judged),
            "regret_known": transcript.final_regret is not None,
            "comparisons": comparisons(transcript),
            "figures": [*regret_figures(transcript, [*judged.verdicts, *judged.lower]), *figures_of_play(transcript)],
            "verdicts": judged.verdicts,
            "unjudged": judged.unjudged,
            "lower": judged.lower,
            "lower_bounds": [each.about for each in judged.lower if each.about],
            "both_sides": judged.sides,
            "settings": _settings(transcript),
            "command": play_command(transcript, judged.claims),
            "objects": _objects(transcript),
        }
    return template("page.html.j2").render(content)


@functools.cache
def template(name: str) -> Template:
    """Return the template with this name in the folder of the reports.

    The template escapes all values that it shows.
    """
    environment = Environment(
        loader=PackageLoader("arena.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "percent": percent,
        "short": short,
        "capital": capital,
        "interval": ends,
        "duration": duration,
        "formula": lambda theorem: Markup(formula_html(theorem)),
    }
    return environment.get_template(name)


def figures_of_play(run: Transcript, prefix: str = "") -> list[Figure]:
    """Return the figures of comparators, losses, moves, points, sizes and other measures of a match.

    The figures' names begin with `prefix`.
    """
    if not run.rounds:
        return []
    drawn = [
        *comparison_figures(run, comparisons(run), prefix),
        loss_figure(run, f"{prefix}loss"),
        moves_figure(run, f"{prefix}moves"),
        point_figure(run, f"{prefix}points"),
    ]
    sizes = [size_figure(run, f"{prefix}sizes")] if len(run.sizes) else []
    return [*drawn, *sizes, *measure_figures(run, prefix)]


def _settings(run: Transcript) -> list[tuple[str, str, str]]:
    """Return the players, the fields of the game and the seed, as rows of name, value and meaning."""
    sides = [("learner", run.learner, ""), ("adversary", run.adversary, "")]
    values = [(field, getattr(run.game, field.name)) for field in dataclasses.fields(run.game)]
    game = [
        (field.name.replace("_", " "), _plain(value), field.metadata.get("about", "") or _about(value))
        for field, value in values
    ]
    return [*sides, *game, ("seed", str(run.seed), "of both sides’ randomness")]  # noqa: RUF001


def _about(value: Any) -> str:
    """Return the first line of the docstring of a kernel or a loss, and its parameters.

    The text is empty if `value` is neither a kernel nor a loss.
    """
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


def _objects(run: Transcript) -> str:
    """Return a clause such as "the learner was given as an object", for a match that no command can play."""
    sides = [f"the {side}" for side in ("learner", "adversary") if is_unnamed(getattr(run, side))] or ["a bound"]
    verb = "was given as an object" if len(sides) == 1 else "were given as objects"
    return f"{' and '.join(sides)} {verb}"

"""`arena play LEARNER ADVERSARY --seeds N`: plays many seeds and judges them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from arena.arrays import Array
from arena.cli.many_matches import Request, play_worst, playing_many, print_gaps
from arena.cli.output import COMMAND, markup, picked, print_json, terminal
from arena.cli.result import (
    NO_THEOREM,
    as_json,
    code_of,
    game_and_seed,
    judged_as_json,
    print_notes,
    print_sparkline,
    print_unjudged,
    print_verdicts,
)
from arena.cli.text_tables import some
from arena.record.commands import play_command
from arena.record.judgement import Judgement
from arena.record.remarks import why_negative
from arena.record.series import Series
from arena.record.tables import SHOWN
from arena.record.transcript import Transcript
from arena.specs.spelling import spec_text
from arena.tournament.series import play_series

QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)
SHARES = [f"{share:g}" for share in QUANTILES]  # keys in JSON
NUMBERS = ("loss", "data_loss", "regret", "plain_regret", *(each.name for each in SHOWN))
Commands = tuple[str | None, str | None]  # which play the worst match, and the series; None if a part has no spec
HEADS = {each.name: each.label or each.heading for each in SHOWN}


def play_many(request: Request) -> int:
    """Play all seeds, print the results, write the files of the worst match, and return the exit code."""
    with playing_many(request, request.seeds) as shared:
        series = play_series(request.learner, request.adversary, seeds=request.seeds, **shared)
    worst = None
    if series.results:
        worst = play_worst(request, request.adversary, series.worst.seed, interrupted=series.interrupted)
    commands: Commands = None, None
    if worst:
        again = {"seed": request.seed, "seeds": request.seeds}
        commands = play_command(worst, request.bounds), play_command(worst, request.bounds, **again)
    if request.output.json_wanted:
        print_json(_as_json(series, worst, request, commands))
    else:
        _print(terminal(), series, worst, request, commands)
    missing = bool(series.missing)
    return code_of([series.judgement], request.bounds, interrupted=series.interrupted, missing=missing)


def _as_json(series: Series, worst: Transcript | None, request: Request, commands: Commands) -> dict[str, Any]:
    """Return the result of a series for JSON.

    Numbers, such as "loss", are means over the seeds; "seconds" is their sum. The key "each" has a list with one value
    for each seed.
    """
    arrays = {name: series.numbers(name) for name in (*NUMBERS, "rounds", "seconds")}
    ends, seconds = series.regret_ends, arrays["seconds"]
    content = as_json(worst, Judgement(claims=request.bounds)) if worst else picked(request, "learner adversary")
    return {
        **content,
        **{name: None if values is None else np.mean(values) for name, values in arrays.items()},
        **judged_as_json(series.judgement),
        **picked(series, "seeds missing interrupted"),
        "regret_interval": None if ends is None else ends.mean(axis=0),
        "seconds": None if seconds is None else np.sum(seconds),
        "seed": request.seed,
        "quantiles": {
            name: None if values is None or not len(values) else dict(zip(SHARES, _quantiles(values), strict=True))
            for name, values in arrays.items()
            if name in NUMBERS
        },
        "each": {**arrays, "regret_interval": ends},
        "comparators": _comparators_as_json(series, request),
        "endings": [result.ended for result in series.results],
        "worst": worst and {"seed": worst.seed, "command": commands[0]},
        "command": commands[1],
    }


def _comparators_as_json(series: Series, request: Request) -> list[dict[str, Any]]:
    """Return a dictionary for each comparator: "regret" is the mean regret, and "each" has the regret in each match.

    Regrets are intervals [lower, upper]. "regret" and "each" are None if a match has no known regret.
    """
    rows = []
    for each in request.repeated["comparators"]:
        ends = series.regrets_to(spec_text(each))
        rows.append(
            {
                "comparator": spec_text(each),
                "plainly": each.plainly,
                "regret": None if ends is None else ends.mean(axis=0),
                "each": ends,
            }
        )
    return rows


def _quantiles(values: Array) -> Array:
    # Each quantile is one of the values: interpolating between infinite values would give NaN.
    return np.asarray(np.quantile(values, QUANTILES, method="inverted_cdf"))


def _print(console: Console, series: Series, worst: Transcript | None, request: Request, commands: Commands) -> None:
    played = series.results[0] if series.results else None
    learner = played.learner_name if played else request.learner_name
    adversary = played.adversary_name if played else request.adversary
    last = request.seed + request.seeds - 1
    field = game_and_seed(worst, with_seed=False) if worst else ""
    title = f"[bold]{markup(learner)}[/] against [bold]{markup(adversary)}[/]"
    console.print(f"{title}{markup(field)}, seeds {request.seed} to {last}")
    print_unjudged(console, series.judgement)
    _print_endings(console, series, request)
    if not series.results:
        return
    if worst:
        print_notes(console, worst)
    console.print()
    _print_numbers(console, series, request.repeated["comparators"])
    curve = np.asarray(series.worst.regret_samples)
    print_sparkline(console, curve, f"regret of seed {series.worst.seed}, the worst,")
    if worst and (why := why_negative(worst)):
        console.print(f"  in the worst match {why}", style="dim")
    console.print()
    print_verdicts(console, series.judgement)
    if not series.verdicts and not series.judgement.unjudged:
        console.print(NO_THEOREM.format("matches", ""))
    if worst is None:
        return
    console.print()
    request.output.print_paths(console, match=f"seed {worst.seed}")
    for label, command in zip(("Worst", "Again"), commands, strict=True):
        console.print(f"{label}: {markup(command or '', COMMAND)}")


def _print_endings(console: Console, series: Series, request: Request) -> None:
    played = f"{len(series.results)} of {request.seeds}"
    missing = _listed(series.missing) if series.missing else ""
    print_gaps(console, played, missing, interrupted=series.interrupted)
    if series.forfeits:
        first = series.forfeits[0]
        which = _listed([result.seed for result in series.forfeits])
        console.print(f"[bold red]Forfeit:[/] {which}; with seed {first.seed}: {markup(first.forfeit)}")


def _listed(seeds: Sequence[int]) -> str:
    return f"seed{'s' if len(seeds) > 1 else ''} {some(seeds, 8)}"


def _print_numbers(console: Console, series: Series, comparators: Sequence[Any]) -> None:
    """Print for each quantity the mean and quantiles over the seeds; one that is unknown in some match is left out."""
    heads = ("mean", "smallest", "10%", "median", "90%", "largest")
    console.print(f"  [dim]{'':<14}{''.join(f'{head:>12}' for head in heads)}[/]")
    for name in NUMBERS:
        values = series.regret_ends if name == "regret" else series.numbers(name)
        if values is not None:
            _print_rows(console, values, HEADS.get(name, name.replace("_", " ")))
    for each in comparators:
        name, ends = spec_text(each), series.regrets_to(spec_text(each))
        console.print(f"  regret to {markup(name)}, {markup(each.plainly)}" + (": unknown" if ends is None else ""))
        if ends is not None:
            _print_rows(console, ends, "")


def _print_rows(console: Console, values: Array, head: str) -> None:
    """Print a row for numbers; for intervals, a row for the lower and one for the upper ends, unless they are alike."""
    rows = [
        "".join(f"{cell:>12.5g}" for cell in (np.mean(ends), *_quantiles(ends))) for ends in np.atleast_2d(values.T)
    ]
    heads = [head] if len(set(rows)) == 1 else [f"{head}, from".strip(", "), f"{head}, to".strip(", ")]
    for label, row in zip(heads, rows, strict=False):
        console.print(f"  {label:<14}{row}")

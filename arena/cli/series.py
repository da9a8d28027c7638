"""`arena play LEARNER ADVERSARY --seeds N`: many matches, judged together."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape

from arena.arrays import Array
from arena.cli.outcome import INTERRUPTED
from arena.cli.progress import MatchProgress
from arena.cli.result import SIGNS, again, as_json, finite, setting, write_files
from arena.engine.match import play
from arena.engine.series import Series, play_series
from arena.record.transcript import Transcript

QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)
NUMBERS = ("loss", "regret", "plain_regret", "error_rate")


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    learner: str
    adversary: str
    seed: int
    seeds: int
    bounds: tuple[str, ...]
    theorems: Any
    hindsight: Any
    fields: dict[str, Any]


def play_many(wanted: Wanted, report: Path | None, save: Path | None, *, json_wanted: bool) -> int:
    """Play all seeds, tell what they come to, and return the exit code; files are written of the worst match."""
    with MatchProgress(Console(stderr=True, quiet=json_wanted), wanted.seeds, "matches") as progress:
        series = play_series(
            wanted.learner,
            wanted.adversary,
            seeds=wanted.seeds,
            seed=wanted.seed,
            bound=wanted.theorems,
            hindsight=wanted.hindsight,
            progress=progress,
            **wanted.fields,
        )
    worst = _played_again(wanted, series) if series.results else None
    if worst is not None:
        write_files(worst, wanted.theorems, report, save)
    if json_wanted:
        click.echo(_json(series, worst, wanted))
    else:
        _print(Console(highlight=False, soft_wrap=True), series, worst, wanted, report, save)
    return _exit_code(series)


def _played_again(wanted: Wanted, series: Series) -> Transcript:
    """The worst match, whole."""
    return play(wanted.learner, wanted.adversary, seed=series.worst.seed, hindsight=wanted.hindsight, **wanted.fields)


def _exit_code(series: Series) -> int:
    if series.interrupted:
        return INTERRUPTED
    wrong = series.forfeits or series.missing or any(verdict.violated for verdict in series.verdicts)
    return 1 if wrong else 0


def _json(series: Series, worst: Transcript | None, wanted: Wanted) -> str:
    """The keys of a single match, with means for its numbers, and arrays with one value a seed beside them."""
    import json

    arrays = {name: series.numbers(name) for name in (*NUMBERS, "rounds", "seconds")}
    means = {name: None if values is None else float(np.mean(values)) for name, values in arrays.items()}
    leading = next((each for each in series.verdicts if each.outcome != "not applicable" and not each.exact), None)
    content = as_json(worst, [], wanted.bounds) if worst else {"learner": wanted.learner, "adversary": wanted.adversary}
    content |= {
        **means,
        "seconds": None if arrays["seconds"] is None else float(np.sum(arrays["seconds"])),
        "bound": leading.allowed if leading else None,
        "tightness": leading.tightness if leading else None,
        "verdicts": [verdict.as_json() for verdict in series.verdicts],
        "seed": wanted.seed,
        "seeds": list(series.seeds),
        "missing": list(series.missing),
        "interrupted": series.interrupted,
        "quantiles": {name: _quantiles(values) for name, values in arrays.items() if name in NUMBERS},
        "each": {name: None if values is None else values.tolist() for name, values in arrays.items()},
        "endings": [result.ended for result in series.results],
        "worst": {"seed": worst.seed, "command": again(worst, wanted.bounds)} if worst else None,
        "command": _command(worst, wanted),
    }
    return json.dumps(finite(content), allow_nan=False)


def _quantiles(values: Array | None) -> dict[str, float] | None:
    if values is None or not len(values):
        return None
    return {f"{share:g}": float(value) for share, value in zip(QUANTILES, _at(values), strict=True)}


def _at(values: Array) -> Array:
    """Quantiles that are values of the sample, so that infinity does no harm."""
    return np.asarray(np.quantile(values, QUANTILES, method="inverted_cdf"))


def _command(worst: Transcript | None, wanted: Wanted) -> str | None:
    """The command that plays the series again."""
    single = again(worst, wanted.bounds) if worst else None
    if single is None or worst is None:
        return None
    words = shlex.split(single)
    if worst.seed:
        where = words.index("--seed")
        del words[where : where + 2]
    return shlex.join([*words, *(["--seed", str(wanted.seed)] if wanted.seed else []), "--seeds", str(wanted.seeds)])


def _print(
    console: Console,
    series: Series,
    worst: Transcript | None,
    wanted: Wanted,
    report: Path | None,
    save: Path | None,
) -> None:
    plain = not (console.encoding or "").lower().startswith("utf")
    title = f"[bold]{escape(wanted.learner)}[/] against [bold]{escape(wanted.adversary)}[/]"
    last = wanted.seed + wanted.seeds - 1
    field = setting(worst, with_seed=False) if worst else ""
    console.print(f"{title}{escape(field)}, seeds {wanted.seed} to {last}")
    _print_endings(console, series, wanted)
    if worst is None:
        return
    console.print()
    _print_numbers(console, series)
    console.print()
    for verdict in series.verdicts:
        sign, plain_sign, style = SIGNS[verdict.outcome]
        console.print(f"  [{style}]{plain_sign if plain else sign}[/] {escape(str(verdict))}")
        if verdict.outcome != "not applicable" and verdict.method != "every match":
            console.print(f"    [dim]judged by {escape(_article(verdict.method))}[/]")
    if not series.verdicts:
        console.print(
            "  No theorem was judged. To hold the matches against one, add --bound NAME (arena list theorems)."
        )
    console.print()
    for label, path in (("Report", report), ("Saved", save)):
        if path is not None:
            console.print(f"{label} (seed {worst.seed}): {escape(str(path))}")
    console.print(f"Worst: {escape(again(worst, wanted.bounds) or '')}")
    console.print(f"Again: {escape(_command(worst, wanted) or '')}")


def _article(method: str) -> str:
    return f"an {method}" if method[0] in "aeiou" else method


def _print_endings(console: Console, series: Series, wanted: Wanted) -> None:
    if series.interrupted:
        console.print(f"[bold yellow]Interrupted:[/] {len(series.results)} of {wanted.seeds} matches were played.")
    if series.missing:
        console.print(f"[bold red]Missing:[/] the process that played it was killed, twice: {_listed(series.missing)}")
    if series.forfeits:
        first = series.forfeits[0]
        which = _listed([result.seed for result in series.forfeits])
        console.print(f"[bold red]Forfeit:[/] {which}; with seed {first.seed}: {escape(str(first.forfeit))}")


def _listed(seeds: Sequence[int]) -> str:
    shown = ", ".join(map(str, seeds[:8]))
    more = f" and {len(seeds) - 8} more" if len(seeds) > 8 else ""
    return f"seed{'s' if len(seeds) > 1 else ''} {shown}{more}"


def _print_numbers(console: Console, series: Series) -> None:
    heads = ("mean", "smallest", "10%", "median", "90%", "largest")
    console.print(f"  [dim]{'':<14}{''.join(f'{head:>12}' for head in heads)}[/]")
    for name in NUMBERS:
        values = series.numbers(name)
        if values is None:
            continue
        row = "".join(f"{value:>12.5g}" for value in (float(np.mean(values)), *_at(values)))
        console.print(f"  {name.replace('_', ' '):<14}{row}")

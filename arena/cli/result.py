"""The result of a match, as printed text or as plain values for JSON, and the exit code that follows from it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.text import Text

from arena.arrays import Array
from arena.cli.command_line import INTERRUPTED
from arena.cli.comparisons import print_comparisons
from arena.cli.curve import DOTTED, picture
from arena.cli.files import Files
from arena.cli.output import COMMAND, mark, markup
from arena.cli.sparkline import sparkline, spread
from arena.cli.translation import in_options
from arena.engine.isolation import is_outside
from arena.errors import number_of, printable
from arena.record.commands import play_command
from arena.record.comparing import comparisons
from arena.record.forfeit import Forfeit
from arena.record.judgement import NOTHING_DECIDED, Judgement, exit_code, why_not_decided
from arena.record.remarks import notes, why_negative
from arena.record.setting import fields_in_words
from arena.record.storage import game_as_json
from arena.record.tables import SHOWN
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.spelling import changed_fields

WIDTH, HEIGHT, GUTTER = 60, 9, 8
NO_THEOREM = (
    "No theorem was judged. To hold the match against one, claimed for this learner or not, add --bound NAME "
    "(arena list theorems)."
)
SPARK, FEWEST, NARROWEST = 24, 8, 48  # most and fewest characters of a sparkline; columns of the words in its line


def as_json(run: Transcript, judgement: Judgement, *, traceback: bool = False) -> dict[str, Any]:
    """Return the result of a match as plain values; None for unknown values.

    A forfeit has a stack trace only with `traceback`.
    """
    leading = judgement.leading
    return {
        **run.summary(),
        "state": judgement.state,
        "comparators": [each.as_json() for each in comparisons(run)],
        "bound": leading.allowed if leading else None,
        "tightness": leading.tightness if leading else None,
        "verdicts": [verdict.as_json() for verdict in judgement.verdicts],
        "lower_bounds": [verdict.as_json() for verdict in judgement.lower],
        "unjudged": [vars(each) for each in judgement.unjudged],
        "both_sides": [each.as_json() for each in judgement.sides],
        "remark": "; ".join(notes(run)),
        "negative_regret": why_negative(run),
        "ended": run.ended,
        "forfeit": forfeit_as_json(run.forfeit, traceback=traceback) if run.forfeit else None,
        "game": game_as_json(run.game),
        "seed": run.seed,
        "command": play_command(run, judgement.claims),
    }


def forfeit_as_json(forfeit: Forfeit, *, traceback: bool = False) -> dict[str, Any]:
    """Return the fields of a forfeit. Its `details`, which hold a stack trace, are empty without `traceback`."""
    return {**dataclasses.asdict(forfeit), "details": forfeit.details if traceback else ""}


def print_result(
    console: Console, run: Transcript, judgement: Judgement, *, files: Files, again: Sequence[str] | None = None
) -> None:
    """Print the result of a match, the paths of its `files`, and the command that repeats the match.

    The result is the players and the game, numbers such as the loss and the regret, a curve over the rounds, and the
    verdicts. If the adversary has a lower bound, a line compares the bound of each theorem that holds with it. `again`
    are the theorems that the command names, by default those by which the match was judged.
    """
    console.print(
        f"[bold]{markup(run.learner_name)}[/] against [bold]{markup(run.adversary_name)}[/]{markup(game_and_seed(run))}"
    )
    print_unjudged(console, judgement)
    if run.ended != "completed":
        _print_ending(console, run)
    print_notes(console, run)
    if run.rounds:
        console.print()
        _print_numbers(console, run)
        _print_curve(console, run, judgement.leading)
        console.print()
        for verdict in [*judgement.verdicts, *judgement.lower]:
            console.print(f"  {mark(console, verdict.outcome)} {markup(verdict)}")
        for sides in judgement.sides:
            console.print(f"    {markup(sides)}", style="dim")
        if not judgement.verdicts and not judgement.unjudged:
            console.print(f"  {NO_THEOREM}")
    console.print()
    files.print(console)
    if files.save is not None and (failure := _failure(run, judgement)) is not None:
        trust = ["--trust"] * is_outside(run.learner)
        console.print(f"Shorter: {markup(shlex.join(['arena', 'shrink', str(files.save), *failure, *trust]), COMMAND)}")
    if command := play_command(run, judgement.claims if again is None else again):
        console.print(f"Again: {markup(command, COMMAND)}")


def print_unjudged(console: Console, *judgements: Judgement) -> None:
    """Print the claimed theorems that were not judged, with the reasons."""
    for each in dict.fromkeys(unjudged for judgement in judgements for unjudged in judgement.unjudged):
        console.print(f"{mark(console, 'open', 'Open:')} {markup(each)}")


def print_notes(console: Console, run: Transcript) -> None:
    """Print the remarks on the match, such as one on scaled data or one on labels of 0 in a game of two classes."""
    for note in notes(run):
        console.print(f"  note: {markup(note)}", style="dim")


def _failure(run: Transcript, judgement: Judgement) -> list[str] | None:
    """Return the options with which `arena shrink` shrinks the learner's failure; None if the learner did not fail.

    After a forfeit, `arena shrink` needs no options, and the list is empty.
    """
    broken = next((verdict for verdict in judgement.verdicts if verdict.violated and not verdict.lower), None)
    if broken is not None:
        return ["--bound", broken.theorem]
    return [] if run.forfeit and run.forfeit.side == "learner" else None


def game_and_seed(run: Transcript, *, with_seed: bool = True) -> str:
    """Return the text that follows the names of the players, such as ": 200 rounds, dimension 3, seed 0".

    The text has the number of rounds, the fields of the game that differ from the defaults and, `with_seed`, the seed.
    """
    changed = changed_fields(run.game)
    changed.pop("rounds", None)
    parts = [number_of(run.rounds, "round"), *(fields_in_words(run.game, changed) if changed else ())]
    return ": " + ", ".join([*parts, f"seed {run.seed}"] if with_seed else parts)


def _print_ending(console: Console, run: Transcript) -> None:
    kept = f"{run.rounds:,} of {run.game.rounds:,} rounds were played and are kept"
    if run.forfeit:
        console.print(f"[bold red]Forfeit:[/] {markup(run.forfeit)}")
        console.print(f"{kept}." + (" Where it was raised: --traceback." if run.forfeit.details else ""))
    elif run.ended == "interrupted":
        console.print(f"[bold yellow]Interrupted:[/] {kept}.")
    else:
        console.print(f"The adversary had no more moves: {run.rounds:,} of {run.game.rounds:,} rounds were played.")


def _print_numbers(console: Console, run: Transcript) -> None:
    summary = run.summary()
    seconds = summary["seconds"]
    console.print(f"  loss          {run.loss:>12.6g}   {run.loss / run.rounds:.4g} a round")
    if (unscaled := summary["data_loss"]) is not None:
        mean = f"{unscaled / run.rounds:.4g} a round, the mean {markup(run.game.loss.name)} error"
        console.print(f"  in data's units {unscaled:>10.6g}   {mean}")
    for column in SHOWN:
        if (value := summary.get(column.name)) is not None:
            text = f"{value:.2%}" if column.percent else f"{value:.4g}"
            console.print(f"  {column.label or column.heading:<14}{text:>12}   {column.remark}".rstrip())
    if run.regret is None and (ends := run.final_regret) is not None:
        low, high = (f"{end:.6g}" for end in ends)
        upper = "" if low == high and not run.comparator.closed_form else f"to {high}, "
        console.print(f"  regret        {low:>12}   {upper}beyond the best penalised predictor in hindsight")
    elif run.regret is None:
        console.print(f"  regret             unknown   {markup(run.comparator.why_unknown)}")
    else:
        console.print(f"  regret        {summary['regret']:>12.6g}   beyond the best penalised predictor in hindsight")
        console.print(
            f"  plain regret  {summary['plain_regret']:>12.6g}   beyond that predictor's loss, penalty left out"
        )
    if (curves := run.regret_interval) is not None:
        print_sparkline(console, np.asarray(curves[1]), "regret")
    if why := why_negative(run):
        console.print(f"  {why}", style="dim")
    if run.comparators:
        print_comparisons(console, comparisons(run))
    console.print(f"  learner's time{seconds:>11.3g} s   {seconds / run.rounds * 1e6:.3g} microseconds a round")


def print_sparkline(console: Console, curve: Array, what: str) -> None:
    """Print a curve over the rounds in one line, with its name `what` and the limits of its scale.

    Nothing is printed if the curve is short, if it is zero everywhere, or if the terminal is too narrow.
    """
    room = min(console.width - NARROWEST, SPARK)
    if len(curve) < FEWEST or room < FEWEST or (limits := spread([curve])) is None:
        return
    line = sparkline(curve, width=room, low=limits[0], high=limits[1], plain=console.options.ascii_only)
    console.print(f"  over rounds   {line}   {what} from {limits[0]:.4g} to {limits[1]:.4g}")


def _print_curve(console: Console, run: Transcript, leading: Verdict | None) -> None:
    measured = leading.measured_curve if leading else run.regret
    bound = leading.allowed_curve if leading else None
    if measured is None or run.rounds < 2:
        return
    curves = ({} if bound is None else {DOTTED: bound}) | {"*": measured}
    values = np.concatenate(list(curves.values()))
    values = values[np.isfinite(values)]
    if not len(values) or not np.ptp(values):
        return
    width = max(min(WIDTH, console.width - GUTTER), WIDTH // 4)
    console.print()
    what = f"{leading.quantity} (line) under the bound of {leading.theorem} (dots)" if leading else "regret"
    console.print(f"  {markup(what)} over the rounds")
    console.print(Text(picture(curves, width=width, height=HEIGHT, plain=console.options.ascii_only)))


def code_of(
    judgements: Sequence[Judgement], bounds: Sequence[str], *, interrupted: bool = False, missing: bool = False
) -> int:
    """Return the exit code of a command that has played or judged matches.

    It is 130 if the command was `interrupted`, and otherwise `arena.record.judgement.exit_code`. If the theorems that
    --bound names were not decided, the reasons are printed to standard error.
    """
    if interrupted:
        return INTERRUPTED
    code = exit_code(judgements, bounds, missing=missing)
    if code == NOTHING_DECIDED:
        reasons = why_not_decided(judgements)
        click.echo(printable(f"No bound was decided (exit code {code}): {in_options(reasons)}"), err=True)
    return code


def print_traceback(run: Transcript) -> None:
    """Print the stack trace of a match's forfeit to standard error."""
    if run.forfeit and run.forfeit.details:
        click.echo(printable(run.forfeit.details, 20_000), err=True)

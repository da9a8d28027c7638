"""The result of a match, as printed text or as plain values for JSON, and the exit code that follows from it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from typing import Any, TypeVar

import click
import numpy as np
from rich.console import Console
from rich.text import Text

from arena.arrays import Array
from arena.cli.command_line import INTERRUPTED, NOTHING_DECIDED
from arena.cli.comparisons import print_comparisons
from arena.cli.curve import DOTTED, picture
from arena.cli.files import Files
from arena.cli.judged import JudgedTranscript
from arena.cli.output import COMMAND, mark, markup
from arena.cli.sparkline import sparkline, spread
from arena.engine.isolation import is_outside
from arena.engine.series_verdicts import SeriesVerdict
from arena.errors import number_of, printable
from arena.record.both_sides import both_sides
from arena.record.commands import play_command
from arena.record.comparing import comparisons
from arena.record.forfeit import Forfeit
from arena.record.remarks import notes, why_negative
from arena.record.setting import fields_in_words
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript
from arena.record.verdict import Judged, Verdict
from arena.specs.spelling import changed_fields

J = TypeVar("J", bound=Judged)

WIDTH, HEIGHT, GUTTER = 60, 9, 8
NO_THEOREM = (
    "No theorem was judged. To hold the match against one, claimed for this learner or not, add --bound NAME "
    "(arena list theorems)."
)
SPARK, FEWEST, NARROWEST = 24, 8, 48  # most and fewest characters of a sparkline; columns of the words in its line


def as_json(judged: JudgedTranscript, *, traceback: bool = False) -> dict[str, Any]:
    """Return the result of a match as plain values; None for unknown values.

    A forfeit has a stack trace only with `traceback`.
    """
    run, verdicts, lower = judged.run, judged.verdicts, judged.lower
    leading = leading_verdict(verdicts)
    return {
        **run.summary(),
        "comparators": [each.as_json() for each in comparisons(run)],
        "bound": leading.allowed if leading else None,
        "tightness": leading.tightness if leading else None,
        "verdicts": [verdict.as_json() for verdict in verdicts],
        "lower_bounds": [verdict.as_json() for verdict in lower],
        "both_sides": [each.as_json() for each in both_sides(verdicts, lower)],
        "remark": "; ".join(notes(run)),
        "negative_regret": why_negative(run),
        "ended": run.ended,
        "forfeit": forfeit_as_json(run.forfeit, traceback=traceback) if run.forfeit else None,
        "game": game_as_json(run.game),
        "seed": run.seed,
        "command": play_command(run, judged.bounds),
    }


def forfeit_as_json(forfeit: Forfeit, *, traceback: bool = False) -> dict[str, Any]:
    """Return the fields of a forfeit. Its `details`, which hold a stack trace, are empty without `traceback`."""
    return {**dataclasses.asdict(forfeit), "details": forfeit.details if traceback else ""}


def leading_verdict(verdicts: Sequence[J]) -> J | None:
    """Return the first applicable verdict that is not on a lower bound or an identity; None if there is none.

    Verdicts are in the order of --bound, or of the learner's promises, whatever their tightness.
    """
    for verdict in verdicts:
        if verdict.outcome != "not applicable" and not verdict.is_deviation and not verdict.lower:
            return verdict
    return None


def print_result(console: Console, judged: JudgedTranscript, *, files: Files) -> None:
    """Print the result of a match, the paths of its `files`, and the command that repeats the match.

    The result is the players and the game, numbers such as the loss and the regret, a curve over the rounds, and the
    verdicts. If the adversary has a lower bound, a line compares the bound of each theorem that holds with it.
    """
    run, verdicts = judged.run, judged.verdicts
    console.print(
        f"[bold]{markup(run.learner)}[/] against [bold]{markup(run.adversary)}[/]{markup(game_and_seed(run))}"
    )
    if run.ended != "completed":
        _print_ending(console, run)
    print_notes(console, run)
    if run.rounds:
        console.print()
        _print_numbers(console, run)
        _print_curve(console, run, verdicts)
        console.print()
        for verdict in [*verdicts, *judged.lower]:
            console.print(f"  {mark(console, verdict.outcome)} {markup(verdict)}")
        for sides in both_sides(verdicts, judged.lower):
            console.print(f"    {markup(sides)}", style="dim")
        if not verdicts:
            console.print(f"  {NO_THEOREM}")
    console.print()
    files.print(console)
    if files.save is not None and (failure := _failure(run, verdicts)) is not None:
        trust = ["--trust"] * is_outside(run.learner)
        console.print(f"Shorter: {markup(shlex.join(['arena', 'shrink', str(files.save), *failure, *trust]), COMMAND)}")
    if command := play_command(run, judged.bounds):
        console.print(f"Again: {markup(command, COMMAND)}")


def print_notes(console: Console, run: Transcript) -> None:
    """Print the remarks on the match, such as one on scaled data or one on labels of 0 in a game of two classes."""
    for note in notes(run):
        console.print(f"  note: {markup(note)}", style="dim")


def _failure(run: Transcript, verdicts: Sequence[Verdict]) -> list[str] | None:
    """Return the options with which `arena shrink` shrinks the learner's failure; None if the learner did not fail.

    After a forfeit, `arena shrink` needs no options, and the list is empty.
    """
    broken = next((verdict for verdict in verdicts if verdict.violated and not verdict.lower), None)
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
    if summary.get("error_rate") is not None:
        console.print(f"  error rate    {summary['error_rate']:>12.2%}")
        console.print(f"  log loss      {summary['log_loss']:>12.4g}   a round, with P(+1) = 1/(1 + exp(-prediction))")
    if summary.get("f1") is not None:
        console.print(f"  F1            {summary['f1']:>12.4g}   of the positive class")
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


def _print_curve(console: Console, run: Transcript, verdicts: Sequence[Verdict]) -> None:
    leading = leading_verdict(verdicts)
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


def exit_code(
    bounds: Sequence[str], verdicts: Sequence[Verdict | SeriesVerdict], *, interrupted: bool, failed: bool
) -> int:
    """Return the exit code of a command that has played or judged matches.

    `bounds` has the texts given with --bound. The result is the first of these that applies:

    - 130 if the command was `interrupted`;
    - 1 if it has `failed`: a match is missing, is a forfeit, or violates a bound;
    - 2 if `bounds` names theorems and none was decided; the reasons are printed to standard error;
    - 0 otherwise.
    """
    if interrupted:
        return INTERRUPTED
    if failed:
        return 1
    if not set(bounds) - {"auto", "none"} or any(map(_decided, verdicts)):
        return 0
    reasons = "; ".join(dict.fromkeys(map(_why_not_decided, verdicts))) or "no match was judged"
    click.echo(printable(f"No bound was decided (exit code {NOTHING_DECIDED}): {reasons}"), err=True)
    return NOTHING_DECIDED


def _decided(verdict: Verdict | SeriesVerdict) -> bool:
    # A single match never decides a theorem that holds only in expectation or with some probability.
    by_chance = isinstance(verdict, Verdict) and verdict.by_chance
    return verdict.outcome in ("holds", "violated") and not by_chance


def _why_not_decided(verdict: Verdict | SeriesVerdict) -> str:
    if verdict.outcome in ("holds", "violated"):
        return f"{verdict.theorem}: one match says nothing about a theorem that leaves room for chance; --seeds does"
    return str(verdict)


def code_of(judged: JudgedTranscript, *, interrupted: bool = False, traceback: bool = False) -> int:
    """Return the exit code of a command that judged one match.

    With `traceback`, print the stack trace of a forfeit first.
    """
    forfeit = judged.run.forfeit
    if traceback and forfeit and forfeit.details:
        click.echo(printable(forfeit.details, 20_000), err=True)
    failed = forfeit is not None or any(verdict.violated for verdict in (*judged.verdicts, *judged.lower))
    return exit_code(judged.bounds, judged.verdicts, interrupted=interrupted, failed=failed)

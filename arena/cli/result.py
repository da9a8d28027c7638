"""The result of a match, as printed text or as plain values for JSON, and the exit code that follows from it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.text import Text

from arena.arrays import Array
from arena.cli.command_line import INTERRUPTED
from arena.cli.curve import DOTTED, picture
from arena.cli.files import Output
from arena.cli.output import COMMAND, mark, markup, picked, print_json, terminal
from arena.cli.sparkline import sparkline, spread
from arena.cli.text_tables import interval
from arena.cli.translation import in_options
from arena.engine.isolation import is_outside
from arena.errors import an, number_of, printable
from arena.game.game import Game
from arena.record.commands import play_command
from arena.record.comparing import Comparison, Profile, comparisons
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
POINTS = 5  # points of a profile that are printed
NO_THEOREM = "  No theorem was judged. To hold the {} against one{}, add --bound NAME (arena list theorems)."
SPARK, FEWEST, NARROWEST = 24, 8, 48  # most and fewest characters of a sparkline; columns of the words in its line


def finish(
    run: Transcript,
    judgement: Judgement,
    output: Output,
    bounds: Sequence[str],
    *,
    keep: bool = True,
    interrupted: bool = False,
    again: Sequence[str] | None = None,
    more: Mapping[str, Any] | None = None,
    lines: Sequence[str] = (),
) -> int:
    """Write the files of a judged match, print its result, and return the exit code.

    `bounds` has the texts of --bound. The transcript is saved only with `keep`. In JSON the result also has the values
    `more`; as text it ends with `lines`, which are markup, and `again` are the theorems that the command to repeat the
    match names (see `print_result`).
    """
    if keep:
        output.write_transcript(run)
    output.write_page(run, judgement)
    if output.json_wanted:
        print_json(as_json(run, judgement, traceback=output.traceback) | dict(more or {}))
    else:
        console = terminal()
        print_result(console, run, judgement, output=output, again=again)
        for line in lines:
            console.print(line)
    if output.traceback and run.forfeit and run.forfeit.details:
        click.echo(printable(run.forfeit.details, 20_000), err=True)
    return code_of([judgement], bounds, interrupted=interrupted)


def as_json(run: Transcript, judgement: Judgement, *, traceback: bool = False) -> dict[str, Any]:
    """Return the result of a match for JSON. A forfeit has a stack trace only with `traceback`."""
    return {
        **run.summary(),
        **judged_as_json(judgement),
        "both_sides": judgement.sides,
        "comparators": comparisons(run),
        "remark": "; ".join(notes(run)),
        "negative_regret": why_negative(run),
        **picked(run, "ended seed"),
        "forfeit": forfeit_as_json(run.forfeit, traceback=traceback),
        "game": game_as_json(run.game),
        "command": play_command(run, judgement.claims),
    }


def judged_as_json(judgement: Judgement) -> dict[str, Any]:
    """Return the judgement of a match, or of several that differ only in their seed, for JSON."""
    leading = judgement.leading
    return {
        **picked(judgement, "state unjudged verdicts"),
        "bound": leading and leading.allowed,
        "tightness": leading and leading.tightness,
        "lower_bounds": judgement.lower,
    }


def forfeit_as_json(forfeit: Forfeit | None, *, traceback: bool = False) -> Forfeit | None:
    """Return the forfeit for JSON. Its `details`, which hold a stack trace, are empty without `traceback`."""
    return forfeit if forfeit is None or traceback else dataclasses.replace(forfeit, details="")


def print_result(
    console: Console, run: Transcript, judgement: Judgement, *, output: Output, again: Sequence[str] | None = None
) -> None:
    """Print the result of a match, the paths of its files, and the command that repeats the match.

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
        print_verdicts(console, judgement)
        for sides in judgement.sides:
            console.print(f"    {markup(sides)}", style="dim")
        if not judgement.verdicts and not judgement.unjudged:
            console.print(NO_THEOREM.format("match", ", claimed for this learner or not"))
    console.print()
    output.print_paths(console)
    # the options with which `arena shrink` shrinks the learner's failure
    broken = [["--bound", each.theorem] for each in judgement.verdicts if each.violated and not each.lower]
    failure = [*broken, *[[]] * bool(run.forfeit and run.forfeit.side == "learner")]
    if output.save is not None and failure:
        words = ["arena", "shrink", str(output.save), *failure[0], *["--trust"] * is_outside(run.learner)]
        console.print(f"Shorter: {markup(shlex.join(words), COMMAND)}")
    if command := play_command(run, judgement.claims if again is None else again):
        console.print(f"Again: {markup(command, COMMAND)}")


def print_verdicts(console: Console, judgement: Judgement) -> None:
    """Print the verdicts, one in each line; below those that need many matches, how they were judged."""
    for verdict in (*judgement.verdicts, *judgement.lower):
        console.print(f"  {mark(console, verdict.outcome)} {markup(verdict)}")
        if verdict.outcome != "not applicable" and verdict.method not in ("", "every match"):
            console.print(f"    [dim]judged by {markup(an(verdict.method))}[/]")


def print_unjudged(console: Console, *judgements: Judgement) -> None:
    """Print the claimed theorems that were not judged, with the reasons."""
    for each in dict.fromkeys(unjudged for judgement in judgements for unjudged in judgement.unjudged):
        console.print(f"{mark(console, 'open', 'Open:')} {markup(each)}")


def print_notes(console: Console, run: Transcript) -> None:
    """Print the remarks on the match, such as one on scaled data or one on labels of 0 in a game of two classes."""
    for note in notes(run):
        console.print(f"  note: {markup(note)}", style="dim")


def game_and_seed(run: Transcript, *, with_seed: bool = True) -> str:
    """Return the text that follows the names of the players, such as ": 200 rounds, dimension 3, seed 0"."""
    return f": {game_in_words(run.game, run.rounds, run.seed if with_seed else None)}"


def game_in_words(game: Game, rounds: int, seed: int | None) -> str:
    """Return the number of rounds, the fields of the game that differ from the defaults and, if given, the seed."""
    changed = changed_fields(game)
    changed.pop("rounds", None)
    parts = [number_of(rounds, "round"), *(fields_in_words(game, changed) if changed else ())]
    return ", ".join([*parts, f"seed {seed}"] if seed is not None else parts)


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
    seconds, best = summary["seconds"], "beyond the best penalised predictor in hindsight"

    def line(label: str, value: str, remark: str) -> None:
        console.print(f"  {label}{value:>{26 - len(label)}}   {remark}".rstrip())

    line("loss", f"{run.loss:.6g}", f"{run.loss / run.rounds:.4g} a round")
    if (unscaled := summary["data_loss"]) is not None:
        mean = f"{unscaled / run.rounds:.4g} a round, the mean {markup(run.game.loss.name)} error"
        line("in data's units", f" {unscaled:.6g}", mean)
    for column in SHOWN:
        if (value := summary.get(column.name)) is not None:
            text = f"{value:.2%}" if column.percent else f"{value:.4g}"
            line(column.label or column.heading, text, column.remark)
    if run.regret is not None:
        line("regret", f"{summary['regret']:.6g}", best)
        line("plain regret", f"{summary['plain_regret']:.6g}", "beyond that predictor's loss, penalty left out")
    elif (ends := run.final_regret) is not None:
        low, high = (f"{end:.6g}" for end in ends)
        upper = "" if low == high and not run.comparator.closed_form else f"to {high}, "
        line("regret", low, f"{upper}{best}")
    else:
        line("regret", "unknown", markup(run.comparator.why_unknown))
    if (curves := run.regret_interval) is not None:
        print_sparkline(console, np.asarray(curves[1]), "regret")
    if why := why_negative(run):
        console.print(f"  {why}", style="dim")
    if run.comparators:
        _print_comparisons(console, comparisons(run))
    line("learner's time", f"{seconds:>11.3g} s", f"{seconds / run.rounds * 1e6:.3g} microseconds a round")


def _print_comparisons(console: Console, found: Sequence[Comparison]) -> None:
    """Print one line for each comparator, with the regret to this comparator.

    If the regret is negative, a second line explains the sign. If the comparison has a profile (regrets to a whole
    family of comparators, such as one for each lambda), a further line shows a few of its values.
    """
    console.print("  compared with", style="dim")
    width = max(len(each.comparator) for each in found)
    for each in found:
        name = markup(each.comparator.ljust(width))
        if each.regret is None:
            console.print(f"    {name}       unknown   {markup(each.unknown)}")
            continue
        low, high = (f"{end:.6g}" for end in each.regret)
        between = "" if low == high else f"to {high}, "
        detail = f" ({each.detail})" if each.detail else ""
        console.print(f"    {name}  {low:>12}   {between}beyond {markup(each.plainly + detail)}")
        for remark in (each.negative, each.profile and _profile_line(each.profile)):
            if remark:
                console.print(f"    {'':{width}}{'':>15}  {markup(remark)}", style="dim")


def _profile_line(profile: Profile) -> str:
    """Return one line with a few values of a profile, such as "by lambda: 0.1: 3.2, 1: 2.1".

    The profile has the regret for each value of a parameter of the comparator. In the example the regret is 3.2 for
    lambda = 0.1, and 2.1 for lambda = 1.
    """
    few = profile.downsampled(POINTS)
    points = zip(few.x, few.lower, few.upper, strict=True)
    return f"by {profile.axis}: " + ", ".join(f"{x:.3g}: {interval((low, high))}" for x, low, high in points)


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

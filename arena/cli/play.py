"""`arena play LEARNER ADVERSARY`: plays a match, measures the regret and judges it."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.command_line import CommandWithExamples, UserError
from arena.cli.completion import specs
from arena.cli.ending import AT_ONCE, writing_lock
from arena.cli.files import Output, report_option, save_option
from arena.cli.isolation_note import print_isolation_note
from arena.cli.leaderboard import play_all
from arena.cli.many_matches import Request
from arena.cli.options import (
    USUAL_GAME,
    bound_option,
    cluster_option,
    game_fields,
    game_options,
    json_option,
    match_options,
    name_option,
    read_bounds,
    traceback_option,
    whole_number,
)
from arena.cli.output import terminal
from arena.cli.progress import MatchProgress
from arena.cli.result import finish
from arena.cli.series import play_many
from arena.cli.translation import in_options
from arena.data.files import reporting
from arena.engine.long_matches import HINDSIGHT_TIME, memory_note
from arena.engine.match import Interrupted, play
from arena.game.game import Game
from arena.guards.clock import OutOfTime, time_limit
from arena.hindsight.narrowing import Effort
from arena.linalg.gram_factor import shared_factors
from arena.record.comparing import comparisons, judged, leave_out_comparators
from arena.record.interval_cache import IntervalCacheOnDisk
from arena.record.judgement import Judgement
from arena.record.judging import judgement_of
from arena.record.repeating import split
from arena.record.transcript import Transcript

EXAMPLES = {
    "arena play kernel-awv greedy": "a learner against an adversary that looks for the worst move",
    'arena play ./mine.py:MyLearner "replay(file=stream.csv)"': "your own learner on your own data",
    "arena play krr alternating --bound awv-logdet --report page.html": "a theorem of your choice, and a page",
}


@click.command("play", cls=CommandWithExamples, examples=EXAMPLES)
@click.argument("learner", shell_complete=specs("learner"))
@click.argument("adversary", required=False, shell_complete=specs("adversary"))
@game_options(**USUAL_GAME)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of both sides' randomness.")
@click.option(
    "--seeds",
    type=whole_number,
    help="Play this many seeds, from --seed on, on all processors, and judge them together.",
)
@click.option("--all-adversaries", is_flag=True, help="Play every adversary in turn, and rank them by the regret.")
@bound_option("the learner's own")
@match_options
@name_option
@cluster_option
@report_option
@save_option
@json_option
@traceback_option
def play_match(
    learner: str,
    adversary: str | None,
    seed: int,
    seeds: int | None,
    all_adversaries: bool,
    bound: tuple[str, ...],
    name: str | None,
    cluster: str | None,
    cluster_wait: float | None,
    report: Path | None,
    save: Path | None,
    json_wanted: bool,
    traceback: bool,
    **others: Any,
) -> None:
    """Play LEARNER against ADVERSARY, or --all-adversaries, measure the regret and judge it.

    Both are specs: a name (see `arena list`), a name with parameters such as "greedy(starts=64)", or a class of your
    own, "./mine.py:MyLearner(rate=0.1)" or "package.module:MyLearner".
    """
    if all_adversaries and (adversary or seeds is not None):
        what = "no ADVERSARY" if adversary else "one --seed at a time, not --seeds"
        raise UserError(f"--all-adversaries plays every adversary with its usual parameters: it takes {what}")
    if not (adversary or all_adversaries):
        raise click.UsageError("Missing argument 'ADVERSARY' (arena list adversaries), or --all-adversaries.")
    if cluster and seeds is None and not all_adversaries:
        raise UserError("--cluster plays many matches: add --seeds N, or --all-adversaries")
    repeated, fields = split(others)
    request = Request(
        learner=learner,
        adversary=adversary or "",
        seed=seed,
        seeds=1 if seeds is None else seeds,
        bounds=read_bounds(bound),
        output=Output(report, save, json_wanted, traceback),
        repeated=repeated,
        fields=game_fields(fields),
        cluster=(cluster, cluster_wait),
        name=name,
    )
    sys.exit(play_all(request) if all_adversaries else _play_one(request) if seeds is None else play_many(request))


def _play_one(request: Request) -> int:
    """Play and judge one match, print the result, write its files, and return the exit code."""
    output, rounds = request.output, request.fields.get("rounds", Game.rounds)
    console = terminal(err=True, quiet=output.json_wanted)
    exact, isolate = request.repeated["exact"], request.repeated["isolate"]
    if isolate:
        print_isolation_note(console)
    note = memory_note(request.learner, rounds, adversary=request.adversary, exact=exact, isolate=isolate)
    if note and not isolate:
        console.print(in_options(note), style="yellow", soft_wrap=True)
    # one factor for the match and for theorems that need ridge regression on the same points
    with MatchProgress(console, rounds) as progress, shared_factors():
        try:
            with reporting(progress.read):
                run = play(
                    request.learner,
                    request.adversary,
                    seed=request.seed,
                    progress=progress,
                    watch=progress.certify,
                    effort=Effort(HINDSIGHT_TIME, notice=progress.say, interval_cache=IntervalCacheOnDisk()),
                    **request.options,
                )
            interrupted = False
        except Interrupted as interruption:
            run, interrupted = interruption.transcript, True
        with writing_lock:
            output.write_transcript(run)  # saved first: judging may take longer than playing
        if not interrupted:
            try:
                judgement = judged(run, request.bounds)
            except KeyboardInterrupt:
                interrupted = True
        cut_short = interrupted and run.ended != "interrupted"
        if interrupted:
            run, judgement = judged_soon(run, request.bounds)
    # saved again with the judgement, and hindsights that judging has computed
    keep = bool(judgement.verdicts) or not interrupted
    with writing_lock if interrupted else contextlib.nullcontext():
        code = finish(run, judgement, output, request.bounds, keep=keep, interrupted=interrupted)
        if cut_short:
            click.echo(after_the_last_round(run, judgement, saved=output.save), err=True)
    return code


def judged_soon(run: Transcript, bounds: tuple[str, ...]) -> tuple[Transcript, Judgement]:
    """Judge a match that Ctrl-C interrupted, and leave out whatever takes too long; return the match and the judgement.

    `bounds` has the texts of --bound. At most `AT_ONCE` (0.3) seconds are spent on the regret and the verdicts, and
    then at most 0.3 seconds on the regrets to named comparators.
    """
    found, judgement = run, None
    run.comparator.effort = Effort()  # intervals stay as narrow as they are
    with contextlib.suppress(OutOfTime, KeyboardInterrupt), time_limit(AT_ONCE):
        judgement = run.judgement(bounds)
        run.summary()  # computes the regret, which is printed later, within the time limit
    with contextlib.suppress(OutOfTime, KeyboardInterrupt), time_limit(AT_ONCE):
        comparisons(run)
    if judgement is None:
        found = replace(run, hindsight_mode="none")
        judgement = replace(judgement_of(found, "none", lower="none" not in bounds), claims=bounds)
    leave_out_comparators(found, "Ctrl-C came before it was computed", known=run)
    return found, judgement


def after_the_last_round(run: Transcript, judgement: Judgement, *, saved: Path | None) -> str:
    """Return the message for a match that Ctrl-C interrupted while it was judged; `saved` is its file, if any."""
    where = "" if saved is None else f" in {saved}"
    regret = "" if judgement.verdicts or run.hindsight_mode != "none" else "; regret and verdicts were not computed"
    again = "arena judge computes the rest" if saved is not None else "the same command computes the rest"
    return f"Interrupted after the last round: all {run.rounds:,} rounds are kept{where}{regret}; {again}"

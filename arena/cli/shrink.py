"""`arena shrink FILE.npz [LEARNER]`: shrinks a saved match to a short sequence on which the learner still fails."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.cli.command_line import INTERRUPTED
from arena.cli.completion import specs
from arena.cli.failures import folder_option
from arena.cli.options import json_option, trust_option
from arena.cli.output import picked, print_json, print_reserved, reserve_stdout
from arena.cli.replay import learner_of
from arena.cli.translation import in_options
from arena.counterexamples.failures import Failures
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking import Shrunk
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.errors import ArenaError, printable
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript
from arena.specs.building import build


@click.command("shrink")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.npz")
@click.argument("learner", required=False, shell_complete=specs("learner"))
@click.option(
    "--bound", metavar="NAME", help="The theorem that is violated  [default: a forfeit, or a theorem of the learner]"
)
@click.option(
    "--budget", type=float, default=60.0, show_default=True, help="Seconds, after which the smallest so far is taken."
)
@click.option("--keep", is_flag=True, help="Keep it among the failures (arena failures).")
@folder_option
@json_option
@trust_option
def shrink_file(
    file: Path,
    learner: str | None,
    bound: str | None,
    budget: float,
    keep: bool,
    folder: Path,
    json_wanted: bool,
    trust: bool,
) -> None:
    """Shrink a saved match in which the learner failed, and print a script that repeats the failure.

    Shrinking looks for fewer rounds, then for fewer different points, then for rounder numbers. After Ctrl-C the
    smallest match found so far is printed. The exit code is 1 if the learner failed again.
    """
    if not json_wanted:
        reserve_stdout(click.get_current_context())  # only the script is written to standard output
    if bound is not None:
        build("theorem", bound)  # raises an error for a misspelt name before a large file is read
    worst = Transcript.load(file, trust=trust)
    name, store = learner or learner_of(worst, trust=trust), Failures(folder, trust=trust)
    result = shrink_and_keep(name, worst, bound, budget=budget, store=store if keep else None)
    if result.shrunk is None or result.problem:
        raise ArenaError(result.problem)
    shrunk = result.shrunk
    where = store.file(result.failure) if result.failure else None
    if json_wanted:
        print_json(as_json(shrunk) | {"kept": where})
    else:
        print_reserved(reproduction(shrunk, file=where).rstrip("\n"))
        click.echo(printable(in_options(str(shrunk))), err=True)
    sys.exit(INTERRUPTED if shrunk.interrupted else 1)


def as_json(shrunk: Shrunk) -> dict[str, object]:
    """Return the shrunk match, the learner's failure in it, and the effort of the shrinking, as plain values.

    The key "script" has a script that repeats the failure.
    """
    run = shrunk.smallest
    return {
        **picked(run, "learner seed"),
        **picked(shrunk, "rounds points labels theorem verdict reason steps seconds finished interrupted"),
        "game": game_as_json(run.game),
        "shrunk_from": shrunk.worst.rounds,
        "script": reproduction(shrunk),
    }

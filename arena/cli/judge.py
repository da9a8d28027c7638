"""`arena judge FILE.npz`: judges a saved match."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.files import Files
from arena.cli.options import (
    bound_option,
    comparator_option,
    json_option,
    read_bounds,
    read_comparators,
    report_option,
    trust_option,
)
from arena.cli.output import print_json, terminal
from arena.cli.result import as_json, finish, print_result
from arena.record.comparing import comparisons, with_comparators
from arena.record.transcript import Transcript


@click.command("judge")
@click.argument("transcript", type=click.Path(path_type=Path), metavar="FILE.npz")
@bound_option("the learner's own")
@comparator_option
@report_option
@json_option
@trust_option
def judge(
    transcript: Path,
    bound: tuple[str, ...],
    comparators: tuple[str, ...],
    report: Path | None,
    json_wanted: bool,
    trust: bool,
) -> None:
    """Judge a match that `arena play --save FILE.npz` kept; nothing is played."""
    bounds = read_bounds(bound)
    files = Files.checked(report, None, reads=transcript)
    wanted = read_comparators(comparators)
    run = Transcript.load(transcript, trust=trust)
    run.comparators = with_comparators(run.comparators, wanted)
    verdicts = run.verdicts(bounds)
    comparisons(run)  # computed here, where errors of a user's model become messages; the match keeps them
    files.write(run, bounds, verdicts)
    lower = run.lower_verdicts(bounds)
    if json_wanted:
        print_json(as_json(run, verdicts, lower, bounds))
    else:
        print_result(terminal(), run, verdicts, lower, bounds, files=files)
    finish(run, verdicts, lower, bounds)

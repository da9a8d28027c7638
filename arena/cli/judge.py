"""`arena judge FILE.npz`: judges a saved match."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from arena.cli.files import Output, report_option
from arena.cli.options import (
    bound_option,
    json_option,
    match_option,
    read_bounds,
    trust_option,
)
from arena.cli.result import finish
from arena.record.comparing import judged, with_comparators
from arena.record.transcript import Transcript


@click.command("judge")
@click.argument("transcript", type=click.Path(path_type=Path), metavar="FILE.npz")
@bound_option("the learner's own", default="those by which it was judged when it was saved")
@match_option("comparators")
@report_option
@json_option
@trust_option
def judge(
    transcript: Path,
    bound: tuple[str, ...],
    comparators: tuple[Any, ...],
    report: Path | None,
    json_wanted: bool,
    trust: bool,
) -> None:
    """Judge a match that `arena play --save FILE.npz` kept; nothing is played."""
    bounds = read_bounds(bound) if bound else None
    output = Output(report, json_wanted=json_wanted)
    output.check_differs_from(transcript)
    run = Transcript.load(transcript, trust=trust)
    run.comparators = with_comparators(run.comparators, comparators)
    sys.exit(finish(run, judged(run, bounds), output, bound))

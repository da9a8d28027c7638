"""`arena judge FILE.npz`: judges a saved match."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from arena.cli.files import Files, report_option
from arena.cli.judged import JudgedTranscript
from arena.cli.options import (
    bound_option,
    comparator_option,
    json_option,
    read_bounds,
    trust_option,
)
from arena.cli.output import print_json, terminal
from arena.cli.result import as_json, code_of, print_result
from arena.record.comparing import with_comparators
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
    comparators: tuple[Any, ...],
    report: Path | None,
    json_wanted: bool,
    trust: bool,
) -> None:
    """Judge a match that `arena play --save FILE.npz` kept; nothing is played."""
    bounds = read_bounds(bound)
    files = Files(report, None)
    files.check_differs_from(transcript)
    run = Transcript.load(transcript, trust=trust)
    run.comparators = with_comparators(run.comparators, comparators)
    judged = JudgedTranscript.of(run, bounds)
    judged.write_page(files)
    if json_wanted:
        print_json(as_json(judged))
    else:
        print_result(terminal(), judged, files=files)
    sys.exit(code_of(judged))

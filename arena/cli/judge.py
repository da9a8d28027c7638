"""`arena judge FILE.npz`: a saved match, judged again."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.errors import told_to_the_user
from arena.cli.outcome import check_outputs, finish, theorems_asked_for
from arena.cli.result import tell, write_files
from arena.record.transcript import Transcript


@click.command("judge", short_help="Judge a match that `arena play --save FILE.npz` kept.")
@click.argument("transcript", type=click.Path(path_type=Path), metavar="FILE.npz")
@click.option("--bound", multiple=True, metavar="auto|NAME|none", help="Theorem to judge by; may be repeated.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE.html", help="Write a page with pictures.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--trust", is_flag=True, help="Run code that the file names: a kernel or theorem of your own.")
def judge(transcript: Path, bound: tuple[str, ...], report: Path | None, json_wanted: bool, trust: bool) -> None:
    """Judge a match that `arena play --save FILE.npz` kept; nothing is played."""
    with told_to_the_user():
        theorems = theorems_asked_for(bound)
        check_outputs(report, None)
        run = Transcript.load(transcript, trust=trust)
        verdicts = run.verdicts(theorems)
        write_files(run, theorems, report, None)
    tell(run, verdicts, bound, report=report, save=None, json_wanted=json_wanted)
    finish(run, verdicts)

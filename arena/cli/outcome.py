"""What every command that ends in verdicts needs: which theorems, where to write, and which exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from arena.cli.errors import Mistake
from arena.errors import ArenaError
from arena.record.theorem import Verdict
from arena.record.transcript import Transcript
from arena.specs.building import build

INTERRUPTED = 130  # the exit code after Ctrl-C, as shells have it


def theorems_asked_for(bound: tuple[str, ...]) -> Any:
    """What --bound says, checked before anything is played."""
    if len(bound) > 1 and "none" in bound:
        raise ArenaError("--bound none says that nothing is judged; it cannot stand beside other bounds")
    for name in bound:
        if name not in ("auto", "none"):
            build("theorem", name)  # a misspelt name should not cost a match
    return bound[0] if len(bound) == 1 else bound or "auto"


def check_outputs(report: Path | None, save: Path | None) -> None:
    """Before the match: a path that cannot be written should not cost what was played."""
    for option, path, endings in (("--report", report, (".html", ".htm")), ("--save", save, (".npz",))):
        if path is None:
            continue
        if path.suffix.lower() not in endings and not path.is_dir():
            raise Mistake(f"{option} {path}: its name must end in {endings[0]}, which is what is written")
        if path.is_dir():
            raise Mistake(f"{option} {path} is a folder; name a file in it")
        if not path.parent.is_dir():
            raise Mistake(f"{option} {path}: there is no folder {path.parent}. Make it first, or choose another.")
        if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            raise Mistake(f"{option} {path}: it may not be written. Choose another path, or change its permissions.")


def finish(run: Transcript, verdicts: list[Verdict], *, interrupted: bool = False, traceback: bool = False) -> NoReturn:
    """End the program, with a word on where an exception came from if that is wanted."""
    if traceback and run.forfeit and run.forfeit.details:
        click.echo(run.forfeit.details, err=True)
    sys.exit(INTERRUPTED if interrupted else exit_code(run, verdicts))


def exit_code(run: Transcript, verdicts: list[Verdict]) -> int:
    """0 fine, 1 a bound violated or a forfeit."""
    return 1 if run.forfeit or any(verdict.violated for verdict in verdicts) else 0

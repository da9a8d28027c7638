"""The options --report and --save, and the files that they name.

The paths are checked before a match. They are relative to the folder in which the command started.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.command_line import UserError
from arena.cli.output import markup
from arena.errors import ArenaError
from arena.guards.whole_files import check_replaceable, reason, refuse_address, working_folder
from arena.record.judgement import Judgement
from arena.record.storage import is_transcript
from arena.record.transcript import Transcript

ENDINGS = {"--report": (".html", ".htm"), "-o": (".html", ".htm"), "--save": (".npz",)}


@dataclass(frozen=True)
class Output:
    """What a command makes of a match: the options --report, --save, --json and --traceback.

    Relative paths start at `folder`.
    """

    report: Path | None = None
    save: Path | None = None
    json_wanted: bool = False
    traceback: bool = False
    # in which the command started: a player may change the working folder
    folder: Path = field(default_factory=working_folder)

    def check_differs_from(self, file: Path) -> None:
        """Raise a `UserError` if one of the paths is that of `file`, which the command reads."""
        for option, path in (("--report", self.report), ("--save", self.save)):
            if path is not None and path.exists() and file.exists() and path.samefile(file):
                raise UserError(f"{option} {path} is the file that is read: choose another name, to keep both")

    def write_transcript(self, run: Transcript) -> None:
        """Write the transcript to the file that --save names, if it names one."""
        if self.save is not None:
            run.save(self.folder / self.save)

    def write_page(self, run: Transcript, judgement: Judgement) -> None:
        """Write an HTML page about the match to the file that --report names, if it names one."""
        if self.report is not None:
            from arena.reports.page import write_report

            write_report(run, self.folder / self.report, judgement=judgement)

    def print_paths(self, console: Console, *, match: str = "") -> None:
        """Print the paths of the files, and the text `match`, which says which of several matches they contain."""
        for label, path in (("Report", self.report), ("Saved", self.save)):
            if path is not None:
                console.print(f"{label}{match and f' ({match})'}: {markup(path)}")


def check_path(option: str, path: Path) -> None:
    """Raise a `UserError` if no file can be written to `path`, or if this would replace a file of another program.

    `option` is --report or --save, for which `path` was given.
    """
    endings = ENDINGS[option]
    try:
        refuse_address(path)
        if path.is_dir():
            raise UserError(f"{option} {path} is a folder; name a file in it")
        if path.suffix.lower() not in endings:
            raise UserError(f"{option} {path}: its name must end in {endings[0]}, the format that is written")
        if not path.parent.is_dir():
            raise UserError(f"{option} {path}: there is no folder {path.parent}. Make it first, or choose another.")
        if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            raise UserError(f"{option} {path}: it may not be written. Choose another path, or change its permissions.")
        check_replaceable(path, is_transcript if option == "--save" else _is_page)
    except ArenaError as error:
        raise UserError(f"{option}: {error}") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{option} {path}: {reason(error)}. Choose another path.") from None


class OutputPath(click.Path):
    """The type of an option that names a file to write; `check_path` checks the path."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; raise a `UserError` if it cannot be written. While a shell completes, nothing is checked."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if param is not None and not (ctx is not None and ctx.resilient_parsing):
            check_path(param.opts[0], path)
        return path


report_option = click.option("--report", type=OutputPath(), metavar="FILE.html", help="Write a page with pictures.")
save_option = click.option("--save", type=OutputPath(), metavar="FILE.npz", help="Keep the transcript.")


def _is_page(head: bytes) -> bool:
    from arena.reports.page import is_page

    return is_page(head)

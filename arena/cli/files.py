"""Writes the files that --report and --save name.

The paths are checked before a match. They are relative to the folder in which the command started.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from arena.cli.command_line import UserError
from arena.cli.judged import JudgedTranscript
from arena.cli.output import markup
from arena.errors import ArenaError
from arena.record.storage import check_replaceable, is_transcript, reason, working_folder
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript

ENDINGS = {"--report": (".html", ".htm"), "--save": (".npz",)}


@dataclass(frozen=True)
class Files:
    """The paths of --report and --save as they were given; relative paths start at `folder`."""

    report: Path | None
    save: Path | None
    folder: Path  # in which the command started: a player may change the working folder

    @classmethod
    def checked(cls, report: Path | None, save: Path | None, *, reads: Path | None = None) -> Files:
        """Return the `Files` with these paths.

        Raise a `UserError` if a path cannot be written, or if it is `reads`, the file that the command reads.
        """
        for option, path in (("--report", report), ("--save", save)):
            if path is None:
                continue
            try:
                _check(option, path)
                if reads is not None and path.exists() and reads.exists() and path.samefile(reads):
                    raise UserError(f"{option} {path} is the file that is read: choose another name, to keep both")
                check_replaceable(path, is_transcript if option == "--save" else _is_page)
            except ArenaError as error:
                raise UserError(f"{option}: {error}") from None
            except (OSError, ValueError) as error:
                raise UserError(f"{option} {path}: {reason(error)}. Choose another path.") from None
        return cls(report, save, working_folder())

    def write_transcript(self, run: Transcript) -> None:
        """Write the transcript to the file that --save names, if it names one."""
        if self.save is not None:
            run.save(self.folder / self.save)

    def write_page(self, judged: JudgedTranscript) -> None:
        """Write the page of a match to the file that --report names, if it names one."""
        if self.report is not None:
            from arena.reports.page import write_report

            path = self.folder / self.report
            bounds: list[str | Theorem] = [*judged.bounds, *judged.further]
            write_report(judged.run, path, bound=bounds, verdicts=judged.verdicts, lower=judged.lower)

    def print(self, console: Console, *, match: str = "") -> None:
        """Print the paths of the files, and the text `match`, which says which of several matches they contain."""
        for label, path in (("Report", self.report), ("Saved", self.save)):
            if path is not None:
                console.print(f"{label}{match and f' ({match})'}: {markup(path)}")


def _check(option: str, path: Path) -> None:
    endings = ENDINGS[option]
    if path.suffix.lower() not in endings and not path.is_dir():
        raise UserError(f"{option} {path}: its name must end in {endings[0]}, the format that is written")
    if path.is_dir():
        raise UserError(f"{option} {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise UserError(f"{option} {path}: there is no folder {path.parent}. Make it first, or choose another.")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UserError(f"{option} {path}: it may not be written. Choose another path, or change its permissions.")


def _is_page(head: bytes) -> bool:
    from arena.reports.page import is_page

    return is_page(head)

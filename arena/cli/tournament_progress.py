"""Progress of a tournament: a live bar on a terminal, a plain line every ten seconds elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console

from arena.cli.progress import PLAIN_EVERY, LiveBar

if TYPE_CHECKING:
    from arena.tournament.running import Report


class TournamentProgress(LiveBar):
    """Context manager that prints how many matches are done, failed, skipped and left, and the time left.

    It also prints how many matches each worker has played.
    """

    def __init__(self, console: Console, matches: int):
        super().__init__()
        self.console = console
        self.last = time.monotonic()
        if console.is_terminal and not console.quiet:
            from rich.progress import BarColumn, Progress, TextColumn

            columns = BarColumn(), TextColumn("{task.description}")
            self.bar = self.enter_context(Progress(*columns, console=console, transient=True))
            self.task = self.bar.add_task("", total=matches)

    def __call__(self, report: Report) -> None:
        """Show how many matches are done, failed, skipped and left; without a terminal, at most once in ten seconds."""
        if self.bar:
            self.bar.update(self.task, completed=report.total - report.left, description=in_words(report))
        elif time.monotonic() - self.last >= PLAIN_EVERY:
            self.last = time.monotonic()
            self.console.print(in_words(report), soft_wrap=True)


def in_words(report: Report) -> str:
    """Return the report as one line.

    >>> from arena.tournament.running import Report
    >>> in_words(Report(total=10, kept=2, done=5, failed=1, skipped=0, seconds_left=61.0, workers={0: 2, 1: 3}))
    '7 of 10 matches done (2 kept before), 1 failed, 0 skipped, 2 left, about 1:01 left; workers: 2, 3'
    """
    parts = [
        f"{report.kept + report.done:,} of {report.total:,} matches done ({report.kept:,} kept before)",
        f"{report.failed:,} failed",
        f"{report.skipped:,} skipped",
        f"{report.left:,} left",
    ]
    if report.seconds_left is not None:
        parts.append(f"about {_clock(report.seconds_left)} left")
    counts = ", ".join(f"{count:,}" for count in report.workers.values())
    return ", ".join(parts) + (f"; workers: {counts}" if counts else "")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(min(seconds, 1e9)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

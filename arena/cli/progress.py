"""Progress of a match or tournament: a live bar on a terminal, a plain line every ten seconds elsewhere."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from arena.cli.translation import in_options

if TYPE_CHECKING:
    from arena.tournament.running import Report

PLAIN_EVERY = 10.0  # seconds between plain lines
REDRAW_EVERY = 0.1


class LiveBar(ExitStack):
    """Context manager that shows `bar`, a progress bar with these columns; without a terminal `bar` is None."""

    bar: Progress | None = None
    task: TaskID  # of the bar

    def __init__(self, console: Console, *columns: ProgressColumn):
        super().__init__()
        self.console, self.last = console, time.monotonic()
        if console.is_terminal and not console.quiet:
            self.bar = self.enter_context(Progress(*columns, console=console, transient=True))


class MatchProgress(LiveBar):
    """Context manager that prints the number of rounds or matches played, the number per second, and the time left."""

    def __init__(self, console: Console, rounds: int, unit: str = "rounds"):
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        super().__init__(console, *columns, TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
        self.rounds, self.unit = rounds, unit
        self.started = self.last
        self.first: tuple[int, float] | None = None  # rounds and time of the first report: a match may be continued
        self.work = ""  # the step of the hindsight
        self.opened: float | None = None  # when reading a file began
        if self.bar:
            self.task = self.bar.add_task("playing", total=rounds, rate="")
        self.every = REDRAW_EVERY if self.bar else PLAIN_EVERY  # seconds between two reports that are printed

    def __call__(self, done: int) -> None:
        """Report that `done` rounds, or matches, have been played."""
        now = time.monotonic()
        before, since = self.first or (0, self.started)
        self.first = self.first or (done, now)
        if now - self.last < self.every:
            return
        rate = max(done - before, 1) / max(now - since, 1e-9)
        left = (self.rounds - done) / rate
        line = f"{done:,} of {self.rounds:,} {self.unit}, {_readable(rate)} a second, about {left:,.0f} s left"
        self._show(line, "playing", done, self.rounds, f"{_readable(rate)} {self.unit}/s")

    def _show(self, line: str, description: str, done: int, total: int, rate: str) -> None:
        """Update the bar; without one, print the line."""
        self.last = time.monotonic()
        if self.bar:
            self.bar.update(self.task, description=description, completed=done, total=total, rate=rate)
        else:
            self.console.print(line, markup=False, soft_wrap=True)

    def read(self, name: str, share: float, rows: int) -> None:
        """Report that `rows` rows of the data file `name` have been read.

        `share` is the part of the file that has been read, from 0 to 1.
        """
        now = time.monotonic()
        self.opened = self.opened or now
        self.started = now  # playing starts after the last report of reading
        if now - self.last < self.every or not share > 0.0:
            return
        rate = rows / max(now - self.opened, 1e-9)
        left = (now - self.opened) * (1.0 - share) / share
        line = f"reading {name}: {share:.0%}, {_readable(rate)} rows a second, about {left:,.0f} s left"
        self._show(line, f"reading {name}", rows, int(rows / share), f"{_readable(rate)} rows/s")

    def say(self, sentence: str) -> None:
        """Print a line, above the bar if there is one."""
        self.console.print(in_options(sentence), style="dim", markup=False, soft_wrap=True)

    def certify(self, work: str, done: int, rows: int) -> None:
        """Show the progress of a step (described by `work`) in computing the best loss in hindsight.

        The step has processed `done` of the `rows` rows of a matrix.
        """
        if time.monotonic() - self.last < self.every and (done < rows or not self.bar):
            return
        if self.bar and work != self.work:  # the time left is that of this step
            self.bar.reset(self.task, total=rows)
            self.work = work
        self._show(f"hindsight: {work}, {done:,} of {rows:,} rows", f"hindsight: {work}", done, rows, "rows")


class TournamentProgress(LiveBar):
    """Context manager that prints how many matches are done, failed, skipped and left, and the time left.

    It also prints how many matches each worker has played.
    """

    def __init__(self, console: Console, matches: int):
        super().__init__(console, BarColumn(), TextColumn("{task.description}"))
        if self.bar:
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


def _readable(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"

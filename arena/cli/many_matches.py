"""Functions for `arena play` with many seeds or all adversaries: progress, the worst match, missing matches."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from arena.cli.cluster import cluster_of
from arena.cli.ending import AT_ONCE
from arena.cli.files import Files
from arena.cli.isolation_note import print_isolation_note
from arena.cli.output import terminal
from arena.cli.progress import MatchProgress
from arena.cli.request import Request
from arena.engine.match import play
from arena.guards.clock import OutOfTime, time_limit
from arena.hindsight.narrowing import Effort
from arena.record.transcript import Transcript


@contextlib.contextmanager
def playing_many(request: Request, matches: int, *, quiet: bool) -> Iterator[dict[str, Any]]:
    """Context manager: shows the progress of matches, and connects to the cluster if --cluster is given.

    It yields keyword arguments for the functions that play many matches, `play_series` and `leaderboard`.
    """
    console = terminal(err=True, quiet=quiet)
    if request.repeated["isolate"]:
        print_isolation_note(console)
    with (
        cluster_of(request.cluster, request.cluster_wait) as connected,
        MatchProgress(console, matches, "matches") as progress,
    ):
        shared = {"seed": request.seed, "bound": request.bounds, "progress": progress, "cluster": connected}
        yield shared | request.options


def play_worst(
    request: Request, adversary: str, seed: int, files: Files, *, interrupted: bool = False
) -> Transcript | None:
    """Play the worst match (that of `adversary` and `seed`) again, write `files`, and return the transcript.

    `interrupted` means that Ctrl-C was pressed. Then playing and writing have only `AT_ONCE` (0.3) seconds; if these
    do not suffice, files may be missing, and the result is None.
    """
    if not interrupted:
        return _play_again(request, adversary, seed, files)
    with contextlib.suppress(OutOfTime, KeyboardInterrupt), time_limit(AT_ONCE):
        return _play_again(request, adversary, seed, files)
    return None


def _play_again(request: Request, adversary: str, seed: int, files: Files) -> Transcript:
    # without an effort, the interval of its regret is as wide as when it was played first
    run = play(request.learner, adversary, seed=seed, effort=Effort(), **request.options)
    if files.report is not None or files.save is not None:
        files.write_page(run, run.judgement(request.bounds))
    files.write_transcript(run)
    return run


def print_gaps(console: Console, played: str, missing: str, *, interrupted: bool) -> None:
    """Print which matches are missing and, if Ctrl-C interrupted the command, how many were played.

    `played` is that number as a text, such as "3 of 10". `missing` names the matches whose process was killed; it may
    be empty.
    """
    if interrupted:
        console.print(f"[bold yellow]Interrupted:[/] {played} matches were played.")
    if missing:
        console.print(f"[bold red]Missing:[/] the process that played it was killed, twice: {missing}")

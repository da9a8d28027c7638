"""The arguments of `arena play`, and functions for many seeds or all adversaries: progress, the worst match."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from arena.cli.cluster import cluster_of
from arena.cli.ending import AT_ONCE
from arena.cli.files import Output
from arena.cli.isolation_note import print_isolation_note
from arena.cli.output import terminal
from arena.cli.progress import MatchProgress
from arena.engine.match import play
from arena.guards.clock import OutOfTime, time_limit
from arena.hindsight.narrowing import Effort
from arena.record.transcript import Transcript
from arena.specs.spelling import name_of


@dataclass(frozen=True, kw_only=True)
class Request:
    """The checked arguments of `arena play`.

    `bounds` has the texts of --bound, `repeated` the options declared in `arena.record.repeating`, `fields` the fields
    of the game, `cluster` the values of --cluster and --cluster-wait, and `name` the text of --name.
    """

    learner: str
    adversary: str
    seed: int
    seeds: int
    bounds: tuple[str, ...]
    output: Output
    repeated: dict[str, Any]
    fields: dict[str, Any]
    cluster: tuple[str | None, float | None]
    name: str | None

    @property
    def learner_name(self) -> str:
        """The learner's name in headings, if no match was played that knows it."""
        return name_of(self.learner, self.name)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that `play`, `play_series` and `leaderboard` have in common."""
        return {**self.repeated, "name": self.name, **self.fields}


@contextlib.contextmanager
def playing_many(request: Request, matches: int) -> Iterator[dict[str, Any]]:
    """Context manager: shows the progress of matches, and connects to the cluster if --cluster is given.

    It yields keyword arguments for the functions that play many matches, `play_series` and `leaderboard`.
    """
    console = terminal(err=True, quiet=request.output.json_wanted)
    if request.repeated["isolate"]:
        print_isolation_note(console)
    with cluster_of(*request.cluster) as connected, MatchProgress(console, matches, "matches") as progress:
        shared = {"seed": request.seed, "bound": request.bounds, "progress": progress, "cluster": connected}
        yield shared | request.options


def play_worst(request: Request, adversary: str, seed: int, *, interrupted: bool = False) -> Transcript | None:
    """Play the worst match (that of `adversary` and `seed`) again, write its files, and return the transcript.

    `interrupted` means that Ctrl-C was pressed. Then playing and writing have only `AT_ONCE` (0.3) seconds; if these
    do not suffice, files may be missing, and the result is None.
    """
    if not interrupted:
        return _play_again(request, adversary, seed)
    with contextlib.suppress(OutOfTime, KeyboardInterrupt), time_limit(AT_ONCE):
        return _play_again(request, adversary, seed)
    return None


def _play_again(request: Request, adversary: str, seed: int) -> Transcript:
    # without an effort, the interval of its regret is as wide as when it was played first
    run = play(request.learner, adversary, seed=seed, effort=Effort(), **request.options)
    if request.output.report or request.output.save:  # the file has the judgement, too
        request.output.write_page(run, run.judgement(request.bounds))
    request.output.write_transcript(run)
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

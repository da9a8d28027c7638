"""`arena hunt LEARNER`: searches for a match in which a learner breaks a theorem."""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.status import Status

from arena.cli.cluster import cluster_of
from arena.cli.command_line import INTERRUPTED, NOTHING_DECIDED
from arena.cli.completion import specs
from arena.cli.options import (
    cluster_option,
    game_fields,
    game_options,
    json_option,
    name_option,
    parameters_option,
    whole_number,
)
from arena.cli.output import COMMAND, mark, markup, picked, print_json, terminal
from arena.cli.result import game_and_seed
from arena.counterexamples.failures import FOLDER, Failure, Failures
from arena.counterexamples.reproduction import array_text, script
from arena.counterexamples.shrinking import Shrunk
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.errors import ArenaError, number_of
from arena.guards.whole_files import make_folder, working_folder
from arena.hunt import Closest, Hunt, Violation, hunt
from arena.hunt.target import Parameters
from arena.record.commands import command_for_file
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript

SHRINKING_SECONDS = 10.0  # seconds
SHOWN = 6  # most rounds of a shrunk sequence that is printed


@click.command("hunt")
@click.argument("learner", shell_complete=specs("learner"))
@click.option(
    "--bound",
    multiple=True,
    metavar="NAME",
    help="Theorem to break, also one that LEARNER does not promise; may be repeated.  [default: the learner's own]",
)
@click.option("--budget", type=float, default=60.0, show_default=True, help="Seconds to spend.")
@click.option("--matches", type=whole_number, help="Matches to spend instead: reproducible, unlike seconds.")
@game_options(
    rounds="2100 in the longest match",
    dimension="varied",
    box="varied",
    features="none",
    kernel="varied",
    regularisation="varied",
    label_bound="varied",
    prediction_bound="B",
    loss="squared, and others of which a theorem speaks",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Play the failures in this folder first, and keep violations and the closest matches there  "
    f"[default: keep violations only, in {FOLDER}]",
)
@parameters_option
@name_option
@cluster_option
@json_option
def hunt_learner(
    learner: str,
    bound: tuple[str, ...],
    budget: float,
    matches: int | None,
    seed: int,
    save: Path | None,
    parameters: Parameters,
    name: str | None,
    cluster: str | None,
    cluster_wait: float | None,
    json_wanted: bool,
    **fields: Any,
) -> None:
    """Look for a match in which LEARNER breaks a theorem, among many adversaries, games and sequences.

    Fields of the game that are given as options stay fixed; the other fields are varied as far as the theorems allow.
    With a demand, such as "at-most(regret=100)" or "at-most(regret=5, comparator=constant)", fields that are not given
    keep their defaults, and only the moves vary. A match that breaks a theorem is shrunk. The exit code is 1 if a
    theorem or a rule is broken. It is 0 if no such match was found, which proves nothing. It is 2 if no theorem applied
    to any match, so that nothing was tested.
    """
    started, files = time.monotonic(), Kept(save or Path(FOLDER))
    console = terminal(err=True, quiet=json_wanted)
    with cluster_of(cluster, cluster_wait) as connected, _Progress(console) as progress:
        found = hunt(
            learner,
            list(bound) or None,
            budget=budget,
            matches=matches,
            seed=seed,
            kept=save,
            parameters=parameters,
            on_progress=progress,
            cluster=connected,
            name=name,
            **game_fields(fields),
        )
        left = min(SHRINKING_SECONDS, max(budget - (time.monotonic() - started), 2.0))
        keep(files, found, learner, left, closest_too=save is not None)
    if json_wanted:
        print_json(found.as_json() | files.as_json())
    else:
        print_hunt(terminal(), found, files)
    sys.exit(1 if found.violation else INTERRUPTED if found.interrupted else 0 if found.applied else NOTHING_DECIDED)


@dataclass
class Kept:
    """The files that a hunt wrote, and the smallest sequence on which the learner fails."""

    folder: Path
    start: Path = field(default_factory=working_folder)  # absolute, since a learner may change the working folder
    store: Failures = field(init=False)
    elusive: bool = False  # whether the learner passed when the moves were played again
    whole: str = ""  # why the violation is not shrunk
    trouble: str = ""  # why nothing could be written
    small: Shrunk | None = None
    failure: Failure | None = None
    violation: Path | None = None
    found: Violation | None = None
    closest: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store = Failures(self.folder)

    @property
    def file(self) -> Path | None:
        """The file of the shrunk match, or else of the violating match before shrinking; None if there is no file."""
        return self.store.file(self.failure) if self.failure else self.violation

    @property
    def replay(self) -> str | None:
        """The command that replays the violating match, shrunk if possible, from its file.

        It is None if there is no file, or if the learner did not fail when the match was played again.
        """
        if self.file is None or self.found is None or self.elusive:
            return None
        run = self.small.smallest if self.small else self.found.transcript
        if run is None:
            return None
        one_by_one = self.small is None or self.small.one_by_one
        return command_for_file(self.file, run, self.found.theorem or "auto", one_by_one=one_by_one)

    def replay_of(self, closest: Closest) -> str | None:
        """Return the command that replays the match closest to a theorem's bound; None if this match is in no file."""
        run, file = closest.transcript, self.closest.get(closest.theorem)
        if file is None or run is None:
            return None
        return command_for_file(file, run, closest.theorem)

    def as_json(self) -> dict[str, Any]:
        """Return, for JSON, the shrunk match, the paths of all files, and the command that replays the violation."""
        small = self.small
        return {
            **picked(self, "file replay"),
            "closest_files": self.closest,
            "shrunk": small
            and {
                **picked(small, "rounds points labels reason"),
                "game": game_as_json(small.smallest.game),
                "script": script(small),
            },
        }


def keep(kept: Kept, found: Hunt, learner: str, seconds: float, *, closest_too: bool) -> None:
    """Shrink the hunt's violating match for at most `seconds`, and write it to a file; the results are put in `kept`.

    With `closest_too`, also write for each theorem the match that came closest to the bound. If files cannot be
    written, the reason becomes `kept.trouble`.
    """
    violation = kept.found = found.violation
    run = violation and violation.transcript
    if violation and run and violation.single:
        with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C ends the shrinking; the match before shrinking is kept
            failing = violation.failing(learner)
            result = shrink_and_keep(
                failing, run, violation.theorem, budget=seconds, store=kept.store, own_process=True
            )
            kept.small, kept.failure, kept.elusive = result.shrunk, result.failure, result.elusive
            if kept.small and not kept.failure:
                kept.trouble = result.problem
                return
            kept.whole = result.problem
    try:
        if run and run.rounds and not kept.failure:
            kept.violation = _write(run, kept, f"{_word(found.learner)}-violation")
        for closest in found.closest if closest_too else ():
            if closest.transcript:
                name = f"{_word(found.learner)}-{_word(closest.theorem)}"
                kept.closest[closest.theorem] = _write(closest.transcript, kept, name)
    except ArenaError as error:
        kept.trouble = str(error)


def _write(run: Transcript, kept: Kept, name: str) -> Path:
    path = kept.folder / f"{name}.npz"
    make_folder(kept.start / kept.folder)
    run.save(kept.start / path)
    return path


def _word(text: str) -> str:
    """Return a short form of a spec that can be part of a file's name: letters, digits, `-` and `_`."""
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in text.rpartition("/")[2])
    return plain.strip("-")[:60]


class _Progress(contextlib.ExitStack):
    """Context manager: a status line on a terminal, with the seconds, the matches and the largest tightness so far."""

    def __init__(self, console: Console):
        super().__init__()
        shown = console.is_terminal and not console.quiet
        self.status = self.enter_context(Status("hunting", console=console)) if shown else None

    def __call__(self, so_far: Hunt) -> None:
        if self.status:
            best = max((each.tightness or 0.0 for each in so_far.closest), default=0.0)
            self.status.update(
                f"hunting: {so_far.seconds:.0f} s, {so_far.matches:,} matches, at most {best:.1%} of a bound"
            )


def print_hunt(console: Console, found: Hunt, kept: Kept) -> None:
    """Print the violation if there is one, and for each theorem the match that came closest to its bound."""
    matches = number_of(found.matches, "match", "matches")
    played = f"{matches}, {number_of(found.rounds, 'round')} in {found.seconds:.1f} s"
    console.print(f"Hunt for [bold]{markup(found.learner_name)}[/]: {played}, seed {found.seed}")
    if found.varied:
        console.print(f"Varied: {', '.join(name.replace('_', ' ') for name in found.varied)}")
    if found.parameters:
        console.print(f"Parameters varied: {', '.join(found.parameters)}")
    if found.interrupted:
        console.print("[bold yellow]Interrupted:[/] these are the results so far.")
    console.print()
    if found.violation:
        _print_violation(console, found.violation, kept)
        if found.applied:
            console.print("  Before that:")
    for closest in found.closest:
        if closest.matches or not found.violation:
            _print_closest(console, closest, kept)
    if not found.violation and not found.applied:
        few = "" if found.rounds else f" Not one round was finished in {found.seconds:.1f} s: give a larger --budget."
        console.print(f"\nNo theorem applied to any match, so nothing was tested.{few}")
    if not kept.closest and any(each.transcript and not each.command for each in found.closest):
        console.print("\n--save FOLDER keeps these matches, so that `arena replay` can repeat them.")


def _print_violation(console: Console, violation: Violation, kept: Kept) -> None:
    console.print(f"  {mark(console, 'violated')} {markup(violation.reason)}")
    if violation.transcript is not None:
        if violation.parameters:
            console.print(f"    with other parameters: [bold]{markup(violation.transcript.learner)}[/]")
        console.print(f"    by {markup(violation.adversary)}{markup(game_and_seed(violation.transcript))}")
    if violation.command:
        console.print(f"    Again: {markup(violation.command, COMMAND)}")
    if kept.small:
        console.print(f"    Shrunk: {markup(kept.small)}")
        if kept.small.rounds <= SHOWN:
            for name in ("points", "labels"):
                console.print(f"      [dim]{name} = {markup(array_text(getattr(kept.small, name), name))}[/]")
    if kept.elusive and kept.file:
        console.print(f"    Kept: {markup(kept.file)}")
        console.print(
            "    [dim]The moves alone do not make it fail again: does it toss coins of its own, or does predicting "
            "change it? Try `arena check`.[/]"
        )
    elif kept.whole:
        console.print(f"    [yellow]Not shrunk:[/] {markup(kept.whole)}")
    if kept.replay:
        console.print(f"    Again: {markup(kept.replay, COMMAND)}")
    if kept.trouble:
        console.print(f"    [yellow]Not kept:[/] {markup(kept.trouble)}")
    console.print()


def _print_closest(console: Console, closest: Closest, kept: Kept) -> None:
    if not closest.matches:
        reason = markup(f": {closest.reason}" if closest.reason else "")
        console.print(f"  {mark(console, 'not applicable')} {markup(closest.theorem)}: applied to no match{reason}")
        return
    share = "no deviation" if closest.exact else "no share"
    if closest.tightness is not None and not closest.exact:
        share = "always below 0" if closest.tightness < 0 else f"at most {closest.tightness:.2%}"
    console.print(f"  {markup(closest.theorem)}: {share} in {number_of(closest.matches, 'match', 'matches')}")
    if closest.transcript is not None:
        console.print(f"    [dim]by {markup(closest.adversary)}{markup(game_and_seed(closest.transcript))}[/]")
        if again := closest.command or kept.replay_of(closest):
            console.print(f"    [dim]Again: {markup(again, COMMAND)}[/]")

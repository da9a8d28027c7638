"""`arena hunt LEARNER`."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from arena.cli.errors import told_to_the_user
from arena.cli.outcome import INTERRUPTED
from arena.cli.play import game_option, read_field, whole_number
from arena.cli.result import SIGNS, finite, setting
from arena.counterexamples.failures import FOLDER, Failure, Failures, shrink_and_keep
from arena.counterexamples.reproduction import array_text, script
from arena.counterexamples.shrinking import Shrunk
from arena.errors import ArenaError, number_of
from arena.hunt import Closest, Hunt, Violation, hunt
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript

NOTHING_TESTED = 2
LONGEST_SHRINKING = 10.0  # seconds
SHOWN = 6  # rounds of a sequence that is printed


@click.command("hunt", short_help="Look for a match in which LEARNER breaks a theorem.")
@click.argument("learner")
@click.option(
    "--bound",
    multiple=True,
    metavar="NAME",
    help="Theorem to break, whoever plays; may be repeated.  [default: the learner's own]",
)
@click.option("--budget", type=float, default=60.0, show_default=True, help="Seconds to spend.")
@click.option("--matches", type=whole_number, help="Matches to spend instead: reproducible, unlike seconds.")
@game_option("--rounds", whole_number, "Rounds of the longest match  [default: 2100]")
@game_option("--dimension", int, "Coordinates of a point  [default: varied]")
@game_option("--box", str, "Where points may lie  [default: varied]")
@game_option("--kernel", str, "Kernel of learner and comparator, a spec  [default: varied]")
@game_option("--regularisation", float, "Lambda of the comparator  [default: varied]")
@game_option("--label-bound", float, "B, the largest label  [default: varied]")
@game_option("--prediction-bound", float, "C, to which learners clip  [default: B]")
@game_option("--loss", str, "Loss, a spec  [default: squared, and others of which a theorem speaks]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Play what is kept in this folder first, and keep what is found, and the closest matches, there  "
    f"[default: violations alone, in {FOLDER}]",
)
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object and nothing else.")
def hunt_learner(
    learner: str,
    bound: tuple[str, ...],
    budget: float,
    matches: int | None,
    seed: int,
    save: Path | None,
    json_wanted: bool,
    **fields: Any,
) -> None:
    """Look for a match in which LEARNER breaks a theorem: other adversaries, games and sequences until time is up.

    What is given of the game stays as it is; the rest is varied as far as the theorems allow. What is found is shrunk.
    Exit code 1 if a theorem or a rule is broken, 0 if nothing was found, which is no proof, and 2 if no theorem applied
    to any match, so that nothing was tested.
    """
    started = time.monotonic()
    with told_to_the_user():
        given = {name: read_field(name, value) for name, value in fields.items() if value is not None}
        with _Progress(Console(stderr=True, quiet=json_wanted)) as progress:
            found = hunt(
                learner,
                list(bound) or None,
                budget=budget,
                matches=matches,
                seed=seed,
                kept=save,
                on_progress=progress,
                **given,
            )
            left = min(LONGEST_SHRINKING, max(budget - (time.monotonic() - started), 2.0))
            files = Kept(save or Path(FOLDER))
            keep(files, found, learner, left, closest_too=save is not None)
    if json_wanted:
        click.echo(json.dumps(finite({**found.as_json(), **files.as_json()}), allow_nan=False))
    else:
        print_hunt(Console(highlight=False, soft_wrap=True), found, files)
    sys.exit(1 if found.violation else INTERRUPTED if found.interrupted else 0 if found.applied else NOTHING_TESTED)


@dataclass
class Kept:
    """What was written, and the smallest sequence that fails."""

    folder: Path
    elusive: bool = False  # the moves alone did not make it fail again
    trouble: str = ""  # why nothing could be written
    small: Shrunk | None = None
    failure: Failure | None = None
    violation: Path | None = None
    worst: Transcript | None = None
    theorem: str | None = None
    closest: dict[str, Path] = field(default_factory=dict)

    @property
    def file(self) -> Path | None:
        """The smallest match that fails, or the whole one."""
        return Failures(self.folder).file(self.failure) if self.failure else self.violation

    @property
    def replay(self) -> str | None:
        """The command that plays it again."""
        run = self.small.smallest if self.small else self.worst
        if self.file is None or run is None or self.elusive:
            return None
        words = ["arena", "replay", str(self.file), *([run.learner] if ":" in run.learner else [])]
        words += ["--bound", self.theorem] if self.theorem else []
        return shlex.join(words + ["--one-by-one"] * (self.small is None or self.small.one_by_one))

    def replay_of(self, closest: Closest) -> str | None:
        """The command that plays a match again that came closest."""
        run, file = closest.transcript, self.closest.get(closest.theorem)
        if file is None or run is None:
            return None
        learner = [run.learner] if ":" in run.learner else []
        return shlex.join(["arena", "replay", str(file), *learner, "--bound", closest.theorem])

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        small = self.small
        return {
            "shrunk": None
            if small is None
            else {
                "rounds": small.rounds,
                "points": small.points.tolist(),
                "labels": small.labels.tolist(),
                "reason": small.reason,
                "game": game_as_json(small.smallest.game),
                "script": script(small),
            },
            "file": str(self.file) if self.file else None,
            "replay": self.replay,
            "closest_files": {name: str(path) for name, path in self.closest.items()},
        }


def keep(kept: Kept, found: Hunt, learner: str, seconds: float, *, closest_too: bool) -> None:
    """Shrink a violation and keep it, perhaps with the closest matches; what was found is told in any case."""
    violation, store = found.violation, Failures(kept.folder)
    if violation:
        kept.worst, kept.theorem = violation.transcript, violation.theorem
    if violation and violation.transcript and violation.single:
        with contextlib.suppress(KeyboardInterrupt):  # then the long match is kept
            run = violation.transcript
            result = shrink_and_keep(learner, run, violation.theorem, budget=seconds, store=store, apart=True)
            kept.small, kept.failure, kept.elusive = result.shrunk, result.failure, result.shrunk is None
            if kept.small and not kept.failure:
                kept.trouble = result.problem
                return
    try:
        _write_all(kept, found, closest_too=closest_too)
    except ArenaError as error:
        kept.trouble = str(error)


def _write_all(kept: Kept, found: Hunt, *, closest_too: bool) -> None:
    violation = found.violation
    if not kept.failure and violation and violation.transcript and violation.transcript.rounds:
        kept.violation = _write(violation.transcript, kept.folder, f"{_word(found.learner)}-violation")
    for closest in found.closest if closest_too else ():
        if closest.transcript:
            name = f"{_word(found.learner)}-{_word(closest.theorem)}"
            kept.closest[closest.theorem] = _write(closest.transcript, kept.folder, name)


def _write(run: Transcript, folder: Path, name: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return run.save(folder / f"{name}.npz")
    except OSError as error:
        raise ArenaError(f"{folder / name}.npz cannot be written: {error.strerror}") from None


def _word(text: str) -> str:
    """A spec as a part of a file's name."""
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in text.rpartition("/")[2])
    return plain.strip("-")[:60]


class _Progress:
    """One line that says where the hunt stands; nothing where nobody watches."""

    def __init__(self, console: Console):
        self.status = Status("hunting", console=console) if console.is_terminal and not console.quiet else None

    def __enter__(self) -> _Progress:
        if self.status:
            self.status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.status:
            self.status.stop()

    def __call__(self, so_far: Hunt) -> None:
        if self.status:
            best = max((each.tightness or 0.0 for each in so_far.closest), default=0.0)
            self.status.update(
                f"hunting: {so_far.seconds:.0f} s, {so_far.matches:,} matches, at most {best:.1%} of a bound"
            )


def print_hunt(console: Console, found: Hunt, kept: Kept) -> None:
    """The result for a person."""
    plain = not (console.encoding or "").lower().startswith("utf")
    matches = number_of(found.matches, "match", "matches")
    played = f"{matches}, {number_of(found.rounds, 'round')} in {found.seconds:.1f} s"
    console.print(f"Hunt for [bold]{escape(found.learner)}[/]: {played}, seed {found.seed}")
    if found.varied:
        console.print(f"Varied: {', '.join(name.replace('_', ' ') for name in found.varied)}")
    if found.interrupted:
        console.print("[bold yellow]Interrupted:[/] this is what is known so far.")
    console.print()
    if found.violation:
        _print_violation(console, found.violation, kept, plain=plain)
        if found.applied:
            console.print("  Before that:")
    for closest in found.closest:
        if closest.matches or not found.violation:
            _print_closest(console, closest, kept, plain=plain)
    if not found.violation and not found.applied:
        console.print("\nNo theorem applied to any match, so nothing was tested.")
    if not kept.closest and any(each.transcript and not each.command for each in found.closest):
        console.print("\n--save FOLDER keeps these matches, so that `arena replay` can repeat them.")


def _print_violation(console: Console, violation: Violation, kept: Kept, *, plain: bool) -> None:
    sign, plain_sign, style = SIGNS["violated"]
    console.print(f"  [{style}]{plain_sign if plain else sign}[/] {escape(violation.reason)}")
    if violation.transcript is not None:
        console.print(f"    by {escape(violation.adversary)}{escape(setting(violation.transcript))}")
    if violation.command:
        console.print(f"    Again: {escape(violation.command)}")
    if kept.small:
        console.print(f"    Shrunk: {escape(str(kept.small))}")
        if kept.small.rounds <= SHOWN:
            for name, array in (("points", kept.small.points), ("labels", kept.small.labels)):
                console.print(f"      [dim]{name} = {escape(array_text(array, name))}[/]")
    if kept.elusive and kept.file:
        console.print(f"    Kept: {escape(str(kept.file))}")
        console.print(
            "    [dim]The moves alone do not make it fail again: does it toss coins of its own, or do questions change "
            "it? `arena check` tells.[/]"
        )
    if kept.replay:
        console.print(f"    Again: {escape(kept.replay)}")
    if kept.trouble:
        console.print(f"    [yellow]Not kept:[/] {escape(kept.trouble)}")
    console.print()


def _print_closest(console: Console, closest: Closest, kept: Kept, *, plain: bool) -> None:
    if not closest.matches:
        sign, plain_sign, style = SIGNS["not applicable"]
        console.print(
            f"  [{style}]{plain_sign if plain else sign}[/] {escape(closest.theorem)}: "
            f"applied to no match{escape(f': {closest.reason}' if closest.reason else '')}"
        )
        return
    share = "no deviation" if closest.exact else "" if closest.tightness is None else f"at most {closest.tightness:.2%}"
    console.print(f"  {escape(closest.theorem)}: {share} in {number_of(closest.matches, 'match', 'matches')}")
    if closest.transcript is not None:
        console.print(f"    [dim]by {escape(closest.adversary)}{escape(setting(closest.transcript))}[/]")
        if again := closest.command or kept.replay_of(closest):
            console.print(f"    [dim]Again: {escape(again)}[/]")

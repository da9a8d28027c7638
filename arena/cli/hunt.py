"""`arena hunt LEARNER`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from arena.cli.errors import Mistake, told_to_the_user
from arena.cli.play import game_option, read_field, whole_number
from arena.cli.result import SIGNS, finite, setting
from arena.errors import ArenaError
from arena.hunt import Closest, Hunt, Standing, Violation, hunt
from arena.transcript import Transcript

INTERRUPTED = 130


@click.command("hunt")
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
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Keep what was found.")
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

    What is given of the game stays as it is; the rest is varied as far as the theorems allow. Exit code 1 if a theorem
    or a rule is broken, 0 if nothing was found, which is no proof.
    """
    with told_to_the_user():
        given = {name: read_field(name, value) for name, value in fields.items() if value is not None}
        if save is not None and save.exists() and not save.is_dir():
            raise Mistake(f"--save {save} is not a folder")
        with _Progress(Console(stderr=True, quiet=json_wanted)) as progress:
            found = hunt(
                learner,
                list(bound) or None,
                budget=budget,
                matches=matches,
                seed=seed,
                on_progress=progress,
                **given,
            )
        files = keep(found, save)
    if json_wanted:
        click.echo(json.dumps(finite({**found.as_json(), "files": {key: str(path) for key, path in files.items()}})))
    else:
        print_hunt(Console(highlight=False, soft_wrap=True), found, files)
    sys.exit(1 if found.violation else INTERRUPTED if found.interrupted else 0)


def keep(found: Hunt, folder: Path | None) -> dict[str, Path]:
    """Write the matches into the folder; a violation that no command repeats is written in any case."""
    files: dict[str, Path] = {}
    violation = found.violation
    if violation and violation.transcript and violation.transcript.rounds and (folder or not violation.command):
        files["violation"] = _write(violation.transcript, folder or Path(), f"{_word(found.learner)}-violation")
    for number, closest in enumerate(found.closest):
        if folder and closest.transcript:
            name = f"{_word(found.learner)}-{_word(closest.theorem)}"
            files[f"closest {number}"] = _write(closest.transcript, folder, name)
    return files


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

    def __call__(self, standing: Standing) -> None:
        if self.status:
            best = max((each.tightness or 0.0 for each in standing.closest), default=0.0)
            self.status.update(
                f"hunting: {standing.seconds:.0f} s, {standing.matches:,} matches, at most {best:.1%} of a bound"
            )


def print_hunt(console: Console, found: Hunt, files: dict[str, Path]) -> None:
    """The result for a person."""
    plain = not (console.encoding or "").lower().startswith("utf")
    rate = found.matches / max(found.seconds, 1e-9)
    played = (
        f"{found.matches:,} matches, {found.rounds:,} rounds in {found.seconds:.1f} s ({rate:,.0f} matches a second)"
    )
    console.print(f"Hunt for [bold]{escape(found.learner)}[/]: {played}, seed {found.seed}")
    if found.varied:
        console.print(f"Varied: {', '.join(name.replace('_', ' ') for name in found.varied)}")
    if found.interrupted:
        console.print("[bold yellow]Interrupted:[/] this is what is known so far.")
    for note in found.notes:
        console.print(escape(note))
    console.print()
    if found.violation:
        _print_violation(console, found.violation, files, plain=plain)
    for closest in found.closest:
        _print_closest(console, closest, plain=plain)
    if not found.violation and not found.applied:
        console.print("\nNo theorem applied to any match, so nothing was tested.")
    if files and set(files) != {"violation"}:
        console.print(f"\nSaved: {escape(str(next(iter(files.values())).parent))}")


def _print_violation(console: Console, violation: Violation, files: dict[str, Path], *, plain: bool) -> None:
    sign, plain_sign, style = SIGNS["violated"]
    console.print(f"  [{style}]{plain_sign if plain else sign}[/] {escape(violation.reason)}")
    if violation.transcript is not None:
        console.print(f"    by {escape(violation.adversary)}{escape(setting(violation.transcript))}")
    if violation.command:
        console.print(f"    Again: {escape(violation.command)}")
    if "violation" in files:
        judged = f" --bound {shlex.quote(violation.theorem)}" if violation.theorem else ""
        console.print(f"    Saved: {escape(str(files['violation']))}")
        console.print(f"    Judged again: arena judge {escape(shlex.quote(str(files['violation'])))}{escape(judged)}")
    console.print()


def _print_closest(console: Console, closest: Closest, *, plain: bool) -> None:
    if not closest.matches:
        sign, plain_sign, style = SIGNS["not applicable"]
        console.print(
            f"  [{style}]{plain_sign if plain else sign}[/] {escape(closest.theorem)}: "
            f"applied to no match: {escape(closest.reason)}"
        )
        return
    share = "no deviation" if closest.exact else "" if closest.tightness is None else f"at most {closest.tightness:.2%}"
    console.print(f"  {escape(closest.theorem)}: {share} in {closest.matches:,} matches")
    if closest.transcript is not None:
        console.print(f"    [dim]by {escape(closest.adversary)}{escape(setting(closest.transcript))}[/]")
        if closest.command:
            console.print(f"    [dim]Again: {escape(closest.command)}[/]")

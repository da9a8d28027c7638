"""`arena store`: lists, verifies, merges, deletes and exports the matches that tournaments keep."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Never

import click

from arena.cli.command_line import INCOMPLETE, UserError
from arena.cli.options import json_option, trust_option
from arena.cli.output import echo, print_json
from arena.cli.tournament import FOLDER
from arena.errors import ArenaError, number_of
from arena.record.tables import Row
from arena.tournament.export import export as write_matches
from arena.tournament.plan import fits, text_of
from arena.tournament.store import Store, Verified

folder_argument = click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=FOLDER)


@click.group("store")
def store() -> None:
    """List, verify, merge, clean and export the matches that `arena tournament` keeps."""


@store.command("list")
@folder_argument
@click.option("--only", default="", metavar="PATTERN", help="Matches whose text has this in it; * and ?.")
@json_option
def list_matches(folder: Path, only: str, json_wanted: bool) -> None:
    """List the matches in FOLDER, and those that could not be played.

    With --json, print one line of JSON for each match, and leave out those that could not be played.
    """
    there = opened(folder)
    for match in there.tables():
        if fits(only, _text(match)):
            if json_wanted:
                print_json(match)
            else:
                echo(_line(match))
    for failure in there.failures():
        if not json_wanted and fits(only, f"{failure.learner} {failure.adversary} seed={failure.seed}"):
            echo(f"{failure.key[:12]}  failed: {failure}")


@store.command()
@folder_argument
@json_option
@trust_option
def verify(folder: Path, json_wanted: bool, trust: bool) -> None:
    """Read all files of FOLDER completely, and move damaged files to the subfolder damaged/.

    The printed digest covers everything in the undamaged matches except times: two stores with the same digest hold the
    same matches. The exit code is 3 if a file was damaged.
    """
    _finish(opened(folder, trust=trust).verify(), "sound", json_wanted=json_wanted)


@store.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("others", type=click.Path(path_type=Path, file_okay=False, exists=True), nargs=-1, required=True)
@json_option
@trust_option
def merge(folder: Path, others: tuple[Path, ...], json_wanted: bool, trust: bool) -> None:
    """Copy to FOLDER those matches of OTHERS that it lacks. The exit code is 3 if a file was damaged."""
    into = Store(folder, trust=trust)
    found = [into.merge(opened(other, trust=trust)) for other in others]
    whole = Verified(
        sum(each.matches for each in found),
        tuple(line for each in found for line in each.damaged),
        tuple(dict.fromkeys(line for each in found for line in each.foreign)),
    )
    _finish(whole, "copied", json_wanted=json_wanted)


@store.command()
@folder_argument
@click.option("--keep", default="", metavar="PATTERN", help="Delete the matches whose text does not have this in it.")
@click.option("--yes", is_flag=True, help="Delete; without it, the matches are listed.")
def gc(folder: Path, keep: str, yes: bool) -> None:
    """Delete damaged files, unfinished files of killed processes and, with --keep, matches that do not fit PATTERN.

    Without --yes nothing is deleted, and the matches to delete are listed.
    """
    there = opened(folder)
    matches = there.tables()
    doomed = [match for match in matches if not fits(keep, _text(match))]
    if doomed and len(doomed) == len(matches):
        raise UserError(
            f"--keep {keep!r} fits no match, and nothing was deleted. The text of a match is such as "
            f"{_text(doomed[0])!r}; to delete all matches, delete the folder {folder}"
        )
    if not yes:
        for match in doomed:
            echo(_line(match))
        echo(f"{_count(len(doomed))} would be deleted; --yes deletes")
        return
    deleted = there.gc(lambda match: fits(keep, _text(match)))
    echo(f"{_count(deleted)} deleted")


@store.command()
@folder_argument
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.csv|.jsonl|.parquet")
def export(folder: Path, file: Path) -> None:
    """Write a table to FILE: for each match of FOLDER, a row with its last values and verdicts.

    The ending of FILE chooses the format.
    """
    count = write_matches(opened(folder).tables(), file)
    echo(f"{_count(count)} written to {file}")


def opened(folder: Path, *, trust: bool = False) -> Store:
    """Return the store in this folder; raise an `ArenaError` if there is no such folder.

    Specs in the store's files may name code outside the arena. With `trust`, this code may run.
    """
    if not folder.is_dir():
        raise ArenaError(f"there is no store {folder}: `arena tournament` makes one, there or where --store says")
    return Store(folder, trust=trust)


def _text(match: Row) -> str:
    return text_of(match.learner, match.adversary, match.game["rounds"], match.seed)


def _line(match: Row) -> str:
    ends = match.regret_ends
    regret = "unknown" if ends is None else f"{ends[1]:.6g}"
    ended = "" if match.ended == "completed" else f", {match.ended}"
    violated = "".join(f", {theorem} violated" for theorem in match.violated)
    return (
        f"{match.key[:12]}  {match.learner} against {match.adversary}, "
        f"{number_of(match.rounds, 'round')}, seed {match.seed}: regret {regret}{ended}{violated}"
    )


def _finish(found: Verified, what: str, *, json_wanted: bool) -> Never:
    """Print which files were damaged or foreign and how many matches were not; exit with 3 if a file was damaged."""
    if json_wanted:
        print_json(found)
    else:
        for heading, lines in (("damaged", found.damaged), ("foreign", found.foreign)):
            for line in lines:
                echo(f"{heading}: {line}")
        digest = f", digest {found.digest}" if found.digest else ""
        echo(f"{_count(found.matches)} {what}{digest}")
    sys.exit(INCOMPLETE if found.damaged else 0)


def _count(matches: int) -> str:
    return number_of(matches, "match", "matches")

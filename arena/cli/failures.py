"""`arena failures`: lists, prints and deletes kept failures of learners, and makes tests of them."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.cli.options import json_option, trust_option
from arena.cli.output import markup, print_json, terminal
from arena.counterexamples.failures import FOLDER, Failure, Failures
from arena.counterexamples.reproduction import promote as write_test
from arena.counterexamples.reproduction import reproduction
from arena.errors import ArenaError, number_of, printable
from arena.specs.spelling import short

folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(FOLDER),
    show_default=True,
    help="Where failures are kept.",
)


@click.group(invoke_without_command=True)
@folder_option
@click.pass_context
def failures(context: click.Context, folder: Path) -> None:
    """List, print and delete kept failures of learners, or make tests of them.

    Tests and hunts play the kept failures of a learner first. Without a command, the failures are listed.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_failures, folder=folder)
    elif folder != Path(FOLDER):  # the commands have the option, too
        context.default_map = {context.invoked_subcommand: {"folder": str(folder)}}


@failures.command("list")
@folder_option
@json_option
def list_failures(folder: Path, json_wanted: bool) -> None:
    """List the failures that are kept."""
    store = _opened(folder)
    found = store.kept()
    if json_wanted:
        print_json({"failures": found, "damaged": store.damaged})
        return
    console = terminal()
    for failure in found:
        what, size = markup(failure.theorem or "foul"), number_of(failure.rounds, "round")
        learner = markup(short(failure.learner))
        console.print(f"[bold]{failure.id}[/]  {learner}  {what}  {size}  [dim]{failure.when}[/]")
    if not found:
        console.print(f"No failures are kept in {markup(folder)}.")
    for file in store.damaged:
        click.echo(f"Damaged, left where it is (`arena failures clear` deletes it): {printable(file)}", err=True)


name_argument = click.argument("name", metavar="[ID]", default="")


@failures.command(short_help="Print a failure so that it can be pasted.")
@name_argument
@folder_option
@trust_option
def show(name: str, folder: Path, trust: bool) -> None:
    """Print a failure as a script that can be pasted and run, with comments on the violation and how to repeat it.

    The first digits of ID suffice. Without ID, the latest failure is printed.
    """
    store, failure = _found(folder, name, trust=trust)
    click.echo(reproduction(store.shrunk(failure), file=store.file(failure)), nl=False)


@failures.command(short_help="Turn a failure into a test for pytest.")
@name_argument
@folder_option
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for the test.  [default: tests, or here if there is none]",
)
@trust_option
def promote(name: str, folder: Path, to: Path | None, trust: bool) -> None:
    """Turn a failure into a test for pytest, which passes once the learner is corrected.

    The first digits of ID suffice. Without ID, the latest failure is taken.
    """
    store, failure = _found(folder, name, trust=trust)
    target = to or (Path("tests") if Path("tests").is_dir() else Path())
    written = write_test(store.shrunk(failure), failure.id, target)
    click.echo(printable("Written: " + ", ".join(map(str, written))))
    click.echo(printable(f"Next:    {shlex.join(['pytest', str(written[0])])}"))


@failures.command(short_help="Delete all failures, damaged ones too.")
@folder_option
def clear(folder: Path) -> None:
    """Delete all failures, damaged ones too; no file that the arena did not write is touched."""
    count = _opened(folder).clear()
    click.echo(f"{count} forgotten.")


def _opened(folder: Path, *, trust: bool = False) -> Failures:
    # The user may name the subfolder `failures`, in which the files are, in place of the folder that contains it.
    if folder.name == "failures" and not (folder / "failures").is_dir() and folder.is_dir():
        raise ArenaError(f"--folder is the folder that has {folder} in it: --folder {shlex.quote(str(folder.parent))}")
    if folder != Path(FOLDER) and not folder.is_dir():
        raise ArenaError(
            f"there is no folder {folder}: name that of `pytest --arena-failures`; without --folder it is {FOLDER}"
        )
    return Failures(folder, trust=trust)


def _found(folder: Path, start: str, *, trust: bool) -> tuple[Failures, Failure]:
    """Return the kept failures, and the one whose id starts with `start`; if `start` is empty, the latest.

    Raise an `ArenaError` if there is no such failure, or if `start` is not empty and several ids start with it.
    """
    store = _opened(folder, trust=trust)
    kept = store.kept()
    if not kept:
        raise ArenaError(f"no failures are kept in {store.folder}")
    return store, store.find(start) if start else kept[-1]

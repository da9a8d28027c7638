"""`arena failures`: what broke a learner before, kept in a folder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.markup import escape

from arena.cli.errors import told_to_the_user
from arena.cli.result import finite
from arena.counterexamples.failures import FOLDER, Failure, Failures
from arena.counterexamples.reproduction import promote as write_test
from arena.counterexamples.reproduction import reproduction
from arena.errors import ArenaError, number_of

F = TypeVar("F", bound=Callable[..., Any])
TRUST = "Run code that the files name: a kernel or theorem of your own."


def folder_option(command: F) -> F:
    """The option that says where failures are kept."""
    return click.option(
        "--folder",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(FOLDER),
        show_default=True,
        help="Where failures are kept.",
    )(command)


@click.group(invoke_without_command=True, short_help="What broke a learner before, kept to be played first.")
@click.pass_context
def failures(context: click.Context) -> None:
    """What broke a learner before: it is kept, and played first the next time.

    Without a word more, the list of them.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_failures)


@failures.command("list")
@folder_option
@click.option("--learner", help="Only those of this learner, a spec.")
@click.option("--theorem", help="Only those that break this theorem.")
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")
def list_failures(folder: Path, learner: str | None, theorem: str | None, json_wanted: bool) -> None:
    """List what is kept."""
    store = Failures(folder)
    with told_to_the_user():
        found = store.kept(learner=learner, theorem=theorem)
    if json_wanted:
        plain = [finite(dataclasses.asdict(failure)) for failure in found]
        click.echo(json.dumps({"failures": plain, "damaged": store.damaged}))
        return
    console = Console(highlight=False, soft_wrap=True)
    for failure in found:
        console.print(_line(failure))
    if not found:
        console.print(f"No failures are kept in {escape(str(folder))}.")
    _tell_of_damage(store)


@failures.command(short_help="Print a failure so that it can be pasted.")
@click.argument("name", metavar="[ID]", default="")
@folder_option
@click.option("--trust", is_flag=True, help=TRUST)
def show(name: str, folder: Path, trust: bool) -> None:
    """Print a failure so that it can be pasted: the moves, the numbers, the commands.

    The first digits of ID suffice; without them, the latest.
    """
    store = Failures(folder, trust=trust)
    with told_to_the_user():
        failure = _find(store, name)
        shrunk = store.shrunk(failure)
    click.echo(reproduction(shrunk, file=store.file(failure)), nl=False)


@failures.command(short_help="Turn a failure into a test for pytest.")
@click.argument("name", metavar="[ID]", default="")
@folder_option
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for the test.  [default: tests, or here if there is none]",
)
@click.option("--trust", is_flag=True, help=TRUST)
def promote(name: str, folder: Path, to: Path | None, trust: bool) -> None:
    """Turn a failure into a test for pytest, which passes once the learner is mended. It is yours to commit.

    The first digits of ID suffice; without them, the latest.
    """
    store = Failures(folder, trust=trust)
    with told_to_the_user():
        failure = _find(store, name)
        target = to or (Path("tests") if Path("tests").is_dir() else Path())
        written = write_test(store.shrunk(failure), failure.id, target)
    click.echo("Written: " + ", ".join(map(str, written)))
    click.echo(f"Next:    pytest {written[0]}")


@failures.command()
@folder_option
def clear(folder: Path) -> None:
    """Forget all failures, and files among them that were damaged."""
    with told_to_the_user():
        count = Failures(folder).clear()
    click.echo(f"{count} forgotten.")


def _find(store: Failures, start: str) -> Failure:
    """By the beginning of its name; without one the latest."""
    kept = store.kept()
    if not kept:
        raise ArenaError(f"no failures are kept in {store.folder}")
    return store.find(start) if start else kept[-1]


def _line(failure: Failure) -> str:
    what = escape(failure.theorem or "foul")
    size = number_of(failure.rounds, "round")
    return f"[bold]{failure.id}[/]  {escape(failure.learner)}  {what}  {size}  [dim]{failure.when}[/]"


def _tell_of_damage(store: Failures) -> None:
    for each in store.damaged:
        click.echo(f"Damaged and set aside: {each}", err=True)

"""`arena reproduce NAME`: plays an experiment of a paper again and writes a page; `papers` plays all experiments."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.cluster import cluster_of
from arena.cli.command_line import INCOMPLETE, INTERRUPTED
from arena.cli.options import NumberRange, cluster_option, json_option
from arena.cli.output import markup, print_json, terminal
from arena.cli.progress import TournamentProgress
from arena.data.registry import FOLDER
from arena.engine.executors import Cluster
from arena.errors import ArenaError
from arena.guards.whole_files import hide_from_git, make_folder, writing
from arena.papers.experiments import EXPERIMENTS, NAMES, experiment
from arena.papers.reproduction import search
from arena.papers.reproduction.page import as_json, papers_page, section
from arena.papers.reproduction.running import ExperimentResult, How, reproduce
from arena.reports.page import is_page
from arena.reports.paper import paper_page

F = TypeVar("F", bound=Callable[..., Any])
Where = AbstractContextManager[Cluster | None]  # as `cluster_of` returns it
MARK = "<!-- Made by `arena"
OUTPUT = Path(".arena") / "papers"


def _options(command: F) -> F:
    folder: Any = {"type": click.Path(path_type=Path, file_okay=False), "show_default": True, "metavar": "FOLDER"}
    for option in reversed(
        (
            click.option(
                "--data", "data", default=FOLDER, **folder,
                help="Folder of the data sets (arena data fetch), or of files of your own, NAME.csv and so on.",
            ),
            click.option("--seeds", type=click.IntRange(min=1), help="Seeds of each match; fewer are faster."),
            click.option("--quick", is_flag=True, help="Small extracts that are shipped with the package; seconds."),
            click.option(
                "-o", "--output", default=OUTPUT, **folder,
                help="Where matches and pages are kept; matches that are there are not played again.",
            ),
            click.option("--workers", type=click.IntRange(min=0), help="Processes; 0: this one.  [default: all]"),
            click.option("--only", default="", metavar="TEXT", help="Only the parts with this text in their headings."),
            click.option("--collect", is_flag=True, help="Play nothing: write the pages of what the folder has."),
            cluster_option,
        )
    ):  # fmt: skip
        command = option(command)
    return command


def experiment_command(name: str) -> click.Command:
    """Return the command that plays one experiment."""

    @click.command(name, short_help=f"{EXPERIMENTS[name].title}.")
    @_options
    @click.option(
        "--search",
        "minutes",
        type=NumberRange(min=0, min_open=True),
        metavar="MINUTES",
        help="Instead: look for the one setting, of those that the paper leaves open, that explains all its rows.",
    )
    @json_option
    def command(
        json_wanted: bool,
        minutes: float | None,
        cluster: str | None,
        cluster_wait: float | None,
        output: Path,
        **given: Any,
    ) -> None:
        where = cluster_of(cluster, cluster_wait)
        if minutes is not None:
            _search(name, output, where, given, minutes, json_wanted=json_wanted)
            return
        _with_part(given["only"], [name])
        outcome = _play(name, output, where, given, quiet=json_wanted)
        if json_wanted:
            print_json(as_json(outcome))
        else:
            _print(outcome, output)
        sys.exit(_exit_code([outcome]))

    command.help = f"""Play an experiment of a paper again: {EXPERIMENTS[name].title.lower()}.

    {name}.md, .html and .json in the output folder hold our values beside the published ones. An
    interrupted command goes on where it was interrupted. The exit code is 3 if a row could not be played.
    """
    return command


@click.command(short_help="All experiments of the papers, on one page.")
@_options
@click.option("--markdown", "markdown_wanted", is_flag=True, help="Print the page of the documentation.")
def papers(markdown_wanted: bool, cluster: str | None, cluster_wait: float | None, output: Path, **given: Any) -> None:
    """Play all experiments of the papers again, and write papers.md and a page for each of them.

    After an interruption, the same command continues with the matches that are missing. The exit code is 3 if a row of
    a table could not be played.
    """
    outcomes = []
    for name in _with_part(given["only"], NAMES):
        outcomes.append(_play(name, output, cluster_of(cluster, cluster_wait), given, quiet=markdown_wanted))
        if outcomes[-1].missing:
            sys.exit(INTERRUPTED)
    text = papers_page(outcomes, {name: _search_of(name, output) for name in NAMES})
    _write(output / "papers.md", text)
    if markdown_wanted:
        click.echo(text, nl=False)
    else:
        for outcome in outcomes:
            _print(outcome, output)
    sys.exit(_exit_code(outcomes))


def _play(name: str, output: Path, where: Where, given: dict[str, Any], *, quiet: bool) -> ExperimentResult:
    """Play an experiment, write its files, and return the outcome; `given` has the command's other options."""
    make_folder(output)
    if output == OUTPUT:
        hide_from_git(output.parent)
    console = terminal(err=True, quiet=quiet)
    with where as connected, ExitStack() as bars:

        def progress(matches: int) -> TournamentProgress:
            return bars.enter_context(TournamentProgress(console, matches))

        outcome = reproduce(experiment(name), output, How(cluster=connected, progress=progress, **given))
    values = as_json(outcome)
    _write(output / f"{name}.json", json.dumps(values, indent=1) + "\n")
    _write(output / f"{name}.md", f"{MARK} reproduce {values['name']}` -->\n\n{section(outcome, level='#')}")
    _write(output / f"{name}.html", paper_page(values))
    return outcome


def _with_part(only: str, names: Sequence[str]) -> list[str]:
    """Return those of the experiments that have a part with the text `only` in its heading; all for "".

    Raise an `ArenaError` if there is no such part.
    """
    parts = {}
    for name in names:
        wanted = experiment(name)
        parts[name] = [part.heading for part in wanted.parts(wanted.chosen)]
    found = [name for name, headings in parts.items() if any(only in each for each in headings) or not only]
    if not found:
        headings = [repr(each) for each in chain(*parts.values())]
        which, whose = (names[0], "Its") if len(names) == 1 else ("any experiment", "The")
        known = ", ".join(headings if len(names) == 1 else sorted(set(headings))) or "none, since nothing is played"
        raise ArenaError(f"--only {only!r}: no part of {which} has this in its heading. {whose} parts: {known}")
    return found


def _search_of(name: str, output: Path) -> str:
    """Return what `arena reproduce NAME --search` found, as text; "" if the folder `output` has no such result."""
    path = output / f"{name}-search.json"
    if not path.is_file():
        return ""
    return search.section(experiment(name), search.from_json(json.loads(path.read_text(encoding="utf-8"))))


def _search(name: str, output: Path, where: Where, given: dict[str, Any], minutes: float, *, json_wanted: bool) -> None:
    """Search over the values that the paper leaves open in an experiment; write and print what was found.

    The search takes about `minutes`; `given` has the command's other options.
    """
    wanted = experiment(name)
    if not wanted.open_settings:
        raise ArenaError(f"{name} leaves no setting open that could be searched")
    make_folder(output)
    with where as connected:
        found = search.search(wanted, output, How(cluster=connected, **given), minutes)
    values = asdict(found)
    _write(output / f"{name}-search.json", json.dumps(values, indent=1))
    if json_wanted:
        print_json(values)
    else:
        click.echo(search.section(wanted, found, level="#"), nl=False)


def _write(path: Path, text: str) -> None:
    with writing(path, _is_ours) as file:
        file.write(text.encode())


def _is_ours(head: bytes) -> bool:
    """Return whether a file that begins with the bytes `head` is a page or a result of `arena reproduce`."""
    beginnings = (b'{\n "name": "', b'{\n "tried": [', MARK.encode())
    return is_page(head) or any(head.startswith(each[: len(head)]) for each in beginnings)


def _print(outcome: ExperimentResult, output: Path) -> None:
    console, experiment = terminal(), outcome.experiment
    console.print(f"[bold]{markup(experiment.title)}[/] ({markup(experiment.paper)})")
    for part in outcome.parts:
        console.print(f"  [bold]{markup(part.part.heading)}[/], {part.part.measure}  [dim]{markup(part.prepared)}[/]")
        reasons = {each.reason if not each.values else None for each in part.rows}
        if len(reasons) == 1 and (reason := reasons.pop()) is not None:  # such as data that are not there
            console.print(f"    none of {len(part.rows)} rows could be played: {markup(reason)}")
            continue
        for each in part.rows:
            shown = f"[dim]{markup(each.reason)}[/]"
            if each.values:
                known = each.published
                beside = f"  published {known.value:g}  {each.beside}" if known else ""
                style = "yellow" if each.is_far else "default"
                shown = f"{each.mean:10.5g}[{style}]{markup(beside)}[/]"
            console.print(f"    {each.row.algorithm:<34} {shown}")
    if outcome.missing:
        console.print(f"\n[bold yellow]Interrupted:[/] {outcome.missing:,} matches are left; the same command goes on.")
    console.print(f"\nPage: {markup(output / experiment.name)}.html, .md and .json")


def _exit_code(outcomes: list[ExperimentResult]) -> int:
    if any(outcome.missing for outcome in outcomes):
        return INTERRUPTED
    unplayed = [each for outcome in outcomes for part in outcome.parts for each in part.rows if not each.values]
    if any(each.forfeited for each in unplayed):
        return 1
    return INCOMPLETE if unplayed else 0

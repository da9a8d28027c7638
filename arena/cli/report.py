"""`arena report STORE|FILE...`: one page about many matches."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.cli.command_line import errors_as_messages
from arena.cli.files import Files
from arena.cli.options import trust_option
from arena.cli.output import markup, terminal
from arena.cli.overview_tables import print_matrix, print_regrets, print_theorems
from arena.cli.standings import print_standings
from arena.cli.tournament import FOLDER
from arena.errors import ArenaError
from arena.plotting.style import Columns
from arena.reports.overview import NO_MATCH, write_overview
from arena.reports.pairings import Overview
from arena.reports.sources import Matches, checked

PAGE = Path("report.html")
FORMATS = ("pdf", "svg", "png")  # as in `arena.plotting.sheet`, which is not imported for the help


@click.command("report")
@click.argument("places", nargs=-1, type=click.Path(path_type=Path), metavar="STORE|FILE.npz...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help=f"The page to write.  [default: {PAGE}]",
)
@click.option("--title", default="", help="Title of the page.")
@click.option("--text", "as_text", is_flag=True, help="Print the tables; a page is written only with -o.")
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write figures for a publication into this folder; a page is written only with -o.",
)
@click.option("--format", "kind", type=click.Choice(FORMATS), default="pdf", show_default=True, help="Of the figures.")
@click.option(
    "--columns",
    type=click.Choice(("one", "two")),
    default="one",
    show_default=True,
    help="Width of the figures: 3.4 inches for one column of a page of two, 7 inches for both.",
)
@trust_option
def report(
    places: tuple[Path, ...],
    output: Path | None,
    title: str,
    as_text: bool,
    figures: Path | None,
    kind: str,
    columns: Columns,
    trust: bool,
) -> None:
    """Write one HTML page about the matches of stores and of files that `arena play --save` wrote.

    The page shows who broke whom, a ranking, the theorems and each pairing's worst match. It is one file that loads
    nothing else. Without STORE the store of the command `arena tournament` is read; nothing is played.
    """
    places = places or (FOLDER,)
    page = None if (as_text or figures) and output is None else output or PAGE
    with errors_as_messages():
        checked(places)
        matches = Matches(places, trust=trust)
        if page is not None:
            Files.checked(page, None)
            write_overview(matches, page, title=title, command=_command(places, page, title, trust=trust))
        if as_text:
            _print(matches)
        drawn = [] if figures is None else _draw(matches, figures, kind, columns)
    if page is not None:
        terminal().print(f"Report: {markup(page)}")
    for path in drawn:
        terminal().print(f"Figure: {markup(path)}")


def _draw(matches: Matches, folder: Path, kind: str, columns: Columns) -> list[Path]:
    from arena.reports.publication import write_figures  # matplotlib takes a second to import

    return write_figures(matches, folder, kind=kind, columns=columns)


def _print(matches: Matches) -> None:
    console, found = terminal(), Overview.of(matches.summaries())
    if not found.matches:
        raise ArenaError(NO_MATCH)
    print_matrix(console, found)
    print_regrets(console, found, matches)
    print_theorems(console, found)
    print_standings(console, found.scores, failures=matches.failures())


def _command(places: tuple[Path, ...], page: Path, title: str, *, trust: bool) -> str:
    words = ["arena", "report", *map(str, places), "-o", str(page)]
    return shlex.join(words + ["--title", title] * bool(title) + ["--trust"] * trust)

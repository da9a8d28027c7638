"""`arena report STORE|FILE...`: writes one page about many matches."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import click

from arena.cli.command_line import UserError
from arena.cli.files import check_path
from arena.cli.options import trust_option
from arena.cli.output import markup, terminal
from arena.cli.overview_tables import print_comparators, print_matrix, print_regrets, print_theorems
from arena.cli.standings import print_standings
from arena.cli.tournament import FOLDER
from arena.errors import ArenaError, number_of
from arena.plotting.style import Columns
from arena.reports.folder import write_matches
from arena.reports.overview import NO_MATCH
from arena.reports.pairings import Overview
from arena.reports.sources import Matches
from arena.reports.watching import WatchedReport

EVERY = 1.0  # seconds between two looks at the stores
SHARE = 3.0  # the pause after writing a page lasts at least this many times as long as the writing
PAGE = Path("report.html")
FORMATS = ("pdf", "svg", "png")  # the same values as in `arena.plotting.sheet`, whose import the help does without


@click.command("report")
@click.argument("places", nargs=-1, type=click.Path(path_type=Path), metavar="STORE|FILE.npz...")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE.html|FOLDER/",
    help=f"The page to write, or a folder with an index and a page for each match.  [default: {PAGE}]",
)
@click.option("--title", default="", help="Title of the page.")
@click.option("--text", "as_text", is_flag=True, help="Print the tables; a page is written only with -o.")
@click.option("--watch", is_flag=True, help="Write the page again whenever matches were added, until Ctrl-C.")
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
    output: str | None,
    title: str,
    as_text: bool,
    watch: bool,
    figures: Path | None,
    kind: str,
    columns: Columns,
    trust: bool,
) -> None:
    """Write one HTML page about the matches of stores and of files that `arena play --save` wrote.

    The page shows the outcome of each learner against each adversary, a ranking, the theorems and each pairing's worst
    match. It is one file that loads nothing else. If there are too many matches for one page, a folder of pages is
    written instead. Without STORE, the store of the command `arena tournament` is read. Nothing is played.
    """
    places = places or (FOLDER,)
    target = None if (as_text or figures) and output is None else output or str(PAGE)
    folder = target is not None and (target.endswith(("/", os.sep)) or Path(target).is_dir())
    if target is not None and not folder:
        check_path("-o", Path(target))
    command = _command(places, target or "", title, trust=trust)
    if watch:
        if target is None or folder or as_text or figures is not None:
            raise UserError("--watch writes one page: give -o FILE.html, and leave --text and --figures out")
        _watch(places, WatchedReport(places, Path(target), title=title, command=command, trust=trust), target)
        return
    for place in places:
        if not place.exists():
            raise ArenaError(
                f"there is no {place}: name the folder of a store, or a file of `arena play --save`. "
                "This makes a store: arena tournament krr kernel-awv --against alternating greedy"
            )
    matches, written = Matches(places, trust=trust), None
    if target is not None:
        written = write_matches(matches, Path(target), folder=folder, title=title, command=command)
    if as_text:
        _print(matches)
    drawn: list[Path] = []
    if figures is not None:
        from arena.reports.publication import write_figures  # matplotlib takes a second to import

        drawn = write_figures(matches, figures, kind=kind, columns=columns)
    if written is not None:
        terminal().print(f"Report: {markup(written)}")
    for path in drawn:
        terminal().print(f"Figure: {markup(path)}")


def _watch(places: tuple[Path, ...], report: WatchedReport, target: str) -> None:
    """Write the page `target` again whenever matches were added to the stores `places`, until Ctrl-C is pressed."""
    terminal().print(f"Watching {markup(' '.join(map(str, places)))}; Ctrl-C ends.")
    for place in places:
        if not place.exists():
            terminal().print(f"note: there is no {markup(place)} yet; the page is written when it holds a match")
    try:
        while True:
            started = time.monotonic()
            if report.update():
                terminal().print(f"{number_of(report.matches, 'match', 'matches')}: {markup(target)}")
            time.sleep(max(EVERY, SHARE * (time.monotonic() - started)))
    except KeyboardInterrupt:
        written = report.finish()
    terminal().print(f"Report: {markup(target)}" if written else "No match was found, and no page written.")


def _print(matches: Matches) -> None:
    console, found = terminal(), Overview.of(matches.tables())
    if not found.matches:
        raise ArenaError(NO_MATCH)
    print_matrix(console, found)
    print_regrets(console, found)
    print_comparators(console, found)
    print_theorems(console, found)
    print_standings(console, found.scores, failures=matches.failures())


def _command(places: tuple[Path, ...], page: str, title: str, *, trust: bool) -> str:
    words = ["arena", "report", *map(str, places), "-o", page]
    return shlex.join(words + ["--title", title] * bool(title) + ["--trust"] * trust)

"""`arena reproduce errata` and `arena reproduce tightness`: tables of the documentation, computed again."""

from __future__ import annotations

import sys

import click
from rich.console import Console

from arena.cli.command_line import errors_as_messages
from arena.cli.options import json_option
from arena.cli.output import mark, markup, print_json, terminal
from arena.cli.progress import MatchProgress
from arena.errors import number_of
from arena.papers import markdown
from arena.papers.errata import ERRATA, IN_WORDS, REMARKS, SERIOUSNESS, Judged, judge_all
from arena.papers.tightness import Tightness, planned_matches, tightness

_markdown = click.option("--markdown", "markdown_wanted", is_flag=True, help="Print the page of the documentation.")


@click.group()
def reproduce() -> None:
    """Make the tables of the documentation again."""


@reproduce.command(short_help="What is wrong in the papers, shown by matches.")
@_markdown
@json_option
def errata(markdown_wanted: bool, json_wanted: bool) -> None:
    """Judge every statement that is wrong as printed, and its correction, by a shipped transcript.

    Nothing is played. Exit code 0 if each printed statement fails where its correction holds, 1 otherwise.
    """
    with errors_as_messages():
        judged = judge_all(ERRATA)
    if markdown_wanted:
        click.echo(markdown.errata_page(judged, IN_WORDS, REMARKS, SERIOUSNESS), nl=False)
    elif json_wanted:
        print_json([each.as_json() for each in judged])
    else:
        _print_errata(terminal(), judged)
    sys.exit(0 if all(each.reproduced for each in judged) else 1)


@reproduce.command("tightness")
@click.option("--rounds", type=click.IntRange(min=2), default=200, show_default=True, help="Rounds of each match.")
@_markdown
@json_option
def how_tight(rounds: int, markdown_wanted: bool, json_wanted: bool) -> None:
    """Find the match that comes closest to each theorem's bound.

    Each learner plays a suite of adversaries; exit code 1 if a bound is exceeded, which no true theorem allows.
    """
    quiet = markdown_wanted or json_wanted
    with (
        errors_as_messages(),
        MatchProgress(Console(stderr=True, quiet=quiet), planned_matches(), "matches") as progress,
    ):
        rows = tightness(rounds=rounds, progress=progress)
    if markdown_wanted:
        click.echo(markdown.tightness_page(rows, rounds), nl=False)
    elif json_wanted:
        print_json([vars(row) for row in rows])
    else:
        _print_tightness(terminal(), rows)
    sys.exit(1 if any(row.violations for row in rows) else 0)


def _print_errata(console: Console, judged: list[Judged]) -> None:
    for each in judged:
        erratum = each.erratum
        console.print(f"[bold]{markup(each.paper)}[/] ({markup(erratum.place)}): {erratum.seriousness}")
        console.print(f"  {markup(erratum.wrong)}")
        console.print(f"  stated for: {markup(erratum.assumes)}")
        console.print(
            f"  {markup(each.run.learner)} against {markup(each.run.adversary)}, "
            f"{number_of(each.run.rounds, 'round')}: {markup(each.excess)}"
        )
        met = sum(premise.holds for premise in each.premises)
        console.print(f"  {met} of {number_of(len(each.premises), 'premise')} met; {markup(erratum.chance)}")
        for label, statement, verdict in (
            ("as printed", each.statement, each.printed),
            ("corrected", each.correction, each.corrected),
        ):
            console.print(f"  {mark(console, verdict.outcome)} {label}: {markup(statement)}")
            console.print(f"    {markup(f'{verdict.name}: {markdown.numbers(verdict)}')}")
        console.print()
    console.print(f"{sum(each.reproduced for each in judged)} of {len(judged)} reproduced.")


def _print_tightness(console: Console, rows: list[Tightness]) -> None:
    width = max(len(row.theorem) for row in rows)
    for row in rows:
        players = f"{row.learner} against {row.adversary}" if row.learner else ""
        console.print(
            f"  {row.theorem:<{width}}  {markdown.share(row):>9}  {row.matches:>4} matches  {markup(players)}".rstrip()
        )

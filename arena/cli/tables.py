"""`arena reproduce errata` and `arena reproduce tightness`: tables that anybody can make again."""

from __future__ import annotations

import json
import sys

import click
from rich.console import Console
from rich.markup import escape

from arena.cli.errors import told_to_the_user
from arena.cli.progress import MatchProgress
from arena.cli.result import SIGNS, finite
from arena.errors import number_of
from arena.papers import markdown
from arena.papers.errata import ERRATA, IN_WORDS, Judged, judge_all
from arena.papers.tightness import Tightness, planned_matches, tightness
from arena.record.theorem import Verdict

_markdown = click.option("--markdown", "markdown_wanted", is_flag=True, help="Print the page of the documentation.")
_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON and nothing else.")


@click.group()
def reproduce() -> None:
    """Make the tables of the documentation again."""


@reproduce.command(short_help="What is wrong in the papers, shown by matches.")
@_markdown
@_json
def errata(markdown_wanted: bool, json_wanted: bool) -> None:
    """Hold every statement that is wrong as printed, and its correction, against a shipped transcript.

    Nothing is played. Exit code 0 if each printed statement fails where its correction holds, 1 otherwise.
    """
    with told_to_the_user():
        judged = judge_all(ERRATA)
    if markdown_wanted:
        click.echo(markdown.errata_page(judged, IN_WORDS), nl=False)
    elif json_wanted:
        click.echo(json.dumps(finite([each.as_json() for each in judged]), allow_nan=False))
    else:
        _print_errata(Console(highlight=False, soft_wrap=True), judged)
    sys.exit(0 if all(each.reproduced for each in judged) else 1)


@reproduce.command("tightness")
@click.option("--rounds", type=click.IntRange(min=2), default=200, show_default=True, help="Rounds of each match.")
@_markdown
@_json
def how_tight(rounds: int, markdown_wanted: bool, json_wanted: bool) -> None:
    """For every theorem, the match that comes closest to its bound.

    Each learner plays a suite of adversaries; exit code 1 if a bound is exceeded, which no true theorem allows.
    """
    quiet = markdown_wanted or json_wanted
    with told_to_the_user(), MatchProgress(Console(stderr=True, quiet=quiet), planned_matches(), "matches") as progress:
        rows = tightness(rounds=rounds, progress=progress)
    if markdown_wanted:
        click.echo(markdown.tightness_page(rows, rounds), nl=False)
    elif json_wanted:
        click.echo(json.dumps(finite([vars(row) for row in rows]), allow_nan=False))
    else:
        _print_tightness(Console(highlight=False, soft_wrap=True), rows)
    sys.exit(1 if any(row.violations for row in rows) else 0)


def _print_errata(console: Console, judged: list[Judged]) -> None:
    plain = not (console.encoding or "").lower().startswith("utf")
    for each in judged:
        console.print(f"[bold]{escape(each.paper)}[/]")
        console.print(f"  {escape(each.erratum.wrong)}")
        console.print(
            f"  {escape(each.run.learner)} against {escape(each.run.adversary)}, {number_of(each.run.rounds, 'round')}"
        )
        for label, statement, verdict in (
            ("as printed", each.statement, each.printed),
            ("corrected", each.correction, each.corrected),
        ):
            sign, plain_sign, style = SIGNS[verdict.outcome]
            console.print(f"  [{style}]{plain_sign if plain else sign}[/] {label}: {escape(statement)}")
            console.print(f"    {escape(_short(verdict))}")
        console.print()
    console.print(f"{sum(each.reproduced for each in judged)} of {len(judged)} reproduced.")


def _short(verdict: Verdict) -> str:
    return f"{verdict.name}: {markdown.numbers(verdict)}"


def _print_tightness(console: Console, rows: list[Tightness]) -> None:
    width = max(len(row.theorem) for row in rows)
    for row in rows:
        who = f"{row.learner} against {row.adversary}" if row.learner else ""
        console.print(
            f"  {row.theorem:<{width}}  {markdown.share(row):>9}  {row.matches:>4} matches  {escape(who)}".rstrip()
        )

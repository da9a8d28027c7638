"""`arena reproduce`: makes the papers' tables and figures again, and the tables of the documentation."""

from __future__ import annotations

import json
import sys

import click
from rich.console import Console

from arena.cli.options import json_option
from arena.cli.output import mark, markup, print_json, terminal
from arena.cli.progress import MatchProgress
from arena.cli.reproduce_experiment import experiment_command, papers
from arena.errors import ArenaError, nearest, number_of
from arena.papers import markdown
from arena.papers.errata import ERRATA, JudgedErratum
from arena.papers.experiments import NAMES
from arena.papers.tightness import LARGE, Suite, default_promises, planned_matches, suite

_markdown = click.option("--markdown", "markdown_wanted", is_flag=True, help="Print the page of the documentation.")


@click.group()
def reproduce() -> None:
    """Make the tables and figures of the papers again, and the tables of the documentation."""


@reproduce.command(short_help="What is wrong in the papers, shown by matches.")
@_markdown
@json_option
def errata(markdown_wanted: bool, json_wanted: bool) -> None:
    """Judge each statement that is wrong as printed, and its correction, on a shipped transcript.

    Nothing is played. The exit code is 0 if every transcript shows its erratum, otherwise 1.
    """
    judged = [each.judged() for each in ERRATA]
    if markdown_wanted:
        click.echo(markdown.errata_page(judged), nl=False)
    elif json_wanted:
        print_json(judged)
    else:
        _print_errata(terminal(), judged)
    sys.exit(0 if all(each.reproduced for each in judged) else 1)


@reproduce.command("tightness", short_help="How close matches come to each theorem's bound.")
@click.option("--rounds", type=click.IntRange(min=2), default=200, show_default=True, help="Rounds of each match.")
@_markdown
@json_option
def how_tight(rounds: int, markdown_wanted: bool, json_wanted: bool) -> None:
    """Find the match that comes closest to each theorem's bound.

    Each learner plays many adversaries, in several games. The exit code is 1 if a bound is exceeded, otherwise 0.
    """
    console = terminal(err=True, quiet=markdown_wanted or json_wanted)
    with MatchProgress(console, planned_matches(), "matches") as progress:
        found = suite(rounds=rounds, progress=progress)
    if markdown_wanted:
        click.echo(markdown.tightness_page(found, rounds), nl=False)
    elif json_wanted:
        rows = [row.theorem_as_json() for row in found.theorems]
        print_json({"theorems": rows, "learners": [row.promise_as_json() for row in found.promises]})
    else:
        _print_tightness(terminal(), found)
    sys.exit(1 if any(row.violations for row in found.theorems) else 0)


@reproduce.command(short_help="Which promises of learners can apply, and can fail.")
@click.option("--learner", "learners", multiple=True, help="Only this learner; several times for several.")
def promises(learners: tuple[str, ...]) -> None:
    """Print as JSON, for each learner with its default parameters, which promises apply and which can be violated.

    Each learner plays the adversaries and games of `arena reproduce tightness` for 200 rounds. The result is shipped
    with the package, and `arena show` and `arena list` read it.
    """
    known = {learner: theorems for learner, theorems in default_promises().items() if theorems}
    wanted = learners or tuple(known)
    if unknown := [each for each in wanted if each not in known]:
        raise ArenaError(f"no learner {unknown[0]!r} promises a theorem. {nearest(unknown[0], list(known))}")
    with MatchProgress(terminal(err=True), len(wanted) * len(LARGE), "matches") as progress:
        found = suite(learners=wanted, progress=progress)
    statuses: dict[str, dict[str, str]] = {learner: {} for learner in wanted}
    for row in found.promises:
        if row.theorem:
            statuses[row.owner][row.theorem] = row.status
    click.echo(json.dumps(statuses, indent=1, sort_keys=True))


for _name in NAMES:
    reproduce.add_command(experiment_command(_name))
reproduce.add_command(papers)


def _print_errata(console: Console, judged: list[JudgedErratum]) -> None:
    for each in judged:
        erratum = each.erratum
        console.print(f"[bold]{markup(each.printed.about.paper)}[/] ({markup(erratum.place)}): {erratum.seriousness}")
        console.print(f"  {markup(erratum.wrong)}")
        console.print(f"  stated for: {markup(erratum.assumes)}")
        console.print(
            f"  {markup(each.run.learner)} against {markup(each.run.adversary)}, "
            f"{number_of(each.run.rounds, 'round')}: {markup(each.excess)}"
        )
        met = sum(premise.holds for premise in each.premises)
        console.print(f"  {met} of {number_of(len(each.premises), 'premise')} met; {markup(erratum.chance)}")
        for label, verdict in (
            ("as printed", each.printed),
            ("corrected", each.corrected),
        ):
            console.print(f"  {mark(console, verdict.outcome)} {label}: {markup(verdict.about.statement)}")
            console.print(f"    {markup(f'{verdict.name}: {markdown.numbers(verdict)}')}")
        console.print()
    console.print(f"{sum(each.reproduced for each in judged)} of {len(judged)} reproduced.")


def _print_tightness(console: Console, found: Suite) -> None:
    rows = found.theorems
    width = max(len(row.theorem) for row in rows)
    for row in rows:
        players = f"{row.learner} against {row.adversary}" if row.learner else ""
        vacuous = f"  vacuous in {row.vacuous}" if row.vacuous else ""
        console.print(
            f"  {row.theorem:<{width}}  {row.share:>11}  {row.applied:>4} matches{vacuous}  {markup(players)}".rstrip()
        )
    lines = [f"  {row.owner} against {row.sides_adversary}: {row.sides}" for row in found.promises if row.sides]
    if lines:
        console.print("\n  Both bounds apply, closest to each other:")
    for line in lines:
        console.print(markup(line))

"""`arena tournament`: plays many learners, adversaries, games and seeds, from a TOML file or the command line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.cluster import cluster_of
from arena.cli.command_line import INCOMPLETE, NOTHING_DECIDED, UserError
from arena.cli.isolation_note import print_isolation_note
from arena.cli.options import (
    USUAL_GAME,
    NumberRange,
    bound_option,
    cluster_option,
    game_fields,
    game_options,
    json_option,
    match_option,
    read_bounds,
    trust_option,
)
from arena.cli.output import COMMAND, Markup, echo, mark, markup, picked, print_json, terminal
from arena.cli.progress import TournamentProgress
from arena.cli.result import code_of, print_unjudged
from arena.cli.standings import print_standings, standings_as_json
from arena.cli.text_tables import OVER_ROUNDS, digits, number_columns, print_columns, print_list, print_text
from arena.errors import number_of
from arena.guards.whole_files import hide_from_git, make_folder
from arena.record.judgement import exit_code
from arena.record.repeating import split
from arena.record.series import Series
from arena.specs.spelling import Names
from arena.tournament.game_text import game_text
from arena.tournament.league import read_league
from arena.tournament.plan import Skipped, Tournament
from arena.tournament.running import TournamentResult, run
from arena.tournament.scores import Scores
from arena.tournament.store import Store

FOLDER = Path(".arena") / "store"


class _Against(click.Command):
    """A command whose option --against takes all words up to the next option."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        words, against = list[str](), False
        for word in args:
            if word == "--against" or word.startswith("-"):
                against = word == "--against"
                words += [] if against else [word]
            else:
                words += ["--against", word] if against else [word]
        if args and args[-1] == "--against":
            raise click.UsageError("Option '--against' needs at least one adversary (arena list adversaries).")
        return super().parse_args(context, words)


store_option = click.option(
    "--store",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    metavar="FOLDER",
    help="Where matches are kept; those that are there already are not played again.",
)


@click.command("tournament", cls=_Against)
@click.argument("entries", nargs=-1, required=True, metavar="LEAGUE.toml|LEARNER...")
@click.option("--against", multiple=True, metavar="ADVERSARY...", help="The adversaries, up to the next option.")
@game_options(**USUAL_GAME)
@click.option("--seeds", type=click.IntRange(min=1), help="Play so many seeds, 0, 1, 2, ...  [default: 1]")
@bound_option("each learner's own")
@match_option("comparators")
@match_option("hindsight", default=None, show_default=False)
@store_option
@click.option(
    "--workers", type=click.IntRange(min=0), help="Processes that play; 0: this one.  [default: one a processor]"
)
@cluster_option
@click.option("--only", default="", metavar="PATTERN", help="Of all matches, those whose text has this in it; * and ?.")
@click.option("--time-limit", type=NumberRange(min=0, min_open=True), metavar="SECONDS", help="Limit for a match.")
@click.option("--retry", is_flag=True, help="Play matches again whose failure is recorded in the store.")
@click.option(
    "--name", "names", multiple=True, metavar="NAME", help="A name for each learner, in their order, for tables."
)
@match_option("isolate")
@click.option("--dry-run", is_flag=True, help="List the matches and what is skipped, and play nothing.")
@json_option
@trust_option
def tournament(
    entries: tuple[str, ...],
    against: tuple[str, ...],
    bound: tuple[str, ...],
    folder: Path,
    workers: int | None,
    cluster: str | None,
    cluster_wait: float | None,
    time_limit: float | None,
    retry: bool,
    dry_run: bool,
    json_wanted: bool,
    trust: bool,
    **others: Any,
) -> None:
    """Play every LEARNER against every ADVERSARY, or the plan in LEAGUE.toml, and keep all matches in a store.

    A list in a spec is a grid: "pkawv(embedding=taylor(degree=[2,3,4]))" is three learners. Matches that the store has
    are not played again, so that the same command continues after an interruption. The exit code is 1 if a bound was
    violated, a match was forfeited, or a player ended its process; otherwise it is 3 if a match could not be played.
    """
    repeated, fields = split(others)
    # None, "" and (): as the plan says
    changes = {**repeated, **{name: fields.pop(name) for name in ("seeds", "only", "names")}}
    changes["bounds"] = read_bounds(bound) if bound else None
    plan = _plan(entries, against, game_fields(fields), changes, trust=trust)
    store = Store(folder, trust=trust or plan.places)
    if dry_run:
        _print_plan(plan, store, json_wanted=json_wanted)
        return
    if folder == FOLDER:
        make_folder(folder)
        hide_from_git(folder.parent)
    console = terminal(err=True, quiet=json_wanted)
    if repeated["isolate"]:
        print_isolation_note(console)
    with cluster_of(cluster, cluster_wait) as connected, TournamentProgress(console, len(plan.matches)) as progress:
        result = run(
            plan,
            store=store,
            workers=workers,
            cluster=connected,
            progress=progress,
            time_limit=time_limit,
            retry=retry,
        )
    series, scores = result.series(), Scores.of(result.tables)
    if json_wanted:
        print_json(_as_json(result, series) | {"standings": standings_as_json(scores)})
    else:
        _print(terminal(), result, series, scores)
    sys.exit(_exit_code(result, series, bound, changes["only"]))


def _plan(
    entries: tuple[str, ...], against: tuple[str, ...], fields: dict[str, Any], changes: dict[str, Any], *, trust: bool
) -> Tournament:
    given = {name: value for name, value in changes.items() if value not in (None, "", ())}
    if any(entry.endswith(".toml") for entry in entries):
        if len(entries) > 1 or against:
            raise UserError(f"{entries[0]} says who plays: give one file and no --against, or LEARNER... --against ...")
        return read_league(entries[0], trust=trust, fields=fields, **given)
    if not against:
        raise click.UsageError("Missing option '--against ADVERSARY...' (arena list adversaries), or a file .toml.")
    return Tournament(entries, against, [fields], given.pop("seeds", 1), **given)


def _print_plan(plan: Tournament, store: Store, *, json_wanted: bool) -> None:
    kept = [store.has(match.key) for match in plan.matches]
    if json_wanted:
        rows = [
            dict(zip(("learner", "adversary"), match.names, strict=True))
            | {"rounds": match.game.rounds, **picked(match, "seed key"), "kept": there}
            for match, there in zip(plan.matches, kept, strict=True)
        ]
        print_json({"matches": rows, "skipped": _skipped_as_json(plan.skipped)})
        return
    for match, there in zip(plan.matches, kept, strict=True):
        echo(f"{match.key[:12]}  {match}{'  (kept)' if there else ''}")
    for learner, reason in plan.broken.items():
        echo(f"fails: {learner}: {reason}")
    for skipped in plan.skipped:
        echo(f"skipped: {skipped}")
    echo(
        f"{number_of(len(plan.matches), 'match', 'matches')}, {sum(kept):,} kept in {store.folder}; "
        f"{number_of(len(plan.skipped), 'combination')} skipped"
    )


def _skipped_as_json(skipped: Iterable[Skipped]) -> list[dict[str, Any]]:
    return [picked(each, "learner adversary reason matches") for each in skipped]


def _as_json(result: TournamentResult, series: list[Series]) -> dict[str, Any]:
    return {
        "store": result.store and result.store.folder,
        "planned": len(result.planned),
        **picked(result, "kept played missing interrupted problems"),
        "failed": result.failures,
        "skipped": _skipped_as_json(result.skipped),
        "outcomes": [
            {
                **picked(each, "learner adversary learner_name adversary_name game state"),
                "matches": len(each.rows),
                "forfeits": len(each.forfeits),
                "regret": each.mean("regret_upper"),
                **each.means,
                "comparators": each.mean_regrets_to,
                "worst": picked(each.worst, "key seed"),
                **picked(each.judgement, "violated unjudged"),
            }
            for each in series
        ],
    }


def _print(console: Console, result: TournamentResult, series: list[Series], scores: Scores) -> None:
    assert result.store is not None
    where = markup(str(result.store.folder))
    total = number_of(len(result.planned), "match", "matches")
    console.print(f"[bold]{total}[/]: {result.played:,} played, {result.kept:,} kept before in {where}")
    print_unjudged(console, *(each.judgement for each in series))
    for heading, rows in (("failed", result.failures), ("skipped", result.skipped), ("set aside", result.problems)):
        print_list(console, f"[bold red]{heading}[/]: {len(rows):,}", rows, style="dim")
    if series:
        console.print()
        _print_series(console, series, scores.tables.names)
        console.print()
        print_standings(console, scores, failures=result.failures)
    if result.failures:
        console.print("\nFailed matches are played again with --retry.")
    if result.interrupted:
        console.print(
            f"\n[bold yellow]Interrupted:[/] {result.missing:,} matches are left; what was played is kept in {where}. "
            f"To go on: {markup(shlex.join(['arena', *sys.argv[1:]]), COMMAND)}"
        )


def _print_series(console: Console, series: list[Series], names: Names) -> None:
    worst = [each.worst for each in series]
    columns = {
        "learner": [names[each.learner] for each in series],
        "adversary": [names[each.adversary] for each in series],
        "game": [game_text(each.game) for each in series],
        "seeds": [f"{len(each.rows):,}" for each in series],
        "mean regret": [digits(each.mean("regret_upper")) for each in series],
        "worst": [digits(each.regret_upper) for each in worst],
        "of seed": [str(each.seed) for each in worst],
    }
    if len(set(columns["game"])) == 1:
        console.print(f"Game: {markup(columns.pop('game')[0])}\n")
    shown, compared = number_columns([each.means for each in series], [each.mean_regrets_to for each in series])
    samples = [each.regret_samples for each in worst]
    notes: list[str] = [_note(console, each) for each in series]
    if print_columns(console, columns | shown | compared, curves=samples, last=notes):
        print_text(console, f"Of the worst seed, {OVER_ROUNDS}")


def _note(console: Console, series: Series) -> Markup:
    found: list[str] = [number_of(len(series.forfeits), "forfeit")] * bool(series.forfeits)
    found += [mark(console, "violated", theorem) for theorem in series.judgement.violated]
    found += [mark(console, "open", "open")] * bool(series.judgement.unjudged)
    return Markup(", ".join(found))


def _exit_code(result: TournamentResult, series: list[Series], bound: tuple[str, ...], only: str) -> int:
    ended_by_a_player = any(each.kind == "died" for each in result.failures)
    judgements = [each.judgement for each in series]
    if not result.interrupted:
        if result.failures and not ended_by_a_player and exit_code(judgements) == 0:
            return INCOMPLETE
        if not series and not result.failures:
            none = f": no match fits --only {only!r}; --dry-run without it lists all"
            why = none if only and not result.planned else ""
            click.echo(f"No match was played{why} (exit code {NOTHING_DECIDED})", err=True)
            return NOTHING_DECIDED
    return code_of(judgements, bound, interrupted=result.interrupted, missing=ended_by_a_player)

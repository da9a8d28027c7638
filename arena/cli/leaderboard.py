"""`arena play LEARNER --all-adversaries`: who forces the most regret."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arena.cli.outcome import INTERRUPTED
from arena.cli.progress import MatchProgress
from arena.cli.result import finite, write_files
from arena.cli.series import Wanted
from arena.engine.match import play
from arena.errors import number_of
from arena.game.game import Game, changed_fields
from arena.record.storage import game_as_json
from arena.specs import registry
from arena.tournament.leaderboard import Leaderboard, Row, leaderboard

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NUMBERS = ("regret", "plain_regret", "loss")


def play_all(wanted: Wanted, report: Path | None, save: Path | None, *, json_wanted: bool) -> int:
    """Play against all, show who did what, and return the exit code; files are written of the worst match."""
    matches = len(registry.entries("adversary"))
    with MatchProgress(Console(stderr=True, quiet=json_wanted), matches, "matches") as progress:
        table = leaderboard(
            wanted.learner,
            seed=wanted.seed,
            bound=wanted.theorems,
            hindsight=wanted.hindsight,
            progress=progress,
            **wanted.fields,
        )
    if table.rows and (report or save):
        worst = table.rows[0].adversary
        run = play(wanted.learner, worst, seed=wanted.seed, hindsight=wanted.hindsight, **wanted.fields)
        write_files(run, wanted.theorems, report, save)
    if json_wanted:
        click.echo(json.dumps(finite(as_json(wanted, table)), allow_nan=False))
    else:
        _print(Console(highlight=False, soft_wrap=True), wanted, table, report, save)
    if table.interrupted:
        return INTERRUPTED
    return 1 if table.failed or table.missing else 0


def as_json(wanted: Wanted, table: Leaderboard) -> dict[str, Any]:
    """The table as plain values."""
    return {
        "learner": wanted.learner,
        "seed": wanted.seed,
        "rows": [_row_as_json(row, table, wanted) for row in table.rows],
        "cannot": table.cannot,
        "missing": list(table.missing),
        "interrupted": table.interrupted,
    }


def _row_as_json(row: Row, table: Leaderboard, wanted: Wanted) -> dict[str, Any]:
    return {
        **row.numbers,
        "learner_seconds": row.numbers["seconds"],
        "seconds": row.seconds,
        "forfeit": vars(row.forfeit) if row.forfeit else None,
        "tightness": {theorem: row.tightness(theorem) for theorem in table.theorems},
        "violated": row.broken,
        "command": _command(row, wanted),
    }


def _command(row: Row, wanted: Wanted) -> str | None:
    if row.command is None:
        return None
    judged = [word for bound in wanted.bounds if bound != "auto" for word in ("--bound", bound)]
    return " ".join([row.command, shlex.join(judged)]).strip()


def _print(console: Console, wanted: Wanted, table: Leaderboard, report: Path | None, save: Path | None) -> None:
    console.print(f"[bold]{escape(wanted.learner)}[/] against every adversary: {escape(_setting(wanted))}")
    if table.interrupted:
        console.print(f"[bold yellow]Interrupted:[/] {len(table.rows)} matches were played.")
    if table.missing:
        console.print(f"[bold red]Missing:[/] the process that played it was killed, twice: {', '.join(table.missing)}")
    console.print()
    if table.rows:
        _print_rows(console, table)
    forfeits = {row.adversary: row.forfeit for row in table.rows if row.forfeit}
    if forfeits:
        console.print("\n[bold red]forfeits[/]")
        for adversary, forfeit in forfeits.items():
            console.print(f"  {adversary}: {escape(str(forfeit))}")
    if table.cannot:
        console.print("\n[bold]cannot play here[/]")
        for adversary, reason in table.cannot.items():
            console.print(f"  {adversary}: {escape(reason)}", style="dim")
    if table.rows:
        for label, path in (("Report", report), ("Saved", save)):
            if path is not None:
                console.print(f"\n{label} (of {table.rows[0].adversary}): {escape(str(path))}")
        console.print(f"\nWorst: {escape(_command(table.rows[0], wanted) or '')}")


def _setting(wanted: Wanted) -> str:
    game = Game().replace(**wanted.fields)
    changed = changed_fields(game, Game()).keys() - {"rounds"}
    parts = [f"{key.replace('_', ' ')} {value}" for key, value in game_as_json(game).items() if key in changed]
    return ", ".join([number_of(game.rounds, "round"), *parts, f"seed {wanted.seed}"])


def _print_rows(console: Console, table: Leaderboard) -> None:
    letters = dict(zip(table.theorems, LETTERS, strict=False))
    cross = "✘" if (console.encoding or "").lower().startswith("utf") else "x"
    shown = [name for name in NUMBERS if any(row.numbers[name] is not None for row in table.rows)]
    grid = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("  adversary", no_wrap=True)
    for name in (*(name.removesuffix("_regret") for name in shown), *letters.values(), "seconds"):
        grid.add_column(name, justify="right", no_wrap=True)
    foul = any(row.forfeit for row in table.rows)
    if foul:
        grid.add_column()  # whose numbers are those of fewer rounds
    for row in table.rows:
        numbers = [_number(row.numbers[name]) for name in shown]
        shares = [_judged(row, theorem, cross) for theorem in letters]
        grid.add_row(
            f"  {escape(row.adversary)}", *numbers, *shares, f"{row.seconds:.2f}", *["forfeit"] * bool(row.forfeit)
        )
    wide = console.measure(grid, options=console.options.update(width=1000)).maximum
    console.width = max(wide, console.width)  # a terminal that is narrower wraps the lines; numbers are not cut off
    console.print(grid)
    if letters or any(row.broken for row in table.rows):
        console.print()
    for theorem, letter in letters.items():
        closest = max(table.rows, key=lambda row: row.tightness(theorem) or float("-inf"))
        most = f"at most {_share(closest.tightness(theorem))} by {closest.adversary}"
        console.print(f"  {letter}: share of {escape(theorem)} at the end, {most}{_broken_by(table, theorem, cross)}")
    for theorem in dict.fromkeys(each for row in table.rows for each in row.broken if each not in letters):
        who = ", ".join(row.adversary for row in table.rows if theorem in row.broken)
        console.print(f"  [bold red]{cross} {escape(theorem)} is violated[/] by {who}")


def _broken_by(table: Leaderboard, theorem: str, cross: str) -> str:
    count = sum(theorem in row.broken for row in table.rows)
    return f"; [bold red]{cross} exceeded in some round by {count}[/]" if count else ""


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _share(tightness: float | None) -> str:
    return "-" if tightness is None else f"{tightness:.0%}"


def _judged(row: Row, theorem: str, cross: str) -> str:
    share = _share(row.tightness(theorem))
    return f"[bold red]{cross} {share}[/]" if theorem in row.broken else share

"""`arena play LEARNER --all-adversaries`: ranks the adversaries by the regret that they force."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from rich.console import Console

from arena.cli.files import Files
from arena.cli.many_matches import play_worst, playing_many, print_gaps
from arena.cli.output import COMMAND, mark, markup, print_json, terminal
from arena.cli.request import Request
from arena.cli.result import code_of, forfeit_as_json, print_sparkline, print_unjudged
from arena.cli.text_tables import OVER_ROUNDS, digits, interval, print_columns
from arena.errors import number_of
from arena.game.game import Game
from arena.record.setting import fields_in_words
from arena.record.tables import SHOWN, Row
from arena.record.verdict import share_text
from arena.specs import registry
from arena.specs.spelling import changed_fields
from arena.tournament.leaderboard import Leaderboard, leaderboard

NUMBERS = ("regret", "plain_regret", "loss")


def play_all(request: Request, files: Files, *, json_wanted: bool) -> int:
    """Play every adversary, print a table, write `files` for the worst match, and return the exit code."""
    with playing_many(request, len(registry.entries("adversary")), quiet=json_wanted) as shared:
        table = leaderboard(request.learner, **shared)
    written = False
    if table.rows and (files.report or files.save):
        worst = play_worst(request, table.rows[0].adversary, request.seed, files, interrupted=table.interrupted)
        written = worst is not None
    if json_wanted:
        print_json(as_json(request, table))
    else:
        _print(terminal(), request, table, files if written else None)
    judgements, missing = [row.judgement for row in table.rows], bool(table.missing)
    return code_of(judgements, request.bounds, interrupted=table.interrupted, missing=missing)


def as_json(request: Request, table: Leaderboard) -> dict[str, Any]:
    """Return the table of all adversaries as plain values."""
    return {
        "learner": request.learner,
        "learner_name": table.rows[0].learner_name if table.rows else request.learner_name,
        "seed": request.seed,
        "rows": [_row_as_json(row, table) for row in table.rows],
        "cannot": table.cannot,
        "missing": list(table.missing),
        "interrupted": table.interrupted,
    }


def _row_as_json(row: Row, table: Leaderboard) -> dict[str, Any]:
    return {
        **row.summary(),
        "state": row.state,
        "unjudged": [vars(each) for each in row.judgement.unjudged],
        "regret_interval": row.regret_ends,
        "seconds": row.match_seconds,
        "comparators": row.comparators,
        "learner_seconds": row.seconds,
        "forfeit": forfeit_as_json(row.forfeit) if row.forfeit else None,
        "tightness": {theorem: row.judgement.shares.get(theorem) for theorem in table.theorems},
        "vacuous": [theorem for theorem in table.theorems if _is_vacuous(row, theorem)],
        "violated": list(row.violated),
        "forced": row.forced,
        "allowed": row.allowed,
        "lower_bounds": [verdict.as_json() for verdict in row.lower],
        "both_sides": [each.as_json() for each in row.judgement.sides],
        "command": table.commands.get(row.adversary),
    }


def _print(console: Console, request: Request, table: Leaderboard, files: Files | None) -> None:
    learner = table.rows[0].learner_name if table.rows else request.learner_name
    console.print(f"[bold]{markup(learner)}[/] against every adversary: {markup(_setting(request))}")
    print_unjudged(console, *(row.judgement for row in table.rows))
    print_gaps(console, str(len(table.rows)), ", ".join(table.missing), interrupted=table.interrupted)
    console.print()
    if table.rows:
        _print_rows(console, table)
    forfeits = {row.adversary: row.forfeit for row in table.rows if row.forfeit}
    if forfeits:
        console.print("\n[bold red]forfeits[/]")
        for adversary, forfeit in forfeits.items():
            console.print(f"  {adversary}: {markup(forfeit)}")
    if table.cannot:
        console.print("\n[bold]cannot play here[/]")
        for adversary, reason in table.cannot.items():
            console.print(f"  {adversary}: {markup(reason)}", style="dim")
    if table.rows:
        if files:
            console.print()
            files.print(console, match=f"of {table.rows[0].adversary}")
        console.print(f"\nWorst: {markup(table.commands.get(table.rows[0].adversary) or '', COMMAND)}")


def _setting(request: Request) -> str:
    game = Game().replace(**request.fields)
    changed = changed_fields(game)
    changed.pop("rounds", None)
    parts = fields_in_words(game, changed)
    return ", ".join([number_of(game.rounds, "round"), *parts, f"seed {request.seed}"])


def _print_rows(console: Console, table: Leaderboard) -> None:
    letters = dict(zip(table.theorems, string.ascii_uppercase, strict=False))
    rows = table.rows
    columns = {"  adversary": [f"  {row.adversary}" for row in rows]}
    for name in NUMBERS:
        cells = [_number(row, name) for row in rows]
        if any(cell != "-" for cell in cells):
            columns[name.removesuffix("_regret")] = cells
    if any(row.forced is not None for row in rows):
        columns["forced"] = [digits(row.forced) for row in rows]
    if any(row.allowed for row in rows):
        columns["allowed"] = [digits(row.allowed) for row in rows]
    for name in dict.fromkeys(name for row in rows for name in row.comparators):
        columns[f"to {name}"] = [interval(row.comparators.get(name)) for row in rows]
    columns |= {letter: [_judged(console, row, theorem) for row in rows] for theorem, letter in letters.items()}
    columns["seconds"] = [f"{row.match_seconds:.2f}" for row in rows]
    for column in SHOWN:
        if any(row[column.name] is not None for row in rows):
            columns[column.heading] = [digits(row[column.name]) for row in rows]
    curves = [row.regret_samples for row in rows]
    forfeits = ["forfeit" if row.forfeit else "" for row in rows]  # it ended early: numbers of fewer rounds
    marked = tuple(letters.values())
    drawn = print_columns(console, columns, left=("  adversary",), marked=marked, curves=curves, last=forfeits)
    console.print()
    if drawn:
        console.print(f"  {OVER_ROUNDS}")
    elif rows[0].regret_samples:
        print_sparkline(console, np.asarray(rows[0].regret_samples), f"regret by {rows[0].adversary}")
    if any(map(_is_negative, rows)):
        console.print(
            "  < 0: below zero, so that the learner did better than the comparator and used none of the bound"
        )
    _print_sides(console, table)
    for theorem, letter in letters.items():
        _print_share(console, table, theorem, letter)
    for theorem in dict.fromkeys(each for row in rows for each in row.violated if each not in letters):
        who = ", ".join(row.adversary for row in rows if theorem in row.violated)
        console.print(f"  {mark(console, 'violated', f'{theorem} is violated')} by {who}")


def _print_share(console: Console, table: Leaderboard, theorem: str, letter: str) -> None:
    """Print below the table what the column headed `letter` means: the tightness of `theorem` in each match.

    The printed line also has the largest tightness in the column, and the adversary of the match with this tightness.
    """
    shares = {row.adversary: share for row in table.rows if (share := row.judgement.shares.get(theorem)) is not None}
    closest = max(shares, key=shares.__getitem__)
    used = f"at most {share_text(shares[closest])} by {closest}" if shares[closest] >= 0 else "below 0 in every match"
    if vacuous := sum(_is_vacuous(row, theorem) for row in table.rows):
        used += f"; vacuous in {number_of(vacuous, 'match', 'matches')}, where it allows as much as is possible"
    if count := sum(theorem in row.violated for row in table.rows):
        used += f"; {mark(console, 'violated', f'exceeded in some round by {count}')}"
    console.print(f"  {letter}: share of {markup(theorem)} at the end, {used}")


def _print_sides(console: Console, table: Leaderboard) -> None:
    """Print what the table's columns "forced" and "allowed" mean, and which match is closest to a lower bound."""
    if any(row.allowed for row in table.rows):
        console.print("  allowed: the smallest bound of a theorem on this regret, in this match")
    lower = {row.at: row.judgement.largest_lower for row in table.rows}
    if not any(lower.values()):
        return
    text = "  forced: the least regret that any learner to which the lower bound applies can have in this match"
    forcing = [(bound.tightness, row) for row in table.rows if (bound := lower[row.at]) and (row.forced or 0.0) > 0]
    share, row = max(forcing, key=lambda pair: pair[0] or 0.0, default=(None, table.rows[0]))
    bound = lower[row.at]
    if bound and share is not None:
        text += f"; {share_text(share)} of the regret by {row.adversary} ({bound.theorem})"
    console.print(text)
    if sides := max(row.judgement.sides, key=lambda each: each.ratio, default=None):
        console.print(f"    {markup(sides)}", style="dim")


def _is_vacuous(row: Row, theorem: str) -> bool:
    """Return whether the theorem allows at least the largest value that is possible in this match."""
    return any(each.theorem == theorem and each.vacuous for each in row.verdicts)


def _is_negative(row: Row) -> bool:
    """Return whether the regret or the measured value of a theorem is negative; identities are left out."""
    measured = [each.measured for each in row.verdicts if each.measured is not None and not each.is_deviation]
    return min((*measured, row.regret or 0.0)) < 0


def _number(row: Row, name: str) -> str:
    """Return one value of a match as text; `name` is the name of the value, such as "regret" or "loss".

    A regret that is known in an interval is printed as an interval, or as one number if both ends are printed alike.
    """
    if name == "regret" and row.regret_ends is not None:
        return interval(row.regret_ends)
    return digits(getattr(row, name))


def _judged(console: Console, row: Row, theorem: str) -> str:
    share = share_text(row.judgement.shares.get(theorem)).replace("below", "<")
    return mark(console, "violated", share) if theorem in row.violated else share

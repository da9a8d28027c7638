"""`arena play LEARNER --all-adversaries`: ranks the adversaries by the regret that they force."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from rich.console import Console

from arena.cli.many_matches import Request, play_worst, playing_many, print_gaps
from arena.cli.output import COMMAND, mark, markup, picked, print_json, terminal
from arena.cli.result import code_of, forfeit_as_json, game_in_words, print_sparkline, print_unjudged
from arena.cli.text_tables import OVER_ROUNDS, digits, interval, number_columns, print_columns
from arena.errors import number_of
from arena.game.game import Game
from arena.record.tables import Row
from arena.record.verdict import share_text
from arena.specs import registry
from arena.tournament.leaderboard import Leaderboard, leaderboard


def play_all(request: Request) -> int:
    """Play every adversary, print a table, write the files of the worst match, and return the exit code."""
    output, worst = request.output, None
    with playing_many(request, len(registry.entries("adversary"))) as shared:
        table = leaderboard(request.learner, **shared)
    if table.rows and (output.report or output.save):
        worst = play_worst(request, table.rows[0].adversary, request.seed, interrupted=table.interrupted)
    if output.json_wanted:
        print_json(_as_json(request, table))
    else:
        _print(terminal(), request, table, written=worst is not None)
    judgements, missing = [row.judgement for row in table.rows], bool(table.missing)
    return code_of(judgements, request.bounds, interrupted=table.interrupted, missing=missing)


def _as_json(request: Request, table: Leaderboard) -> dict[str, Any]:
    return {
        **picked(request, "learner seed"),
        "learner_name": _learner_name(request, table),
        "rows": [_row_as_json(row, table) for row in table.rows],
        **picked(table, "cannot missing interrupted"),
    }


def _learner_name(request: Request, table: Leaderboard) -> str:
    return table.rows[0].learner_name if table.rows else request.learner_name


def _row_as_json(row: Row, table: Leaderboard) -> dict[str, Any]:
    judgement = row.judgement
    return {
        **row.summary(),
        **picked(row, "state comparators violated forced allowed"),
        "unjudged": judgement.unjudged,
        "regret_interval": row.regret_ends,
        "seconds": row.match_seconds,
        "learner_seconds": row.seconds,
        "forfeit": forfeit_as_json(row.forfeit),
        "tightness": {theorem: judgement.shares.get(theorem) for theorem in table.theorems},
        "vacuous": [theorem for theorem in table.theorems if _is_vacuous(row, theorem)],
        "lower_bounds": row.lower,
        "both_sides": judgement.sides,
        "command": table.commands.get(row.adversary),
    }


def _print(console: Console, request: Request, table: Leaderboard, *, written: bool) -> None:
    learner = markup(_learner_name(request, table))
    game = Game().replace(**request.fields)
    field = markup(game_in_words(game, game.rounds, request.seed))
    console.print(f"[bold]{learner}[/] against every adversary: {field}")
    print_unjudged(console, *(row.judgement for row in table.rows))
    print_gaps(console, str(len(table.rows)), ", ".join(table.missing), interrupted=table.interrupted)
    console.print()
    if table.rows:
        _print_rows(console, table)
    forfeits = {row.adversary: row.forfeit for row in table.rows if row.forfeit}
    refused = ("[bold]cannot play here[/]", table.cannot, "dim")
    for heading, those, style in (("[bold red]forfeits[/]", forfeits, None), refused):
        if those:
            console.print(f"\n{heading}")
        for adversary, reason in those.items():
            console.print(f"  {adversary}: {markup(reason)}", style=style)
    if table.rows:
        worst = table.rows[0].adversary
        if written:
            console.print()
            request.output.print_paths(console, match=f"of {worst}")
        console.print(f"\nWorst: {markup(table.commands.get(worst) or '', COMMAND)}")


def _print_rows(console: Console, table: Leaderboard) -> None:
    letters = dict(zip(table.theorems, string.ascii_uppercase, strict=False))
    rows = table.rows
    columns = {"  adversary": [f"  {row.adversary}" for row in rows]}
    numbers = {"regret": [_regret(row) for row in rows]} | {
        name.removesuffix("_regret"): [digits(row[name]) for row in rows]
        for name in ("plain_regret", "loss", "forced", "allowed")
    }
    if not any(row.allowed for row in rows):
        del numbers["allowed"]
    columns |= {name: cells for name, cells in numbers.items() if set(cells) != {"-"}}
    shown, compared = number_columns([row.summary() for row in rows], [row.comparators for row in rows])
    columns |= compared
    columns |= {letter: [_judged(console, row, theorem) for row in rows] for theorem, letter in letters.items()}
    columns["seconds"] = [f"{row.match_seconds:.2f}" for row in rows]
    curves = [row.regret_samples for row in rows]
    forfeits = ["forfeit" if row.forfeit else "" for row in rows]  # it ended early: numbers of fewer rounds
    drawn = print_columns(console, columns | shown, curves=curves, last=forfeits)
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


def _regret(row: Row) -> str:
    """Return the regret as text, or an interval that contains it."""
    return interval(row.regret_ends) if row.regret_ends is not None else digits(row.regret)


def _judged(console: Console, row: Row, theorem: str) -> str:
    share = share_text(row.judgement.shares.get(theorem)).replace("below", "<")
    return mark(console, "violated", share) if theorem in row.violated else share

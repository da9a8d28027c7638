"""The tables of `arena report --text`: learners against adversaries, and theorems."""

from __future__ import annotations

import contextlib

import numpy as np
from rich.console import Console

from arena.arrays import Array
from arena.cli.output import mark, shows_unicode
from arena.cli.sparkline import sparkline, spread
from arena.cli.text_tables import SHORTEST_NAME, print_columns, print_text
from arena.errors import ArenaError
from arena.reports.pairings import OUTCOMES, Overview, Pairing, setting_names
from arena.reports.sources import Matches

NARROWEST, WIDEST = 8, 16  # characters of a curve

MARKED = {"violated": "violated", "forfeit": "violated", "holds": "holds", "open": "not applicable"}


def print_matrix(console: Console, found: Overview) -> None:
    """Print each learner's outcome against each adversary, and the largest share of a bound that was used."""
    names = setting_names(found.settings)
    learners = sorted({each.outcome.learner for each in found.pairings})
    columns = {"learner": learners}
    for setting, name in names.items():
        columns[name] = [_cell(console, found.at(learner, setting)) for learner in learners]
    console.print("[bold]Who broke whom[/]")
    print_columns(console, columns, marked=tuple(names.values()))
    print_text(
        console,
        "The largest tightness, measured over allowed at the end of a match, of any bound in any seed; a bound that is "
        "exceeded in some round is violated, even if less is used at the end.",
    )


def print_regrets(console: Console, found: Overview, matches: Matches) -> None:
    """Print the regret over the rounds of each pairing's worst match as a line of blocks, one scale for each column."""
    names = setting_names(found.settings)
    learners = sorted({each.outcome.learner for each in found.pairings})
    room = (console.width - SHORTEST_NAME) // max(len(names), 1) - 2 if console.is_terminal else WIDEST
    width = max(NARROWEST, min(WIDEST, room))
    columns, drawn = {"learner": learners}, False
    for setting, name in names.items():
        curves = {learner: _regret(found.at(learner, setting), matches) for learner in learners}
        known = {learner: curve for learner, curve in curves.items() if curve is not None}
        limits = spread(list(known.values()))
        drawn = drawn or limits is not None
        columns[name] = [
            sparkline(known[each], width=width, low=limits[0], high=limits[1], plain=not shows_unicode(console))
            if each in known and limits
            else "-"
            for each in learners
        ]
    if not drawn:
        return
    console.print("\n[bold]Regret over the rounds[/]")
    print_columns(console, columns, left=tuple(columns))
    print_text(
        console, "The worst match of each pairing; the heights of a column have one scale, to its largest regret."
    )


def _regret(pairing: Pairing | None, matches: Matches) -> Array | None:
    """Return the regret, or the upper end of its interval, of a pairing's worst match; None if it is unknown."""
    if pairing is None:
        return None
    with contextlib.suppress(ArenaError), np.errstate(all="ignore"):  # a damaged file, or code that is not trusted
        ends = matches.transcript(pairing.worst).regret_interval
        return None if ends is None or not len(ends[1]) else np.asarray(ends[1])
    return None


def print_theorems(console: Console, found: Overview) -> None:
    """Print, for each theorem, the number of each verdict, the largest tightness and the match that has it."""
    columns = {"theorem": [each.theorem for each in found.theorems]}
    for outcome in OUTCOMES:
        counts = [each.counts[outcome] for each in found.theorems]
        bad = outcome == "violated"
        columns[outcome] = [mark(console, "violated", str(n)) if n and bad else str(n) for n in counts]
    columns["tightness"] = ["-" if each.tightness is None else f"{each.tightness:.0%}" for each in found.theorems]
    worst = [each.worst for each in found.theorems]
    columns["worst match"] = [
        f"{each.learner} against {each.adversary}, seed {each.seed}" if each else "-" for each in worst
    ]
    console.print("\n[bold]Theorems[/]")
    print_columns(console, columns, left=("theorem", "worst match"), marked=("violated",))
    console.print()


def _cell(console: Console, pairing: Pairing | None) -> str:
    if pairing is None:
        return "-"
    share = f"{pairing.tightest[0]:.0%}" if pairing.tightest else ""
    word = {"violated": "violated", "forfeit": "forfeit"}.get(pairing.state, "")
    return mark(console, MARKED[pairing.state], " ".join(filter(None, (share, word))))
